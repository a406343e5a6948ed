import { chatProtocol, type ChatProtocol, type Kept, type PageState } from '../../src/chat/protocol';
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
const composerListeners = new Set<(change: { readonly text?: string; readonly focus: boolean }) => void>();

/** The panel this page belongs to. */
export const panel: PageSide<ChatProtocol> = pageSide(
  chatProtocol,
  {
    start: payload => {
      const kept = payload.kept ?? (vscode.getState() as PageState | undefined);
      start.value = payload;
      transcript.value = { rows: [], total: undefined, from: 0, removed: 0 };
      opened.value = new Set(kept?.opened);
      keepScroll(kept?.scroll);
    },
    state: payload => {
      header.value = { ...payload.header, receivedAt: performance.now() };
      composer.value = payload.composer;
      transcriptProblem.value = payload.transcriptProblem;
      removed.value = payload.removed;
    },
    splice: applySplice,
    setDraft: tellComposer,
    focusComposer: () => tellComposer({ focus: true }),
    find: () => finding.value++,
    announce: ({ text }) => (announcement.value = text),
  },
  message => vscode.postMessage(message),
);

/** Calls `listener` when the panel changes the composer's text or focus. */
export function onComposerChange(
  listener: (change: { readonly text?: string; readonly focus: boolean }) => void,
): () => void {
  composerListeners.add(listener);
  return () => composerListeners.delete(listener);
}

function tellComposer(change: { readonly text?: string; readonly focus: boolean }): void {
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
  const kept = { ...(scroll === undefined ? {} : { scroll }), opened: [...opened.value].slice(-500) };
  vscode.setState({ ...identity, ...kept } satisfies PageState);
  panel.notify('kept', kept);
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
