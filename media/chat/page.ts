import type { ChatProtocol, Kept, Unsaved } from '../../src/chat/protocol';
import { pageSide, type PageSide } from '../../src/webview/ipc';
import { vscode } from '../kit/boot';
import {
  announce,
  applySplice,
  composer,
  finding,
  wanted,
  header,
  note,
  opened,
  refusal,
  removed,
  start,
  transcript,
  transcriptProblem,
} from './state';

interface ComposerChange {
  readonly text?: string;
  readonly stash?: string;
  readonly focus: boolean;
}

const composerListeners = new Set<(change: ComposerChange) => void>();

/** The panel this page belongs to. */
export const panel: PageSide<ChatProtocol> = pageSide<ChatProtocol>(
  {
    start: payload => {
      start.value = payload;
      const left = leftUnsaved();
      transcript.value = { rows: [], total: undefined, from: 0, removed: 0 };
      vscode.setState(payload.identity);
      if (left !== undefined) panel.notify('unsaved', left);
    },
    place: kept => {
      scroll = kept.scroll;
      opened.value = new Set(kept.opened);
      isPlaced = true;
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
    find: what => {
      wanted.value = what;
      finding.value++;
    },
    announce: ({ text }) => announce(text),
  },
  message => vscode.postMessage(message),
);

/** Calls `listener` when the panel changes the composer's text or focus. */
export function onComposerChange(listener: (change: ComposerChange) => void): () => void {
  composerListeners.add(listener);
  return () => composerListeners.delete(listener);
}

function tellComposer(change: ComposerChange): void {
  for (const listener of composerListeners) listener(change);
}

let scroll: Kept['scroll'];
let isPlaced = false;

/** Where the page was before it was built anew. */
export function keptScroll(): Kept['scroll'] {
  return scroll;
}

/** Keeps the position; without one the next page opens at the end. */
export function keepScroll(at: Kept['scroll']): void {
  scroll = at;
  keep();
}

/** The panel keeps it for whenever this session is shown again. */
function keep(): void {
  if (isPlaced) panel.notify('kept', { scroll, opened: [...opened.value].slice(-500) });
}

let unsaved: Unsaved | undefined;
let draftVersion = 0;
/** What a browser keeps is small; longer texts count on the panel. */
const LONGEST_KEPT = 50_000;

function storageKey(): string {
  const identity = start.value?.identity;
  return `agentConsole.unsaved ${identity?.serviceId ?? ''} ${identity?.sessionId ?? ''}`;
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
  note.value = undefined;
  try {
    await question;
    return true;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    refusal.value = reason;
    announce(reason);
    return false;
  }
}

/** Copies, says so, and shows it on the button. */
export function copy(text: string, button: Element): void {
  panel.notify('copy', { text });
  copied(button);
}

/** Copies a message as a whole, which the panel knows. */
export function copyMessage(key: string, button: Element): void {
  panel.notify('copyMessage', { key });
  copied(button);
}

function copied(button: Element): void {
  announce(start.value?.strings.copied ?? '');
  const icon = button.firstElementChild;
  icon?.classList.replace('codicon-copy', 'codicon-check');
  setTimeout(() => icon?.classList.replace('codicon-check', 'codicon-copy'), 1500);
}

/** Tells what takes long to find out. */
export function tellTimeZone(): void {
  panel.notify('timeZone', { timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone });
}

/** Begins to listen and says so. */
export function connect(): void {
  window.addEventListener('message', event => panel.receive(event.data));
  opened.subscribe(keep);
  panel.notify('ready', {});
}
