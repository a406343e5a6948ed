import type { IDisposable } from '../util/disposable';
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
  /** Resolves to `false` when it is not known yet which service the session is of: nobody is signed in. */
  signal?(signal: HookSignal): Promise<boolean>;
  /** Which service that is may be known now. */
  readonly onDidChangeService?: Event<unknown>;
  /**
   * Whether a session of which a hook told at `since` (Unix ms) that it waits still does; `undefined` where nothing is known of
   * it.
   */
  stillWaits?(sessionId: string, since: number): boolean | undefined;
  /** What `stillWaits` says may have changed; told in all windows. */
  readonly onDidChange?: Event<unknown>;
  /** While held, the session is asked about now and then. */
  watch?(sessionId: string): IDisposable;
  /** Sessions that work, as far as known; those in which something happened last come first. */
  working?(): readonly string[];
  /** While held, the session is asked about whether or not any window has the focus; all windows together ask as one. */
  await?(sessionId: string): IDisposable;
  /** When a session was last known to work, and when the work that ended at `until` began at the earliest; Unix ms. */
  workOf?(
    sessionId: string,
    until: number,
  ): { readonly seenAt: number | undefined; readonly began: number | undefined } | undefined;
  /** A followed session's status has changed; told in one window only. */
  readonly onDidChangeState?: Event<{
    readonly sessionId: string;
    readonly from: string;
    readonly to: string;
    readonly at: number;
    readonly waiting?: boolean;
  }>;
}
