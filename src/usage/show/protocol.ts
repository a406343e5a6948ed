import { boolean, listOf, number, object, oneOf, optional, text, type Guard } from '../../webview/guards';
import { act, event, request } from '../../webview/ipc';
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
export { shown, type TableView } from '../report/tableView';
export { amountText, isPart, knownOf, sum, type Amount } from '../../util/amount';
export { Formatter, supportedLanguage } from '../../util/format';

/**
 * Messages between the dashboard's panel and its page: what both sides agree on. The page says what it shows; reports of it come as
 * they are known. Foreign text in reports is shown as text.
 */

/** Spans that move on with the days; `custom` stays. */
export const presets = ['7', '30', '90', 'all', 'custom'] as const;
export type Preset = (typeof presets)[number];

/** What the page keeps over a reload and is restored from. */
export interface PageState extends Omit<UsageQuery, 'range'> {
  readonly preset: Preset;
  /** The days of the preset `custom`. */
  readonly custom?: DayRange | undefined;
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
  const { tab, compare, folded, pseudonyms, person, preset, custom } = state;
  const days = preset === 'custom' ? 30 : Number(preset);
  const range =
    preset === 'all'
      ? bounds
      : preset === 'custom' && custom !== undefined
        ? custom
        : { start: addDays(bounds.end, 1 - days), end: bounds.end };
  return {
    ...{ tab, compare, folded, pseudonyms, range: clampRange(range, bounds) },
    ...(tab === 'people' && person !== undefined ? { person } : {}),
  };
}

export interface Start {
  /** Texts in the person's language, where they have one of their own. */
  readonly texts?: Readonly<Record<string, string>> | undefined;
  readonly language: string;
  readonly situation: Situation;
  readonly state: PageState;
}

/** What may be asked for now. */
export interface Situation {
  readonly bounds: DayRange;
  readonly state: Ability;
}

export interface Fetching {
  /** 0 to 1. */
  readonly fraction: number;
  /** What is said of it, once it takes long enough. */
  readonly label?: string | undefined;
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
const view = {
  search: optional(text(1000)),
  sort: optional(object({ column: id, descending: boolean })),
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

export const usageProtocol = {
  requests: {
    /** Saves what is shown: the whole tab, or one section's table as `view` shows it; the file's name, or `null` when the person thought better. */
    save: request(object({ format: oneOf('csv', 'json'), section: optional(section) }))<string | null>(),
    /** Copies a section's table as `view` shows it; answers with the number of rows. */
    copy: request(section)<number>(),
    /** The page listens. Sent again each time it was built anew, with what it kept. */
    ready: act(object({ state: optional(pageState) })),
    show: act(object({ ...asked, range })),
    /** Fetches missing days of what a page in this state asks for, or all of them `again`. */
    fetch: act(object({ again: boolean, state: pageState })),
    cancel: act(object({})),
    signIn: act(object({})),
  },
  events: {
    start: event<Start>(),
    situation: event<Situation>(),
    /** What is known of what the page shows; with `fetched`, the end of a fetch. */
    report: event<{ readonly report: TabReport; readonly fetched?: 'missing' | 'again' | undefined }>(),
    /** How far a fetch is; `null` where it ended with nothing. */
    fetching: event<Fetching | null>(),
    /** Why there is no report. */
    refused: event<string>(),
  },
};

export type UsageProtocol = typeof usageProtocol;
