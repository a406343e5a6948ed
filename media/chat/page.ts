import * as l10n from '@vscode/l10n';
import { computed, signal } from '@preact/signals';
import {
  Formatter,
  MAX_SHOWN,
  sendRow,
  withDays,
  type ChatProtocol,
  type Kept,
  type PageState,
  type PanelState,
  type Row,
  type Start,
  type Unsaved,
  type Wanted,
} from '../../src/chat/protocol';
import { pageSide, type PageSide } from '../../src/webview/ipc';
import { vscode } from '../kit/boot';
import type { Place } from './transcript';

/** What the panel said last; everything shown is made from these. Nothing is drawn before the start. */
export const start = signal<Start | undefined>(undefined);
export const panelState = signal<(PanelState & { readonly receivedAt: number }) | undefined>(undefined);
export const composer = computed(() => panelState.value?.composer);

export interface Rows {
  readonly rows: readonly Row[];
  /** Whether all have arrived; `undefined` before the first arrived. */
  readonly isWhole: boolean | undefined;
}
export const transcript = signal<Rows>({ rows: [], isWhole: undefined });
export const following = signal(true);
/** Where the transcript stands, once there is one. */
export const list: { current: Place | undefined } = { current: undefined };
/** What the find bar is opened for, another each time it should take the cursor again; `undefined` while it is closed. */
export const finding = signal<Wanted | undefined>(undefined);
/** Why the last act failed, or what it did beyond what was asked for; shown above the composer until the next. */
export const remark = signal<string | undefined>(undefined);
/** Dates and numbers in the person's language. */
export const words = new Formatter(document.documentElement.lang);

/** Said politely to screen readers. */
export const announcement = signal('');
let together: ReturnType<typeof setTimeout> | undefined;

/** Says something to screen readers; with what was said within the second before, whose place it would take otherwise. */
export function announce(text: string): void {
  // To a screen reader the same words are nothing new, but for a space.
  const said = announcement.value === text ? `${text}\u00a0` : text;
  announcement.value = together === undefined ? said : `${announcement.value} ${text}`;
  clearTimeout(together);
  together = setTimeout(() => (together = undefined), 1000);
}

export const opened = signal<ReadonlySet<string>>(new Set());

export function toggle(key: string, open: boolean): void {
  if (opened.value.has(key) === open) return;
  const next = new Set(opened.value);
  if (open) next.add(key);
  else next.delete(key);
  opened.value = next;
}

interface ComposerChange {
  readonly text?: string;
  readonly focus: boolean;
  /** Without a text, one is written that uncovers an answer. */
  readonly ask?: boolean;
}
export let tellComposer: (change: ComposerChange) => void = () => undefined;

export function onComposerChange(listener: (change: ComposerChange) => void): void {
  tellComposer = listener;
}

/** As the panel counts them, and whether these are all. */
let rows: readonly Row[] = [];
let isWhole: boolean | undefined;
/** What is handed over to be sent, until the panel has said whether it is recorded, and with that has a row for it. */
let leaving: readonly Row[] = [];

function showRows(): void {
  const own = leaving.filter(({ key }) => !rows.some(row => row.key === key));
  transcript.value = { rows: withDays(rows.concat(own)), isWhole };
}

export const panel: PageSide<ChatProtocol> = pageSide<ChatProtocol>(
  {
    start: payload => {
      if (payload.texts !== undefined) l10n.config({ contents: payload.texts });
      const kept = payload.kept ?? leftPlace(payload.identity);
      scroll = kept?.scroll;
      opened.value = new Set(kept?.opened);
      start.value = payload;
      seen = 0;
      [rows, isWhole, leaving] = [[], undefined, []];
      showRows();
      keep();
      const left = leftUnsaved();
      if (left !== undefined) panel.notify('unsaved', left);
    },
    state: payload => {
      panelState.value = { ...payload, receivedAt: performance.now() };
    },
    splice: ({ from, remove, rows: added, isWhole: isAll }) => {
      rows = rows.toSpliced(from, remove, ...added);
      isWhole = isAll;
      showRows();
    },
    setDraft: change => {
      if (change.text !== undefined) seen++;
      tellComposer(change);
    },
    draftStored: ({ version }) => {
      if (version === draftVersion && unsaved?.sendId === undefined) keepUnsaved(undefined);
    },
    find: what => {
      finding.value = what;
    },
    announce: ({ text }) => announce(text),
  },
  message => vscode.postMessage(message),
);

/** Where the reader is. */
export let scroll: Kept['scroll'];

/** Keeps the position; without one the next page opens at the end. */
export function keepScroll(at: Kept['scroll']): void {
  scroll = at;
  keep();
}

/** The panel keeps it for whenever this session is shown again, VS Code for the page that comes after a reload. */
function keep(): void {
  if (start.value === undefined) return;
  const kept: Kept = { scroll, opened: [...opened.value].slice(-100) };
  vscode.setState({ ...start.value.identity, kept } satisfies PageState);
  panel.notify('kept', kept);
}

/** Where this session was read when the page before this one went; a view may have shown another. */
function leftPlace({ serviceId, sessionId }: PageState): Kept | undefined {
  const left = vscode.getState() as PageState | undefined;
  return left?.serviceId === serviceId && left.sessionId === sessionId ? left.kept : undefined;
}

let unsaved: Unsaved | undefined;
let draftVersion = 0;
/** Texts that the panel gave for the composer since the start. */
let seen = 0;
/** What a browser keeps is small; longer texts count on the panel. */
const LONGEST_KEPT = 50_000;

function storageKey(): string {
  const { serviceId = '', sessionId = '' } = start.value?.identity ?? {};
  return `agentConsole.unsaved ${serviceId} ${sessionId}`;
}

/**
 * What was unsaved when the page before this one went: kept at once by the browser, for as long as the window lives, where the
 * editor may come too late, as it drops what a page says while it is put away.
 */
function leftUnsaved(): Unsaved | undefined {
  try {
    return (JSON.parse(sessionStorage.getItem(storageKey()) ?? 'null') as Unsaved | null) ?? undefined;
  } catch {
    // Without permission there is what the panel has stored.
    return undefined;
  }
}

/** Keeps a text until the panel has stored it, so that a reload at any moment finds it. */
export function keepUnsaved(next: Unsaved | undefined): void {
  unsaved = next !== undefined && next.text.length <= LONGEST_KEPT ? next : undefined;
  try {
    // First, so that an older text never seems the newest where there is no room for this one.
    sessionStorage.removeItem(storageKey());
    if (unsaved !== undefined) sessionStorage.setItem(storageKey(), JSON.stringify(unsaved));
  } catch {
    // Without room or permission the text is with the panel a moment later.
  }
}

/** Keeps what is written while a text is being recorded, until the panel has it. */
export function keepNext(next: string): void {
  if (unsaved !== undefined) keepUnsaved({ ...unsaved, next });
}

export function tellDraft(text: string): void {
  keepUnsaved({ text, at: Date.now() });
  panel.notify('draft', { text, seen, version: ++draftVersion });
}

/** Hands a text over to be sent; resolves to whether it is recorded. It is shown at once, but for one that is to be `queued`. */
export async function sendText(text: string, queued: boolean): Promise<boolean> {
  const sendId = crypto.getRandomValues(new Uint32Array(4)).join('-');
  const at = Date.now();
  draftVersion++;
  keepUnsaved({ text, at, sendId });
  if (!queued) {
    leaving = [sendRow(sendId, at, text.slice(0, MAX_SHOWN))];
    showRows();
    list.current?.toEnd();
  }
  const recorded = await ask(panel.request('send', { text, seen, sendId }));
  keepUnsaved(undefined);
  leaving = [];
  showRows();
  return recorded;
}

/** Asks the panel; a refusal is shown above the composer and said. Resolves to whether it was done. */
export async function ask(question: Promise<unknown>): Promise<boolean> {
  remark.value = undefined;
  try {
    await question;
    return true;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    remark.value = reason;
    announce(reason);
    return false;
  }
}

/** The same for a button that goes with what it does: the composer has the cursor then, unless one is elsewhere by now. */
export async function askOnce(question: Promise<unknown>): Promise<void> {
  const pressed = document.activeElement;
  await ask(question);
  const isFree = [pressed, document.body].includes(document.activeElement);
  if (isFree && document.hasFocus()) tellComposer({ focus: true });
}

/** Says that something is copied, once it is, and shows it on the button. */
export async function copied(button: Element, question: Promise<unknown>): Promise<void> {
  if (!(await ask(question))) return;
  announce(l10n.t('Copied'));
  const icon = button.firstElementChild;
  icon?.classList.replace('codicon-copy', 'codicon-check');
  setTimeout(() => icon?.classList.replace('codicon-check', 'codicon-copy'), 1500);
}

export function connect(): void {
  window.addEventListener('message', event => panel.receive(event.data));
  opened.subscribe(keep);
  panel.notify('ready', {});
}
