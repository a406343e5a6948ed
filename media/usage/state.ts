import { computed, signal } from '@preact/signals';
import {
  firstState,
  type DashboardStrings,
  type PageState,
  type SectionState,
  type Situation,
  type Start,
  type TabReport,
} from '../../src/usage/protocol';

/** What the panel said; everything shown is made from these. */
export const start = signal<Start | undefined>(undefined);
export const strings = computed<DashboardStrings | undefined>(() => start.value?.strings);
export const situation = signal<Situation | undefined>(undefined);

/** What the person has set. */
export const state = signal<PageState>(firstState);

/** What is drawn: the last report that arrived, perhaps of another query than the one asked now. */
export const report = signal<TabReport | undefined>(undefined);

/** The answer takes longer than a person should wait without a word. */
export const slow = signal(false);

export interface Fetching {
  readonly id: number;
  /** 0 to 1. */
  readonly fraction: number;
  readonly label: string;
  /** It takes long enough to be shown. */
  readonly seen: boolean;
}
export const fetching = signal<Fetching | undefined>(undefined);

/** What is said of the fetch under way, once it takes long enough. */
export const fetchingText = computed<string | undefined>(() => {
  const running = fetching.value;
  if (running?.seen !== true) return undefined;
  return running.label === '' ? strings.value?.fetching : running.label;
});

/** Takes in how far a fetch is; nothing of one that is over. */
export function onProgress({ id, fraction, label }: Omit<Fetching, 'seen'>): void {
  if (fetching.value?.id === id) fetching.value = { id, fraction, label, seen: true };
}

/** The fetch of this id has taken so long that it is shown. */
export function showFetch(id: number): void {
  if (fetching.value?.id === id) fetching.value = { ...fetching.value, seen: true };
}

/** Ends the fetch of this id; false when it has ended already. */
export function endFetch(id: number): boolean {
  if (fetching.value?.id !== id) return false;
  fetching.value = undefined;
  return true;
}

/** Why the last act failed; shown until the next. */
export const refusal = signal<string | undefined>(undefined);

/** What the last act did, shown beside the export buttons and said politely. */
export const announcement = signal('');

/** Fills `{0}`, `{1}` of a text of the panel. */
export function fill(text: string, ...values: readonly string[]): string {
  return text.replace(/\{(\d)\}/g, (whole, index: string) => values[Number(index)] ?? whole);
}

/** How a section of the tab is set. */
export function sectionState(id: string): SectionState {
  const { tab, sections } = state.value;
  const set = sections.find(each => each.tab === tab && each.id === id);
  if (set !== undefined) return set;
  const key = `${tab} ${id}`;
  const untouched = untouchedSections.get(key) ?? { tab, id };
  untouchedSections.set(key, untouched);
  return untouched;
}

/** The same object each time, so that what is drawn from it need not be drawn again. */
const untouchedSections = new Map<string, SectionState>();

/** The state with one section set anew. */
export function withSection(change: Partial<SectionState> & { readonly id: string }): PageState {
  const changed = { ...sectionState(change.id), ...change };
  const others = state.value.sections.filter(each => each.tab !== changed.tab || each.id !== changed.id);
  return { ...state.value, sections: [...others, changed].slice(-200) };
}
