import { Disposable } from '../util/disposable';
import type { Formatter } from '../util/format';
import type { Splice } from './protocol';
import { RowFeed } from './rowFeed';
import { RowBuilder, type RowsInput } from './rows';

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
