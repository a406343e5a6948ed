import { Disposable, unhandled } from './lifecycle';

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

/** The longest a timer runs before the clock is looked at, ms: timers stand still while a machine sleeps. */
const STEP_MS = 5 * 60 * 1000;
/** How late a timer may fire before the machine counts as having slept, ms. */
const SLEEP_MS = 20_000;

/**
 * Repeats a question while it is wanted: one round in flight, the next armed only after the answer. After the machine has
 * slept, the next round waits a random 1-10 s, so that not every window asks at once (trust.md 31).
 */
export class Poller extends Disposable {
  readonly #options: PollerOptions & Required<Pick<PollerOptions, 'retryMs' | 'now' | 'random'>>;
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

  /** Waits by the clock on the wall, in steps: when the machine has slept, a wait ends at most one of them after its time. */
  #arm(delay: number): void {
    clearTimeout(this.#timer);
    if (!this.#running || delay === Infinity) return;
    const { now, random, onWake } = this.#options;
    const began = now();
    const step = Math.min(delay, STEP_MS);
    this.#timer = setTimeout(() => {
      const slept = now() - began - step > SLEEP_MS;
      const rest = slept ? began + delay - now() : delay - step;
      if (rest > 0) this.#arm(rest);
      else if (slept) {
        onWake?.();
        this.#arm(1000 + random() * 9000);
      } else void this.#runRound();
    }, step);
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
