import { activityTab } from './activityTab';
import { daysOf, periodBefore } from './calendar';
import type { DayRecord, Endpoint, Rows } from './dayRecord';
import { shown, type Context, type Period } from './kit';
import { markerOf, type ControlRevision } from './markers';
import { PeopleNames, type DirectoryPerson } from './names';
import { peopleTab, type LastActivity } from './peopleTab';
import { productivityTab } from './productivityTab';
import { unreadNote } from './quality';
import type { Day, DayRange, Figure, QualityNote, Section, TabReport, UsageQuery } from './report';
import { atOnce, type Steps } from './steps';
import { tokensTab } from './tokensTab';
import { toolsTab } from './toolsTab';

/** What a report needs besides the days. */
export interface Extras {
  /** First and last day that may be asked for. */
  readonly bounds: DayRange;
  readonly orgId?: string | undefined;
  /** The last day known of the endpoint, in the range or not. */
  readonly through?: Day | undefined;
  /** Why days are missing; a sentence for a person. */
  readonly problem?: string | undefined;
  readonly directory: readonly DirectoryPerson[];
  /** Of people beyond the days of the report; those of its own days alone when left out. */
  readonly lastActivity?: LastActivity | undefined;
  /** Changes of the organization's controls. */
  readonly revisions: readonly ControlRevision[];
  /** What made-up names are made from. */
  readonly salt: string;
}

export type KnownDays = ReadonlyMap<Day, DayRecord>;

interface Made {
  readonly figures: readonly Figure[];
  readonly sections: readonly Section[];
  readonly notes?: readonly QualityNote[];
}

/** The period a report is compared with; `undefined` when all of it lies before the earliest day. */
export function comparedWith({ range, compare }: UsageQuery, bounds: DayRange): DayRange | undefined {
  const before = periodBefore(range);
  return compare && before.end >= bounds.start ? before : undefined;
}

/** The days a report is made from: those of its range and those it is compared with, as far as they may be asked for. */
export function daysFor(query: UsageQuery, bounds: DayRange): Day[] {
  const before = comparedWith(query, bounds);
  const days = [...(before === undefined ? [] : daysOf(before)), ...daysOf(query.range)];
  return days.filter(day => day >= bounds.start && day <= bounds.end);
}

/** The last day through `end` that has figures. */
export function lastKnownDay(days: KnownDays, end: Day): Day | undefined {
  return [...days.keys()]
    .filter(day => day <= end && hasFigures(days, day))
    .sort()
    .at(-1);
}

/** A day without a row is missing, whether it was not asked for, is not there yet, or the service has nothing of it. */
function hasFigures(days: KnownDays, day: Day): boolean {
  return days.get(day)?.row !== undefined;
}

/** Who was last active when, of days that are all of people. */
export function* lastActivity(days: KnownDays, { start, end }: DayRange): Steps<LastActivity> {
  const last = new Map<string, Day>();
  let since: Day | undefined;
  let gap = false;
  for (const day of daysOf({ start, end }).reverse()) {
    const record = days.get(day) as DayRecord<'people'> | undefined;
    if (record?.row === undefined) gap = true;
    else if (!gap) since = day;
    for (const { user_id: id } of record?.rows ?? []) if (!last.has(id)) last.set(id, day);
    yield;
  }
  return { days: last, since, earliest: start };
}

/** The report of one tab from the days known of its endpoint (sections 2.2-2.6). */
export function report(query: UsageQuery, days: KnownDays, extras: Extras): TabReport {
  return atOnce(reportSteps(query, days, extras));
}

/** The same where there may be hundreds of thousands of rows: other work may come in between. */
export function* reportSteps(query: UsageQuery, days: KnownDays, extras: Extras): Steps<TabReport> {
  const { bounds, orgId, problem } = extras;
  const before = comparedWith(query, bounds);
  const inRange = daysOf(query.range);
  const known = inRange.flatMap(day => days.get(day) ?? []);
  const missing = inRange.filter(day => !hasFigures(days, day) && day >= bounds.start && day <= bounds.end);
  const unread = missing.filter(day => !days.has(day)).length;
  const { figures, sections, notes = [] } = yield* make(query, days, extras, before);
  const unreadable = unreadNote(known.flatMap(record => record.problems));
  return {
    query,
    previousRange: before,
    ...(before === undefined ? {} : { unfinished: unfinishedOf(query.range, before, days) }),
    orgId: orgId === undefined ? undefined : shown(orgId),
    through: extras.through ?? lastKnownDay(days, bounds.end),
    fetchedAt: known.at(-1)?.at,
    missing: missing.length === 0 && problem === undefined ? undefined : { days: missing, unread, problem },
    figures,
    sections,
    notes: [...notes, ...(unreadable === undefined ? [] : [unreadable])],
  };
}

function* make(
  query: UsageQuery,
  days: KnownDays,
  extras: Extras,
  before: DayRange | undefined,
): Steps<Made> {
  const { salt, directory } = extras;
  const names = new PeopleNames({ pseudonyms: query.pseudonyms, salt, directory });
  const context = <R>(pick: (record: DayRecord) => R | undefined): Context<R> => ({
    query,
    now: period(query.range, days, pick),
    before: before === undefined ? undefined : period(before, days, pick),
    markers: extras.revisions
      .filter(({ day }) => day >= query.range.start && day <= query.range.end)
      .map(revision => markerOf(revision, query.pseudonyms)),
  });
  // The tab decides whose days these are.
  const daily = <E extends Endpoint>(): Context<Rows[E]> =>
    context(record => (record as unknown as DayRecord<E>).row);
  switch (query.tab) {
    case 'tokens':
      return yield* tokensTab(daily<'tokens'>(), names);
    case 'tools':
      return toolsTab(daily<'tools'>());
    case 'activity':
      return activityTab(daily<'activity'>());
    case 'productivity':
      return productivityTab(daily<'productivity'>());
    case 'people':
      return yield* peopleTab(
        context(record => (record as unknown as DayRecord<'people'>).rows),
        names,
        directory,
        extras.lastActivity ?? (yield* lastActivity(days, extras.bounds)),
      );
  }
}

function unfinishedOf(now: DayRange, before: DayRange, known: KnownDays): TabReport['unfinished'] {
  const [here, there] = [now, before].map(range => daysOf(range).map(day => hasFigures(known, day)));
  if (here === undefined || there === undefined) return undefined;
  if (here.some((has, at) => !has && there[at] === true)) return 'range';
  return here.some((has, at) => has && there[at] === false) ? 'before' : undefined;
}

function period<R>(range: DayRange, known: KnownDays, pick: (record: DayRecord) => R | undefined): Period<R> {
  const days = daysOf(range);
  const rows = days.map(day => {
    const record = known.get(day);
    return record?.row === undefined ? undefined : pick(record);
  });
  return { days, rows };
}
