import { Disposable } from './disposable';

/** Clocks are set by so much while nobody notices, ms. */
const TOLERANCE_MS = 20_000;

/** Whether a recorded time (Unix ms) is not after `now`: one that has not come yet is of a clock that was wrong, and says nothing. */
export function hasCome(at: number, now: number): boolean {
  return at <= now + TOLERANCE_MS;
}

/** The longest a timer runs before the clock is looked at, ms. */
const STEP_MS = 5 * 60 * 1000;
/** How late a timer may fire before the machine counts as having slept, ms. */
const SLEEP_MS = 20_000;

/**
 * One wait by the clock on the wall. Timers stand still while a machine sleeps: a long wait goes in steps of five minutes, so that
 * it ends at most that much after its time when the machine has slept meanwhile.
 */
export class WallTimer extends Disposable {
  readonly #now: () => number;
  #timer: NodeJS.Timeout | undefined;

  constructor(now: () => number = () => Date.now()) {
    super();
    this.#now = now;
  }

  /**
   * Calls `then` after `delay` ms, and tells whether the machine has slept just before. Replaces an earlier wait; `Infinity` waits
   * for nothing.
   */
  start(delay: number, then: (slept: boolean) => void): void {
    this.stop();
    if (delay !== Infinity && !this.isDisposed) this.#step(delay, this.#now() + delay, then);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  override dispose(): void {
    this.stop();
    super.dispose();
  }

  #step(left: number, due: number, then: (slept: boolean) => void): void {
    const step = Math.min(left, STEP_MS);
    const wanted = this.#now() + step;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      const slept = this.#now() - wanted > SLEEP_MS;
      const rest = slept ? due - this.#now() : left - step;
      if (rest > 0) this.#step(rest, due, then);
      else then(slept);
    }, step);
  }
}
