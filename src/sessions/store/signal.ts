import type { Session } from '../../api';

export const SIGNAL_KINDS = ['waiting', 'finished', 'ended'] as const;

/** Something a hook of the command-line client told about a session (section 6). */
export interface SessionSignal {
  readonly sessionId: string;
  /** The agent waits for input, has finished its turn, or the session ended. */
  readonly kind: (typeof SIGNAL_KINDS)[number];
  /** Unix ms. */
  readonly at: number;
  /** Why a session ended. */
  readonly reason?: string | undefined;
  /** What the agent says. */
  readonly message?: string | undefined;
  readonly cwd?: string | undefined;
}

/** A signal as a record keeps it, with the session as it was when it was first read after the signal. */
export interface KeptSignal {
  readonly kind: SessionSignal['kind'];
  readonly at: number;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  /** Where the agent works. */
  readonly cwd?: string | undefined;
  readonly seen?:
    { readonly status?: string | undefined; readonly messageCount?: number | undefined } | undefined;
}

/** For so long after a signal the service may still say what was before it. */
const SETTLING_MS = 5_000;

/**
 * What is left of a signal after an answer of the service to a question of the time `at`: it clears on the next change of the
 * status or of the number of messages (interface-notes 5). A question older than the signal says nothing about it.
 */
export function signalAfter(
  signal: KeptSignal | undefined,
  session: Pick<Session, 'status' | 'messageCount' | 'updatedAt'>,
  at: number,
): KeptSignal | undefined {
  if (signal === undefined || at < signal.at) return signal;
  const { status, messageCount } = session;
  const { seen } = signal;
  if (seen === undefined && isPast(signal, session)) return undefined;
  if (seen === undefined) return { ...signal, seen: { status, messageCount } };
  if (seen.messageCount !== messageCount) return undefined;
  if (seen.status === status) return signal;
  return at - signal.at < SETTLING_MS ? { ...signal, seen: { status, messageCount } } : undefined;
}

/** The session has moved on since: the event was read late. */
function isPast({ at }: { readonly at: number }, session: Pick<Session, 'updatedAt'>): boolean {
  return (session.updatedAt ?? 0) > at + SETTLING_MS;
}

/** The newer of two signals; of one told twice, the first; none when the session as it is known has moved on since. */
export function latestSignal(
  known: KeptSignal | undefined,
  { kind, at, reason, message, cwd }: SessionSignal,
  session: Pick<Session, 'updatedAt'> | undefined,
): KeptSignal | undefined {
  if (known !== undefined && known.at >= at) return known;
  if (session !== undefined && isPast({ at }, session)) return undefined;
  return {
    kind,
    at,
    reason: reason?.slice(0, 200),
    message: message?.slice(0, 1_000),
    cwd: cwd?.slice(0, 4_096),
  };
}
