import {
  act,
  boolean,
  event,
  number,
  object,
  oneOf,
  optional,
  request,
  text,
  type Guard,
  type Guarded,
} from '../webview/ipc';
import { addDays, clampRange, dayAt } from './report/calendar';
import {
  tabIds,
  type Ability,
  type Day,
  type DayRange,
  type TabReport,
  type UsageQuery,
} from './report/types';

export * from './report/types';
export * from './report/table';
export { addDays, lengthOf, runsOf } from './report/calendar';
export { amountText, isPart, knownOf, sum, type Amount } from '../util/amount';
export { isSame } from '../util/compare';
export { Formatter } from '../util/format';

/**
 * Messages between the dashboard's panel and its page: what both sides agree on. The page knows what it shows and asks for it; the
 * panel tells when there may be another answer. Foreign text in reports is shown as text.
 */

/** Spans that move on with the days; `custom` stays. */
export const presets = ['7', '30', '90', 'all', 'custom'] as const;
export type Preset = (typeof presets)[number];

/** A real day written `YYYY-MM-DD`. */
const day: Guard<Day> = (value): value is Day =>
  typeof value === 'string' && Number.isFinite(Date.parse(value)) && dayAt(Date.parse(value)) === value;

const range: Guard<DayRange> = (value): value is DayRange =>
  object({ start: day, end: day })(value) && value.start <= value.end;

const asked = {
  tab: oneOf(...tabIds),
  compare: boolean,
  folded: boolean,
  pseudonyms: boolean,
  person: optional(text(2000)),
};

/** What the page keeps over a reload and is restored from; a stored one may be old or hostile. */
export const pageState = object({
  ...asked,
  preset: oneOf(...presets),
  /** The days of the preset `custom`. */
  custom: optional(range),
  /** Tables in place of charts. */
  tables: optional(boolean),
  /** Pixels from the top. */
  scroll: optional(number(0, 1e9)),
});
export type PageState = Guarded<typeof pageState>;

export const firstState: PageState = {
  ...{ tab: 'tokens', preset: '30' },
  ...{ compare: false, folded: true, pseudonyms: false },
};

/** What a page in this state asks for. */
export function queryOf(state: PageState, bounds: DayRange): UsageQuery {
  const { tab, compare, folded, pseudonyms, person, preset, custom } = state;
  // A choice of one's own begins with a month.
  const days = Number(preset) || 30;
  const recent = { start: addDays(bounds.end, 1 - days), end: bounds.end };
  const range = preset === 'all' ? bounds : ((preset === 'custom' ? custom : undefined) ?? recent);
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
}

const nothing = object({});
const query = object({ ...asked, range });
const fileName: Guard<string> = (value): value is string =>
  typeof value === 'string' && /^usage-[\w-]{1,150}\.(csv|json)$/.test(value);
/** A file or a copy. */
const content = text(200_000_000);

export const usageProtocol = {
  requests: {
    /** The page listens; sent again each time it was built anew. */
    ready: request(nothing)<Start>(),
    /** What is known. */
    report: request(query)<TabReport>(),
    /** Missing days, or all `again`; ends the fetch before. Answers when it is over: true, why not, or false where it was ended. */
    fetch: request(object({ query, again: boolean }))<boolean | string>(),
    cancel: act(nothing),
    /** Answers with the file's name, or `null` when the person thought better. */
    save: request(object({ name: fileName, text: content }))<string | null>(),
    copy: act(object({ text: content })),
    signIn: act(nothing),
  },
  events: {
    /** Something known changed: what may be asked for, or what the answer would be. */
    changed: event<Situation>(),
    /** How far the fetch is, in words; `null` when it is over. */
    fetching: event<string | null>(),
  },
};

export type UsageProtocol = typeof usageProtocol;
