import * as z from 'zod/mini';
import type { Session } from '../api';
import type { SessionSignal } from '../shared';
import { ifFits, into, openObject, orElse, readSession, recordSchema, type RecordOf } from '../api/records';

export const RECORD_VERSION = 3;

/**
 * What the index keeps of one session, often the only memory of it (interface-notes 1). All times are Unix ms. What people wrote is kept
 * even where the rest is odd.
 */
export const sessionRecordSchema = recordSchema(() =>
  openObject({
    sessionId: z.string().check(z.refine(id => id !== '', { error: 'empty' })),
    /** How it came into the index: made here, opened by its id or a link, seen in a hook event, listed by the service. */
    origin: z.enum(['created', 'added', 'hook', 'listed']),
    addedAt: z.number(),
    /** First line of the first message sent from here to a session without a title: its title from then on. */
    firstText: ifFits(z.string()),
    /** The newest answer of the service, unknown fields included. */
    session: ifFits(into(z.unknown(), readSession)),
    /** When that answer, or the status of a send after it, came. */
    checkedAt: z.optional(z.number()),
    statusAfterSend: ifFits(z.string()),
    check: ifFits(
      openObject({
        /** When an answer last was another than the one before. */
        changedAt: ifFits(z.number()),
        /** Why the last question has no answer. `lasts`: the session is gone, or the key may not read it. */
        problem: ifFits(openObject({ at: z.number(), sentence: z.string(), lasts: ifFits(z.literal(true)) })),
      }),
    ),
    computerName: ifFits(z.string()),
    workspace: ifFits(openObject({ uri: z.string(), name: z.string() })),
    /** What a hook told last (section 6); gone when the session has moved on since. */
    signal: ifFits(
      openObject({
        /** The agent waits for input, has finished its turn, or the session ended. */
        kind: z.enum(['waiting', 'finished', 'ended']),
        at: z.number(),
        reason: ifFits(z.string()),
        message: ifFits(z.string()),
        cwd: ifFits(z.string()),
        /** The session as it was when it was first read after the signal. */
        seen: ifFits(openObject({ status: ifFits(z.string()), messageCount: ifFits(z.number()) })),
      }),
    ),
    /** When its last work was last known to go on. */
    work: ifFits(openObject({ at: z.number() })),
    /** What people keep of it on this machine: the service has no call to rename, pin or archive (interface-notes 3). */
    local: orElse(
      openObject({
        name: ifFits(z.string()),
        pinned: ifFits(z.boolean()),
        archivedAt: ifFits(z.number()),
        /** Taken out of the list; the list of the service does not bring it back, and people can. */
        removedAt: ifFits(z.number()),
        /** Its agent waits in silence: no bell, no badge, no notification. */
        muted: ifFits(z.boolean()),
        /** How many messages the session had when it was last looked at. */
        readCount: ifFits(z.number()),
      }),
      () => ({}),
    ),
  }),
);

export type SessionRecord = Omit<RecordOf<typeof sessionRecordSchema>, 'session'> & {
  readonly session?: Session | undefined;
};
export type Overlay = SessionRecord['local'];
export type Workspace = NonNullable<SessionRecord['workspace']>;
export type StatusProblem = NonNullable<NonNullable<SessionRecord['check']>['problem']>;
export type KeptSignal = NonNullable<SessionRecord['signal']>;

/** No question is under way for longer: an answer that seems newer by more than this was dated by a clock that was wrong. */
const LONGEST_QUESTION_MS = 10 * 60_000;
/** For so long after a signal the service may still say what was before it. */
const SETTLING_MS = 5_000;
/** A signal is dated by the clock of this machine, which may be so much behind that of the service. */
const BEHIND_MS = 60_000;

/** Up to version 2 the service's title came before what was sent. */
export function migrateRecord(value: unknown, fromVersion: number): unknown {
  if (fromVersion >= RECORD_VERSION || typeof value !== 'object' || value === null) return value;
  const session = 'session' in value ? value.session : undefined;
  const { title } = (session ?? {}) as { readonly title?: unknown };
  return typeof title !== 'string' || title.trim() === '' ? value : { ...value, firstText: undefined };
}

/** Whether there is more to read than when it was last looked at. A session nobody has looked at here is not unread. */
export function isUnread({ local, session }: SessionRecord): boolean {
  return local.readCount !== undefined && (session?.messageCount ?? 0) > local.readCount;
}

export function isWorking(status: string | undefined): boolean {
  return status === 'running' || status === 'pending';
}

/** Whether an answer to a question of `at` comes after one to a newer question, which is `known`. */
export function isOlder(at: number, known: number | undefined): boolean {
  return known !== undefined && known > at && known - at < LONGEST_QUESTION_MS;
}

/** The record after the service answered with `session` at `at`; the same record when a newer answer is known already. */
export function observed(record: SessionRecord, session: Session, at: number): SessionRecord {
  if (isOlder(at, record.checkedAt)) return record;
  const { session: before = session, statusAfterSend = before.status, check } = record;
  const isSame = statusAfterSend === session.status && before.messageCount === session.messageCount;
  const changedAt = isSame ? check?.changedAt : at;
  return {
    ...record,
    session,
    checkedAt: at,
    statusAfterSend: undefined,
    signal: signalAfter(record.signal, session, at),
    work: isWorking(session.status) ? { at } : record.work,
    check: changedAt === undefined ? undefined : { changedAt },
  };
}

/** The record after a question has failed that was asked at `problem.at`; the same record when a newer one has an answer. */
export function failed(record: SessionRecord, problem: StatusProblem): SessionRecord {
  const { checkedAt, check } = record;
  if (isOlder(problem.at, checkedAt) || isOlder(problem.at, check?.problem?.at)) return record;
  return { ...record, check: { ...check, problem } };
}

/** The record after a message was accepted with this agent status. A person who answers waits for nothing any more. */
export function sent(
  record: SessionRecord,
  { status, at, text }: { readonly status: string | undefined; readonly at: number; readonly text: string },
): SessionRecord {
  const isTitled = (record.session?.title ?? '').trim() !== '';
  const firstLine = text.trim().split('\n', 1)[0]?.slice(0, 200);
  const firstText = record.firstText ?? (isTitled ? undefined : firstLine);
  const signal = record.signal !== undefined && record.signal.at <= at ? undefined : record.signal;
  const next = { ...record, firstText, signal };
  if (status === undefined || isOlder(at, record.checkedAt)) return next;
  const work = isWorking(status) ? { at } : record.work;
  return { ...next, work, checkedAt: at, statusAfterSend: status, check: undefined };
}

/** The record after a hook has told something; the same one for what is older, told twice, or past by now. */
export function signalled(record: SessionRecord, news: SessionSignal): SessionRecord {
  const { signal, session } = record;
  if ((signal !== undefined && signal.at >= news.at) || isPast(news, session)) return record;
  const { kind, at, reason, message, cwd } = news;
  return { ...record, signal: { kind, at, reason, message, cwd } };
}

/** Whether all that differs is what the service was asked, and tells again: that need not survive a loss of power. */
export function isOnlyAsked(before: SessionRecord | undefined, after: SessionRecord): boolean {
  const asked = { session: undefined, checkedAt: undefined, statusAfterSend: undefined, check: undefined };
  const kept = (record: object): string => JSON.stringify({ ...record, ...asked, work: undefined });
  return kept(before ?? {}) === kept(after);
}

/**
 * What is left of a signal after an answer to a question of the time `at`: it clears on the next change of the status or of the number
 * of messages (interface-notes 5).
 */
function signalAfter(signal: SessionRecord['signal'], session: Session, at: number): SessionRecord['signal'] {
  if (signal === undefined || at < signal.at) return signal;
  const { status, messageCount } = session;
  const { seen } = signal;
  const again = { ...signal, seen: { status, messageCount } };
  if (seen === undefined) return isPast(signal, session) ? undefined : again;
  if (seen.messageCount !== messageCount) return undefined;
  if (seen.status === status) return signal;
  return at - signal.at < SETTLING_MS ? again : undefined;
}

/** The session has moved on since: the event was read late. */
function isPast({ at }: { readonly at: number }, session: SessionRecord['session']): boolean {
  return (session?.updatedAt ?? 0) > at + BEHIND_MS;
}

export interface SessionStatus {
  /** `idle`, `pending`, `running`, any other word of the service, or `unknown`. */
  readonly value: string;
  /** When the service last said so; Unix ms. */
  readonly at?: number | undefined;
  readonly problem?: StatusProblem | undefined;
  readonly last?: string | undefined;
}

/** Work goes on for so long without being asked about; after that nobody knows whether it still does. */
export const STALE_MS = 5 * 60_000;

/** What the service last said, however the questions since have ended. */
export function lastStatus({ statusAfterSend, session }: SessionRecord): string | undefined {
  return statusAfterSend ?? session?.status;
}

/**
 * The one calculation of a session's status, for every place that shows it. After a failed check it is `unknown`, never the old value as
 * if it were true (interface-notes 3); `now`, Unix ms, lets an old word about work count as unknown, too.
 */
export function statusOf(record: SessionRecord, now?: number): SessionStatus {
  const { checkedAt: at, check: { problem } = {} } = record;
  const last = lastStatus(record);
  if (problem !== undefined && problem.at >= (at ?? 0)) return { value: 'unknown', at, problem, last };
  if (last === undefined) return { value: 'unknown', at };
  const isOld = now !== undefined && now - (at ?? 0) > STALE_MS;
  return isOld && isWorking(last) ? { value: 'unknown', at, last } : { value: last, at };
}

/** The agent has work, or had it when that was last known: worth asking again soon. */
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
  { eager, inFront }: { readonly eager: boolean; readonly inFront: boolean },
  fastestMs: number,
  now: number,
): number {
  const asked = askedAt(record, now);
  if (asked === 0) return 0;
  const status = statusOf(record);
  const [isBusy, hasFailed] = [isActive(status), status.problem !== undefined];
  const quiet = (asked - Math.max(activityOf(record), record.check?.changedAt ?? 0)) / 10;
  const least = Math.max(fastestMs, isBusy ? (hasFailed ? 5_000 : 0) : 30_000);
  const usual = Math.max(least, Math.min(quiet, isBusy || hasFailed ? 30_000 : 300_000));
  return asked + (eager ? (inFront ? JUST_NOW_MS : least) : usual) * EARLY - now;
}
