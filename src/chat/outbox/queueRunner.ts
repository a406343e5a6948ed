import { Disposable, Slot, type IDisposable } from '../../util/disposable';
import type { ChatSessions } from '../sessions';
import type { Outbox } from './outbox';

export interface QueueRunnerOptions {
  readonly sessionId: string;
  readonly outbox: Outbox;
  readonly sessions: Pick<ChatSessions, 'get' | 'watch'>;
  /** Nothing of this session is being sent, nothing waits for a decision of the person, and the service can be asked. */
  readonly isFree: () => boolean;
  /** Sends the first message, if it can go. Resolves to whether it went; rejects when it stays with the reason. */
  readonly sendNext: () => Promise<boolean>;
  readonly onError: (error: unknown) => void;
}

/** Sends the queued messages of one session in order, each when the agent is idle. */
export class QueueRunner extends Disposable {
  readonly #options: QueueRunnerOptions;
  readonly #watch = this.register(new Slot<IDisposable>());
  #isRunning = false;
  #again = false;

  constructor(options: QueueRunnerOptions) {
    super();
    this.#options = options;
  }

  /** To be called whenever something changed that the queue may have waited for. */
  look(): void {
    const { outbox, sessionId, sessions, isFree } = this.#options;
    const first = outbox.current.entries.find(({ state }) => state === 'queued');
    const isWaiting = !this.isDisposed && first !== undefined;
    if (!isWaiting) this.#watch.set(undefined);
    else if (this.#watch.value === undefined) this.#watch.set(sessions.watch(sessionId));
    if (!isWaiting || first.sentence !== undefined || !isFree()) return;
    if (sessions.get(sessionId)?.status !== 'idle') return;
    this.#again = this.#isRunning;
    if (!this.#isRunning) void this.#run();
  }

  async #run(): Promise<void> {
    const { sendNext, onError } = this.#options;
    this.#isRunning = true;
    try {
      if (await sendNext()) this.#again = true;
    } catch (error) {
      onError(error);
    }
    this.#isRunning = false;
    if (this.#again) this.look();
  }
}
