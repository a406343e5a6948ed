import { boolean, number, object, oneOf, optional, text, type Guard } from '../webview/guards';
import { act, event, request } from '../webview/ipc';
import { addDays, clampRange } from './report/calendar';
import {
  tabIds,
  type Ability,
  type Day,
  type DayRange,
  type TabReport,
  type UsageQuery,
} from './report/types';

export * from './report/types';
export { addDays, lengthOf, runsOf } from './report/calendar';
export { amountText, isPart, knownOf, sum, type Amount } from '../util/amount';
export { isSame } from '../sync/same';
export * from './report/table';
export { Formatter, supportedLanguage } from '../util/format';

/**
 * Messages between the dashboard's panel and its page: what both sides agree on. The page knows what it shows and asks for it; the
 * panel tells when there may be another answer. Foreign text in reports is shown as text.
 */

/** Spans that move on with the days; `custom` stays. */
export const presets = ['7', '30', '90', 'all', 'custom'] as const;
export type Preset = (typeof presets)[number];

/** What the page keeps over a reload and is restored from. */
export interface PageState extends Omit<UsageQuery, 'range'> {
  readonly preset: Preset;
  /** The days of the preset `custom`. */
  readonly custom?: DayRange | undefined;
  /** Tables in place of charts. */
  readonly tables?: boolean | undefined;
  /** Pixels from the top. */
  readonly scroll?: number | undefined;
}

export const firstState: PageState = {
  tab: 'tokens',
  preset: '30',
  compare: false,
  folded: true,
  pseudonyms: false,
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

/** What may be asked for now. */
export interface Situation {
  readonly bounds: DayRange;
  readonly state: Ability;
}

export interface Start extends Situation {
  /** Texts in the person's language, where they have one of their own. */
  readonly texts?: Readonly<Record<string, string>> | undefined;
  readonly language: string;
}

export interface Fetching {
  /** 0 to 1. */
  readonly fraction: number;
  readonly label: string;
}

/** A real day written `YYYY-MM-DD`. */
const day: Guard<Day> = (value): value is Day =>
  typeof value === 'string' &&
  /^\d{4}-\d\d-\d\d$/.test(value) &&
  Number.isFinite(Date.parse(value)) &&
  new Date(Date.parse(value)).toISOString().startsWith(value);

const range: Guard<DayRange> = (value): value is DayRange =>
  object({ start: day, end: day })(value) && value.start <= value.end;
const asked = {
  tab: oneOf(...tabIds),
  compare: boolean,
  folded: boolean,
  pseudonyms: boolean,
  person: optional(text(2000)),
};
const query: Guard<UsageQuery> = object({ ...asked, range });

/** Whether a value is a page state, as a restored one may be old or hostile. */
export const pageState: Guard<PageState> = object({
  ...asked,
  preset: oneOf(...presets),
  custom: optional(range),
  tables: optional(boolean),
  scroll: optional(number(0, 1e9)),
});

const nothing = object({});
const fileName: Guard<string> = (value): value is string =>
  typeof value === 'string' && /^usage-[\w-]{1,150}\.(csv|json)$/.test(value);
/** UTF-16 units of a file or a copy. */
const MOST_TEXT = 200_000_000;

export const usageProtocol = {
  requests: {
    /** The page listens; sent again each time it was built anew. */
    ready: request(nothing)<Start>(),
    situation: request(nothing)<Situation>(),
    /** What is known; what is missing is fetched, once for the same days. */
    report: request(query)<TabReport>(),
    /** Missing days, or all `again`; ends the fetch before. Answers when it is over: true, why not, or false where it was ended. */
    fetch: request(object({ query, again: boolean }))<boolean | string>(),
    cancel: act(nothing),
    /** Answers with the file's name, or `null` when the person thought better. */
    save: request(object({ name: fileName, text: text(MOST_TEXT) }))<string | null>(),
    copy: act(object({ text: text(MOST_TEXT) })),
    signIn: act(nothing),
  },
  events: {
    /** Something known changed: what may be asked for, or what the answer would be. */
    changed: event<Situation>(),
    /** How far the fetch is; `null` when it is over. */
    fetching: event<Fetching | null>(),
  },
};

export type UsageProtocol = typeof usageProtocol;
