import type { IDisposable } from '../util/disposable';
import type { Event } from '../util/event';
import { isWaiting } from './store/model';
import type { SessionIndex, StateChange } from './store/sessionIndex';
import type { SessionSignal } from './store/signal';
import { sessionTitle } from './view/words';

/** What the hooks see of the sessions. That an agent waits is known from the records alone, for rows, badge and bell. */
export interface SessionsForHooks {
  titleOf(sessionId: string): string | undefined;
  /** Takes in what a hook told; a session that is not known yet enters the index. Resolves when it is stored. */
  signal(event: SessionSignal): Promise<void>;
  /** The longest waiting first. */
  waiting(): readonly SessionSignal[];
  /** The agent does not wait any more, says the person. */
  settle(sessionId: string): Promise<void>;
  isMuted(sessionId: string): boolean;
  setMuted(sessionId: string, muted: boolean): Promise<void>;
  readonly onDidChange: Event<readonly string[]>;
  watch(sessionId: string): IDisposable;
  /** When a session was last known to work, Unix ms. */
  workedAt(sessionId: string): number | undefined;
  /** Statuses of followed sessions that have changed; each change is told once, in one of the windows. */
  readonly onDidChangeState: Event<StateChange>;
}

export function sessionsForHooks(
  index: SessionIndex,
  watch: (sessionId: string) => IDisposable,
  signal: (event: SessionSignal) => Promise<void>,
): SessionsForHooks {
  return {
    titleOf: sessionId => {
      const record = index.get(sessionId);
      return record && sessionTitle(record);
    },
    signal,
    waiting: () =>
      [...index.records.values()]
        .filter(isWaiting)
        .flatMap(({ sessionId, signal: kept }) => (kept === undefined ? [] : [{ sessionId, ...kept }]))
        .sort((a, b) => a.at - b.at),
    settle: async sessionId => {
      if (index.serviceId !== undefined) await index.settle(index.serviceId, sessionId);
    },
    isMuted: sessionId => index.get(sessionId)?.local.muted === true,
    setMuted: async (sessionId, muted) => {
      if (index.serviceId === undefined) return;
      const changedAt = Date.now();
      await index.keep(index.serviceId, sessionId, local => ({
        ...local,
        muted: muted ? true : undefined,
        changedAt,
      }));
    },
    onDidChange: index.onDidChange,
    watch,
    workedAt: sessionId => index.get(sessionId)?.work?.at,
    onDidChangeState: index.onDidChangeState,
  };
}
