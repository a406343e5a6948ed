import { signal } from '@preact/signals';
import {
  firstState,
  type PageState,
  type SectionState,
  type Situation,
  type TabReport,
} from '../../src/usage/show/protocol';

/** What may be asked for; `undefined` before the panel has said so. */
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
  /** What is said of it, once it takes long enough. */
  readonly label?: string;
}
export const fetching = signal<Fetching | undefined>(undefined);

/** Why the last act failed; shown until the next. */
export const refusal = signal<string | undefined>(undefined);

/** What the last act did, shown for a while and said politely. */
export const announcement = signal('');

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
