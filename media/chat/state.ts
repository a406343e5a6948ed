import { computed, signal } from '@preact/signals';
import { Formatter, type PanelState, type Row, type Start, type Wanted } from '../../src/chat/protocol';

/** What the panel said last; everything shown is made from these. Nothing is drawn before the start. */
export const start = signal<Start | undefined>(undefined);
export const told = signal<(PanelState & { readonly receivedAt: number }) | undefined>(undefined);
export const composer = computed(() => told.value?.composer);

export interface Rows {
  readonly rows: readonly Row[];
  /** Rows there will be when all have arrived; `undefined` before the first arrived. */
  readonly total: number | undefined;
}

export const transcript = signal<Rows>({ rows: [], total: undefined });

/** The transcript is read at its end, and follows it. */
export const following = signal(true);

/** What the find bar is opened for, another each time it should take the cursor again; `undefined` while it is closed. */
export const finding = signal<Wanted | undefined>(undefined);

/** Why the last act failed; shown above the composer until the next. */
export const refusal = signal<string | undefined>(undefined);

/** What the last act did beyond what was asked for; shown there, too. */
export const note = signal<string | undefined>(undefined);

/** Raised when a message is wanted that uncovers an answer. */
export const asked = signal(0);

/** Raised when the transcript should go to its end, as after a send. */
export const endWanted = signal(0);

/** Dates and numbers in the person's language. */
export let words = new Formatter('en');

export function speak(language: string): void {
  words = new Formatter(language);
}

/** Said politely to screen readers. */
export const announcement = signal('');
let together: ReturnType<typeof setTimeout> | undefined;

/** Says something to screen readers; with what was said within the second before, whose place it would take otherwise. */
export function announce(text: string): void {
  announcement.value = together === undefined ? text : `${announcement.value} ${text}`;
  clearTimeout(together);
  together = setTimeout(() => (together = undefined), 1000);
}

/** Collapsed parts a person has opened, by row and number. */
export const opened = signal<ReadonlySet<string>>(new Set());

export function toggle(key: string, open: boolean): void {
  if (opened.value.has(key) === open) return;
  const next = new Set(opened.value);
  if (open) next.add(key);
  else next.delete(key);
  opened.value = next;
}
