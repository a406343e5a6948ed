import * as z from 'zod/mini';
import { readSession, openObject, recordSchema, ifFits, into, type Session } from '../../api';
import type { StatusProblem } from './model';
import { SIGNAL_KINDS, signalAfter, type KeptSignal } from './signal';

/**
 * What people keep about a session on this machine: the service has no call to rename, pin or archive, so it never learns of
 * these (interface-notes 3). Times are Unix ms.
 */
export interface Overlay {
  readonly name?: string | undefined;
  readonly pinned?: boolean | undefined;
  readonly archivedAt?: number | undefined;
  /** Its agent waits in silence: no bell, no badge, no notification. */
  readonly muted?: boolean | undefined;
  /** How many messages the session had when it was last looked at. */
  readonly readCount?: number | undefined;
  /** When any of these was last changed by a person. */
  readonly changedAt?: number | undefined;
}

const NO_OVERLAY: Overlay = {};

/** Whether there is more to read than when it was last looked at. A session nobody has looked at here is not unread. */
export function isUnread(local: Overlay, messageCount: number | undefined): boolean {
  return local.readCount !== undefined && (messageCount ?? 0) > local.readCount;
}

/** The work of a session that goes on, or that was the last. */
export interface Work {
  /** When it was last known to go on, Unix ms. */
  readonly at: number;
}

/** The service says that the agent has work. */
export function isWorking(status: string | undefined): boolean {
  return status === 'running' || status === 'pending';
}

const ORIGINS = ['created', 'added', 'hook', 'listed'] as const;

/** How a session came into the index: made here, opened by its id or a link, seen in a hook event, listed by the service. */
export type SessionOrigin = (typeof ORIGINS)[number];

/** The workspace a session belongs to: the address of its folder and its name. */
export interface Workspace {
  readonly uri: string;
  readonly name: string;
}

/** What the last questions about a session have brought. */
export interface Check {
  /** How many answers, or failures, in a row before the last one were the same. */
  readonly unchanged: number;
  /** Why the last question has no answer. */
  readonly problem?: StatusProblem | undefined;
}

/**
 * What the index keeps of one session. The service lists no sessions, so this record is the only memory of it
 * (interface-notes 1). All times are Unix milliseconds.
 */
export interface SessionRecord {
  readonly sessionId: string;
  readonly origin: SessionOrigin;
  readonly addedAt: number;
  /** First line of the first message sent from here to a session without a title: its title from then on. */
  readonly firstText?: string | undefined;
  /** The newest answer of the service, unknown fields included. */
  readonly session?: Session | undefined;
  /** When that answer, or the status below, came. */
  readonly checkedAt?: number | undefined;
  /** Status answered to a send after `session` was read. */
  readonly statusAfterSend?: string | undefined;
  readonly check?: Check | undefined;
  readonly computerName?: string | undefined;
  readonly workspace?: Workspace | undefined;
  /** What a hook told last; gone when the session has moved on since. */
  readonly signal?: KeptSignal | undefined;
  /** The work that goes on, or that was the last. */
  readonly work?: Work | undefined;
  /** What people keep about the session on this machine. */
  readonly local: Overlay;
}

export const RECORD_VERSION = 3;

/** No question is under way for longer: an answer that seems to be newer by more than this was dated by a clock that was wrong. */
const LONGEST_QUESTION_MS = 10 * 60_000;

/** What people wrote is kept even where the rest of a record is odd. */
export const sessionRecordSchema = recordSchema(() =>
  into(
    openObject({
      sessionId: z.string().check(z.refine(id => id !== '', { error: 'empty' })),
      origin: z.enum(ORIGINS),
      addedAt: z.number(),
      firstText: ifFits(z.string()),
      session: z.optional(z.unknown()),
      checkedAt: z.optional(z.number()),
      statusAfterSend: ifFits(z.string()),
      check: ifFits(
        openObject({
          unchanged: z.number(),
          problem: ifFits(
            openObject({
              at: z.number(),
              sentence: z.string(),
              lasts: ifFits(z.literal(true)),
            }),
          ),
        }),
      ),
      computerName: ifFits(z.string()),
      workspace: ifFits(openObject({ uri: z.string(), name: z.string() })),
      signal: ifFits(
        openObject({
          kind: z.enum(SIGNAL_KINDS),
          at: z.number(),
          reason: ifFits(z.string()),
          message: ifFits(z.string()),
          cwd: ifFits(z.string()),
          seen: ifFits(
            openObject({
              status: ifFits(z.string()),
              messageCount: ifFits(z.number()),
            }),
          ),
        }),
      ),
      work: ifFits(openObject({ at: z.number() })),
      local: z.catch(
        openObject({
          name: ifFits(z.string()),
          pinned: ifFits(z.boolean()),
          archivedAt: ifFits(z.number()),
          muted: ifFits(z.boolean()),
          readCount: ifFits(z.number()),
          changedAt: ifFits(z.number()),
        }),
        NO_OVERLAY,
      ),
    }),
    // The service tells again what of its answer cannot be read.
    ({ session, checkedAt, ...record }) => {
      const told = session === undefined ? undefined : readSession(session);
      const isLost = session !== undefined && told === undefined;
      return { ...record, session: told, checkedAt: isLost ? undefined : checkedAt };
    },
  ),
);

/** Version 1 knew no overlays, no workspaces and no signals; up to version 2 the service's title came before what was sent. */
export function migrateRecord(value: unknown, fromVersion: number): unknown {
  if (fromVersion >= RECORD_VERSION || typeof value !== 'object' || value === null) return value;
  const record = fromVersion < 2 ? { ...value, local: NO_OVERLAY } : value;
  const session = 'session' in record ? record.session : undefined;
  const { title } = (session ?? {}) as { readonly title?: unknown };
  return typeof title !== 'string' || title.trim() === '' ? record : { ...record, firstText: undefined };
}

/** A record of a session nothing else is known of yet. */
export function newRecord(
  sessionId: string,
  origin: SessionOrigin,
  addedAt: number,
  workspace?: Workspace,
): SessionRecord {
  const record = { sessionId, origin, addedAt, local: NO_OVERLAY };
  return workspace === undefined ? record : { ...record, workspace };
}

/** The record after the service answered with `session` at `at`; the same record when a newer answer is known already. */
export function observed(record: SessionRecord, session: Session, at: number): SessionRecord {
  if (isOlder(at, record.checkedAt)) return record;
  const signal = signalAfter(record.signal, session, at);
  const work = isWorking(session.status) ? { at } : record.work;
  const check = { unchanged: isNews(record, session) ? 0 : (record.check?.unchanged ?? 0) + 1 };
  return { ...record, session, checkedAt: at, statusAfterSend: undefined, signal, work, check };
}

/** The record after a question has failed that was asked at `problem.at`; the same record when a newer one has an answer. */
export function failed(record: SessionRecord, problem: StatusProblem): SessionRecord {
  const { checkedAt, check } = record;
  if (isOlder(problem.at, checkedAt) || isOlder(problem.at, check?.problem?.at)) return record;
  return { ...record, check: { unchanged: check?.problem === undefined ? 0 : check.unchanged + 1, problem } };
}

/** Whether all that differs is when the service was asked: that need not survive a loss of power. */
export function isOnlyAsked(before: SessionRecord | undefined, after: SessionRecord): boolean {
  const [a, b] = [before, after].map(record => ({ ...record, checkedAt: 0, check: 0, work: 0 }));
  return JSON.stringify(a) === JSON.stringify(b);
}

function isNews(record: SessionRecord, { status, messageCount, updatedAt }: Session): boolean {
  const { session, check } = record;
  if (check?.problem !== undefined || knownOf(record).status !== status) return true;
  return session?.messageCount !== messageCount || session?.updatedAt !== updatedAt;
}

/** The record after a message was accepted with this agent status. A person who answers waits for nothing any more. */
export function sent(
  record: SessionRecord,
  send: { readonly status: string | undefined; readonly at: number; readonly text: string },
): SessionRecord {
  const isTitled = (record.session?.title ?? '').trim() !== '';
  const firstText = record.firstText ?? (isTitled ? undefined : firstLine(send.text));
  const signal = record.signal !== undefined && record.signal.at <= send.at ? undefined : record.signal;
  if (send.status === undefined || isOlder(send.at, record.checkedAt))
    return { ...record, firstText, signal };
  const work = isWorking(send.status) ? { at: send.at } : record.work;
  const [checkedAt, statusAfterSend, check] = [send.at, send.status, undefined];
  return { ...record, firstText, signal, work, checkedAt, statusAfterSend, check };
}

function firstLine(text: string): string | undefined {
  return text.trim().split('\n', 1)[0]?.slice(0, 200);
}

/** The status that was told last, and when. */
export function knownOf({ session, statusAfterSend, checkedAt, work }: SessionRecord): {
  readonly status: string | undefined;
  readonly checkedAt: number | undefined;
  readonly work: Work | undefined;
} {
  return { status: statusAfterSend ?? session?.status, checkedAt, work };
}

/** Whether an answer to a question of `at` comes after one to a newer question, which is `known`; Unix ms. */
export function isOlder(at: number, known: number | undefined): boolean {
  return known !== undefined && known > at && known - at < LONGEST_QUESTION_MS;
}
