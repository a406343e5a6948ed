import { settingsOf, type SettingChange } from './changes';
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

/** What a person's agents did over the last 30 finished days (UTC). */
export interface PersonUsage {
  /** UTC day. */
  readonly lastActiveDay?: string;
  readonly billableTokens: number;
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

/** Newest first, each revision once: the last one read wins. */
export function sortRevisions(revisions: readonly Revision[]): Revision[] {
  const byNumber = new Map(revisions.map(revision => [revision.revision, revision]));
  return [...byNumber.values()].sort((a, b) => b.revision - a.revision);
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
  /** Local days, both included. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** `changesOf` is asked only when a setting is looked for. */
export function passesHistory(
  revision: Revision,
  filter: HistoryFilter,
  changesOf: (revision: Revision) => readonly SettingChange[],
): boolean {
  const { person, setting, from, to } = filter;
  if (person !== undefined && makerOf(revision) !== person) return false;
  if (from !== undefined || to !== undefined) {
    const day = dayOf(timeOf(revision.updatedAt));
    if (day === '' || day < (from ?? '') || day > (to ?? '9999-99-99')) return false;
  }
  if (setting === undefined) return true;
  return settingsOf(changesOf(revision)).some(
    path => path === setting || path.startsWith(`${setting}.`) || path.startsWith(`${setting}[`),
  );
}

export interface PeopleFilter {
  /** Part of a name, an e-mail or an id, in any letter case. */
  readonly text?: string | undefined;
  /** `unknown`: without a last sign-in; the service does not say whether there was one. */
  readonly seen?: 'inactive' | 'unknown';
  readonly sort: 'name' | 'latest' | 'longestAgo';
}

/** When somebody was last seen: signed in, or their agents worked. Unix ms. */
export function lastSeen(person: Person, usage: PersonUsage | undefined): number | undefined {
  const times = [timeOf(person.lastSignInAt), timeOf(usage?.lastActiveDay)].filter(
    time => time !== undefined,
  );
  return times.length === 0 ? undefined : Math.max(...times);
}

/** Not seen for so many days; somebody who has just joined, or of whom no date is known, is not inactive. */
export function isInactive(
  person: Person,
  usage: PersonUsage | undefined,
  now: number,
  inactiveDays: number,
): boolean {
  const since = lastSeen(person, usage) ?? timeOf(person.createdAt);
  return since !== undefined && now - since > inactiveDays * 24 * 60 * 60 * 1000;
}

export interface PeopleContext {
  readonly usage: UsageOfPeople | undefined;
  /** Unix ms. */
  readonly now: number;
  readonly inactiveDays: number;
  readonly compare: (a: string, b: string) => number;
}

/** The people a filter lets through, in its order. */
export function choosePeople(
  people: readonly Person[],
  filter: PeopleFilter,
  { usage, now, inactiveDays, compare }: PeopleContext,
): Person[] {
  const wanted = filter.text?.trim().toLocaleLowerCase() ?? '';
  const chosen = people.filter(person => {
    if (filter.seen === 'inactive' && !isInactive(person, usage?.get(person.id), now, inactiveDays)) {
      return false;
    }
    if (filter.seen === 'unknown' && timeOf(person.lastSignInAt) !== undefined) return false;
    return wanted === '' || searchText(person).includes(wanted);
  });
  const keyed = chosen.map(person => ({
    person,
    name: nameOf(person),
    signIn: timeOf(person.lastSignInAt) ?? -Infinity,
  }));
  const sign = filter.sort === 'latest' ? -1 : 1;
  keyed.sort((a, b) => {
    if (filter.sort !== 'name' && a.signIn !== b.signIn) return a.signIn < b.signIn ? -sign : sign;
    return compare(a.name, b.name) || (a.person.id < b.person.id ? -1 : 1);
  });
  return keyed.map(({ person }) => person);
}

function searchText(person: Person): string {
  return `${nameOf(person)}\n${person.email ?? ''}\n${person.id}`.toLocaleLowerCase();
}
