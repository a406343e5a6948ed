import * as z from 'zod/mini';
import { openObject, recordSchema, taken } from '../api';
import { settingsOf, type SettingChange } from './changes';
import type { Amount } from '../util/amount';
import type { Settings } from './directions';

/** One revision of the controls, as kept: no secrets, and only what is shown (section 2.12). */
export interface Revision {
  readonly revision: number;
  readonly settings: Settings;
  readonly user?: { readonly id?: string; readonly email?: string; readonly name?: string };
  /** As the service wrote it. */
  readonly updatedAt?: string;
  /** Settings that could not be read, as `modelPolicy.allowedModelIds`; they are not in `settings`. */
  readonly unread?: readonly string[];
}

/** One member of the organization, as kept (section 2.11). Times as the service wrote them. */
export interface Person {
  readonly id: string;
  readonly email?: string;
  readonly firstName?: string;
  readonly lastName?: string;
  readonly createdAt?: string;
  readonly lastSignInAt?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** What a stored person and a stored revision must be. */
export const personSchema = recordSchema(() => openObject({ id: z.string() }));
export const revisionSchema = recordSchema(() =>
  openObject({ revision: z.number(), settings: taken<Settings>() }),
);

/** What a person's agents did over the last 30 finished days (UTC). */
export interface PersonUsage {
  /** UTC day. */
  readonly lastActiveDay: string;
  /** Billable ones, of how many of the days they are known. */
  readonly tokens: Amount;
}

export type UsageOfPeople = ReadonlyMap<string, PersonUsage>;

/** Unix ms; `undefined` for what is no time. */
export function timeOf(text: string | undefined): number | undefined {
  const time = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isFinite(time) ? time : undefined;
}

/** Name, else e-mail, else id. */
export function nameOf(person: Person): string {
  const full = [person.firstName, person.lastName].filter(part => (part ?? '').trim() !== '').join(' ');
  return full.trim() || (person.email ?? '').trim() || person.id;
}

/** Who made a revision: name, else e-mail, else id; `undefined` when the service does not say. */
export function whoOf({ user }: Revision): string | undefined {
  return [user?.name, user?.email, user?.id].find(text => text !== undefined && text.trim() !== '');
}

/** What tells the makers of revisions apart. */
export function makerOf({ user }: Revision): string {
  return user?.id ?? user?.email ?? user?.name ?? '';
}

/** Whether revisions between these two are not known, so that others may have made some of the changes. */
export function isGap(before: Revision | undefined, revision: Revision): before is Revision {
  return before !== undefined && before.revision !== revision.revision - 1;
}

/** The local calendar day of a time, `YYYY-MM-DD`; empty for none. */
export function dayOf(time: number | undefined): string {
  if (time === undefined) return '';
  const date = new Date(time);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** Newest first. */
export function sortRevisions(revisions: readonly Revision[]): Revision[] {
  return revisions.toSorted((a, b) => b.revision - a.revision);
}

/** Revisions by the local day they were made on, in the order they come; those without a time under an empty day. */
export function groupByDay(revisions: readonly Revision[]): ReadonlyMap<string, readonly Revision[]> {
  const days = new Map<string, Revision[]>();
  for (const revision of revisions) {
    const day = dayOf(timeOf(revision.updatedAt));
    const group = days.get(day);
    if (group === undefined) days.set(day, [revision]);
    else group.push(revision);
  }
  return days;
}

export interface HistoryFilter {
  /** As `makerOf` tells. */
  readonly person?: string;
  /** A setting and what is part of it. */
  readonly setting?: string;
}

/** `changesOf` is asked only when a setting is looked for. */
export function passesHistory(
  revision: Revision,
  filter: HistoryFilter,
  changesOf: (revision: Revision) => readonly SettingChange[],
): boolean {
  const { person, setting } = filter;
  if (person !== undefined && makerOf(revision) !== person) return false;
  if (setting === undefined) return true;
  return settingsOf(changesOf(revision)).some(
    path => path === setting || path.startsWith(`${setting}.`) || path.startsWith(`${setting}[`),
  );
}

export interface PeopleFilter {
  readonly activity?: 'inactive' | 'unknown';
}

/** When somebody was last seen: signed in, or their agents worked. Unix ms. */
function lastSeen(person: Person, usage: PersonUsage | undefined): number | undefined {
  const times = [timeOf(person.lastSignInAt), timeOf(usage?.lastActiveDay)].filter(
    time => time !== undefined,
  );
  return times.length === 0 ? undefined : Math.max(...times);
}

/** Whoever has not been seen for so long is inactive. */
export const INACTIVE_DAYS = 30;

/** Of somebody without a known sign-in and a known use nothing is said: the service may only not tell. */
export function activityOf(
  person: Person,
  usage: PersonUsage | undefined,
  now: number,
): 'active' | 'inactive' | 'unknown' {
  const seen = lastSeen(person, usage);
  if (seen === undefined) return 'unknown';
  return now - seen > INACTIVE_DAYS * 24 * 60 * 60 * 1000 ? 'inactive' : 'active';
}

export interface PeopleContext {
  readonly usage: UsageOfPeople | undefined;
  /** Unix ms. */
  readonly now: number;
  readonly compare: (a: string, b: string) => number;
}

/** The people a filter lets through, by name. */
export function choosePeople(
  people: readonly Person[],
  { activity }: PeopleFilter,
  { usage, now, compare }: PeopleContext,
): Person[] {
  return people
    .filter(person => activity === undefined || activityOf(person, usage?.get(person.id), now) === activity)
    .map(person => ({ person, name: nameOf(person) }))
    .sort((a, b) => compare(a.name, b.name) || (a.person.id < b.person.id ? -1 : 1))
    .map(({ person }) => person);
}
