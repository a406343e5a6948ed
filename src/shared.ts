import type { Sessions } from './sessions';
import type { UsageFeature } from './usage';
import type { Event } from './util/lifecycle';

/** As much of the sessions as another feature needs; `compose.ts` hands it over. */
export type SessionsFor<K extends keyof Sessions> = Pick<Sessions, K>;

/** A session as other features see it. */
export type KnownSession = NonNullable<ReturnType<Sessions['get']>>;

/** A report of usage as the dashboard shows it, from what is stored. */
export type UsageSummary = UsageFeature['summary'];

/** What agents did over the last 30 finished days (UTC) for each person they worked for, and for everybody else. */
export type UsageOfPeople = NonNullable<Awaited<ReturnType<UsageFeature['activityOfPeople']>>>;

/** What a hook told of a session (interface-notes 5). Its texts are foreign. */
export interface SessionSignal {
  readonly sessionId: string;
  /** The agent waits for input, has finished its turn, or the session ended. */
  readonly kind: 'waiting' | 'finished' | 'ended';
  /** Unix ms. */
  readonly at: number;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly cwd?: string | undefined;
}

export interface WaitingSession extends SessionSignal {
  readonly title: string;
  readonly isMuted: boolean;
}

/** A service has told another status of a session. */
export interface StateChange {
  readonly sessionId: string;
  readonly from: string;
  readonly to: string;
  /** Unix ms. */
  readonly at: number;
  /** A hook has told that the agent waits, and nothing has changed since. */
  readonly waiting?: boolean;
}

/** What rows, cards and the header of a chat say of a session's work. */
export interface ShownWork {
  /** Such as `agent/fix-refund · 3 files +42 −7 · merged`. */
  readonly short: string;
  /** The rest, a sentence each. */
  readonly lines: readonly string[];
}

/** What agents changed, as far as other features show it; the event names sessions. */
export interface ShownChanges {
  of(sessionId: string): ShownWork | undefined;
  readonly onDidChange: Event<readonly string[]>;
}
