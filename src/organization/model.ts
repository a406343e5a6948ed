import * as z from 'zod/mini';
import type { ControlChange, OrganizationUser } from '../api';
import { openObject, recordSchema, taken } from '../api/records';
import type { Amount } from '../util/amount';
import type { Settings } from './catalogue';

/** One revision of the controls (section 2.12), and one member of the organization (2.11). Times as the service wrote them. */
export type Revision = ControlChange;
export type Person = OrganizationUser;

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

/** Whoever has not been seen for so long is inactive. */
const INACTIVE_MS = 30 * 24 * 60 * 60 * 1000;

/**
 * Whether somebody was seen of late: signed in, or their agents worked. Of somebody without a known sign-in and a known use nothing
 * is said: the service may only not tell.
 */
export function activityOf(
  person: Person,
  usage: PersonUsage | undefined,
  now: number,
): 'active' | 'inactive' | 'unknown' {
  const seen = [timeOf(person.lastSignInAt), timeOf(usage?.lastActiveDay)].filter(time => time !== undefined);
  if (seen.length === 0) return 'unknown';
  return now - Math.max(...seen) > INACTIVE_MS ? 'inactive' : 'active';
}
