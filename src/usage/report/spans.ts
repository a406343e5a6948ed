import { sum, type Amount } from '../../util/amount';
import { addDays, daysOf, periodBefore } from './calendar';
import type { Day, DayRange } from './types';

/** What the status bar may count. */
export const spans = ['lastDay', '7days', '30days', 'monthToDate'] as const;
export type Span = (typeof spans)[number];

/** The days of a span that ends with `end`. */
export function spanDays(span: Span, end: Day): DayRange {
  if (span === 'monthToDate') return { start: `${end.slice(0, 8)}01`, end };
  return { start: addDays(end, 1 - { lastDay: 1, '7days': 7, '30days': 30 }[span]), end };
}

interface SpanTotal {
  readonly days: DayRange;
  readonly total: Amount;
  /** Relative to the same weekdays before; `undefined` where a day of either is missing. */
  readonly change: number | undefined;
}

/** `values` holds the days with a figure. */
export type DayValues = ReadonlyMap<Day, number>;

export function spanTotal(span: Span, end: Day, values: DayValues): SpanTotal {
  const days = spanDays(span, end);
  const [total, earlier] = [days, periodBefore(days)].map(range => sum(valuesOver(range, values)));
  const isFair = typeof total === 'number' && typeof earlier === 'number' && earlier > 0;
  return { days, total, change: isFair ? (total - earlier) / earlier : undefined };
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
