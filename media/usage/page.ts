import { signal } from '@preact/signals';
import * as l10n from '@vscode/l10n';
import {
  firstState,
  pageState,
  queryOf,
  type Fetching,
  type PageState,
  type SectionState,
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
/** Why the last act failed; shown until the next. */
export const refusal = signal<string | undefined>(undefined);
/** What the last act did, shown for a while and said politely. */
export const announcement = signal('');

/** An answer that takes longer is said to be loading, ms. */
const SLOW_MS = 300;
let waiting: number | undefined;
/** Pixels from the top; no part of what is drawn. */
let scrolled = 0;

/** The panel this page belongs to. */
export const panel: PageSide<UsageProtocol> = pageSide<UsageProtocol>(
  {
    start: ({ texts, language, situation: now, state: kept }) => {
      if (texts !== undefined) l10n.config({ contents: texts });
      setLanguage(language);
      state.value = kept;
      situation.value = now;
      scrolled = kept.scroll ?? 0;
      keep();
      keepScroll(scrolled, top => {
        scrolled = top;
        keep();
      });
      wait();
    },
    situation: now => {
      const before = JSON.stringify(query());
      situation.value = now;
      // A new day moves what is asked for.
      if (JSON.stringify(query()) !== before) change({});
    },
    report: ({ report: made, fetched }) => {
      const told = report.value?.missing?.problem;
      const problem = made.missing?.problem;
      refusal.value = undefined;
      if (fetched !== undefined) {
        fetching.value = undefined;
        // A new reason speaks for itself; that it is still the same must be said.
        if (problem !== undefined) announcement.value = problem === told ? problem : '';
        else announcement.value = fetched === 'again' ? l10n.t('Figures are up to date.') : '';
      }
      report.value = made;
      if (JSON.stringify(made.query) === JSON.stringify(query())) settle();
    },
    fetching: now => (fetching.value = now ?? undefined),
    refused: sentence => {
      refusal.value = sentence;
      settle();
    },
  },
  message => vscode.postMessage(message),
);

function wait(): void {
  clearTimeout(waiting);
  waiting = setTimeout(() => (slow.value = true), SLOW_MS);
}

function settle(): void {
  clearTimeout(waiting);
  slow.value = false;
}

/** Begins to listen and says so. */
export function connect(): void {
  window.addEventListener('message', event => panel.receive(event.data));
  const kept = vscode.getState();
  panel.notify('ready', pageState(kept) ? { state: kept } : {});
}

/** What is asked for now; `undefined` before the panel has said what may be. */
export function query(): UsageQuery | undefined {
  return situation.value === undefined ? undefined : queryOf(state.value, situation.value.bounds);
}

/** Sets what the person chose, keeps it, and shows what it asks for. */
export function change(changed: Partial<PageState>): void {
  state.value = { ...state.value, ...changed };
  keep();
  const asked = query();
  if (asked === undefined) return;
  wait();
  panel.notify('show', asked);
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

/** The same object each time, so that what is drawn from it need not be drawn again. */
const untouched = new Map<string, SectionState>();

/** How a section of the tab is set. */
export function sectionState(id: string): SectionState {
  const { tab, sections } = state.value;
  const set = sections.find(each => each.tab === tab && each.id === id) ?? untouched.get(`${tab} ${id}`);
  if (set !== undefined) return set;
  const section = { tab, id };
  untouched.set(`${tab} ${id}`, section);
  return section;
}

/** Sets how one section is shown; nothing is asked for. */
export function changeSection(changed: Partial<SectionState> & { readonly id: string }): void {
  const section = { ...sectionState(changed.id), ...changed };
  const others = state.value.sections.filter(each => each.tab !== section.tab || each.id !== section.id);
  state.value = { ...state.value, sections: [...others, section].slice(-200) };
  keep();
}

function keep(): void {
  vscode.setState({ ...state.value, scroll: scrolled } satisfies PageState);
}

/** Fetches missing days of what is shown, or all of them again. */
export function fetchDays(again: boolean): void {
  refusal.value = undefined;
  announcement.value = '';
  panel.notify('fetch', { again, state: state.value });
}

/** Ends the fetch for the person, who is told what that means. */
export function giveUpFetch(): void {
  panel.notify('cancel', {});
  announcement.value = l10n.t('Fetching was cancelled. What is known is shown.');
}

/** Saves the tab, or one section of it as it is shown. */
export function save(format: 'csv' | 'json', section?: SectionState): void {
  const question = { format, ...(section === undefined ? {} : { section: asShown(section) }) };
  void act(panel.request('save', question), name => (name === null ? '' : l10n.t('Saved as {0}.', name)));
}

/** Copies one section as it is shown. */
export function copy(section: SectionState): void {
  void act(panel.request('copy', asShown(section)), rows =>
    rows === 1 ? l10n.t('Copied 1 row.') : l10n.t('Copied {0} rows.', rows),
  );
}

function asShown({ id, search, sort }: SectionState) {
  return { id, view: { search, sort } };
}

/** Does something for the person; a refusal is shown and said, a success said. */
async function act<T>(question: Promise<T>, done: (answer: T) => string): Promise<void> {
  refusal.value = undefined;
  announcement.value = '';
  try {
    announcement.value = done(await question);
  } catch (error) {
    refusal.value = error instanceof RefusedByPanel ? error.message : String(error);
  }
}
