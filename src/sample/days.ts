/** Arithmetic on UTC days, counted from 1970-01-01. */

export const DAY_MS = 86_400_000;

/** The UTC day a time (Unix ms) lies in. */
export function dayOf(time: number): number {
  return Math.floor(time / DAY_MS);
}

/** `YYYY-MM-DD` of a day. */
export function dayText(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** The day of a `YYYY-MM-DD` text; `undefined` for any other form and for days no calendar has. */
export function parseDay(text: string): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined;
  const time = Date.parse(`${text}T00:00:00Z`);
  if (Number.isNaN(time)) return undefined;
  const day = dayOf(time);
  return dayText(day) === text ? day : undefined;
}

/** Inclusive range of UTC days. */
export interface Days {
  readonly first: number;
  readonly last: number;
}

/** 2026-01-14, the first day with analytics data (interface section 8). */
export const EARLIEST_DAY = dayOf(Date.UTC(2026, 0, 14));
