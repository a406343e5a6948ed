import type { Collection, Storage } from '../storage';
import { hasCome } from '../util/clock';
import { nextCheck, statusOf, type SessionStatus, type StatusProblem } from './model';
import type { SessionRecord } from './record';

/**
 * What windows tell each other about checks of one session, so that together they ask no more often than one: who asked last,
 * and what came of it where no answer came. Times are Unix ms.
 */
export interface Check {
  /** When the service was last asked. */
  readonly at: number;
  /** The window that asked; empty when it has given up. */
  readonly by: string;
  /** The session as it was known then, and how many checks in a row had found it so. */
  readonly seen: string;
  readonly unchanged: number;
  readonly failure?: StatusProblem | undefined;
}

/** A window that asked and says nothing for so long has gone. */
export const LEASE_MS = 20_000;
/** What was asked so shortly ago is not asked again for whoever comes back. */
const JUST_NOW_MS = 1_000;
/** Timers fire a little early or late: so much of the time between checks is enough. */
const EARLY = 0.9;

export function checksOf(storage: Storage, serviceId: string): Collection<Check> {
  return storage.collection<Check>({ path: `services/${serviceId}/checks`, version: 1, decode: decodeCheck });
}

export interface Turn {
  readonly record: SessionRecord;
  readonly check: Check | undefined;
  readonly status: SessionStatus;
  readonly fastestMs: number;
  /** Somebody has begun to look: however long nothing has changed, it is asked as if something had. */
  readonly eager: boolean;
  /** Somebody has come back to a session in front of them: it is asked at once. */
  readonly returned: boolean;
  readonly now: number;
}

/** Milliseconds until the session is to be asked about again; 0 or less when it is time. */
export function untilDue({ record, check, status, fastestMs, eager, returned, now }: Turn): number {
  // A time that has not come yet is of a clock that was wrong: it says nothing.
  const [last, told] = [check?.at ?? 0, record.checkedAt ?? 0].map(at => (hasCome(at, now) ? at : 0));
  const asked = Math.max(last ?? 0, told ?? 0);
  if (asked === 0) return 0;
  const unchanged = eager ? 0 : unchangedOf(record, check);
  const pause = returned ? Math.min(JUST_NOW_MS, fastestMs) : nextCheck(status, unchanged, fastestMs);
  const due = asked + pause * EARLY - now;
  return isPending(record, check, now) ? Math.max(due, 1_000) : due;
}

/** The check that a window begins with. */
export function begun({ record, check, now }: Turn, by: string): Check {
  const failure = check?.failure;
  return { at: now, by, seen: seenOf(record, check), unchanged: unchangedOf(record, check), failure };
}

/** Another question is under way, and its window has not been silent for too long. */
function isPending(record: SessionRecord, check: Check | undefined, now: number): boolean {
  if (check === undefined || check.by === '' || Math.abs(now - check.at) > LEASE_MS) return false;
  return (record.checkedAt ?? 0) < check.at && (check.failure?.at ?? 0) < check.at;
}

/** How many checks in a row have found the session as it is. */
function unchangedOf(record: SessionRecord, check: Check | undefined): number {
  return check?.seen === seenOf(record, check) ? check.unchanged + 1 : 0;
}

function seenOf(record: SessionRecord, check: Check | undefined): string {
  const { session } = record;
  const { value } = statusOf(record, check?.failure);
  return [value, session?.messageCount, session?.updatedAt].join(' ');
}

function decodeCheck(value: unknown): Check {
  const check = (value ?? {}) as Partial<Check>;
  const { at, by, seen, unchanged } = check;
  if (typeof at !== 'number' || typeof by !== 'string') throw new Error('It is not a check.');
  if (typeof seen !== 'string' || typeof unchanged !== 'number') throw new Error('It is not a check.');
  const { at: failedAt, sentence, lasts } = check.failure ?? {};
  const failed = typeof failedAt === 'number' && typeof sentence === 'string';
  return {
    at,
    by,
    seen,
    unchanged,
    ...(failed ? { failure: { at: failedAt, sentence, ...(lasts === true ? { lasts } : {}) } } : {}),
  };
}
