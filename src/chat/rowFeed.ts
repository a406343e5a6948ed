import { setImmediate } from 'node:timers/promises';
import { Disposable } from '../util/disposable';
import type { Row, Splice } from './protocol';

/** Rows sent first, from the end; then this many more a step until the page has all. */
const FIRST = 100;
const STEP = 1000;

/** Keeps the rows of a page equal to those of the panel, sending only what changed, the end of the transcript first. */
export class RowFeed extends Disposable {
  readonly #send: (splice: Splice) => void;
  #rows: readonly Row[] = [];
  /** Rows there will be, once those before are made. */
  #total = 0;
  /** What the page holds: always the end of the rows. */
  #sent: readonly Row[] = [];
  #wanted = FIRST;
  #filling = false;
  #open = false;

  constructor(send: (splice: Splice) => void) {
    super();
    this.#send = send;
  }

  /** Whether the page is being sent rows. */
  get isOpen(): boolean {
    return this.#open;
  }

  /** The page was built anew and holds nothing. */
  restart(): void {
    this.#sent = [];
    this.#wanted = FIRST;
    this.#open = true;
    this.#sync(true);
    void this.#fill();
  }

  /** The page is gone; what changes now is sent when it is back. */
  pause(): void {
    this.#open = false;
  }

  /** `total`: rows there will be, where these are only the end of them. */
  update(rows: readonly Row[], total = rows.length): void {
    const wereAll = this.#total === this.#rows.length;
    if (this.#sent.length > 0 && wereAll) this.#wanted += Math.max(0, rows.length - this.#rows.length);
    this.#rows = rows;
    this.#total = total;
    if (!this.#open) return;
    this.#sync(false);
    void this.#fill();
  }

  async #fill(): Promise<void> {
    if (this.#filling) return;
    this.#filling = true;
    for (;;) {
      await setImmediate();
      if (!this.#open || this.isDisposed || this.#wanted >= this.#rows.length) break;
      this.#wanted += STEP;
      this.#sync(false);
    }
    this.#filling = false;
  }

  #sync(always: boolean): void {
    const target = this.#rows.slice(Math.max(0, this.#rows.length - this.#wanted));
    const before = this.#sent;
    let from = 0;
    while (from < before.length && from < target.length && before[from] === target[from]) from++;
    let tail = 0;
    while (
      tail < before.length - from &&
      tail < target.length - from &&
      before[before.length - 1 - tail] === target[target.length - 1 - tail]
    ) {
      tail++;
    }
    this.#sent = target;
    const remove = before.length - from - tail;
    const rows = target.slice(from, target.length - tail);
    if (!always && remove === 0 && rows.length === 0) return;
    this.#send({ from, remove, rows, total: this.#total });
  }
}
