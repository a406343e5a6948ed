import type { SessionRecord } from './record';

/** Why the status of a session is not known now. */
export interface StatusProblem {
  /** When the check failed, Unix ms. */
  readonly at: number;
  readonly sentence: string;
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

export function statusOf(record: SessionRecord, problem: StatusProblem | undefined): SessionStatus {
  const last = record.statusAfterSend ?? record.session?.status;
  const at = record.checkedAt;
  if (problem !== undefined && problem.at >= (at ?? 0)) return { value: 'unknown', at, problem, last };
  return last === undefined ? { value: 'unknown', at } : { value: last, at };
}

/** The service says the agent has work: worth asking again soon. */
export function isActive(status: SessionStatus): boolean {
  const value = status.value === 'unknown' ? status.last : status.value;
  return value === 'running' || value === 'pending';
}

/** The service's title, else the first line sent from here, else nothing. */
export function titleOf(record: SessionRecord): string | undefined {
  const title = record.session?.title?.trim();
  return title !== undefined && title !== '' ? title : record.firstText;
}

/** When something last happened in the session, as far as known; Unix ms. */
export function activityOf(record: SessionRecord): number {
  return (
    Math.max(record.session?.updatedAt ?? 0, record.statusAfterSend ? (record.checkedAt ?? 0) : 0) ||
    record.addedAt
  );
}

export type GroupKind = 'running' | 'today' | 'earlier';

export interface SessionGroup {
  readonly kind: GroupKind;
  /** Session ids, the latest activity first. */
  readonly sessionIds: readonly string[];
}

/** Groups in the order shown; empty groups are left out. `startOfToday` is local midnight, Unix ms. */
export function groupSessions(
  records: Iterable<SessionRecord>,
  status: (record: SessionRecord) => SessionStatus,
  startOfToday: number,
): SessionGroup[] {
  const groups: Record<GroupKind, SessionRecord[]> = { running: [], today: [], earlier: [] };
  for (const record of records) {
    if (isActive(status(record))) groups.running.push(record);
    else if (activityOf(record) >= startOfToday) groups.today.push(record);
    else groups.earlier.push(record);
  }
  return (['running', 'today', 'earlier'] as const)
    .map(kind => ({
      kind,
      sessionIds: groups[kind]
        .sort((a, b) => activityOf(b) - activityOf(a) || a.sessionId.localeCompare(b.sessionId))
        .map(record => record.sessionId),
    }))
    .filter(group => group.sessionIds.length > 0);
}

/** Milliseconds until the next check of a session nobody else checks meanwhile. */
export function nextCheck(status: SessionStatus, unchangedChecks: number, fastestMs: number): number {
  if (status.problem !== undefined)
    return Math.min(60_000, Math.max(5_000, fastestMs) * 2 ** Math.min(unchangedChecks, 4));
  if (isActive(status)) return Math.min(30_000, fastestMs * 1.5 ** Math.min(unchangedChecks, 8));
  return Math.min(300_000, 30_000 * 2 ** Math.min(unchangedChecks, 4));
}
