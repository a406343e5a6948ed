import type { Lease, Storage } from '../../storage';
import { Disposable } from '../../util/disposable';

/** A question that is due. */
export interface Waiting {
  /** Somebody has the session in front of them. */
  readonly isFirst: () => boolean;
  /** Whether it still is to be asked: another window may have done so meanwhile. */
  readonly isDue: () => boolean;
  /** When any window last asked it; the one that waits longest is next. Unix ms. */
  readonly askedAt: () => number;
  /** Asks while the turn is held. Resolves as soon as the question has left, or to false when there was none to ask. */
  readonly ask: (turn: Lease) => Promise<boolean>;
  readonly signal: AbortSignal;
}

/** A window in whose turn nothing happens for so long has gone. */
const LEASE_MS = 2_000;

interface Entry extends Waiting {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export interface PaceDeps {
  /** Runs `work` in one window at a time. */
  readonly tryRun: (ttlMs: number, work: (turn: Lease) => Promise<void>) => ReturnType<Storage['tryRun']>;
  /** From one question of any window to the next, ms. */
  readonly apartMs: number;
}

/**
 * Lets questions through one by one, of all windows together: in each window what is in front of a person first, of the others what
 * was asked longest ago.
 */
export class Pace extends Disposable {
  readonly #deps: PaceDeps;
  #waiting: Entry[] = [];
  #isServing = false;
  #timer: NodeJS.Timeout | undefined;
  #endRest = (): void => undefined;

  constructor(deps: PaceDeps) {
    super();
    this.#deps = deps;
  }

  /** Resolves when it has had its turn, or needs none any more. Rejects where no turn can be had. */
  turn(waiting: Waiting): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ...waiting, resolve, reject });
      if (!this.#isServing) void this.#serve();
    });
  }

  override dispose(): void {
    clearTimeout(this.#timer);
    this.#endRest();
    for (const { resolve } of this.#waiting) resolve();
    this.#waiting = [];
    super.dispose();
  }

  async #serve(): Promise<void> {
    const { tryRun, apartMs } = this.#deps;
    this.#isServing = true;
    try {
      while (this.#drop()) {
        await tryRun(LEASE_MS, turn => this.#serveOne(turn));
        // Those who wait in other windows look as often, so this one does not come before all of them again.
        if (this.#drop()) await this.#rest(Math.max(5, apartMs / 6));
      }
    } catch (error) {
      for (const { reject } of this.#waiting) reject(error);
      this.#waiting = [];
    } finally {
      this.#isServing = false;
    }
  }

  async #serveOne(turn: Lease): Promise<void> {
    while (this.#drop() && turn.isHeld()) {
      const first = this.#waiting.filter(({ isFirst }) => isFirst());
      const [next] = (first.length > 0 ? first : this.#waiting).toSorted((a, b) => a.askedAt() - b.askedAt());
      if (next === undefined) return;
      this.#waiting = this.#waiting.filter(each => each !== next);
      const hasLeft = await next.ask(turn).finally(() => next.resolve());
      if (!hasLeft) continue;
      await this.#rest(this.#deps.apartMs);
      // Closing shortens the rest, but not what other windows wait.
      if (this.isDisposed) turn.keep();
      return;
    }
  }

  #rest(ms: number): Promise<void> {
    if (this.isDisposed) return Promise.resolve();
    return new Promise(resolve => {
      this.#endRest = resolve;
      this.#timer = setTimeout(resolve, ms);
    });
  }

  /** Lets go of what need not be asked; whether anything is left. */
  #drop(): boolean {
    const isLeft = ({ signal, isDue }: Entry): boolean => !signal.aborted && isDue();
    for (const each of this.#waiting) if (!isLeft(each)) each.resolve();
    this.#waiting = this.#waiting.filter(isLeft);
    return this.#waiting.length > 0;
  }
}
