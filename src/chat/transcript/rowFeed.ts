import { Disposable } from '../../util/disposable';
import type { Formatter } from '../../util/format';
import type { Row, Splice } from '../protocol';
import { RowBuilder, type RowsInput } from './rows';
import { setImmediate } from 'node:timers/promises';

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

/** Messages from which on a transcript is long, and those of its end that are shown first. */
const LONG = 1_000;
const END = 200;

/** Keeps the rows of a page true to a transcript; of a long one the end is shown before the rest is made ready. */
export class RowView extends Disposable {
  readonly #rows: RowBuilder;
  readonly #feed: RowFeed;
  readonly #onReady: () => void;
  #preparing = false;
  #isReady = false;

  /** `onReady`: more can be shown than was. */
  constructor(send: (splice: Splice) => void, format: Formatter, onReady: () => void) {
    super();
    this.#rows = new RowBuilder(format);
    this.#feed = this.register(new RowFeed(send));
    this.#onReady = onReady;
  }

  /** Shows these; a page that was built anew, or was away, is sent all of them. */
  show(input: RowsInput): void {
    const count = input.known.size;
    this.#isReady ||= count <= LONG;
    if (this.#isReady) this.#feed.update(this.#rows.build(input));
    else {
      this.#feed.update(this.#rows.build(input, END), count);
      void this.#prepare(input);
    }
    if (!this.#feed.isOpen) this.#feed.restart();
  }

  /** The page is gone. */
  pause(): void {
    this.#feed.pause();
  }

  async #prepare({ known }: RowsInput): Promise<void> {
    if (this.#preparing) return;
    this.#preparing = true;
    await this.#rows.prepare(known, () => !this.isDisposed);
    if (this.isDisposed) return;
    this.#isReady = true;
    this.#onReady();
  }
}
