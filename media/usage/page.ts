import { computed, signal } from '@preact/signals';
import * as l10n from '@vscode/l10n';
import {
  firstState,
  isSame,
  pageState,
  queryOf,
  type PageState,
  type Situation,
  type TabReport,
  type UsageProtocol,
  type UsageQuery,
  amountText,
  Formatter,
  type Amount,
  type Cell,
  type Column,
  type Day,
  type Unit,
} from '../../src/usage/protocol';
import { pageSide, RefusedByPanel, type PageSide } from '../../src/webview/ipc';
import { keepScroll, vscode } from '../kit/boot';

/** What may be asked for; `undefined` before the panel has said so. */
export const situation = signal<Situation | undefined>(undefined);
/** What the person has set. */
export const state = signal<PageState>(firstState);
/** What is drawn: the last report that arrived, perhaps of another query than the one asked now. */
export const report = signal<TabReport | undefined>(undefined);
/** What is drawn answers an earlier question than the one asked now. */
export const isBehind = computed(() => report.value !== undefined && !isSame(report.value.query, query()));
/** Stands for the newest report that is under way: the answers of others are dropped. */
export const asking = signal<object | undefined>(undefined);
export const fetching = signal<string | undefined>(undefined);
/** What the last act did, or why it failed; said politely. */
export const said = signal<{ readonly text: string; readonly isProblem?: boolean }>({ text: '' });

/** Changes that come together are looked at together, ms. */
const GATHER_MS = 50;
let gathering: number | undefined;
/** What was said when there was no report; the next report takes it back. */
let unanswered: object | undefined;
/** The days that were shown last, and whose they are: where some are missing, they are fetched once. */
let seen: (Pick<UsageQuery, 'tab' | 'range'> & Pick<TabReport, 'orgId'>) | undefined;
/** Pixels from the top; no part of what is drawn. */
let scrolled = 0;

/** The panel this page belongs to. */
export const panel: PageSide<UsageProtocol> = pageSide<UsageProtocol>(
  {
    changed: now => {
      meet(now);
      clearTimeout(gathering);
      // What is being fetched is looked at when it has come.
      gathering = setTimeout(() => fetching.value ?? void load(), GATHER_MS);
    },
    fetching: now => (fetching.value = now ?? undefined),
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
  const start = await panel.request('ready', {});
  if (start.texts !== undefined) l10n.config({ contents: start.texts });
  situation.value = start;
  await load();
}

/** Goes by how things stand now. What was shown to one key is not shown on where another may come. */
function meet(now: Situation): void {
  situation.value = now;
  if (now.state.kind !== 'ready') seen = asking.value = report.value = undefined;
}

/** What is asked for now; `undefined` before the panel has said what may be. */
export function query(): UsageQuery | undefined {
  return situation.value === undefined ? undefined : queryOf(state.value, situation.value.bounds);
}

/** Shows what is known of what is asked for. */
async function load(): Promise<void> {
  // This answers what was gathered so far, too.
  clearTimeout(gathering);
  const asked = query();
  if (asked === undefined || situation.value?.state.kind !== 'ready') return;
  const mine = (asking.value = {});
  try {
    const made = await panel.request('report', asked);
    if (mine !== asking.value) return;
    fetchMissing(made);
    report.value = made;
    if (said.value === unanswered) say('');
  } catch (error) {
    if (mine !== asking.value) return;
    refuse(error);
    unanswered = said.value;
  } finally {
    if (mine === asking.value) asking.value = undefined;
  }
}

/** Other days than before end their fetch, and are fetched themselves; another key may have what was refused to the one before. */
function fetchMissing({ query, missing, previousRange, isComparable, problem, orgId }: TabReport): void {
  const before = seen;
  seen = { tab: query.tab, range: query.range, orgId };
  // Whose days a new key sees is found out by their fetch.
  if (isSame({ ...before, orgId }, seen) && [undefined, orgId].includes(before?.orgId)) return;
  const isWhole = missing.length === 0 && (previousRange === undefined || isComparable);
  if (isWhole || problem !== undefined) {
    panel.notify('cancel', {});
    return;
  }
  fetching.value ??= l10n.t('Fetching');
  panel.notify('fetch', { query, again: false });
}

/** Sets what the person chose, keeps it, and shows what it asks for. */
export function change(changed: Partial<PageState>): void {
  const before = query();
  state.value = { ...state.value, ...changed };
  keep();
  if (!isSame(before, query())) void load();
  if (changed.tab === undefined) return;
  // Other figures begin at their top.
  const figures = document.getElementById('panel');
  if (figures !== null && figures.getBoundingClientRect().top < 0) figures.scrollIntoView();
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
  try {
    const asked = query();
    if (asked === undefined) return;
    seen = { tab: asked.tab, range: asked.range, orgId: seen?.orgId };
    const done = await panel.request('fetch', { query: asked, again });
    await load();
    if (typeof done === 'string') refuse(done);
    else if (done && again && report.value?.unread === 0 && said.value.text === '')
      say(l10n.t('Figures are up to date.'));
  } catch (error) {
    refuse(error);
  }
}

/** Ends the fetch for the person, who is told what that means. */
export function giveUpFetch(): void {
  panel.notify('cancel', {});
  say(l10n.t('Fetching canceled. Showing the days already fetched.'));
}

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
  said.value = { text: error instanceof RefusedByPanel ? error.message : String(error), isProblem: true };
}

/** Numbers and dates in the person's language. */
export const words = new Formatter(document.documentElement.lang);

/** Short, for figures and axes: `4.2M`, `3.4`, `12%`. */
export function short(value: number, unit: Unit): string {
  if (unit === 'percent') return words.as({ style: 'percent', maximumFractionDigits: 1 }, value);
  if (unit === 'ratio' && Math.abs(value) < 1000) return words.as({ maximumFractionDigits: 2 }, value);
  return words.compact(value);
}

/** In full, for tables and tooltips. */
export function exact(value: number, unit: Unit): string {
  if (unit === 'percent') return words.as({ style: 'percent', maximumFractionDigits: 2 }, value);
  return words.as({ maximumFractionDigits: unit === 'ratio' ? 3 : 6 }, value);
}

/** A table's cell as text; nothing for what is not known. Words may stand in the place of a day. */
export function cellText(cell: Cell, kind: Column['kind']): string {
  if (typeof cell === 'string')
    return kind === 'day' && /^\d{4}-\d\d-\d\d$/.test(cell) ? words.day(cell) : cell;
  return figureText(cell, value => (kind === 'text' || kind === 'day' ? String(value) : exact(value, kind)));
}

/** A figure that may be missing, with how much of it is known; nothing for what is not known. */
export function figureText(
  amount: Amount | null,
  numberText: (value: number) => string,
  partText = (known: string, of: string) => l10n.t('{0} of {1}', known, of),
): string {
  return amountText(amount, numberText, (known, of) => partText(words.number(known), words.number(of)));
}

/** A UTC day, wherever it is read: `Friday, 20 November 2026`, or as `options` say. */
export function dayText(day: Day, options: Intl.DateTimeFormatOptions = { dateStyle: 'full' }): string {
  const time = Date.parse(day);
  return Number.isFinite(time) ? words.date({ ...options, timeZone: 'UTC' }, time) : day;
}
