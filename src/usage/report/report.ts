import type { DayRecord } from '../days/day';
import { daysOf, periodBefore } from './calendar';
import { markerOf, PeopleNames, type ControlRevision, type DirectoryPerson } from './names';
import { isComparable, partsOf, shown, type Period, type Tab } from './parts';
import { peopleTab, personTab, type LastActivity } from './people';
import { activityTab, productivityTab, tokensTab } from './tabs';
import { toolsTab } from './tools';
import type { Day, DayRange, Steps, TabReport, UsageQuery } from './types';

/** What a report needs besides the days. */
export interface Extras {
  /** First and last day that may be asked for. */
  readonly bounds: DayRange;
  readonly orgId?: string | undefined;
  /** Why missing days could not be fetched; a sentence for a person. */
  readonly problem?: string | undefined;
  readonly directory: readonly DirectoryPerson[];
  /** Changes of the organization's controls. */
  readonly revisions: readonly ControlRevision[];
  /** What made-up names are made from. */
  readonly salt: string;
}

export type KnownDays = ReadonlyMap<Day, DayRecord>;

/** The period a range is compared with; `undefined` when all of it lies before the earliest day. */
function comparedWith(range: DayRange, bounds: DayRange): DayRange | undefined {
  const before = periodBefore(range);
  return before.end >= bounds.start ? before : undefined;
}

/** The days a report is made from: those of its range and, in one run with them, those it is compared with. */
export function daysFor(range: DayRange, bounds: DayRange): Day[] {
  const { start } = comparedWith(range, bounds) ?? range;
  return daysOf({ start, end: range.end }).filter(day => day >= bounds.start && day <= bounds.end);
}

/** A day without a row is missing, whether it was not asked for, is not there yet, or the service has nothing of it. */
function hasFigures(days: KnownDays, day: Day): boolean {
  return days.get(day)?.row !== undefined;
}

/** When each person was last active, and since when every day is known. */
function* lastActivity(days: KnownDays, bounds: DayRange): Steps<LastActivity> {
  const last = new Map<string, Day>();
  let since: Day | undefined;
  let gap = false;
  for (const day of daysOf(bounds).reverse()) {
    const record = days.get(day) as DayRecord<'people'> | undefined;
    if (record?.row === undefined) gap = true;
    else if (!gap) since = day;
    for (const { user_id: id } of record?.rows ?? []) if (!last.has(id)) last.set(id, day);
    yield;
  }
  return { days: last, since, earliest: bounds.start };
}

/**
 * The report of one tab from all the days known of its endpoint (sections 2.2-2.6). There may be hundreds of thousands of rows:
 * other work may come in between.
 */
export function* report(query: UsageQuery, days: KnownDays, extras: Extras): Steps<TabReport> {
  const { bounds, orgId, problem, directory, revisions } = extras;
  const { range, pseudonyms, person } = query;
  const before = comparedWith(range, bounds);
  const inRange = daysOf(range);
  const known = inRange.flatMap(day => days.get(day) ?? []);
  const missing = inRange.filter(day => !hasFigures(days, day) && day >= bounds.start && day <= bounds.end);
  const unread = daysFor(range, bounds).filter(day => !days.has(day)).length;
  const names = new PeopleNames(pseudonyms, extras.salt, directory);
  const markers = revisions
    .filter(({ day }) => day >= range.start && day <= range.end)
    .map(revision => markerOf(revision, pseudonyms));

  const period = (of: DayRange): Period<never> => {
    const list = daysOf(of);
    const rows = list.map(day => {
      const record = days.get(day);
      if (record?.row === undefined) return undefined as never;
      // The tab decides whose days these are.
      if (query.tab !== 'people') return record.row as never;
      const people = (record as unknown as DayRecord<'people'>).rows;
      return people.filter(({ user_id: id }) => person === undefined || id === person) as never;
    });
    return { days: list, rows };
  };
  const context = { query, now: period(range), before: before && period(before), markers, names };
  const tabOf = function* (): Steps<Tab<never>> {
    switch (query.tab) {
      case 'tokens':
        return tokensTab(context);
      case 'tools':
        return toolsTab(context);
      case 'activity':
        return activityTab(context);
      case 'productivity':
        return productivityTab();
      case 'people':
        if (person !== undefined) return yield* personTab(context, person);
        return yield* peopleTab(context, directory, yield* lastActivity(days, bounds));
    }
  };
  const { figures, sections } = yield* partsOf(context, yield* tabOf());
  const problems = known.flatMap(record => record.problems);
  return {
    query,
    previousRange: before,
    isComparable: isComparable(context),
    orgId: orgId === undefined ? undefined : shown(orgId),
    person: person === undefined ? undefined : names.of(person),
    through: daysOf(bounds).findLast(day => hasFigures(days, day)),
    fetchedAt: known.at(-1)?.at,
    problem: missing.length + unread > 0 ? problem : undefined,
    ...{ missing, unread },
    unreadable:
      problems.length === 0
        ? undefined
        : { count: problems.length, names: pseudonyms ? [] : [...new Set(problems)].map(shown) },
    ...{ figures, sections, markers },
  };
}
