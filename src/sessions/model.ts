import type { SessionRecord } from './record';
import { isWorking } from './work';

/** Why the status of a session is not known now. */
export interface StatusProblem {
  /** When the check failed, Unix ms. */
  readonly at: number;
  readonly sentence: string;
  /** It will not pass by itself: the session is gone, or the key may not read it. */
  readonly lasts?: boolean | undefined;
}

/**
 * The one calculation of a session's status, for every place that shows it: what the service said last and when. After a
 * failed check it is `unknown`, with what was known before, never the old value as if it were true (interface-notes 3).
 */
export interface SessionStatus {
  /** `idle`, `pending`, `running`, any other word of the service, or `unknown`. */
  readonly value: string;
  /** When the service last said so; Unix ms. */
  readonly at?: number | undefined;
  /** Set when the last check failed. */
  readonly problem?: StatusProblem | undefined;
  /** The status before it became unknown. */
  readonly last?: string | undefined;
}

/** Work goes on for so long without being asked about; after that nobody knows whether it still does. */
export const STALE_MS = 5 * 60_000;

/** `now`, Unix ms, lets an old word about work count as unknown; without it only a failed check does. */
export function statusOf(
  record: SessionRecord,
  problem: StatusProblem | undefined,
  now?: number,
): SessionStatus {
  const last = record.statusAfterSend ?? record.session?.status;
  const at = record.checkedAt;
  if (problem !== undefined && problem.at >= (at ?? 0)) return { value: 'unknown', at, problem, last };
  if (last === undefined) return { value: 'unknown', at };
  const isOld = now !== undefined && now - (at ?? 0) > STALE_MS;
  return isOld && isWorking(last) ? { value: 'unknown', at, last } : { value: last, at };
}

/** The service says the agent has work, or said so last: worth asking again soon. */
export function isActive(status: SessionStatus): boolean {
  return isWorking(status.value === 'unknown' ? status.last : status.value);
}

/** A hook told that the agent waits for input, and nothing has happened since. */
export function isWaiting(record: SessionRecord): boolean {
  return record.signal?.kind === 'waiting';
}

/** The name given here, the service's title, the first line sent from here, else nothing. */
export function titleOf(record: SessionRecord): string | undefined {
  const names = [record.local.name, record.session?.title, record.firstText];
  return names.map(name => name?.trim()).find(name => name !== undefined && name !== '');
}

/** When something last happened in the session, as far as known; Unix ms. */
export function activityOf(record: SessionRecord): number {
  const latest = Math.max(
    record.session?.updatedAt ?? 0,
    record.statusAfterSend ? (record.checkedAt ?? 0) : 0,
    record.signal?.at ?? 0,
  );
  return latest || record.addedAt;
}

/** Milliseconds until the next check of a session nobody else checks meanwhile. */
export function nextCheck(status: SessionStatus, unchangedChecks: number, fastestMs: number): number {
  if (status.problem !== undefined)
    return Math.min(60_000, Math.max(5_000, fastestMs) * 2 ** Math.min(unchangedChecks, 4));
  if (isActive(status)) return Math.min(30_000, fastestMs * 1.5 ** Math.min(unchangedChecks, 8));
  return Math.min(300_000, 30_000 * 2 ** Math.min(unchangedChecks, 4));
}
