import { Disposable } from './disposable';

export interface PollerOptions {
  /**
   * Does one round and resolves to the milliseconds until the next; `Infinity` rests until `poke`. A round that rejects is
   * repeated after `retryMs`.
   */
  readonly run: (signal: AbortSignal) => Promise<number>;
  readonly retryMs?: number;
  readonly now?: () => number;
  readonly random?: () => number;
}

/** How late a timer may fire before the machine counts as having slept. */
const SLEEP_MS = 20_000;

/**
 * Repeats a question while it is wanted: one round in flight, the next armed only after the answer. After the machine has
 * slept, the next round waits a random 1-10 s, so that not every window asks at once (trust.md 31).
 */
export class Poller extends Disposable {
  readonly #options: Required<PollerOptions>;
  #timer: NodeJS.Timeout | undefined;
  #round: AbortController | undefined;
  #running = false;
  #pokedDuringRound = false;

  constructor(options: PollerOptions) {
    super();
    this.#options = { retryMs: 30_000, now: Date.now, random: Math.random, ...options };
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
    clearTimeout(this.#timer);
    this.#timer = undefined;
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
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (!this.#running || delay === Infinity) return;
    const due = this.#options.now() + delay;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#options.now() - due > SLEEP_MS) this.#arm(1000 + this.#options.random() * 9000);
      else void this.#runRound();
    }, delay);
  }

  async #runRound(): Promise<void> {
    const round = new AbortController();
    this.#round = round;
    let next: number;
    try {
      next = await this.#options.run(round.signal);
    } catch {
      next = this.#options.retryMs;
    }
    if (this.#round !== round) return;
    this.#round = undefined;
    const again = this.#pokedDuringRound;
    this.#pokedDuringRound = false;
    this.#arm(again ? 0 : next);
  }
}
