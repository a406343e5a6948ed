import type { Day, DayRange } from './types';

/** Arithmetic on UTC days. Days are written `YYYY-MM-DD`, so they compare as text. */

export const DAY_MS = 86_400_000;

/** The UTC day a time (Unix ms) lies in. */
export function dayAt(time: number): Day {
  return new Date(time).toISOString().slice(0, 10);
}

export function addDays(day: Day, count: number): Day {
  return dayAt(Date.parse(day) + count * DAY_MS);
}

export function lengthOf({ start, end }: DayRange): number {
  return Math.round((Date.parse(end) - Date.parse(start)) / DAY_MS) + 1;
}

/** Every day of a range, in order; none when it is reversed. */
export function daysOf(range: DayRange): Day[] {
  return Array.from({ length: Math.max(0, lengthOf(range)) }, (_, index) => addDays(range.start, index));
}

/** The same weekdays before: a period of the same length, as few whole weeks earlier as the two do not overlap. */
export function periodBefore(range: DayRange): DayRange {
  const shift = -7 * Math.ceil(lengthOf(range) / 7);
  return { start: addDays(range.start, shift), end: addDays(range.end, shift) };
}

/** The part of `range` within `bounds`; its nearest day when they do not meet. */
export function clampRange(range: DayRange, bounds: DayRange): DayRange {
  const clamp = (day: Day): Day => (day < bounds.start ? bounds.start : day > bounds.end ? bounds.end : day);
  const [start, end] = range.start <= range.end ? [range.start, range.end] : [range.end, range.start];
  return { start: clamp(start), end: clamp(end) };
}

/** A day of which nothing was there so soon after its beginning may still come, ms. */
const EARLY_MS = 3 * DAY_MS;

/** Whether the service may not have been through with a day when it was asked; Unix ms. */
export function isEarly(at: number, day: Day): boolean {
  return at < Date.parse(day) + EARLY_MS;
}

/** The fewest ranges that hold just these days. */
export function runsOf(days: Iterable<Day>): DayRange[] {
  const runs: { start: Day; end: Day }[] = [];
  for (const day of [...new Set(days)].sort()) {
    const last = runs.at(-1);
    if (last !== undefined && addDays(last.end, 1) === day) last.end = day;
    else runs.push({ start: day, end: day });
  }
  return runs;
}
