import { knownOf, sum, type Amount } from '../util/amount';
import type { UserDay } from '../api';
import type { KnownDays } from './model';
import type { Day } from './report';

export interface PersonActivity {
  /** UTC. */
  readonly lastActiveDay: Day;
  /** Billable ones, of how many of the days they are known. */
  readonly tokens: Amount;
}

/** What each person used on these days. A day of which the service has other people only is one without use. */
export function activityOfPeople(
  known: KnownDays,
  days: readonly Day[],
): ReadonlyMap<string, PersonActivity> {
  const rowsOf = new Map<string, UserDay[]>();
  let without = 0;
  for (const day of days) {
    const rows = (known.get(day)?.rows ?? []) as readonly UserDay[];
    if (rows.length === 0) without++;
    for (const row of rows) {
      const own = rowsOf.get(row.user_id);
      if (own === undefined) rowsOf.set(row.user_id, [row]);
      else own.push(row);
    }
  }
  const activity = ([id, rows]: [string, UserDay[]]): [string, PersonActivity] => {
    const figures = rows.map(row => row.billable_tokens);
    const value = knownOf(sum(figures));
    const missing = without + figures.filter(figure => figure === undefined).length;
    const part = { value: value ?? 0, known: days.length - missing, of: days.length };
    const tokens = value === undefined || missing === 0 ? value : part;
    return [id, { lastActiveDay: rows.at(-1)?.date.slice(0, 10) ?? '', tokens }];
  };
  return new Map([...rowsOf].map(activity));
}
