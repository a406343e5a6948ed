import { QueryError } from './errors';

/** The earliest day with analytics data (section 8), UTC. */
export const EARLIEST_DAY = '2026-01-14';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Two UTC days, both included, written `YYYY-MM-DD`. */
export interface DateRange {
  readonly startDate: string;
  readonly endDate: string;
}

/** The latest day analytics can be asked for: yesterday, UTC. `now` is Unix ms. */
export function latestDay(now: number): string {
  return new Date(now - DAY_MS).toISOString().slice(0, 10);
}

/** The two date parameters of section 4.1. Throws `QueryError` for what the service would refuse. */
export function dateQuery({ startDate, endDate }: DateRange, now: number): Record<keyof DateRange, string> {
  const latest = latestDay(now);
  for (const [parameter, day] of Object.entries({ startDate, endDate }))
    if (!isDay(day) || day < EARLIEST_DAY || day > latest)
      throw new QueryError(parameter, day, `${EARLIEST_DAY} - ${latest}`);
  if (startDate > endDate) throw new QueryError('startDate', startDate, `… - ${endDate}`);
  return { startDate, endDate };
}

/** True for a day of the calendar written `YYYY-MM-DD`. */
function isDay(text: string): boolean {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** A page size; 100 when left out. Throws `QueryError` unless it is a whole number from 1 to `most`. */
export function limitQuery(limit = 100, most = 100): number {
  if (Number.isInteger(limit) && limit >= 1 && limit <= most) return limit;
  throw new QueryError('limit', String(limit), Number.isFinite(most) ? `1-${most}` : '1, 2, 3 …');
}

/**
 * An id as one segment of a path. Throws `QueryError` for an empty id, and for `.` and `..`, which would make the address
 * point somewhere else even when they are escaped.
 */
export function idSegment(parameter: string, id: string): string {
  if (typeof id !== 'string' || id.trim() === '' || /^\.{1,2}$|\p{Surrogate}/u.test(id))
    throw new QueryError(parameter, id, 'any other text');
  return encodeURIComponent(id);
}

/** An optional id as a query value. */
export function idQuery(parameter: string, id: string | undefined): string | undefined {
  if (id !== undefined) idSegment(parameter, id);
  return id;
}
