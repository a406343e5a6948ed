import { signal } from '@preact/signals';
import * as l10n from '@vscode/l10n';
import {
  firstState,
  pageState,
  queryOf,
  type Fetching,
  type PageState,
  type Situation,
  type TabReport,
  type UsageProtocol,
  type UsageQuery,
} from '../../src/usage/show/protocol';
import { pageSide, RefusedByPanel, type PageSide } from '../../src/webview/ipc';
import { vscode } from '../kit/boot';
import { keepScroll } from '../kit/scroll';
import { setLanguage } from './format';

/** What may be asked for; `undefined` before the panel has said so. */
export const situation = signal<Situation | undefined>(undefined);
/** What the person has set. */
export const state = signal<PageState>(firstState);
/** What is drawn: the last report that arrived, perhaps of another query than the one asked now. */
export const report = signal<TabReport | undefined>(undefined);
/** The answer takes longer than a person should wait without a word. */
export const slow = signal(false);
export const fetching = signal<Fetching | undefined>(undefined);
/** Why the days shown could not be fetched. */
export const problem = signal<string | undefined>(undefined);
/** Why the last act failed; shown until the next. */
export const refusal = signal<string | undefined>(undefined);
/** What the last act did, shown for a while and said politely. */
export const announcement = signal('');

/** What takes longer is said to be under way, ms. */
const SLOW_MS = 300;
/** Changes that come together are looked at together, ms. */
const GATHER_MS = 50;
let gathering: number | undefined;
/** Stand for the newest report asked for and the fetch under way: the answers of others are dropped. */
let loading = {};
let running: object | undefined;
/** The days fetched without a person's asking, so that a day that stays away is not asked for again and again. */
const tried = new Set<string>();
/** Pixels from the top; no part of what is drawn. */
let scrolled = 0;

/** The panel this page belongs to. */
export const panel: PageSide<UsageProtocol> = pageSide<UsageProtocol>(
  {
    changed: now => {
      setSituation(now);
      clearTimeout(gathering);
      // What is being fetched is looked at when it has come.
      gathering = setTimeout(() => isRunning() || void load(), GATHER_MS);
    },
    fetching: now => {
      if (running !== undefined) fetching.value = now;
    },
  },
  message => vscode.postMessage(message),
);

/** Begins to listen and to show what the page has kept. */
export async function connect(): Promise<void> {
  window.addEventListener('message', event => panel.receive(event.data));
  const kept = vscode.getState();
  if (pageState(kept)) state.value = kept;
  scrolled = state.value.scroll ?? 0;
  keepScroll(scrolled, top => {
    scrolled = top;
    keep();
  });
  const { texts, language } = await panel.request('ready', {});
  if (texts !== undefined) l10n.config({ contents: texts });
  setLanguage(language);
  setSituation(await panel.request('situation', {}));
  await load();
}

/** What is asked for now; `undefined` before the panel has said what may be. */
export function query(): UsageQuery | undefined {
  return situation.value === undefined ? undefined : queryOf(state.value, situation.value.bounds);
}

/** Names the days that are asked for now. */
function daysKey(): string {
  const { tab, range } = query() ?? {};
  return [tab, range?.start, range?.end].join(' ');
}

/** Where something else may be asked for, days that were tried may be there now. */
function setSituation(now: Situation): void {
  const { value: before } = situation;
  follow(() => (situation.value = now));
  if (before?.bounds.end === now.bounds.end && before.state.kind === now.state.kind) return;
  tried.clear();
  problem.value = undefined;
}

/** Makes a change; a fetch of other days than are asked for then ends, and they are fetched when they are shown again. */
function follow(make: () => unknown): void {
  const before = daysKey();
  make();
  if (daysKey() === before) return;
  if (running !== undefined) tried.delete(before);
  endFetch();
  problem.value = undefined;
}

/** Nothing of it is left to fetch. */
function isWhole({ missing, previousRange, isComparable }: TabReport): boolean {
  return missing === undefined && (previousRange === undefined || isComparable);
}

/** Shows what is known of what is asked for, and fetches what is not, once for the same days. */
async function load(): Promise<void> {
  const asked = query();
  if (asked === undefined || situation.value?.state.kind !== 'ready') return;
  const mine = (loading = {});
  const waiting = setTimeout(() => (slow.value = true), SLOW_MS);
  try {
    const made = await panel.request('report', asked);
    if (mine !== loading) return;
    const { value: before } = report;
    report.value = made;
    refusal.value = undefined;
    // Another key may have what was refused to the one before.
    const isOtherKey = before?.orgId !== undefined && before.orgId !== made.orgId;
    if (isOtherKey) tried.clear();
    if (isOtherKey || (before !== undefined && !isWhole(before) && isWhole(made))) problem.value = undefined;
    if (isWhole(made) || (problem.value ?? made.missing?.problem) !== undefined) return;
    if (running === undefined && !tried.has(daysKey())) void fetchNow(false);
  } catch (error) {
    if (mine === loading) refusal.value = sentenceOf(error);
  } finally {
    clearTimeout(waiting);
    if (mine === loading) slow.value = false;
  }
}

/** Sets what the person chose, and keeps it. */
export function prefer(changed: Partial<PageState>): void {
  follow(() => (state.value = { ...state.value, ...changed }));
  keep();
}

/** Sets what the person chose, keeps it, and shows what it asks for. */
export function change(changed: Partial<PageState>): void {
  prefer(changed);
  void load();
  // Other figures begin at their top, where the tabs end, which stay in view.
  const place = changed.tab === undefined ? null : document.getElementById('panel');
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

function keep(): void {
  vscode.setState({ ...state.value, scroll: scrolled } satisfies PageState);
}

/** Fetches missing days of what is shown, or all of them again. */
export async function fetchDays(again: boolean): Promise<void> {
  refusal.value = undefined;
  announcement.value = '';
  const told = problem.value ?? report.value?.missing?.problem;
  // There may be another finished day.
  setSituation(await panel.request('situation', {}));
  if (!(await fetchNow(again))) return;
  // A new reason speaks for itself; that it is still the same must be said.
  if (problem.value === undefined) {
    const isUpToDate = again && report.value?.unread === 0;
    announcement.value = isUpToDate ? l10n.t('Figures are up to date.') : '';
  } else if (problem.value === told) announcement.value = told;
}

/** Resolves to whether nothing ended it. */
async function fetchNow(again: boolean): Promise<boolean> {
  const asked = query();
  if (asked === undefined) return false;
  const mine = (running = {});
  const label = l10n.t('Fetching');
  tried.add(daysKey());
  fetching.value = { fraction: 0, label: again ? label : undefined };
  const slowly = setTimeout(() => {
    if (mine === running && fetching.value?.label === undefined) fetching.value = { fraction: 0, label };
  }, SLOW_MS);
  const failed = await panel.request('fetch', { query: asked, again }).catch(sentenceOf);
  clearTimeout(slowly);
  if (mine !== running) return false;
  running = undefined;
  problem.value = failed ?? undefined;
  await load();
  if (!isRunning()) fetching.value = undefined;
  return true;
}

const isRunning = (): boolean => running !== undefined;

function endFetch(): void {
  if (isRunning()) panel.notify('cancel', {});
  running = fetching.value = undefined;
}

/** Ends the fetch for the person, who is told what that means. */
export function giveUpFetch(): void {
  endFetch();
  announcement.value = l10n.t('Fetching was cancelled. What is known is shown.');
  void load();
}

/** Saves a file; a refusal is shown and said, a success said. */
export function save(name: string, text: string): Promise<void> {
  return act(panel.request('save', { name, text }), saved =>
    saved === null ? '' : l10n.t('Saved as {0}.', saved),
  );
}

export function copy(text: string, rows: number): Promise<void> {
  return act(panel.request('copy', { text }), () =>
    rows === 1 ? l10n.t('Copied 1 row.') : l10n.t('Copied {0} rows.', rows),
  );
}

async function act<T>(question: Promise<T>, done: (answer: T) => string): Promise<void> {
  refusal.value = undefined;
  announcement.value = '';
  try {
    announcement.value = done(await question);
  } catch (error) {
    refusal.value = sentenceOf(error);
  }
}

function sentenceOf(error: unknown): string {
  return error instanceof RefusedByPanel ? error.message : String(error);
}
