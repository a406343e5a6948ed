import { addDays, daysOf } from './calendar';
import type { DayCache } from './dayCache';
import type { Endpoint } from './dayRecord';
import { lastActivity, lastKnownDay, type KnownDays } from './model';
import type { LastActivity } from './peopleTab';
import type { Day, DayRange } from './report';
import { inTurns } from './steps';

/** What the days stored say beyond the days of a report. No request is made. */

/** Where the last known day is looked for first. */
const RECENT_DAYS = 7;

/** The last day known of an endpoint; `known` are the days of a report, up to `reach`. */
export async function lastDayOf(
  cache: DayCache,
  endpoint: Endpoint,
  bounds: DayRange,
  { known, reach }: { readonly known: KnownDays; readonly reach: Day },
): Promise<Day | undefined> {
  const { start, end } = bounds;
  const last = lastKnownDay(known, end);
  if (last !== undefined && reach === end) return last;
  const recent = addDays(end, -RECENT_DAYS);
  const lately = await cache.read(endpoint, daysOf({ start: recent < start ? start : recent, end }));
  return lastKnownDay(lately, end) ?? lastKnownDay(await cache.read(endpoint, daysOf(bounds)), end);
}

/** When each person was last active, in the range of a report or before it. */
export async function lastActivityIn(cache: DayCache, bounds: DayRange): Promise<LastActivity> {
  return inTurns(lastActivity(await cache.read('people', daysOf(bounds)), bounds));
}
