import { Disposable } from '../util/disposable';
import { Emitter } from '../util/event';
import type { SessionOfComputer, SessionsOfComputers } from './sessions';

/** The sessions of computers, which come later than the computers. */
export class LateSessions extends Disposable {
  readonly #source: (() => Promise<SessionsOfComputers>) | undefined;
  readonly #changed = this.register(new Emitter<void>());
  #sessions: SessionsOfComputers | undefined;
  #loading: Promise<void> | undefined;

  constructor(source: (() => Promise<SessionsOfComputers>) | undefined) {
    super();
    this.#source = source;
  }

  /** They have come, or have changed since. */
  readonly onDidChange = this.#changed.event;

  /** As far as they have been loaded. */
  of(computerId: string): readonly SessionOfComputer[] {
    return this.#sessions?.ofComputer(computerId) ?? [];
  }

  /** Begins to load them once; again where that has failed. Resolves when it is over, whatever became of it. */
  load(): Promise<void> {
    this.#loading ??= this.#load().catch(() => {
      // The Sessions view tells why they cannot be read.
      this.#loading = undefined;
    });
    return this.#loading;
  }

  async #load(): Promise<void> {
    const sessions = await this.#source?.();
    if (sessions === undefined || this.isDisposed) return;
    this.#sessions = sessions;
    this.register(sessions.onDidChange(() => this.#changed.fire()));
    this.#changed.fire();
  }
}
