import { chatProtocol, type ChatProtocol, type PageState } from '../../src/chat/protocol';
import { pageSide, RefusedByPanel, type PageSide } from '../../src/webview/ipc';
import {
  announcement,
  applySplice,
  composer,
  header,
  refusal,
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
      start.value = payload;
      transcript.value = { rows: [], total: undefined, from: 0, removed: 0 };
      keepScroll(keptScroll());
    },
    state: payload => {
      header.value = { ...payload.header, receivedAt: performance.now() };
      composer.value = payload.composer;
      transcriptProblem.value = payload.transcriptProblem;
    },
    splice: applySplice,
    setDraft: tellComposer,
    focusComposer: () => tellComposer({ focus: true }),
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

/** Where the page was before it was built anew. */
export function keptScroll(): PageState['scroll'] {
  return (vscode.getState() as PageState | undefined)?.scroll;
}

/** Keeps the position over a reload; without one the page opens at the end. */
export function keepScroll(scroll: PageState['scroll']): void {
  const identity = start.value?.identity;
  if (identity === undefined) return;
  vscode.setState({ ...identity, ...(scroll === undefined ? {} : { scroll }) } satisfies PageState);
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

/** Begins to listen and says so. */
export function connect(): void {
  window.addEventListener('message', event => panel.receive(event.data));
  window.addEventListener('error', event => {
    // Says only that sizes are looked at again in the next frame.
    if (!event.message.startsWith('ResizeObserver loop')) report(event.error ?? event.message);
  });
  window.addEventListener('unhandledrejection', event => report(event.reason));
  panel.notify('ready', { timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone });
}

function report(error: unknown): void {
  const name = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  panel.notify('failed', { names: [name.slice(0, 200)] });
}
