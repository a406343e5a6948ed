import { boolean, listOf, number, object, oneOf, optional, text, type Guard } from '../webview/guards';
import { event, request } from '../webview/ipc';
import type { DashboardStrings } from './dashboardStrings';
import { tabIds, type Day, type DayRange, type TabId, type TabReport, type UsageQuery } from './report';
import type { UsageSource } from './source';
import type { TableView } from './tableView';

export type { DashboardStrings } from './dashboardStrings';
export * from './report';
export { amountText, isPart, knownOf, sum, type Amount } from '../util/amount';
export { shown, type ShownColumn, type ShownTable, type TableView } from './tableView';

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
  /** People appear in exports and copies as made-up names. */
  readonly exportPseudonyms: boolean;
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
  exportPseudonyms: true,
  sections: [],
};

const DAY_MS = 86_400_000;

/** A day `count` days after `day`. */
export function addDays(day: Day, count: number): Day {
  return new Date(Date.parse(day) + count * DAY_MS).toISOString().slice(0, 10);
}

/** How many days a range has. */
export function daysIn({ start, end }: DayRange): number {
  return Math.round((Date.parse(end) - Date.parse(start)) / DAY_MS) + 1;
}

/** `range` within `bounds`; at least one day. */
export function clampRange(range: DayRange, bounds: DayRange): DayRange {
  const within = (day: Day): Day => (day < bounds.start ? bounds.start : day > bounds.end ? bounds.end : day);
  const start = within(range.start);
  const end = within(range.end);
  return start <= end ? { start, end } : { start: end, end: start };
}

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
  readonly strings: DashboardStrings;
  readonly language: string;
  readonly situation: Situation;
  readonly state: PageState;
  /** What is known for `state`, so that the first frame shows it. */
  readonly report?: TabReport | undefined;
}

/** What may be asked for now. */
export interface Situation {
  readonly bounds: DayRange;
  readonly state: ReturnType<UsageSource['state']>;
}

/** A real day written `YYYY-MM-DD`. */
export const day: Guard<Day> = (value): value is Day =>
  typeof value === 'string' &&
  /^\d{4}-\d\d-\d\d$/.test(value) &&
  Number.isFinite(Date.parse(value)) &&
  new Date(Date.parse(value)).toISOString().startsWith(value);

const id = text(2000);
const range: Guard<DayRange> = (value): value is DayRange =>
  object({ start: day, end: day })(value) && value.start <= value.end;
const query = object({
  tab: oneOf(...tabIds),
  range,
  compare: boolean,
  folded: boolean,
  pseudonyms: boolean,
  person: optional(id),
});
const view = {
  search: optional(text(1000)),
  sort: optional(object({ column: id, descending: boolean })),
  columns: optional(listOf(id, 200)),
};

/** Whether a value is a page state, as a restored one may be old or hostile. */
export const pageState: Guard<PageState> = object({
  tab: oneOf(...tabIds),
  preset: oneOf(...presets),
  custom: optional(range),
  compare: boolean,
  folded: boolean,
  pseudonyms: boolean,
  exportPseudonyms: boolean,
  person: optional(id),
  scroll: optional(number(0, 1e9)),
  sections: listOf(object({ ...view, tab: oneOf(...tabIds), id, table: optional(boolean) }), 200),
});

const fetchId = number(0, Number.MAX_SAFE_INTEGER);
const none = object({});

export const usageProtocol = {
  requests: {
    cached: request(query)<TabReport>(),
    /** One fetch at a time: a newer one ends the one before. `null` when it was ended. */
    fetch: request(object({ id: fetchId, query, again: boolean }))<TabReport | null>(),
    /** Saves the whole tab, or one section's table as `view` shows it; the file's name, or `null` when the person thought better. */
    save: request(
      object({
        query,
        format: oneOf('csv', 'json'),
        pseudonyms: boolean,
        section: optional(object({ id, view: object(view) })),
      }),
    )<string | null>(),
    /** Copies a section's table as `view` shows it; answers with the number of rows. */
    copy: request(
      object({ query, pseudonyms: boolean, section: object({ id, view: object(view) }) }),
    )<number>(),
  },
  notifications: {
    /** The page listens. Sent again each time it was built anew, with what it kept. */
    ready: object({ state: optional(pageState) }),
    cancel: object({ id: fetchId }),
    signIn: none,
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
