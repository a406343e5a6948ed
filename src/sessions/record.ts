import { readSession, type Session } from '../api';
import { decodeOverlay, NO_OVERLAY, type Overlay } from './overlay';
import { decodeSignal, signalAfter, type KeptSignal } from './signal';
import { decodeWork, workAfter, type Work } from './work';

const ORIGINS = ['created', 'added', 'hook', 'listed'] as const;

/** How a session came into the index: made here, opened by its id or a link, seen in a hook event, listed by the service. */
export type SessionOrigin = (typeof ORIGINS)[number];

/** The workspace a session belongs to: the address of its folder and its name. */
export interface Workspace {
  readonly uri: string;
  readonly name: string;
}

/**
 * What the index keeps of one session. The service lists no sessions, so this record is the only memory of it
 * (interface-notes 1). All times are Unix milliseconds.
 */
export interface SessionRecord {
  readonly sessionId: string;
  readonly origin: SessionOrigin;
  readonly addedAt: number;
  /** First line of the first message sent from here: the title until the service has one. */
  readonly firstText?: string | undefined;
  /** The newest answer of the service, unknown fields included. */
  readonly session?: Session | undefined;
  /** When that answer, or the status below, came. */
  readonly checkedAt?: number | undefined;
  /** Status answered to a send after `session` was read. */
  readonly statusAfterSend?: string | undefined;
  readonly computerName?: string | undefined;
  readonly workspace?: Workspace | undefined;
  /** What a hook told last; gone when the session has moved on since. */
  readonly signal?: KeptSignal | undefined;
  /** The work that goes on, or that was the last. */
  readonly work?: Work | undefined;
  /** What people keep about the session on this machine. */
  readonly local: Overlay;
}

export const RECORD_VERSION = 2;

/** No question is under way for longer: an answer that seems to be newer by more than this was dated by a clock that was wrong. */
const LONGEST_QUESTION_MS = 10 * 60_000;

/** Reads a stored record; throws when it is not one. What people wrote is kept even where the rest of it is odd. */
export function decodeRecord(value: unknown): SessionRecord {
  if (typeof value !== 'object' || value === null) throw new Error('not an object');
  const record = value as Partial<Record<keyof SessionRecord, unknown>>;
  const { sessionId, addedAt, origin, session, checkedAt } = record;
  if (typeof sessionId !== 'string' || sessionId === '') throw new Error('sessionId is missing');
  if (typeof addedAt !== 'number' || !Number.isFinite(addedAt)) throw new Error('addedAt is missing');
  if (!ORIGINS.some(known => known === origin)) throw new Error('origin is unknown');
  if (checkedAt !== undefined && (typeof checkedAt !== 'number' || !Number.isFinite(checkedAt)))
    throw new Error('checkedAt is not a time');
  // The service tells again what of its answer cannot be read.
  const told = session === undefined ? undefined : readSession(session);
  const workspace = decodeWorkspace(record.workspace);
  const signal = decodeSignal(record.signal);
  return {
    ...(value as SessionRecord),
    session: told,
    checkedAt: session !== undefined && told === undefined ? undefined : checkedAt,
    firstText: textOf(record.firstText),
    statusAfterSend: textOf(record.statusAfterSend),
    computerName: textOf(record.computerName),
    workspace,
    signal,
    work: decodeWork(record.work),
    local: decodeOverlay(record.local),
  };
}

/** Version 1 knew no overlays, no workspaces and no signals. */
export function migrateRecord(value: unknown, fromVersion: number): unknown {
  if (fromVersion >= RECORD_VERSION || typeof value !== 'object' || value === null) return value;
  return { ...value, local: NO_OVERLAY };
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
  const work = workAfter(knownOf(record), session.status, at, false);
  return { ...record, session, checkedAt: at, statusAfterSend: undefined, signal, work };
}

/** The record after a message was accepted with this agent status. A person who answers waits for nothing any more. */
export function sent(
  record: SessionRecord,
  send: { readonly status: string; readonly at: number; readonly text: string },
): SessionRecord {
  const firstText = record.firstText ?? send.text.trim().split('\n', 1)[0]?.slice(0, 200);
  const signal = record.signal !== undefined && record.signal.at <= send.at ? undefined : record.signal;
  if (isOlder(send.at, record.checkedAt)) return { ...record, firstText, signal };
  const work = workAfter(knownOf(record), send.status, send.at, true);
  return { ...record, firstText, signal, work, checkedAt: send.at, statusAfterSend: send.status };
}

/** The status that was told last, and when. */
export function knownOf({ session, statusAfterSend, checkedAt, work }: SessionRecord): {
  readonly status: string | undefined;
  readonly checkedAt: number | undefined;
  readonly work: Work | undefined;
} {
  return { status: statusAfterSend ?? session?.status, checkedAt, work };
}

function isOlder(at: number, known: number | undefined): boolean {
  return known !== undefined && known > at && known - at < LONGEST_QUESTION_MS;
}

function decodeWorkspace(value: unknown): Workspace | undefined {
  const { uri, name } = (value ?? {}) as Partial<Record<keyof Workspace, unknown>>;
  return typeof uri === 'string' && typeof name === 'string' ? { uri, name } : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
