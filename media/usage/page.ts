import * as l10n from '@vscode/l10n';
import {
  pageState,
  queryOf,
  type PageState,
  type SectionState,
  type TabReport,
  type UsageProtocol,
  type UsageQuery,
} from '../../src/usage/show/protocol';
import { pageSide, RefusedByPanel, type PageSide } from '../../src/webview/ipc';
import { vscode } from '../kit/boot';
import { setLanguage } from './format';
import { announcement, fetching, refusal, report, sectionState, situation, slow, state } from './state';

/** An answer that takes longer is said to be loading, ms. */
const SLOW = 300;
/** Changes that come together are asked for together, ms. */
const GATHER = 50;

/** What was fetched without a person's asking, so that a day that stays away is not asked for again and again. */
const tried = new Set<string>();
let turn = 0;
let lastFetch = 0;
/** Pixels from the top; no part of what is drawn. */
let scrolled = 0;
let gathering: number | undefined;

/** The panel this page belongs to. */
export const panel: PageSide<UsageProtocol> = pageSide<UsageProtocol>(
  {
    start: ({ texts, language, situation: now, state: kept, report: first }) => {
      if (texts !== undefined) l10n.config({ contents: texts });
      setLanguage(language);
      situation.value = now;
      state.value = kept;
      scrolled = kept.scroll ?? 0;
      keep();
      if (first === undefined) void load();
      else take(first);
    },
    changed: now => {
      const before = situation.value;
      if (before?.bounds.end !== now.bounds.end || before.state.kind !== now.state.kind) tried.clear();
      situation.value = now;
      // What is being fetched comes with its answer.
      if (fetching.value !== undefined) return;
      clearTimeout(gathering);
      gathering = setTimeout(() => void load(), GATHER);
    },
    progress: ({ id, fraction, label }) => {
      if (isFetching(id)) fetching.value = { id, fraction, label };
    },
  },
  message => vscode.postMessage(message),
);

/** Sets what the person chose, keeps it, and shows what it asks for. */
export function change(changed: Partial<PageState>): void {
  const before = query();
  state.value = { ...state.value, ...changed };
  keep();
  if (changed.tab !== undefined) goToTop();
  const now = query();
  if (before !== undefined && (now === undefined || daysOf(now) !== daysOf(before))) cancelFetch(before);
  void load();
}

/** Names the days a query is about. */
function daysOf({ tab, range }: UsageQuery): string {
  return [tab, range.start, range.end].join(' ');
}

/** Other figures begin at their top, where the tabs end, which stay in view. */
function goToTop(): void {
  const place = document.getElementById('panel');
  if (place === null) return;
  const tabs = place.previousElementSibling?.getBoundingClientRect().height ?? 0;
  const top = Math.max(0, place.getBoundingClientRect().top + window.scrollY - tabs);
  if (window.scrollY > top) window.scrollTo(0, top);
}

/** Shows one person's days, or all people; the row or button that was pressed is gone then, so the focus goes to the figures. */
export function openPerson(person: string | undefined): void {
  change({ tab: 'people', person });
  document.getElementById('panel')?.focus({ preventScroll: true });
}

/** Sets how one section is shown; nothing is asked for. */
export function changeSection(changed: Partial<SectionState> & { readonly id: string }): void {
  const section = { ...sectionState(changed.id), ...changed };
  const others = state.value.sections.filter(each => each.tab !== section.tab || each.id !== section.id);
  state.value = { ...state.value, sections: [...others, section].slice(-200) };
  keep();
}

/** Keeps where the page stands over a reload. */
export function keepScroll(scroll: number): void {
  scrolled = scroll;
  keep();
}

/** What is asked for now; `undefined` before the panel has said what may be. */
export function query(): UsageQuery | undefined {
  return situation.value === undefined ? undefined : queryOf(state.value, situation.value.bounds);
}

/** Fetches missing days of what is shown, or all of them again. */
export async function fetchDays(again: boolean): Promise<void> {
  const asked = query();
  if (asked === undefined) return;
  const id = ++lastFetch;
  const told = report.value?.missing?.problem;
  const words = l10n.t('Fetching');
  fetching.value = { id, fraction: 0, ...(again ? { label: words } : {}) };
  setTimeout(() => {
    if (isFetching(id)) fetching.value = { id, fraction: 0, label: words, ...fetching.value };
  }, SLOW);
  refusal.value = undefined;
  announcement.value = '';
  try {
    const answer = await panel.request('fetch', { id, query: asked, again });
    if (!isFetching(id)) return;
    fetching.value = undefined;
    if (answer === null) return;
    if (isSame(asked, query())) report.value = answer;
    else void load();
    const problem = answer.missing?.problem;
    // A new reason speaks for itself; that it is still the same must be said.
    if (problem !== undefined) announcement.value = problem === told ? problem : '';
    else if (again) announcement.value = l10n.t('Figures are up to date.');
  } catch (error) {
    if (!isFetching(id)) return;
    fetching.value = undefined;
    refuse(error);
  }
}

function isFetching(id: number): boolean {
  return fetching.value?.id === id;
}

/** Ends the fetch for the person, who is told what that means. */
export function giveUpFetch(): void {
  cancelFetch();
  announcement.value = l10n.t('Fetching was cancelled. What is known is shown.');
  void load();
}

/** Days that were not waited for are fetched when they are shown again. */
function cancelFetch(left?: UsageQuery): void {
  if (fetching.value === undefined) return;
  if (left !== undefined) tried.delete(daysOf(left));
  panel.notify('cancel', { id: fetching.value.id });
  fetching.value = undefined;
}

/** Does something for the person; a refusal is shown and said, a success said. */
export async function act<T>(question: Promise<T>, done: (answer: T) => string | undefined): Promise<void> {
  refusal.value = undefined;
  announcement.value = '';
  try {
    announcement.value = done(await question) ?? '';
  } catch (error) {
    refuse(error);
  }
}

/** Saves the tab, or one section of it as it is shown. */
export function save(format: 'csv' | 'json', section?: SectionState): void {
  const asked = query();
  if (asked === undefined) return;
  const question = { query: asked, format, ...(section === undefined ? {} : { section: shownOf(section) }) };
  void act(panel.request('save', question), name =>
    name === null ? undefined : l10n.t('Saved as {0}.', name),
  );
}

/** Copies one section as it is shown. */
export function copy(section: SectionState): void {
  const asked = query();
  if (asked === undefined) return;
  void act(panel.request('copy', { query: asked, section: shownOf(section) }), rows =>
    rows === 1 ? l10n.t('Copied 1 row.') : l10n.t('Copied {0} rows.', rows),
  );
}

function shownOf({ id, search, sort, columns }: SectionState) {
  return { id, view: { search, sort, columns } };
}

/** Begins to listen and says so. */
export function connect(): void {
  window.addEventListener('message', event => panel.receive(event.data));
  const kept = vscode.getState();
  panel.notify('ready', pageState(kept) ? { state: kept } : {});
}

async function load(): Promise<void> {
  const asked = query();
  const mine = ++turn;
  if (asked === undefined || situation.value?.state.kind !== 'ready') return;
  const timer = setTimeout(() => (slow.value = true), SLOW);
  try {
    const answer = await panel.request('cached', asked);
    if (mine !== turn) return;
    refusal.value = undefined;
    take(answer);
  } catch (error) {
    if (mine === turn) refuse(error);
  } finally {
    clearTimeout(timer);
    if (mine === turn) slow.value = false;
  }
}

/** Shows what is known, and fetches what is not, once for each range. */
function take(answer: TabReport): void {
  report.value = answer;
  const { query: asked, missing, unfinished } = answer;
  if (missing === undefined && unfinished === undefined) return;
  const key = daysOf(asked);
  if (missing?.problem !== undefined || fetching.value !== undefined || tried.has(key)) return;
  tried.add(key);
  void fetchDays(false);
}

function keep(): void {
  vscode.setState({ ...state.value, scroll: scrolled } satisfies PageState);
}

function isSame(asked: UsageQuery, now: UsageQuery | undefined): boolean {
  return JSON.stringify(asked) === JSON.stringify(now);
}

function refuse(error: unknown): void {
  refusal.value = error instanceof RefusedByPanel ? error.message : String(error);
}
