import type { Logger } from '../log';
import type { Answer } from './answer';
import type { SentBody } from './call';
import { HttpClient, type HttpOptions } from './client';
import { endpoints, type Endpoint, type EndpointName, type IdOf, type ItemOf } from './endpoints';
import { Unreadable, type Listed } from './decode';
import { ApiError, failureOf, isApiError } from './errors';
import type { AnalyticsMeta, CreateSession, Message, Session } from './resources';

export interface ApiClientOptions extends HttpOptions {
  /** Addresses of the service and of the web application, in their normal form. */
  readonly baseUrl: string;
  readonly appUrl: string;
}

export interface Asked<N extends EndpointName> {
  /** What stands in the path. */
  readonly ids?: Readonly<Record<IdOf<N>, string>>;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: SentBody;
  /** Tried again with another key only. */
  readonly once?: boolean;
  readonly signal?: AbortSignal | undefined;
}

interface AskedPages<N extends EndpointName> extends Asked<N> {
  /** Begins with the page after it. */
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

type PageOf<N extends EndpointName> = Page<ItemOf<N>> & Rows<ItemOf<N>>;

/** Where some services have moved the readiness reports (interface-notes, extras). */
const RENAMED_REPORTS = '/api/organization/agent-readiness-reports';

/** Asks the endpoints of the service's interface, each in the way the table says. Calls fail with `ApiError`. */
export class ApiClient {
  /** What only some services offer. */
  readonly extras: Extras;
  readonly #options: ApiClientOptions;
  readonly #http: HttpClient;
  /** Where the readiness reports may be: the documented path first, and then only the one that has answered. */
  #reportsPaths: readonly string[] = [endpoints.reports.path, RENAMED_REPORTS];

  constructor(options: ApiClientOptions) {
    this.#options = options;
    this.#http = new HttpClient(options);
    this.extras = new Extras(this, options.log, options.now ?? Date.now);
  }

  /** Gives up every request under way; later ones fail as cancelled. */
  dispose(): void {
    this.#http.close();
  }

  /**
   * An answer that is one item; what was left out of it goes to the log. A POST is sent once: it fails with kind `outcomeUnknown` when
   * it may have arrived all the same, and with another kind only when it certainly did not.
   */
  async one<N extends EndpointName>(name: N, asked: Asked<N>): Promise<ItemOf<N>> {
    const { items, problems } = await this.list(name, asked);
    if (problems.length > 0) {
      const reasons = problems.slice(0, 20).map(({ reason }) => reason);
      this.#options.log.warn(`${endpoints[name].path}: left out of the answer: ${reasons.join('; ')}`);
    }
    return items[0] as ItemOf<N>;
  }

  list<N extends EndpointName>(name: N, asked: Asked<N> = {}): Promise<Rows<ItemOf<N>>> {
    return this.#ask(name, asked, ({ items, problems, meta }) => ({ items, problems, meta }));
  }

  /** All of a list, in the service's order: each page is asked for when the one before has been taken. */
  async *pages<N extends EndpointName>(
    name: N,
    asked: AskedPages<N> = {},
  ): AsyncGenerator<PageOf<N>, void, undefined> {
    const take = reader<ItemOf<N>>(endpoints[name], asked.first);
    let cursor = asked.first;
    do {
      const page = await this.page(name, { ...asked, first: cursor }, take);
      yield page;
      cursor = page.cursor;
    } while (cursor !== undefined);
  }

  page<N extends EndpointName>(
    name: N,
    { first, limit = 100, ...asked }: AskedPages<N>,
    take = reader<ItemOf<N>>(endpoints[name], first),
  ): Promise<PageOf<N>> {
    const { at, pages }: Endpoint = endpoints[name];
    const cursorName = at === 'appUrl' ? 'startAfter' : 'cursor';
    const paging = pages === undefined ? {} : { limit: String(limit), [cursorName]: first };
    const query = { ...asked.query, ...paging };
    return this.#ask(name, { ...asked, query }, answer => take(answer, first));
  }

  /** Section 4.5. */
  createSession(
    { computerId, sessionSettings }: CreateSession,
    { signal }: Pick<Asked<'createSession'>, 'signal'> = {},
  ): Promise<Session> {
    const settings = sessionSettings && { ...sessionSettings, tokenUsage: undefined };
    const body = JSON.stringify({ computerId, sessionSettings: settings });
    return this.one('createSession', { body, signal });
  }

  async #ask<N extends EndpointName, T>(
    name: N,
    asked: Asked<N>,
    read: (answer: Answer<ItemOf<N>>) => T,
  ): Promise<T> {
    if (name !== 'reports') return this.#askAt(endpoints[name].path, name, asked, read);
    const paths = this.#reportsPaths;
    let refusal: unknown;
    for (const path of paths)
      try {
        const answer = await this.#askAt(path, name, asked, read);
        this.#reportsPaths = [path];
        return answer;
      } catch (error) {
        if (!isApiError(error) || error.kind !== 'notFound') throw error;
        refusal ??= error;
      }
    this.#reportsPaths = paths.slice(0, 1);
    throw refusal;
  }

  async #askAt<N extends EndpointName, T>(
    path: string,
    name: N,
    { ids, query = {}, body, once, signal }: Asked<N>,
    read: (answer: Answer<ItemOf<N>>) => T,
  ): Promise<T> {
    const endpoint: Endpoint = endpoints[name];
    const address = this.#options[endpoint.at];
    const filled = path.replace(/\{(\w+)\}/g, (_, part: string) => {
      const id = (ids as Readonly<Record<string, string>> | undefined)?.[part] ?? '';
      if (isSegment(id)) return encodeURIComponent(id);
      const request = { method: endpoint.method, path, origin: new URL(address).origin };
      throw new ApiError('notFound', { request, code: 'badId' });
    });
    const url = new URL(address + filled);
    for (const [parameter, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(parameter, value);
    return this.#http.request({ name, endpoint, url, body, once }, read as (answer: Answer) => T, signal);
  }
}

/** Whether an id can be a segment of a path: `.` and `..` would make it point somewhere else even when they are escaped. */
function isSegment(id: string): boolean {
  return id.trim() !== '' && !/^\.{1,2}$|\p{Surrogate}/u.test(id);
}

/** No list of ours has more pages: that is a fault of the service. */
const MOST_PAGES = 10_000;

/**
 * Takes the pages of a list, which begins after the cursor `first`, such as where another reading ended: gives each item once, by its
 * key. A page that was read, or leads back to one, throws `Unreadable`: nobody takes such a list for complete.
 */
function reader<T>({ pages, key = ['id'] }: Endpoint, first?: string) {
  const keys = new Set<string>();
  const cursors = new Set(first === undefined ? [] : [first]);
  return (answer: Answer<T>, cursor: string | undefined): Page<T> & Rows<T> => {
    const { items, problems, meta, next } = answer;
    // There is no end marker; a service that does not page gives all it has again (interface-notes 7).
    const isRepeated = next === undefined || next === cursor;
    if (pages === 'lastId' && cursor !== undefined && isRepeated) return { items: [], problems: [], meta };
    const fresh = items.filter(item => {
      const fields = item as Readonly<Record<string, unknown>>;
      const before = keys.size;
      return keys.add(JSON.stringify(key.map(name => fields[name]))).size > before;
    });
    if (next === undefined) return { items: fresh, problems, meta };
    const isKnown = items.length > 0 && fresh.length === 0;
    if (isKnown || cursors.has(next) || cursors.size >= MOST_PAGES)
      throw new Unreadable('brokenList', 'loop', 'it leads back to what was read');
    cursors.add(next);
    return { items: fresh, problems, meta, cursor: next };
  };
}

type RequestOptions = Pick<Asked<'sessions'>, 'signal'>;

/** After a probe without a telling answer, the next one is not before, ms. */
const PROBE_AGAIN = 5 * 60_000;

/** What a call beyond the documented interface gave: `missing` where this service does not offer it, now or at all. */
export type Extra<T> = T | 'missing';

/**
 * What some services offer beside the documented interface (interface-notes, extras). Each list is tried once for the life of
 * this client; where the service says no, that is remembered and nothing is asked again.
 */
export class Extras {
  readonly #api: Pick<ApiClient, 'one' | 'page'>;
  readonly #sessions: ReturnType<typeof probe>;
  readonly #messages: ReturnType<typeof probe>;
  #hasInterrupt = true;

  constructor(api: Pick<ApiClient, 'one' | 'page'>, log: Logger, now: () => number) {
    this.#api = api;
    this.#sessions = probe(log, now);
    this.#messages = probe(log, now);
  }

  /** A page of the sessions this key may see. Rejects with `ApiError` only where the list is known to exist. */
  sessions(first?: string, { signal }: RequestOptions = {}): Promise<Extra<Page<Session>>> {
    return this.#sessions.run(once => this.#api.page('sessions', { first, once, signal }));
  }

  /** Whether agents can be stopped: where the list of sessions has answered, until that is refused. */
  get canInterrupt(): boolean {
    return this.#hasInterrupt && this.#sessions.isOffered();
  }

  /** Stops the agent of a session; does nothing to one that rests. Sent once. */
  async interrupt(sessionId: string, { signal }: RequestOptions = {}): Promise<void> {
    try {
      await this.#api.one('interrupt', { ids: { sessionId }, signal });
    } catch (error) {
      if (isApiError(error) && [403, 404, 405, 501].includes(error.status ?? 0)) this.#hasInterrupt = false;
      throw error;
    }
  }

  /** A page of the messages of a session, in the service's order. Rejects as `sessions` does. */
  messages(
    sessionId: string,
    first?: string,
    { signal }: RequestOptions = {},
  ): Promise<Extra<Page<Message>>> {
    const ids = { sessionId };
    return this.#messages.run(
      once => this.#api.page('messages', { ids, first, once, signal }),
      () => this.#api.one('session', { ids, once: true, signal }),
    );
  }
}

type Ask<T> = (once: boolean) => Promise<T>;

/** Remembers whether a call is offered; callers at the same time share the first try, which is one request. */
function probe(log: Logger, now: () => number) {
  let isOffered: boolean | undefined;
  let notBefore = 0;
  let first: Promise<unknown> | undefined;

  /** A refusal of the first try is no error of anybody's. */
  const attempt = async <T>(ask: Ask<T>, owner?: () => Promise<unknown>): Promise<Extra<T>> => {
    try {
      const answer = await ask(true);
      isOffered = true;
      return answer;
    } catch (error) {
      if (!isApiError(error)) throw error;
      const doubt = error.kind === 'notFound' ? owner && (await failureOf(owner)) : undefined;
      const { kind, status } = doubt ?? error;
      const isFirm = status === 501 || /^(notFound|forbidden|refused|malformedAnswer)$/.test(kind);
      if (doubt === undefined && isFirm) isOffered = false;
      // What is gone or was cancelled says nothing about a service; one that is out of order is not better in a moment.
      else if (!/^(cancelled|notFound|forbidden)$/.test(kind)) notBefore = now() + PROBE_AGAIN;
      log.debug(`${error.request.path}: not offered here (${error.status ?? error.kind})`);
      return 'missing';
    }
  };
  return {
    isOffered: () => isOffered === true,
    /** `owner` rejects where what the list belongs to does not exist: then a list that is not found says nothing of the service. */
    async run<T>(ask: Ask<T>, owner?: () => Promise<unknown>): Promise<Extra<T>> {
      while (first !== undefined) await first;
      if (isOffered === true) return ask(false);
      if (isOffered === false || now() < notBefore) return 'missing';
      const trying = attempt(ask, owner);
      first = trying.catch(() => undefined).finally(() => (first = undefined));
      return trying;
    },
  };
}
