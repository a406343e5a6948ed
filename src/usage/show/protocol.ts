import { boolean, listOf, number, object, oneOf, optional, text, type Guard } from '../../webview/guards';
import { event, request } from '../../webview/ipc';
import { addDays, clampRange } from '../report/calendar';
import type { TableView } from '../report/tableView';
import {
  tabIds,
  type Ability,
  type Day,
  type DayRange,
  type TabId,
  type TabReport,
  type UsageQuery,
} from '../report/types';

export * from '../report/types';
export { addDays, lengthOf, runsOf } from '../report/calendar';
export { shown, type ShownColumn, type ShownTable, type TableView } from '../report/tableView';
export { amountText, isPart, knownOf, sum, type Amount } from '../../util/amount';

/** Messages between the dashboard's panel and its page: what both sides agree on. Foreign text in reports is shown as text. */

/** Spans that move on with the days; `custom` stays. */
export const presets = ['7', '30', '90', 'all', 'custom'] as const;
export type Preset = (typeof presets)[number];

/** What the page keeps over a reload and is restored from. */
export interface PageState {
  readonly tab: TabId;
  readonly preset: Preset;
  /** The days of the preset `custom`. */
  readonly custom?: DayRange | undefined;
  readonly compare: boolean;
  readonly folded: boolean;
  readonly pseudonyms: boolean;
  readonly person?: string | undefined;
  /** Pixels from the top. */
  readonly scroll?: number | undefined;
  readonly sections: readonly SectionState[];
}

/** How a person has set one section of a tab. */
export interface SectionState extends TableView {
  readonly tab: TabId;
  readonly id: string;
  /** The table is shown in place of the chart. */
  readonly table?: boolean | undefined;
}

export const firstState: PageState = {
  tab: 'tokens',
  preset: '30',
  compare: false,
  folded: true,
  pseudonyms: false,
  sections: [],
};

/** What a page in this state asks for. */
export function queryOf(state: PageState, bounds: DayRange): UsageQuery {
  const { tab, compare, folded, pseudonyms, person } = state;
  return {
    ...{ tab, compare, folded, pseudonyms, range: rangeOf(state, bounds) },
    ...(tab === 'people' && person !== undefined ? { person } : {}),
  };
}

function rangeOf({ preset, custom }: PageState, bounds: DayRange): DayRange {
  if (preset === 'all') return bounds;
  if (preset === 'custom' && custom !== undefined) return clampRange(custom, bounds);
  const days = preset === 'custom' ? 30 : Number(preset);
  return clampRange({ start: addDays(bounds.end, 1 - days), end: bounds.end }, bounds);
}

export interface Start {
  /** Texts in the person's language, where they have one of their own. */
  readonly texts?: Readonly<Record<string, string>> | undefined;
  readonly language: string;
  readonly situation: Situation;
  readonly state: PageState;
  /** What is known for `state`, so that the first frame shows it. */
  readonly report?: TabReport | undefined;
}

/** What may be asked for now. */
export interface Situation {
  readonly bounds: DayRange;
  readonly state: Ability;
}

/** A real day written `YYYY-MM-DD`. */
const day: Guard<Day> = (value): value is Day =>
  typeof value === 'string' &&
  /^\d{4}-\d\d-\d\d$/.test(value) &&
  Number.isFinite(Date.parse(value)) &&
  new Date(Date.parse(value)).toISOString().startsWith(value);

const id = text(2000);
const range: Guard<DayRange> = (value): value is DayRange =>
  object({ start: day, end: day })(value) && value.start <= value.end;
const asked = {
  tab: oneOf(...tabIds),
  compare: boolean,
  folded: boolean,
  pseudonyms: boolean,
  person: optional(id),
};
const query = object({ ...asked, range });
const view = {
  search: optional(text(1000)),
  sort: optional(object({ column: id, descending: boolean })),
  columns: optional(listOf(id, 200)),
};
const section = object({ id, view: object(view) });

/** Whether a value is a page state, as a restored one may be old or hostile. */
export const pageState: Guard<PageState> = object({
  ...asked,
  preset: oneOf(...presets),
  custom: optional(range),
  scroll: optional(number(0, 1e9)),
  sections: listOf(object({ ...view, tab: oneOf(...tabIds), id, table: optional(boolean) }), 200),
});

const fetchId = number(0, Number.MAX_SAFE_INTEGER);

export const usageProtocol = {
  requests: {
    cached: request(query)<TabReport>(),
    /** One fetch at a time: a newer one ends the one before. `null` when it was ended. */
    fetch: request(object({ id: fetchId, query, again: boolean }))<TabReport | null>(),
    /** Saves the whole tab, or one section's table as `view` shows it; the file's name, or `null` when the person thought better. */
    save: request(object({ query, format: oneOf('csv', 'json'), section: optional(section) }))<
      string | null
    >(),
    /** Copies a section's table as `view` shows it; answers with the number of rows. */
    copy: request(object({ query, section }))<number>(),
  },
  notifications: {
    /** The page listens. Sent again each time it was built anew, with what it kept. */
    ready: object({ state: optional(pageState) }),
    cancel: object({ id: fetchId }),
    signIn: object({}),
  },
  events: {
    start: event<Start>(),
    /** Something known changed: what may be asked for, or what the answer would be. */
    changed: event<Situation>(),
    /** How far the fetch of this id is, 0 to 1, and with what. */
    progress: event<{ readonly id: number; readonly fraction: number; readonly label: string }>(),
  },
};

export type UsageProtocol = typeof usageProtocol;
