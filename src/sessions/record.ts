import type { Session } from '../api';

/** How a session came into the index. */
export type SessionOrigin = 'created' | 'added';

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
}

export const RECORD_VERSION = 1;

/** Reads a stored record; throws when it is not one. */
export function decodeRecord(value: unknown): SessionRecord {
  if (typeof value !== 'object' || value === null) throw new Error('not an object');
  const record = value as Partial<SessionRecord>;
  if (typeof record.sessionId !== 'string' || record.sessionId === '')
    throw new Error('sessionId is missing');
  if (typeof record.addedAt !== 'number') throw new Error('addedAt is missing');
  if (record.origin !== 'created' && record.origin !== 'added') throw new Error('origin is unknown');
  if (record.session !== undefined && typeof record.session !== 'object')
    throw new Error('session is not an object');
  return value as SessionRecord;
}

/** The record after the service answered with `session` at `at`; the same record when a newer answer is known already. */
export function observed(record: SessionRecord, session: Session, at: number): SessionRecord {
  if (record.checkedAt !== undefined && record.checkedAt > at) return record;
  return { ...record, session, checkedAt: at, statusAfterSend: undefined };
}

/** The record after a message was accepted with this agent status. */
export function sent(
  record: SessionRecord,
  send: { readonly status: string; readonly at: number; readonly text: string },
): SessionRecord {
  const firstText = record.firstText ?? send.text.trim().split('\n', 1)[0]?.slice(0, 200);
  if (record.checkedAt !== undefined && record.checkedAt > send.at) return { ...record, firstText };
  return { ...record, firstText, checkedAt: send.at, statusAfterSend: send.status };
}
