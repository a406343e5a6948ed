import {
  pageState,
  queryOf,
  type PageState,
  type SectionState,
  type TabReport,
  type UsageProtocol,
  type UsageQuery,
} from '../../src/usage/protocol';
import { pageSide, RefusedByPanel, type PageSide } from '../../src/webview/ipc';
import { vscode } from '../kit/boot';
import { reuse } from './reuse';
import {
  announcement,
  endFetch,
  fetching,
  onProgress,
  refusal,
  report,
  showFetch,
  situation,
  slow,
  start,
  state,
  withSection,
} from './state';

/** An answer that takes longer is said to be loading, ms. */
const SLOW = 300;
/** Changes that come together are asked for together, ms. */
const GATHER = 50;
/** Reports that are drawn again at once when a person comes back to them. */
const REMEMBERED = 16;

const remembered = new Map<string, TabReport>();
/** What was fetched without a person's asking, so that a day that stays away is not asked for again and again. */
const tried = new Set<string>();
/** Why days of a range could not be fetched; what is known from the cache does not say it. */
const problems = new Map<string, string>();
let turn = 0;
let lastFetch = 0;
/** Pixels from the top; no part of what is drawn. */
let scrolled = 0;
let gathering: number | undefined;

/** The panel this page belongs to. */
export const panel: PageSide<UsageProtocol> = pageSide<UsageProtocol>(
  {
    start: payload => {
      start.value = payload;
      situation.value = payload.situation;
      state.value = payload.state;
      scrolled = payload.state.scroll ?? 0;
      keep();
      if (payload.report !== undefined) {
        take(payload.report);
        fetchMissing(payload.report);
      } else void load();
    },
    changed: payload => {
      const before = situation.value;
      if (before?.bounds.end !== payload.bounds.end || before.state.kind !== payload.state.kind)
        tried.clear();
      situation.value = payload;
      remembered.clear();
      clearTimeout(gathering);
      gathering = setTimeout(() => void load(), GATHER);
    },
    progress: onProgress,
  },
  message => vscode.postMessage(message),
);

/** Sets what the person chose, keeps it, and shows what it asks for. */
export function change(changed: Partial<PageState>): void {
  state.value = { ...state.value, ...changed };
  keep();
  if (changed.tab !== undefined) goToTop();
  const asked = query();
  if (asked === undefined) return;
  if (fetching.value !== undefined) cancelFetch();
  const known = remembered.get(keyOf(asked));
  if (known !== undefined) report.value = known;
  void load();
}

/** Other figures begin at their top. */
function goToTop(): void {
  const place = document.getElementById('panel');
  if (place === null) return;
  const top = place.getBoundingClientRect().top + window.scrollY - 48;
  if (window.scrollY > top) window.scrollTo(0, Math.max(0, top));
}

/** Shows one person's days, or all people; the row or button that was pressed is gone then, so the focus goes to the figures. */
export function openPerson(person: string | undefined): void {
  change({ tab: 'people', person });
  const panelElement = document.getElementById('panel');
  if (panelElement === null) return;
  panelElement.focus({ preventScroll: true });
  // What comes begins where the tabs end, which stay in view.
  const tabs = panelElement.previousElementSibling?.getBoundingClientRect().height ?? 0;
  const begin = panelElement.getBoundingClientRect().top + window.scrollY - tabs;
  if (window.scrollY > begin) window.scrollTo(0, begin);
}

/** Sets how one section is shown; nothing is asked for. */
export function changeSection(changed: Partial<SectionState> & { readonly id: string }): void {
  state.value = withSection(changed);
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
  fetching.value = { id, fraction: 0, label: '', seen: again };
  setTimeout(() => showFetch(id), SLOW);
  refusal.value = undefined;
  // No longer true.
  if (announcement.value === start.value?.strings.cancelled) announcement.value = '';
  try {
    const answer = await panel.request('fetch', { id, query: asked, again });
    if (!endFetch(id) || answer === null) return;
    if (answer.missing?.problem === undefined) problems.delete(daysKey(asked));
    else problems.set(daysKey(asked), answer.missing.problem);
    if (keyOf(asked) === keyOf(query())) take(answer);
    const problem = answer.missing?.problem;
    // A new reason speaks for itself; that it is still the same must be said.
    if (problem !== undefined) announcement.value = problem === told ? problem : '';
    else if (again) announcement.value = start.value?.strings.done ?? '';
  } catch (error) {
    if (endFetch(id)) refuse(error);
  }
}

/** Ends the fetch for the person, who is told what that means. */
export function giveUpFetch(): void {
  cancelFetch();
  announcement.value = start.value?.strings.cancelled ?? '';
}

export function cancelFetch(): void {
  const running = fetching.value;
  if (running === undefined) return;
  fetching.value = undefined;
  panel.notify('cancel', { id: running.id });
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
    const answer = withProblem(await panel.request('cached', asked));
    if (mine !== turn) return;
    refusal.value = undefined;
    take(answer);
    fetchMissing(answer);
  } catch (error) {
    if (mine === turn) refuse(error);
  } finally {
    clearTimeout(timer);
    if (mine === turn) slow.value = false;
  }
}

function take(fresh: TabReport): void {
  const answer = reuse(report.value, fresh);
  report.value = answer;
  remembered.set(keyOf(answer.query), answer);
  const [oldest] = remembered.keys();
  if (remembered.size > REMEMBERED && oldest !== undefined) remembered.delete(oldest);
}

/** Once for each range; where all is known a fetch has nothing to do but to look for what marks the days. */
function fetchMissing({ query: asked, missing }: TabReport): void {
  if (missing?.problem !== undefined) return;
  const key = daysKey(asked);
  if (fetching.value !== undefined || tried.has(key)) return;
  tried.add(key);
  void fetchDays(false);
}

function keep(): void {
  vscode.setState({ ...state.value, scroll: scrolled } satisfies PageState);
}

/** With the reason why days are missing, if a fetch has told it. */
function withProblem(answer: TabReport): TabReport {
  const { missing, query: asked } = answer;
  const problem = problems.get(daysKey(asked));
  if (missing === undefined || missing.problem !== undefined || problem === undefined) return answer;
  return { ...answer, missing: { ...missing, problem } };
}

/** The same for the same days of the same kind. */
function daysKey({ tab, range, compare }: UsageQuery): string {
  return `${tab} ${range.start} ${range.end} ${compare}`;
}

/** The same for the same query, whatever the order of its fields. */
function keyOf(asked: UsageQuery | undefined): string {
  if (asked === undefined) return '';
  const { tab, range, compare, folded, pseudonyms, person } = asked;
  return JSON.stringify([tab, range.start, range.end, compare, folded, pseudonyms, person]);
}

function refuse(error: unknown): void {
  refusal.value = error instanceof RefusedByPanel ? error.message : String(error);
}
