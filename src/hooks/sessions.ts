import type { Event } from '../util/event';

/** What a hook told of a session; the shape the sessions take (interface-notes 5). */
export interface HookSignal {
  readonly sessionId: string;
  readonly kind: 'waiting' | 'finished' | 'ended';
  /** Unix ms. */
  readonly at: number;
  readonly reason?: string;
  readonly message?: string;
  readonly cwd?: string;
}

/** What the hooks need of the sessions. */
export interface SessionsForHooks {
  titleOf(sessionId: string): string | undefined;
  signal?(signal: HookSignal): Promise<void>;
  /** A followed session's status has changed; told in one window only. */
  readonly onDidChangeState?: Event<{
    readonly sessionId: string;
    readonly from: string;
    readonly to: string;
    readonly at: number;
    readonly waiting?: boolean;
  }>;
}
