import type { Logger } from '../log';
import type { Answer } from './answer';
import type { HttpClient, SentBody } from './client';
import { Unreadable, type Listed } from './decode';
import { endpoints, type Endpoint, type EndpointName, type ItemOf } from './endpoints';
import { QueryError } from './errors';
import type { AnalyticsMeta } from './resources/analytics';

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface Asked extends RequestOptions {
  /** What stands in the path; `QueryError` for what cannot. */
  readonly ids?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: SentBody;
  /** Tried again with another key only. */
  readonly once?: boolean;
  /** In place of the endpoint's own. */
  readonly path?: string;
}

interface AskedPages extends Asked {
  readonly first?: string | undefined;
  /** Items a page; 100 when left out. */
  readonly limit?: number | undefined;
}

/** The rows of an answer with its `meta` (section 2.1), which is empty where that is not of analytics. */
export type Rows<T> = Listed<T> & { readonly meta: AnalyticsMeta };

/** One page of a list, with what could not be read. */
export interface Page<T> extends Listed<T> {
  /** What was passed to get the next page; absent on the last one. */
  readonly cursor?: string;
}

/** Asks the endpoints of the interface, each in the way the table says. */
export class Calls {
  readonly #addresses: Readonly<Record<Endpoint['at'], string>>;
  readonly #http: HttpClient;
  readonly #log: Logger;

  constructor(addresses: Readonly<Record<Endpoint['at'], string>>, http: HttpClient, log: Logger) {
    this.#addresses = addresses;
    this.#http = http;
    this.#log = log;
  }

  /** An answer that is one item; what was left out of it goes to the log. */
  async one<N extends EndpointName>(name: N, asked: Asked): Promise<ItemOf<N>> {
    const { items, problems } = await this.#ask(name, asked, answer => answer);
    if (problems.length > 0) {
      const reasons = problems.slice(0, 20).map(({ reason }) => reason);
      this.#log.warn(`${endpoints[name].path}: left out of the answer: ${reasons.join('; ')}`);
    }
    return items[0] as ItemOf<N>;
  }

  list<N extends EndpointName>(name: N, asked: Asked): Promise<Rows<ItemOf<N>>> {
    return this.#ask(name, asked, ({ items, problems, meta }) => ({ items, problems, meta }));
  }

  /** Follows cursors until there is none; each page is asked for when the one before has been taken. */
  async *pages<N extends EndpointName>(
    name: N,
    asked: AskedPages,
  ): AsyncGenerator<Page<ItemOf<N>> & Rows<ItemOf<N>>, void, undefined> {
    const list = new ReadList<ItemOf<N>>(endpoints[name], asked.first);
    let cursor = asked.first;
    do {
      const page = await this.page(name, { ...asked, first: cursor }, list);
      yield page;
      cursor = page.cursor;
    } while (cursor !== undefined);
  }

  page<N extends EndpointName>(
    name: N,
    { first, limit = 100, ...asked }: AskedPages,
    list = new ReadList<ItemOf<N>>(endpoints[name], first),
  ): Promise<Page<ItemOf<N>> & Rows<ItemOf<N>>> {
    const cursorName = endpoints[name].at === 'appUrl' ? 'startAfter' : 'cursor';
    const query = { ...asked.query, limit: String(limit), [cursorName]: first };
    return this.#ask(name, { ...asked, query }, answer => list.take(answer, first, limit));
  }

  async #ask<N extends EndpointName, T>(
    name: N,
    { ids = {}, query = {}, body, once, path, signal }: Asked,
    read: (answer: Answer<ItemOf<N>>) => T,
  ): Promise<T> {
    const endpoint: Endpoint = endpoints[name];
    const filled = (path ?? endpoint.path).replace(/\{(\w+)\}/g, (_, id: string) =>
      idSegment(id, ids[id] ?? ''),
    );
    const url = new URL(this.#addresses[endpoint.at] + filled);
    for (const [parameter, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(parameter, value);
    return this.#http.request({ name, endpoint, url, body, once }, read as (answer: Answer) => T, signal);
  }
}

/**
 * An id as one segment of a path. Throws `QueryError` for an empty id, and for `.` and `..`, which would make the address point
 * somewhere else even when they are escaped.
 */
function idSegment(parameter: string, id: string): string {
  if (id.trim() === '' || /^\.{1,2}$|\p{Surrogate}/u.test(id))
    throw new QueryError(parameter, id, 'any other text');
  return encodeURIComponent(id);
}

/** No list of ours has more pages: that is a fault of the service. */
const MOST_PAGES = 10_000;

/**
 * The part of a list that has been read: gives each item once, by its key. A page that was read, or leads back to one,
 * throws `Unreadable`: nobody takes such a list for complete.
 */
class ReadList<T> {
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
