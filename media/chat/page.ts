import type { ChatProtocol, Kept, PageState } from '../../src/chat/protocol';
import { pageSide, RefusedByPanel, type PageSide } from '../../src/webview/ipc';
import {
  announcement,
  applySplice,
  composer,
  finding,
  header,
  opened,
  refusal,
  removed,
  start,
  transcript,
  transcriptProblem,
} from './state';

interface VsCode {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}
declare function acquireVsCodeApi(): VsCode;

const vscode = acquireVsCodeApi();
const composerListeners = new Set<
  (change: { readonly text?: string; readonly stash?: string; readonly focus: boolean }) => void
>();

/** The panel this page belongs to. */
export const panel: PageSide<ChatProtocol> = pageSide<ChatProtocol>(
  {
    start: payload => {
      const kept = payload.kept ?? (vscode.getState() as PageState | undefined);
      start.value = payload;
      const left = leftUnsaved();
      transcript.value = { rows: [], total: undefined, from: 0, removed: 0 };
      opened.value = new Set(kept?.opened);
      keepScroll(kept?.scroll);
      if (left !== undefined) panel.notify('unsaved', left);
    },
    state: payload => {
      header.value = { ...payload.header, receivedAt: performance.now() };
      composer.value = payload.composer;
      transcriptProblem.value = payload.transcriptProblem;
      removed.value = payload.removed;
    },
    splice: applySplice,
    setDraft: tellComposer,
    draftStored: ({ version }) => draftStored(version),
    focusComposer: () => tellComposer({ focus: true }),
    find: () => finding.value++,
    announce: ({ text }) => (announcement.value = text),
  },
  message => vscode.postMessage(message),
);

/** Calls `listener` when the panel changes the composer's text or focus. */
export function onComposerChange(
  listener: (change: { readonly text?: string; readonly stash?: string; readonly focus: boolean }) => void,
): () => void {
  composerListeners.add(listener);
  return () => composerListeners.delete(listener);
}

function tellComposer(change: {
  readonly text?: string;
  readonly stash?: string;
  readonly focus: boolean;
}): void {
  for (const listener of composerListeners) listener(change);
}

let scroll: Kept['scroll'];

/** Where the page was before it was built anew. */
export function keptScroll(): Kept['scroll'] {
  return scroll;
}

/** Keeps the position over a reload; without one the page opens at the end. */
export function keepScroll(at: Kept['scroll']): void {
  scroll = at;
  keep();
}

/** The editor keeps it over a reload, the panel for whenever this session is shown again. */
function keep(): void {
  const identity = start.value?.identity;
  if (identity === undefined) return;
  const place = { ...(scroll === undefined ? {} : { scroll }), opened: [...opened.value].slice(-500) };
  kept = { ...identity, ...place };
  keepState();
  panel.notify('kept', place);
}

let kept: Omit<PageState, 'unsaved'> | undefined;
let unsaved: PageState['unsaved'];
let draftVersion = 0;
/** What a page keeps is small; longer texts count on the panel. */
const LONGEST_KEPT = 50_000;

/**
 * What was unsaved when the page before this one went, also that of an earlier window: stored at once by the browser, where the
 * editor may come too late, as it drops what a page says while it is put away.
 */
function leftUnsaved(): PageState['unsaved'] {
  try {
    const kept = localStorage.getItem(storageKey());
    // What the editor keeps may be older than what the browser does.
    if (kept === null) return (vscode.getState() as PageState | undefined)?.unsaved;
    return (JSON.parse(kept) as PageState['unsaved'] | null) ?? undefined;
  } catch {
    return undefined;
  }
}

function storageKey(): string {
  const identity = start.value?.identity;
  return `agentConsole.unsaved ${identity?.serviceId ?? ''} ${identity?.sessionId ?? ''}`;
}

function keepState(): void {
  if (kept !== undefined) vscode.setState({ ...kept, ...(unsaved === undefined ? {} : { unsaved }) });
}

/** Keeps a text until the panel has stored it, so that a reload at any moment finds it. */
export function keepUnsaved(next: PageState['unsaved']): void {
  unsaved = next !== undefined && next.text.length <= LONGEST_KEPT ? next : undefined;
  try {
    localStorage.setItem(storageKey(), JSON.stringify(unsaved ?? null));
  } catch {
    // Without room or permission the editor's own memory has to do.
  }
  keepState();
}

/** Tells the panel the draft. */
export function tellDraft(text: string, stash: string | undefined): void {
  keepUnsaved({ text, at: Date.now() });
  panel.notify('draft', { text, version: ++draftVersion, ...(stash === undefined ? {} : { stash }) });
}

/** Hands the draft over to be sent; resolves to whether it is recorded. */
export async function sendDraft(text: string): Promise<boolean> {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const sendId = Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('');
  draftVersion++;
  keepUnsaved({ text, at: Date.now(), sendId });
  const recorded = await ask(panel.request('send', { text, sendId }));
  if (recorded) keepUnsaved(undefined);
  return recorded;
}

function draftStored(version: number): void {
  if (version === draftVersion && unsaved?.sendId === undefined) keepUnsaved(undefined);
}

/** Asks the panel; a refusal is shown above the composer and said. Resolves to whether it was done. */
export async function ask(question: Promise<unknown>): Promise<boolean> {
  refusal.value = undefined;
  try {
    await question;
    return true;
  } catch (error) {
    const reason = error instanceof RefusedByPanel ? error.message : String(error);
    refusal.value = reason;
    announcement.value = reason;
    return false;
  }
}

/** Copies, says so, and shows it on the button. */
export function copy(text: string, button: Element): void {
  panel.notify('copy', { text });
  announcement.value = start.value?.strings.copied ?? '';
  const icon = button.firstElementChild;
  icon?.classList.replace('codicon-copy', 'codicon-check');
  setTimeout(() => icon?.classList.replace('codicon-check', 'codicon-copy'), 1500);
}

/** Begins to listen and says so. */
export function connect(): void {
  window.addEventListener('message', event => panel.receive(event.data));
  window.addEventListener('error', event => {
    // Says only that sizes are looked at again in the next frame.
    if (!event.message.startsWith('ResizeObserver loop')) report(event.error ?? event.message);
  });
  window.addEventListener('unhandledrejection', event => report(event.reason));
  opened.subscribe(keep);
  panel.notify('ready', { timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone });
}

function report(error: unknown): void {
  const name = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  panel.notify('failed', { names: [name.slice(0, 200)] });
}
