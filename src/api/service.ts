import { Redactor } from '../util/redact';
import { Calls, type MetaPage, type RequestOptions } from './calls';
import { HttpClient, type HttpOptions, type Timeouts } from './client';
import type { Listed } from './decode';
import { endpoints, type EndpointName, type ItemOf } from './endpoints';
import { isApiError } from './errors';
import { Extras } from './extras';
import type { Page } from './pages';
import { dateQuery, idQuery, idSegment, limitQuery, type DateRange } from './queries';
import type { SentBody } from './call';
import type { AnalyticsMeta, UserDay } from './resources/analytics';
import type { Computer } from './resources/computer';
import type { Message, SentMessage } from './resources/message';
import type { ControlChange, OrganizationUser } from './resources/organization';
import type { ReadinessReport } from './resources/readiness';
import type { CreateSession, Session, SessionSettings } from './resources/session';
import { memoryGate, type RequestGate } from './retryAfter';

type OwnOptions = Pick<
  HttpOptions,
  'key' | 'onUnauthorized' | 'log' | 'delay' | 'random' | 'fetch' | 'workerScript'
>;

export interface ApiClientOptions extends OwnOptions {
  /** Address of the service, as `parseAddress` gives it. */
  readonly baseUrl: string;
  /** Address of the web application, as `parseAddress` gives it. */
  readonly appUrl: string;
  /** Shared by all windows, so that a pause the service asks for holds everywhere; one of its own when left out. */
  readonly gate?: RequestGate | undefined;
  /** Key of the marks that stand for secrets; marks compare across clients with the same one. Random when left out. */
  readonly redactionKey?: string | undefined;
  /** For one attempt including its body, ms: 15,000 for a GET, 60,000 for a POST and for analytics. */
  readonly timeouts?: Partial<Timeouts> | undefined;
  readonly now?: (() => number) | undefined;
}

export interface GetOptions extends RequestOptions {
  /** Computer to ask directly. */
  readonly computerId?: string | undefined;
}

export interface PageOptions {
  /** Rows a page, 1-100; as many as the interface allows when left out. */
  readonly limit?: number | undefined;
}

/** The rows of an analytics answer with its `meta` (section 2.1). */
export type AnalyticsRows<T> = Listed<T> & { readonly meta: AnalyticsMeta };

/** A page of section 2.6. A page holds a row for each person and day: `limit` does not count rows. */
export type UserDayPage = MetaPage<UserDay>;

export interface UserDaysQuery extends DateRange, PageOptions {
  /** The `cursor` of a page read before: begins with the page after it. */
  readonly cursor?: string | undefined;
}

export interface ReportsQuery extends PageOptions {
  readonly repoId?: string | undefined;
  /** Id of the report after which the list begins; at its beginning when left out. */
  readonly startAfter?: string | undefined;
}

/** Where some services have moved the readiness reports (interface-notes, extras). */
const RENAMED_REPORTS = '/api/organization/agent-readiness-reports';

/**
 * Every endpoint of the service's interface (section 4). Calls fail with `ApiError`, or with `QueryError` when the interface does
 * not allow the query and nothing was sent. The last argument of each takes an `AbortSignal`.
 */
export class ApiClient {
  readonly computers: Computers;
  readonly sessions: Sessions;
  readonly messages: Messages;
  readonly organization: Organization;
  readonly analytics: Analytics;
  readonly readiness: Readiness;
  /** What only some services offer. */
  readonly extras: Extras;
  readonly #http: HttpClient;

  constructor(options: ApiClientOptions) {
    const { baseUrl, appUrl, redactionKey, gate = memoryGate(), now = Date.now, timeouts, log } = options;
    this.#http = new HttpClient({
      ...options,
      redactor: new Redactor(redactionKey),
      gate,
      now,
      timeouts: { get: 15_000, post: 60_000, analytics: 60_000, ...timeouts },
    });
    const calls = new Calls({ baseUrl, appUrl }, this.#http, log);
    this.computers = new Computers(calls);
    this.sessions = new Sessions(calls);
    this.messages = new Messages(calls);
    this.organization = new Organization(calls);
    this.analytics = new Analytics(calls, now);
    this.readiness = new Readiness(calls);
    this.extras = new Extras(calls, log, now);
  }

  /** Gives up every request under way; later ones fail as cancelled. */
  dispose(): void {
    this.#http.close();
  }
}

/** A part of the interface. */
class Part {
  protected readonly calls: Calls;

  constructor(calls: Calls) {
    this.calls = calls;
  }
}

/** Sections 4.9 and 4.10. */
class Computers extends Part {
  /** All computers, in no promised order. */
  list(options: RequestOptions = {}): Promise<Listed<Computer>> {
    return this.calls.list('computers', options);
  }

  get(computerId: string, { signal }: RequestOptions = {}): Promise<Computer> {
    return this.calls.one('computer', { ids: { computerId }, signal });
  }
}

/** Sections 4.5 and 4.6. There is no documented call that lists sessions. */
class Sessions extends Part {
  /** Sent once. Fails with kind `outcomeUnknown` when the session may have been created all the same. */
  async create(request: CreateSession, { signal }: RequestOptions = {}): Promise<Session> {
    const { computerId, sessionSettings } = request;
    idSegment('computerId', computerId);
    const settings: SessionSettings | undefined = sessionSettings && { ...sessionSettings };
    delete settings?.tokenUsage;
    const body = JSON.stringify({ computerId, sessionSettings: settings });
    return this.calls.one('createSession', { body, signal });
  }

  async get(sessionId: string, { computerId, signal }: GetOptions = {}): Promise<Session> {
    const query = { computerId: idQuery('computerId', computerId) };
    return this.calls.one('session', { ids: { sessionId }, query, signal });
  }
}

/** Sections 4.7 and 4.8. There is no documented call that lists messages. */
class Messages extends Part {
  /**
   * The body of section 4.7 as ready-made JSON, sent once. Fails with kind `outcomeUnknown` when the message may have arrived all the
   * same, and with another kind only when it certainly did not.
   */
  sendBody(sessionId: string, body: SentBody, { signal }: RequestOptions = {}): Promise<SentMessage> {
    return this.calls.one('sendMessage', { ids: { sessionId }, body, signal });
  }

  async get(sessionId: string, messageId: string, { computerId, signal }: GetOptions = {}): Promise<Message> {
    const query = { computerId: idQuery('computerId', computerId) };
    return this.calls.one('message', { ids: { sessionId, messageId }, query, signal });
  }
}

/** Sections 4.3 and 4.4. Iterating asks for one page at a time and rejects with `ApiError` or `QueryError`. */
class Organization extends Part {
  users(options: PageOptions = {}, request: RequestOptions = {}): AsyncIterable<Page<OrganizationUser>> {
    return this.#pages('users', options, request);
  }

  /** In the service's order. */
  controlHistory(
    options: PageOptions = {},
    request: RequestOptions = {},
  ): AsyncIterable<Page<ControlChange>> {
    return this.#pages('controlHistory', options, request);
  }

  async *#pages<N extends 'users' | 'controlHistory'>(
    name: N,
    { limit }: PageOptions,
    { signal }: RequestOptions,
  ): AsyncGenerator<Page<ItemOf<N>>, void, undefined> {
    yield* this.calls.pages(name, { limit: limitQuery(limit), signal });
  }
}

/**
 * Section 4.1. Days are UTC, from 2026-01-14 through yesterday; anything else rejects with `QueryError` and is not sent. Needs
 * an API key with the Manager or Owner role: kind `forbidden` without the role, `unauthorized` with reason `jwt` for a JWT.
 */
class Analytics extends Part {
  readonly #now: () => number;
  readonly tokens = this.#rows('tokens');
  /** Credentials within hook commands arrive redacted. */
  readonly tools = this.#rows('tools');
  readonly activity = this.#rows('activity');
  readonly productivity = this.#rows('productivity');

  constructor(calls: Calls, now: () => number) {
    super(calls);
    this.#now = now;
  }

  /** One person's day a row, page by page; the cursor is a user id. */
  async *users(
    { limit, cursor: first, ...range }: UserDaysQuery,
    { signal }: RequestOptions = {},
  ): AsyncGenerator<UserDayPage, void, undefined> {
    const query = dateQuery(range, this.#now());
    yield* this.calls.pages('people', { query, limit: limitQuery(limit), first, signal });
  }

  #rows<N extends EndpointName>(
    name: N,
  ): (range: DateRange, options?: RequestOptions) => Promise<AnalyticsRows<ItemOf<N>>> {
    return async (range, { signal } = {}) =>
      this.calls.rows(name, { query: dateQuery(range, this.#now()), signal });
  }
}

/** Section 4.2, at the web application's address. Needs an API key. */
class Readiness extends Part {
  #path: string = endpoints.reports.path;
  #isProbed = false;

  /**
   * All reports, in the service's order. The answer has no end marker, and a service may give fewer than are asked for: only a page
   * that is empty or repeats is the last one.
   */
  async *reports(
    { repoId, limit, startAfter }: ReportsQuery = {},
    { signal }: RequestOptions = {},
  ): AsyncGenerator<Page<ReadinessReport>, void, undefined> {
    const query = { repoId: idQuery('repoId', repoId) };
    const asked = {
      query,
      limit: limitQuery(limit, Infinity),
      first: idQuery('startAfter', startAfter),
      signal,
    };
    const pages = (path: string) => this.calls.pages('reports', { ...asked, path });
    try {
      yield* pages(this.#path);
    } catch (error) {
      // The documented path first; where that is not found, the other one once, and then whichever answered.
      if (this.#isProbed || !isApiError(error) || error.kind !== 'notFound') throw error;
      yield* this.#renamed(pages(RENAMED_REPORTS), error);
    }
  }

  async *#renamed<T>(pages: AsyncIterable<T>, error: Error): AsyncGenerator<T, void, undefined> {
    try {
      for await (const page of pages) {
        [this.#path, this.#isProbed] = [RENAMED_REPORTS, true];
        yield page;
      }
    } catch (second) {
      // Only an answer says which of the two there is; whatever else came is asked again the next time.
      if (this.#isProbed || !isApiError(second) || second.kind !== 'notFound') throw second;
      this.#isProbed = true;
      throw error;
    }
  }
}
