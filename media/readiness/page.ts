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
import { tellProblem, vscode } from '../kit/boot';

/** What the panel said last; everything shown is made from these. */
export const report = signal<ReportView | undefined>(undefined);
export const commits = signal<CommitsView | undefined>(undefined);
/** The person chose what the report is compared with. */
export const chosen = signal(false);
/** What was asked for far below what will change: the reader is taken there. */
const awaited = signal<'report' | 'changes' | undefined>(undefined);
/** What a screen reader is told has changed. */
export const announced = signal('');

/** Asks for another report of the trend. */
export function openReport(reportId: string): void {
  awaited.value = 'report';
  panel.notify('show', { reportId });
}

/** Asks to compare with another report; without an id, with the previous one. */
export function compareWith(reportId?: string): void {
  awaited.value = 'changes';
  panel.notify('compare', reportId === undefined ? {} : { reportId });
}

/** Takes the reader to a heading, where that is what was awaited. */
export function arrive(at: 'report' | 'changes', heading: HTMLElement | null): boolean {
  if (awaited.value !== at) return false;
  awaited.value = undefined;
  heading?.scrollIntoView({ block: 'start' });
  heading?.focus({ preventScroll: true });
  return true;
}
export const missing = signal<string | undefined>(undefined);

/** Rows a table begins with. */
export const STEPS = { criteria: 200, trend: 30 } as const;

/** How the person looks at the report; kept while the page is hidden. */
export const filter = signal<PageLook['filter']>('all');
export const words = signal('');
export const criteriaShown = signal<number>(STEPS.criteria);
export const trendShown = signal<number>(STEPS.trend);
const scroll = signal(0);

let state: PageState | undefined;
/** Where the page was, until it is there again, px. */
let wanted = 0;

/** The panel this page belongs to. */
export const panel: PageSide<ReportProtocol> = pageSide<ReportProtocol>(
  {
    start: ({ texts }) => {
      if (texts !== undefined) l10n.config({ contents: texts });
    },
    report: ({ view, state: now }) => {
      if (state === undefined) lookAgain(now, view.focus !== undefined);
      state = now;
      keep();
      missing.value = undefined;
      const before = report.value;
      if (before?.reportId !== view.reportId || before.baseId !== view.baseId) commits.value = undefined;
      chosen.value = now.baseId !== undefined;
      report.value = view;
      scrollBack();
      void panel.request('commits', {}).then(found => {
        if (report.value !== view) return;
        commits.value = found;
        scrollBack();
      }, tellProblem);
    },
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
  if (!isPageState(kept) || kept.key !== key || kept.reportId !== reportId || kept.look === undefined) return;
  filter.value = kept.look.filter;
  words.value = kept.look.words;
  criteriaShown.value = kept.look.criteria;
  trendShown.value = kept.look.trend;
  if (!isFocused) wanted = scroll.value = kept.look.scroll;
}

/** To where the page was, as far as it is drawn; its end may come later. A person who scrolls has the say. */
function scrollBack(): void {
  if (wanted === 0) return;
  requestAnimationFrame(() => {
    window.scrollTo(0, wanted);
    if (window.scrollY >= wanted - 1) wanted = 0;
  });
}

function keep(): void {
  const look: PageLook = {
    filter: filter.value,
    words: words.value.slice(0, 1_000),
    criteria: criteriaShown.value,
    trend: trendShown.value,
    scroll: scroll.value,
  };
  if (state === undefined) return;
  vscode.setState({ ...state, look });
}

/** Begins to listen and says so. */
export function connect(): void {
  window.addEventListener('message', event => panel.receive(event.data));
  effect(keep);
  window.addEventListener('scroll', () => {
    if (wanted === 0) scroll.value = window.scrollY;
  });
  for (const act of ['wheel', 'keydown', 'pointerdown']) window.addEventListener(act, () => (wanted = 0));
  panel.notify('ready', {});
}
