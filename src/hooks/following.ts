import { Disposable } from '../util/disposable';
import type { SessionsForHooks } from './sessions';
import { Watches } from './watches';

/** So many sessions at work, the latest ones, are waited for. */
const AWAITED = 20;

export interface FollowingDeps {
  /** Loads the sessions. */
  readonly sessions: () => Promise<SessionsForHooks>;
  /** The service says that a session has stopped working; `workedAt`: when it last said that it works. Unix ms. */
  readonly onStop: (sessionId: string, at: number, workedAt: number | undefined) => void;
  readonly onFailure: (error: unknown) => void;
}

/** Waits for sessions to stop working, whether or not anything of them is shown: the person's own hook is to run then. */
export class Following extends Disposable {
  readonly #watches = this.register(new Watches());

  constructor({ sessions, onStop, onFailure }: FollowingDeps) {
    super();
    sessions().then(followed => {
      if (this.isDisposed) return;
      const stopped = followed.onDidChangeState?.(({ sessionId, from, to, at, waiting }) => {
        const wasWorking = from === 'running' || from === 'pending';
        if (!wasWorking || to !== 'idle' || waiting === true) return;
        onStop(sessionId, at, followed.workOf?.(sessionId, at)?.seenAt);
      });
      const update = (): void =>
        this.#watches.set(followed.working?.().slice(0, AWAITED) ?? [], id => followed.await?.(id));
      const changed = followed.onDidChange?.(update);
      for (const subscription of [stopped, changed]) if (subscription) this.register(subscription);
      update();
    }, onFailure);
  }
}
