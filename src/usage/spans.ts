import { addDays, daysOf, firstOfMonth, lengthOf, periodBefore } from './calendar';
import { areComparable, knownOf, sum, type Amount } from '../util/amount';
import type { Day, DayRange } from './report';

/** What the status bar may count. */
export const spans = ['lastDay', '7days', '30days', 'monthToDate'] as const;
export type Span = (typeof spans)[number];

/** The days of a span that ends with `end`, and those it is compared with. */
export function spanDays(span: Span, end: Day): { readonly now: DayRange; readonly before: DayRange } {
  const length = { lastDay: 1, '7days': 7, '30days': 30 };
  if (span !== 'monthToDate') {
    const now = { start: addDays(end, 1 - length[span]), end };
    return { now, before: periodBefore(now) };
  }
  const now = { start: firstOfMonth(end), end };
  // The same days of the month before, as far as it has them.
  const lastOfBefore = addDays(now.start, -1);
  const start = firstOfMonth(lastOfBefore);
  const same = addDays(start, lengthOf(now) - 1);
  return { now, before: { start, end: same < lastOfBefore ? same : lastOfBefore } };
}

/** Every day that some span needs. */
export function daysOfSpans(end: Day, earliest: Day): Day[] {
  const first = spans.map(span => spanDays(span, end).before.start).sort()[0] ?? end;
  return daysOf({ start: first < earliest ? earliest : first, end });
}

export interface SpanTotal {
  readonly days: DayRange;
  readonly total: Amount;
  /** Relative to the span before; `undefined` where the two are not known alike. */
  readonly change: number | undefined;
}

/** `values` holds the days with a figure. */
export type DayValues = ReadonlyMap<Day, number>;

export function spanTotal(span: Span, end: Day, values: DayValues): SpanTotal {
  const { now, before } = spanDays(span, end);
  const [here, there] = [valuesOver(now, values), valuesOver(before, values)];
  const [total, earlier] = [sum(here), knownOf(sum(there)) ?? 0];
  // 31 days of March are no growth over 28 of February.
  const isFair = areComparable(here, there) && earlier > 0;
  return { days: now, total, change: isFair ? ((knownOf(total) ?? 0) - earlier) / earlier : undefined };
}

export function valuesOver(range: DayRange, values: DayValues): Amount[] {
  return daysOf(range).map(day => values.get(day));
}

/** Percentages of a budget at which people are told. */
const THRESHOLDS = [80, 100];

/** The highest of them that `spent` has reached. */
export function reached(spent: number | undefined, budget: number): number | undefined {
  if (spent === undefined || budget <= 0) return undefined;
  return THRESHOLDS.filter(percent => spent >= (budget * percent) / 100).at(-1);
}
