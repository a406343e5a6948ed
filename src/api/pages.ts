import type { Answer } from './answer';
import { Unreadable, type Listed } from './decode';
import type { Endpoint } from './endpoints';
import type { AnalyticsMeta } from './resources';

/** The rows of an answer with its `meta` (section 2.1), which is empty where that is not of analytics. */
export type Rows<T> = Listed<T> & { readonly meta: AnalyticsMeta };

/** One page of a list, with what could not be read. */
export interface Page<T> extends Listed<T> {
  /** What was passed to get the next page; absent on the last one. */
  readonly cursor?: string;
}

/** No list of ours has more pages: that is a fault of the service. */
const MOST_PAGES = 10_000;

/**
 * The part of a list that has been read: gives each item once, by its key. A page that was read, or leads back to one,
 * throws `Unreadable`: nobody takes such a list for complete.
 */
export class ReadList<T> {
  readonly #endpoint: Endpoint;
  readonly #keys = new Set<string>();
  readonly #cursors = new Set<string>();

  /** `first` is the cursor it begins after, such as where another reading ended. */
  constructor(endpoint: Endpoint, first?: string) {
    this.#endpoint = endpoint;
    if (first !== undefined) this.#cursors.add(first);
  }

  take(answer: Answer<T>, cursor: string | undefined, limit: number): Page<T> & Rows<T> {
    const { items, problems, meta, length, next } = answer;
    // Without an end marker, a service that does not page gives all it has again.
    const isAgain =
      this.#endpoint.pages === 'lastId' &&
      cursor !== undefined &&
      (next === undefined || (next === cursor && length < limit));
    if (isAgain) return { items: [], problems: [], meta };
    const fresh = items.filter(item => {
      const before = this.#keys.size;
      return this.#keys.add(this.#keyOf(item)).size > before;
    });
    if (next === undefined) return { items: fresh, problems, meta };
    const isKnown = items.length > 0 && fresh.length === 0;
    if (isKnown || this.#cursors.has(next) || this.#cursors.size >= MOST_PAGES)
      throw new Unreadable('brokenList', 'loop', 'it leads back to what was read');
    this.#cursors.add(next);
    return { items: fresh, problems, meta, cursor: next };
  }

  #keyOf(item: T): string {
    const fields = item as Readonly<Record<string, unknown>>;
    return JSON.stringify(this.#endpoint.key?.map(name => fields[name]));
  }
}
