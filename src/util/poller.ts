import { Disposable, unhandled } from './disposable';
import { WallTimer } from './clock';

export interface PollerOptions {
  /**
   * Does one round and resolves to the milliseconds until the next; `Infinity` rests until `poke`. A round that rejects is
   * repeated after `retryMs`, and its error reaches the log.
   */
  readonly run: (signal: AbortSignal) => Promise<number>;
  /** Awaited before each round: resolves while the window that it is for is there. */
  readonly isShown?: (() => Promise<unknown>) | undefined;
  /** The machine has slept. */
  readonly onWake?: () => void;
  readonly retryMs?: number;
  readonly now?: () => number;
  readonly random?: () => number;
}

/**
 * Repeats a question while it is wanted: one round in flight, the next armed only after the answer. After the machine has
 * slept, the next round waits a random 1-10 s, so that not every window asks at once (trust.md 31).
 */
export class Poller extends Disposable {
  readonly #options: PollerOptions & {
    readonly retryMs: number;
    readonly now: () => number;
    readonly random: () => number;
  };
  readonly #timer: WallTimer;
  #round: AbortController | undefined;
  #running = false;
  #pokedDuringRound = false;

  constructor(options: PollerOptions) {
    super();
    this.#options = { retryMs: 30_000, now: Date.now, random: Math.random, ...options };
    this.#timer = this.register(new WallTimer(() => this.#options.now()));
  }

  get isRunning(): boolean {
    return this.#running;
  }

  /** Begins with a round at once; does nothing when running already. */
  start(): void {
    if (this.#running || this.isDisposed) return;
    this.#running = true;
    this.#arm(0);
  }

  /** Ends polling and aborts the round in flight. */
  stop(): void {
    this.#running = false;
    this.#timer.stop();
    this.#round?.abort();
    this.#round = undefined;
  }

  /** Asks now instead of later; a round in flight is followed by another. Does nothing while stopped. */
  poke(): void {
    if (!this.#running) return;
    if (this.#round === undefined) this.#arm(0);
    else this.#pokedDuringRound = true;
  }

  override dispose(): void {
    this.stop();
    super.dispose();
  }

  #arm(delay: number): void {
    if (!this.#running) return;
    this.#timer.start(delay, slept => {
      if (!slept) {
        void this.#runRound();
        return;
      }
      this.#options.onWake?.();
      this.#arm(1000 + this.#options.random() * 9000);
    });
  }

  async #runRound(): Promise<void> {
    const round = new AbortController();
    this.#round = round;
    let next: number;
    try {
      await this.#options.isShown?.();
      // Stopped meanwhile, and perhaps begun anew.
      if (this.#round !== round) return;
      next = await this.#options.run(round.signal);
    } catch (error) {
      if (this.#round === round) unhandled(error);
      next = this.#options.retryMs;
    }
    if (this.#round !== round) return;
    this.#round = undefined;
    const again = this.#pokedDuringRound;
    this.#pokedDuringRound = false;
    this.#arm(again ? 0 : next);
  }
}
