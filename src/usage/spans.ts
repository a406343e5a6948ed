import { addDays, daysOf, firstOfMonth, lengthOf, periodBefore } from './calendar';
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
  readonly span: Span;
  readonly days: DayRange;
  /** `undefined` when no day of it is known. */
  readonly total: number | undefined;
  /** How many of `days` have a figure. */
  readonly known: number;
  /** Relative to the span before, where both have as many days and are known in full; `undefined` elsewhere. */
  readonly change: number | undefined;
}

/** `values` holds each known day; `undefined` for a day without a figure. */
export function spanTotal(span: Span, end: Day, values: ReadonlyMap<Day, number | undefined>): SpanTotal {
  const { now, before } = spanDays(span, end);
  const total = sumOver(now, values);
  const earlier = sumOver(before, values);
  const known = knownOf(now, values);
  const complete = known === lengthOf(now) && knownOf(before, values) === lengthOf(before);
  // 31 days of March are no growth over 28 of February.
  const isFair = lengthOf(now) === lengthOf(before);
  const change =
    isFair && complete && total !== undefined && earlier !== undefined && earlier > 0
      ? (total - earlier) / earlier
      : undefined;
  return { span, days: now, total, known, change };
}

function knownOf(range: DayRange, values: ReadonlyMap<Day, number | undefined>): number {
  return daysOf(range).filter(day => values.get(day) !== undefined).length;
}

export function sumOver(range: DayRange, values: ReadonlyMap<Day, number | undefined>): number | undefined {
  return daysOf(range).reduce<number | undefined>((sum, day) => {
    const value = values.get(day);
    return value === undefined ? sum : (sum ?? 0) + value;
  }, undefined);
}

const BARS = '▁▂▃▄▅▆▇█';

/** A bar a value; a blank where nothing is known. */
export function sparkline(values: readonly (number | undefined)[]): string {
  const most = Math.max(0, ...values.filter(value => value !== undefined));
  return values
    .map(value => {
      if (value === undefined) return ' ';
      const height = most > 0 ? Math.round((Math.max(0, value) / most) * (BARS.length - 1)) : 0;
      return BARS[height] ?? '';
    })
    .join('');
}

/** The highest threshold (percent) that `spent` has reached of a budget. */
export function reached(
  spent: number | undefined,
  budget: number,
  thresholds: readonly number[],
): number | undefined {
  if (spent === undefined || budget <= 0) return undefined;
  return thresholds.filter(percent => spent >= (budget * percent) / 100).at(-1);
}
