import { signal } from '@preact/signals';
import type { Composer, Header, Row, Splice, Start, Wanted } from '../../src/chat/protocol';

/** What the panel said last; everything shown is made from these. */
export const start = signal<Start | undefined>(undefined);
export const header = signal<(Header & { readonly receivedAt: number }) | undefined>(undefined);
export const composer = signal<Composer | undefined>(undefined);

/** Why the stored transcript cannot be shown. */
export const transcriptProblem = signal<string | undefined>(undefined);

export interface Rows {
  readonly rows: readonly Row[];
  /** Rows there will be when all have arrived; `undefined` before the first arrived. */
  readonly total: number | undefined;
  /** The last change: where it began and how many rows it replaced. */
  readonly from: number;
  readonly removed: number;
}

export const transcript = signal<Rows>({ rows: [], total: undefined, from: 0, removed: 0 });

/** The session is no longer in the person's list. */
export const removed = signal(false);

/** Raised when the find bar should open, or take the cursor again; 0 while it is closed. */
export const finding = signal(0);

/** What find is to look for once it is open. */
export const wanted = signal<Wanted>({});

/** Said politely to screen readers. */
export const announcement = signal('');
let together: ReturnType<typeof setTimeout> | undefined;

/** Says something to screen readers; with what was said within the second before, whose place it would take otherwise. */
export function announce(text: string): void {
  announcement.value = together === undefined ? text : `${announcement.value} ${text}`;
  clearTimeout(together);
  together = setTimeout(() => (together = undefined), 1000);
}

/** Why the last act failed; shown above the composer until the next. */
export const refusal = signal<string | undefined>(undefined);

/** What the last act did beyond what was asked for; shown there, too. */
export const note = signal<string | undefined>(undefined);

/** Raised when a message is wanted that uncovers an answer. */
export const asked = signal(0);

/** Raised when the transcript should go to its end, as after a send. */
export const endWanted = signal(0);

/** Collapsed parts a person has opened, by row and number. */
export const opened = signal<ReadonlySet<string>>(new Set());

export function toggle(key: string, open: boolean): void {
  if (opened.value.has(key) === open) return;
  const next = new Set(opened.value);
  if (open) next.add(key);
  else next.delete(key);
  opened.value = next;
}

export function applySplice({ from, remove, rows, total }: Splice): void {
  const before = transcript.value.rows;
  transcript.value = {
    rows: [...before.slice(0, from), ...rows, ...before.slice(from + remove)],
    total,
    from,
    removed: remove,
  };
}

/** Fills `{0}`, `{1}` of a text of the panel. */
export function fill(text: string, ...values: readonly string[]): string {
  return text.replace(/\{(\d)\}/g, (whole, index: string) => values[Number(index)] ?? whole);
}
