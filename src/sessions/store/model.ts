import { isOlder, isWorking, type SessionRecord, type StatusProblem } from './record';

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

/** A hook told that the agent waits for the person, nothing has happened since, and the session is not muted. */
export function isWaiting(record: SessionRecord): boolean {
  return record.signal?.kind === 'waiting' && record.local.muted !== true;
}

/** The name given here, the first line sent from here, the service's title, else nothing: a title never changes by itself. */
export function titleOf(record: SessionRecord): string | undefined {
  const names = [record.local.name, record.firstText, record.session?.title];
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

/** What was asked so shortly ago is not asked again for whoever comes back. */
const JUST_NOW_MS = 1_000;
/** Timers fire a little early or late: so much of the time between checks is enough. */
const EARLY = 0.9;

/** When a session was last asked about; Unix ms. What is dated so far ahead that no answer counts as older says nothing. */
export function askedAt(record: SessionRecord | undefined, now: number): number {
  const { checkedAt = 0, check } = record ?? {};
  return Math.max(
    ...[checkedAt, check?.problem?.at ?? 0].map(at => (at <= now || isOlder(now, at) ? at : 0)),
  );
}

/**
 * Milliseconds until the session is to be asked about again; 0 or less when it is time: after a tenth of the time nothing has
 * happened, within bounds. `eager`: somebody has begun to look, which is at once where it is in front of them, or has come back.
 */
export function untilDue(
  record: SessionRecord,
  status: SessionStatus,
  { eager, inFront }: { readonly eager: boolean; readonly inFront: boolean },
  fastestMs: number,
  now: number,
): number {
  const asked = askedAt(record, now);
  if (asked === 0) return 0;
  const [isBusy, hasFailed] = [isActive(status), status.problem !== undefined];
  const quiet = (asked - Math.max(activityOf(record), record.check?.changedAt ?? 0)) / 10;
  const least = Math.max(fastestMs, isBusy ? (hasFailed ? 5_000 : 0) : 30_000);
  const usual = Math.max(least, Math.min(quiet, isBusy || hasFailed ? 30_000 : 300_000));
  return asked + (eager ? (inFront ? JUST_NOW_MS : least) : usual) * EARLY - now;
}
