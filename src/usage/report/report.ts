import * as l10n from '@vscode/l10n';
import type { KnownDays } from '../days';
import { daysOf, periodBefore } from './calendar';
import { figureOf, shown, type Context, type Period, type Tab } from './parts';
import { PeopleNames, peopleOn, peopleTab, personTab, type DirectoryPerson } from './people';
import { activityTab, productivityTab, tokensTab, toolsTab } from './tabs';
import type { Day, DayRange, Marker, Section, Steps, TabReport, UsageQuery } from './types';

/** A change of the organization's controls. Foreign text. */
export interface ControlRevision {
  readonly revision: number;
  readonly day: Day;
  readonly who?: string | undefined;
  /** Names of the settings that changed. */
  readonly changed: readonly string[];
}

/** What a report needs besides the days. */
export interface Extras {
  /** First and last day that may be asked for. */
  readonly bounds: DayRange;
  readonly orgId?: string | undefined;
  /** Why missing days could not be fetched; a sentence for a person. */
  readonly problem?: string | undefined;
  readonly directory: readonly DirectoryPerson[];
  readonly revisions: readonly ControlRevision[];
  /** What made-up names are made from. */
  readonly salt: string;
}

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

/** The mark of a change; names nobody among pseudonyms. */
function markerOf({ revision, day, who, changed }: ControlRevision, pseudonyms: boolean): Marker {
  const [first = '', ...rest] = changed;
  const what = rest.length === 0 ? first : `${first}, +${rest.length}`;
  const parts = [l10n.t('Controls, revision {0}', revision), what, pseudonyms ? undefined : who];
  return { day, label: shown(parts.filter(Boolean).join(' · ')) };
}

const tabs = { tokens: tokensTab, tools: toolsTab, activity: activityTab, productivity: productivityTab };

/**
 * The report of one tab from all the days known of its endpoint (sections 2.2-2.6). There may be hundreds of thousands of rows:
 * other work may come in between.
 */
export function* report(query: UsageQuery, days: KnownDays, extras: Extras): Steps<TabReport> {
  const { bounds, orgId, problem, directory, revisions } = extras;
  const { range, pseudonyms, person } = query;
  const previousRange = comparedWith(range, bounds);
  const inRange = daysOf(range);
  const known = inRange.flatMap(day => days.get(day) ?? []);
  /** `undefined` where it was not asked for or is not there yet, and where the service, which has a row a day, has none. */
  const knownOf = (day: Day): unknown =>
    query.tab === 'people' ? peopleOn(day, days) : days.get(day)?.rows[0];
  const isMissing = (day: Day): boolean => knownOf(day) === undefined;
  const missing = inRange.filter(day => isMissing(day) && day >= bounds.start && day <= bounds.end);
  const unread = daysFor(range, bounds).filter(day => !days.has(day)).length;
  const names = new PeopleNames(pseudonyms ? extras.salt : undefined, directory);
  const markers = revisions
    .filter(({ day }) => day >= range.start && day <= range.end)
    .map(revision => markerOf(revision, pseudonyms));

  const ofPerson = (day: Day) => peopleOn(day, days)?.filter(({ user_id: id }) => id === person);
  const periodOf = (of: DayRange): Period<never> => {
    const list = daysOf(of);
    // The tab decides whose days these are.
    return { days: list, rows: list.map(person === undefined ? knownOf : ofPerson) as never[] };
  };
  const [now, before] = [periodOf(range), previousRange && periodOf(previousRange)];
  const isComparable = before !== undefined && [...now.days, ...before.days].every(day => !isMissing(day));
  const context: Context<never> = { query, now, before, isComparable, markers, names };
  const people = person === undefined ? peopleTab(context, directory, days) : personTab(context, person);
  const tab: Tab<never> = query.tab === 'people' ? yield* people : tabs[query.tab](context);
  const sections: Section[] = [];
  for (const section of tab.sections) sections.push(yield* section);
  const problems = known.flatMap(record => record.problems);
  return {
    ...{ query, previousRange, isComparable, missing, unread, sections, markers },
    orgId: orgId === undefined ? undefined : shown(orgId),
    person: person === undefined ? undefined : names.of(person),
    through: daysOf(bounds).findLast(day => !isMissing(day)),
    fetchedAt: known.at(-1)?.at,
    problem: missing.length + unread > 0 ? problem : undefined,
    unreadable:
      problems.length === 0
        ? undefined
        : { count: problems.length, names: pseudonyms ? [] : [...new Set(problems)].map(shown) },
    figures: tab.figures.map(metric => figureOf(context, metric)),
  };
}
