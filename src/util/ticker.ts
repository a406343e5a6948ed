import { Disposable } from './disposable';

/** A tick that comes so much too late means that the machine has slept. */
const SLEEP_MS = 20_000;

export interface TickerOptions {
  readonly everyMs: number;
  readonly onTick: () => void;
  /** The machine has slept; comes before the tick. */
  readonly onWake?: () => void;
  readonly now?: () => number;
}

/** Ticks while it is wanted, and notices that the machine has slept between two ticks. */
export class Ticker extends Disposable {
  readonly #options: TickerOptions;
  readonly #now: () => number;
  #clock: NodeJS.Timeout | undefined;
  #last = 0;

  constructor(options: TickerOptions) {
    super();
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  want(wanted: boolean): void {
    if (wanted === (this.#clock !== undefined) || this.isDisposed) return;
    clearInterval(this.#clock);
    this.#last = this.#now();
    this.#clock = wanted ? setInterval(() => this.#tick(), this.#options.everyMs) : undefined;
  }

  override dispose(): void {
    this.want(false);
    super.dispose();
  }

  #tick(): void {
    const { everyMs, onTick, onWake } = this.#options;
    const now = this.#now();
    const late = now - this.#last - everyMs;
    this.#last = now;
    if (late > SLEEP_MS) onWake?.();
    onTick();
  }
}
