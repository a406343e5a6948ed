import { effect, signal } from '@preact/signals';
import * as l10n from '@vscode/l10n';
import {
  isPageState,
  type CommitsView,
  type PageLook,
  type PageState,
  type ReportProtocol,
  type ReportView,
} from '../../src/readiness/protocol';
import { pageSide, type PageSide } from '../../src/webview/ipc';
import { vscode } from '../kit/boot';
import { keepScroll } from '../kit/scroll';

/** What the panel said last; everything shown is made from these. */
export const report = signal<ReportView | undefined>(undefined);
export const commits = signal<CommitsView | undefined>(undefined);
export const missing = signal<string | undefined>(undefined);
/** Which report was asked for, and which one to compare with. */
export const state = signal<PageState | undefined>(undefined);

/** How the person looks at the report; kept while the page is hidden. */
export const filter = signal<PageLook['filter']>('all');
export const words = signal('');
const scroll = signal(0);

/** The panel this page belongs to. */
export const panel: PageSide<ReportProtocol> = pageSide<ReportProtocol>(
  {
    start: ({ texts }) => {
      if (texts !== undefined) l10n.config({ contents: texts });
    },
    report: ({ view, state: now }) => {
      const before = state.value;
      if (before === undefined) lookAgain(now, view.focus !== undefined);
      else if (before.reportId !== now.reportId || before.baseId !== now.baseId) {
        commits.value = undefined;
        // Another report, or another comparison, is read from its beginning.
        if (view.focus === undefined) requestAnimationFrame(() => document.querySelector('h1')?.focus());
      }
      missing.value = undefined;
      state.value = now;
      report.value = view;
    },
    commits: found => (commits.value = found),
    missing: ({ sentence }) => {
      missing.value = sentence;
      report.value = undefined;
    },
  },
  message => vscode.postMessage(message),
);

/** Takes up what was kept of the same report. */
function lookAgain({ key, reportId }: PageState, isFocused: boolean): void {
  const kept = vscode.getState();
  const look = isPageState(kept) && kept.key === key && kept.reportId === reportId ? kept.look : undefined;
  filter.value = look?.filter ?? 'all';
  words.value = look?.words ?? '';
  keepScroll(isFocused ? 0 : (look?.scroll ?? 0), top => (scroll.value = top));
}

/** Begins to listen and says so. */
export function connect(): void {
  window.addEventListener('message', event => panel.receive(event.data));
  effect(() => {
    const look: PageLook = { filter: filter.value, words: words.value.slice(0, 1_000), scroll: scroll.value };
    if (state.value !== undefined) vscode.setState({ ...state.value, look });
  });
  panel.notify('ready', {});
}
