import { signal } from '@preact/signals';
import * as l10n from '@vscode/l10n';
import {
  firstState,
  isSame,
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
/** What the last act did, or why it failed; said politely. */
export const said = signal<{ readonly text: string; readonly isProblem?: boolean }>({ text: '' });

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
  if (before?.bounds.end !== now.bounds.end || before.state.kind !== now.state.kind) tried.clear();
}

/** Makes a change; a fetch of other days than are asked for then ends, and they are fetched when they are shown again. */
function follow(make: () => unknown): void {
  const before = daysKey();
  make();
  if (daysKey() === before) return;
  if (running !== undefined) tried.delete(before);
  endFetch();
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
    // Another key may have what was refused to the one before.
    if (report.value !== undefined && report.value.orgId !== made.orgId) tried.clear();
    report.value = made;
    const isWhole = made.missing.length === 0 && (made.previousRange === undefined || made.isComparable);
    if (isWhole || made.problem !== undefined || isRunning() || tried.has(daysKey())) return;
    const failed = fetchNow(false);
    // The report says what the panel keeps of it.
    void failed.then(why => typeof why === 'string' && !report.value?.problem && refuse(why));
  } catch (error) {
    if (mine === loading) refuse(error);
  } finally {
    clearTimeout(waiting);
    if (mine === loading) slow.value = false;
  }
}

/** Sets what the person chose, keeps it, and shows what it asks for. */
export function change(changed: Partial<PageState>): void {
  const before = query();
  follow(() => (state.value = { ...state.value, ...changed }));
  keep();
  if (!isSame(before, query())) void load();
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

/** Fetches missing days of what is shown, or all of them again, and says how that ended. */
export async function fetchDays(again: boolean): Promise<void> {
  say('');
  // There may be another finished day.
  setSituation(await panel.request('situation', {}));
  const failed = await fetchNow(again);
  if (typeof failed === 'string') refuse(failed);
  else if (failed === null && again && report.value?.unread === 0) say(l10n.t('Figures are up to date.'));
}

/** Resolves to why days could not be had, `null` for nothing; to `undefined` where something ended it. */
async function fetchNow(again: boolean): Promise<string | null | undefined> {
  const asked = query();
  if (asked === undefined) return undefined;
  const mine = (running = {});
  const label = l10n.t('Fetching');
  tried.add(daysKey());
  fetching.value = { fraction: 0, label: again ? label : undefined };
  const slowly = setTimeout(() => {
    if (mine === running && fetching.value?.label === undefined) fetching.value = { fraction: 0, label };
  }, SLOW_MS);
  const failed = await panel.request('fetch', { query: asked, again }).catch(sentenceOf);
  clearTimeout(slowly);
  if (mine !== running) return undefined;
  running = undefined;
  await load();
  if (!isRunning()) fetching.value = undefined;
  return failed;
}

const isRunning = (): boolean => running !== undefined;

function endFetch(): void {
  if (isRunning()) panel.notify('cancel', {});
  running = fetching.value = undefined;
}

/** Ends the fetch for the person, who is told what that means. */
export function giveUpFetch(): void {
  endFetch();
  say(l10n.t('Fetching was cancelled. What is known is shown.'));
  void load();
}

/** Saves a file. */
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
  say('');
  await question.then(answer => say(done(answer)), refuse);
}

export function say(text: string): void {
  said.value = { text };
}

function refuse(error: unknown): void {
  said.value = { text: sentenceOf(error), isProblem: true };
}

function sentenceOf(error: unknown): string {
  return error instanceof RefusedByPanel ? error.message : String(error);
}
