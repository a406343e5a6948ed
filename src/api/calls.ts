import type { Answer } from './answer';
import type { SentBody } from './call';
import type { HttpClient } from './client';
import type { Listed } from './decode';
import { endpoints, type Endpoint, type EndpointName, type ItemOf } from './endpoints';
import { ReadList, type Page } from './pages';
import { idSegment } from './queries';
import type { AnalyticsMeta } from './resources/analytics';
import type { Logger } from '../log';

/** What every call takes as its last argument. */
export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
}

export type Query = Readonly<Record<string, string | undefined>>;

/** What is asked of an endpoint. */
export interface Asked extends RequestOptions {
  /** What stands in the path; `QueryError` for what cannot. */
  readonly ids?: Readonly<Record<string, string>>;
  readonly query?: Query;
  readonly body?: SentBody;
  /** Never tried again, whatever becomes of it. */
  readonly once?: boolean;
  /** In place of the endpoint's own. */
  readonly path?: string;
}

export interface AskedPages extends Asked {
  /** The cursor to begin after. */
  readonly first?: string | undefined;
  /** Items a page. */
  readonly limit: number;
}

/** A page with the `meta` of its answer, which only those of analytics have (section 2.1). */
export type MetaPage<T> = Page<T> & { readonly meta: AnalyticsMeta };

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

  /** A list that comes whole. */
  list<N extends EndpointName>(name: N, asked: Asked): Promise<Listed<ItemOf<N>>> {
    return this.#ask(name, asked, ({ items, problems }) => ({ items, problems }));
  }

  /** The rows of an analytics answer. */
  rows<N extends EndpointName>(
    name: N,
    asked: Asked,
  ): Promise<Listed<ItemOf<N>> & { readonly meta: AnalyticsMeta }> {
    return this.#ask(name, asked, ({ items, problems, meta }) => ({ items, problems, meta }));
  }

  /** Follows cursors until there is none; each page is asked for when the one before has been taken. */
  async *pages<N extends EndpointName>(
    name: N,
    { first, limit, ...asked }: AskedPages,
  ): AsyncGenerator<MetaPage<ItemOf<N>>, void, undefined> {
    const list = new ReadList<ItemOf<N>>(endpoints[name], first);
    let cursor = first;
    do {
      const page = await this.page(name, { ...asked, first: cursor, limit }, list);
      yield page;
      cursor = page.cursor;
    } while (cursor !== undefined);
  }

  /** The page of a list that begins after `first`. */
  page<N extends EndpointName>(
    name: N,
    { first, limit, ...asked }: AskedPages,
    list = new ReadList<ItemOf<N>>(endpoints[name], first),
  ): Promise<MetaPage<ItemOf<N>>> {
    const cursorName = endpoints[name].at === 'appUrl' ? 'startAfter' : 'cursor';
    const query = { ...asked.query, limit: String(limit), [cursorName]: first };
    return this.#ask(
      name,
      { ...asked, query },
      answer => list.take(answer, first, limit) as MetaPage<ItemOf<N>>,
    );
  }

  async #ask<N extends EndpointName, T>(
    name: N,
    { ids = {}, query, body, once, path, signal }: Asked,
    read: (answer: Answer<ItemOf<N>>) => T,
  ): Promise<T> {
    const endpoint: Endpoint = endpoints[name];
    const filled = (path ?? endpoint.path).replace(/\{(\w+)\}/g, (_, id: string) =>
      idSegment(id, ids[id] ?? ''),
    );
    const url = new URL(this.#addresses[endpoint.at] + filled);
    for (const [parameter, value] of Object.entries(query ?? {}))
      if (value !== undefined) url.searchParams.set(parameter, value);
    return this.#http.request({ name, endpoint, url, body, once }, read as (answer: Answer) => T, signal);
  }
}
