import { setImmediate } from 'node:timers/promises';
import { Disposable } from '../../util/disposable';
import type { Formatter } from '../../util/format';
import type { Row, Splice } from '../protocol';
import { inOrder } from './messages';
import { RowBuilder, type RowsInput } from './rows';

/** Messages shown first, from the end; then so many more a step until the page has all. A step with so much text ends early. */
const FIRST = 200;
const STEP = 500;
const STEP_SIZE = 2_000_000;

/** Keeps the rows of a page true to a transcript, sending only what changed, the end of it first. */
export class RowFeed extends Disposable {
  readonly #rows: RowBuilder;
  readonly #send: (splice: Splice) => void;
  #input: RowsInput | undefined;
  /** What the page holds; `undefined` while there is none. */
  #sent: readonly Row[] | undefined;
  /** Messages from the end that the page has or is sent now. */
  #reach = 0;
  #filling = false;

  constructor(send: (splice: Splice) => void, format: Formatter) {
    super();
    this.#rows = new RowBuilder(format);
    this.#send = send;
  }

  /** Shows these; a page that was built anew, or was away, is sent all of them. */
  show(input: RowsInput): void {
    this.#input = input;
    this.#sync(input);
    void this.#fill();
  }

  /** The page is gone. */
  pause(): void {
    this.#sent = undefined;
    this.#reach = 0;
  }

  async #fill(): Promise<void> {
    if (this.#filling) return;
    this.#filling = true;
    for (;;) {
      await setImmediate();
      if (this.isDisposed || this.#sent === undefined || this.#input === undefined) break;
      if (this.#reach >= this.#input.known.size) break;
      this.#reachFurther(this.#input, STEP);
      this.#sync(this.#input);
    }
    this.#filling = false;
  }

  #reachFurther({ known }: RowsInput, most: number): void {
    const before = inOrder(known).reverse().slice(this.#reach);
    let size = 0;
    for (const { message } of before.slice(0, most)) {
      this.#reach++;
      size += JSON.stringify(message?.content.filter(({ type }) => type !== 'image') ?? []).length;
      if (size > STEP_SIZE) return;
    }
  }

  #sync(input: RowsInput): void {
    const before = this.#sent ?? [];
    if (this.#reach === 0) this.#reachFurther(input, FIRST);
    if (this.#reach >= input.known.size) this.#reach = Infinity;
    const rows = this.#rows.build(input, this.#reach);
    let from = 0;
    while (from < before.length && from < rows.length && before[from] === rows[from]) from++;
    let [end, last] = [rows.length, before.length];
    while (end > from && last > from && before[last - 1] === rows[end - 1]) [end, last] = [end - 1, last - 1];
    const isAnew = this.#sent === undefined;
    this.#sent = rows;
    // More than there are, as long as not all have come.
    const total = this.#reach === Infinity ? rows.length : Math.max(rows.length + 1, input.known.size);
    if (isAnew || from < last || from < end)
      this.#send({ from, remove: last - from, rows: rows.slice(from, end), total });
  }
}
