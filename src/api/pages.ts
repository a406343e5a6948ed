import type { Answer } from './answer';
import { Unreadable, type ItemProblem } from './decode';
import type { Endpoint } from './endpoints';
import type { AnalyticsMeta } from './resources/analytics';

/** One page of a list, with what could not be read. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly problems: readonly ItemProblem[];
  /** What was passed to get the next page; absent on the last one. */
  readonly cursor?: string;
  readonly hasMore: boolean;
}

/** No list of ours is longer: more pages than this are a fault of the service. */
const MOST_PAGES = 10_000;

/**
 * The part of a list that has been read: gives each item once, by its key. A page that was read before, or that leads back to one
 * that was, throws `Unreadable`: nobody takes such a list for complete.
 */
export class ReadList<T> {
  readonly #endpoint: Endpoint;
  readonly #keys = new Set<string>();
  readonly #cursors = new Set<string>();
  #length = 0;
  #pages = 0;

  /** `first` is the cursor it begins after, such as where another reading ended. */
  constructor(endpoint: Endpoint, first?: string) {
    this.#endpoint = endpoint;
    if (first !== undefined) this.#cursors.add(first);
  }

  /** The page that was asked for with `limit` after `cursor`. */
  take(answer: Answer<T>, cursor: string | undefined, limit: number): Page<T> & { meta?: AnalyticsMeta } {
    const { length, next } = answer;
    const meta = this.#endpoint.pages === 'meta' ? { meta: answer.meta } : {};
    // Without an end marker, a service that does not page gives all it has again.
    const isAgain =
      this.#endpoint.pages === 'lastId' &&
      cursor !== undefined &&
      (next === undefined || (next === cursor && length < limit));
    if (isAgain) return { items: [], problems: [], ...meta, hasMore: false };
    const { items, problems } = answer;
    const fresh = items.filter(item => {
      const before = this.#keys.size;
      return this.#keys.add(this.#keyOf(item)).size > before;
    });
    // Pages may overlap: a shorter one at the end may hold nothing but what the one before ended with.
    const isSame =
      items.length > 0 && fresh.length === 0 && (next !== undefined || items.length >= this.#length);
    if (isSame) throw new Unreadable('brokenList', 'samePage', 'the same page again');
    if (next !== undefined && (this.#cursors.has(next) || ++this.#pages >= MOST_PAGES))
      throw new Unreadable('brokenList', 'loop', 'the next page was read before');
    this.#length = items.length;
    if (next === undefined) return { items: fresh, problems, ...meta, hasMore: false };
    this.#cursors.add(next);
    return { items: fresh, problems, ...meta, hasMore: true, cursor: next };
  }

  #keyOf(item: T): string {
    const fields = item as Readonly<Record<string, unknown>>;
    return JSON.stringify(this.#endpoint.key?.map(name => fields[name]));
  }
}
