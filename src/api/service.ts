import { Redactor } from '../util/redact';
import { Calls, type Page, type RequestOptions, type Rows } from './calls';
import { HttpClient, type HttpOptions, type RequestGate, type SentBody } from './client';
import type { ItemOf } from './endpoints';
import { isApiError } from './errors';
import { Extras } from './extras';
import { dateQuery, idQuery, idSegment, limitQuery, type DateRange } from './queries';
import type { ReadinessReport } from './resources/readiness';
import type { CreateSession, SessionSettings } from './resources/session';

export interface ApiClientOptions extends Omit<HttpOptions, 'redactor' | 'gate' | 'timeouts' | 'now'> {
  /** Address of the service, as `parseAddress` gives it. */
  readonly baseUrl: string;
  /** Address of the web application, as `parseAddress` gives it. */
  readonly appUrl: string;
  /** Shared by all windows, so that a pause the service asks for holds everywhere; one of its own when left out. */
  readonly gate?: RequestGate | undefined;
  /** Key of the marks that stand for secrets; marks compare across clients with the same one. Random when left out. */
  readonly redactionKey?: string | undefined;
  readonly timeouts?: Partial<HttpOptions['timeouts']> | undefined;
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

export interface UserDaysQuery extends DateRange, PageOptions {
  /** The `cursor` of a page read before: begins with the page after it. */
  readonly cursor?: string | undefined;
}

export interface ReportsQuery extends PageOptions {
  readonly repoId?: string | undefined;
  /** Id of the report after which the list begins; at its beginning when left out. */
  readonly startAfter?: string | undefined;
}

const REPORTS = '/api/organization/maturity-level-reports';
/** Where some services have moved the readiness reports (interface-notes, extras). */
const RENAMED_REPORTS = '/api/organization/agent-readiness-reports';

/**
 * Every endpoint of the service's interface (section 4). Calls fail with `ApiError`, or with `QueryError` when the interface does
 * not allow the query and nothing was sent. The last argument of each takes an `AbortSignal`.
 */
export class ApiClient {
  /** What only some services offer. */
  readonly extras: Extras;
  readonly #http: HttpClient;
  readonly #calls: Calls;
  readonly #now: () => number;
  /** Where the readiness reports are, as far as an answer has said so. */
  #reportsPath: string | undefined;

  constructor(options: ApiClientOptions) {
    const { baseUrl, appUrl, redactionKey, gate = memoryGate(), now = Date.now, timeouts, log } = options;
    this.#http = new HttpClient({
      ...options,
      redactor: new Redactor(redactionKey),
      gate,
      now,
      timeouts: { get: 15_000, post: 60_000, analytics: 60_000, ...timeouts },
    });
    this.#now = now;
    this.#calls = new Calls({ baseUrl, appUrl }, this.#http, log);
    this.extras = new Extras(this.#calls, log, now);
  }

  /** Gives up every request under way; later ones fail as cancelled. */
  dispose(): void {
    this.#http.close();
  }

  /** Sections 4.9 and 4.10. */
  readonly computers = {
    /** All computers, in no promised order. */
    list: (options: RequestOptions = {}) => this.#calls.list('computers', options),
    get: (computerId: string, { signal }: RequestOptions = {}) =>
      this.#calls.one('computer', { ids: { computerId }, signal }),
  };

  /** Sections 4.5 and 4.6. There is no documented call that lists sessions. */
  readonly sessions = {
    /** Sent once. Fails with kind `outcomeUnknown` when the session may have been created all the same. */
    create: async ({ computerId, sessionSettings }: CreateSession, { signal }: RequestOptions = {}) => {
      idSegment('computerId', computerId);
      const settings: SessionSettings | undefined = sessionSettings && { ...sessionSettings };
      delete settings?.tokenUsage;
      const body = JSON.stringify({ computerId, sessionSettings: settings });
      return this.#calls.one('createSession', { body, signal });
    },
    get: async (sessionId: string, { computerId, signal }: GetOptions = {}) => {
      const query = { computerId: idQuery('computerId', computerId) };
      return this.#calls.one('session', { ids: { sessionId }, query, signal });
    },
  };

  /** Sections 4.7 and 4.8. There is no documented call that lists messages. */
  readonly messages = {
    /**
     * The body of section 4.7 as ready-made JSON, sent once. Fails with kind `outcomeUnknown` when the message may have arrived all
     * the same, and with another kind only when it certainly did not.
     */
    sendBody: (sessionId: string, body: SentBody, { signal }: RequestOptions = {}) =>
      this.#calls.one('sendMessage', { ids: { sessionId }, body, signal }),
    get: async (sessionId: string, messageId: string, { computerId, signal }: GetOptions = {}) => {
      const query = { computerId: idQuery('computerId', computerId) };
      return this.#calls.one('message', { ids: { sessionId, messageId }, query, signal });
    },
  };

  /** Sections 4.3 and 4.4. Iterating asks for one page at a time and rejects with `ApiError` or `QueryError`. */
  readonly organization = {
    users: (options?: PageOptions, request?: RequestOptions) => this.#pages('users', options, request),
    /** In the service's order. */
    controlHistory: (options?: PageOptions, request?: RequestOptions) =>
      this.#pages('controlHistory', options, request),
  };

  /**
   * Section 4.1. Days are UTC, from 2026-01-14 through yesterday; anything else rejects with `QueryError` and is not sent. Needs
   * an API key with the Manager or Owner role: kind `forbidden` without the role, `unauthorized` with reason `jwt` for a JWT.
   */
  readonly analytics = {
    tokens: this.#days('tokens'),
    /** Credentials within hook commands arrive redacted. */
    tools: this.#days('tools'),
    activity: this.#days('activity'),
    productivity: this.#days('productivity'),
    /** One person's day a row, page by page; the cursor is a user id. `limit` does not count rows. */
    users: (query: UserDaysQuery, options?: RequestOptions) => this.#people(query, options),
  };

  /** Section 4.2, at the web application's address. Needs an API key. */
  readonly readiness = {
    /**
     * All reports, in the service's order. The answer has no end marker, and a service may give fewer than are asked for: only a
     * page that is empty or repeats is the last one.
     */
    reports: (query?: ReportsQuery, options?: RequestOptions) => this.#reports(query, options),
  };

  async *#pages<N extends 'users' | 'controlHistory'>(
    name: N,
    { limit }: PageOptions = {},
    { signal }: RequestOptions = {},
  ): AsyncGenerator<Page<ItemOf<N>>, void, undefined> {
    yield* this.#calls.pages(name, { limit: limitQuery(limit), signal });
  }

  #days<N extends 'tokens' | 'tools' | 'activity' | 'productivity'>(
    name: N,
  ): (range: DateRange, options?: RequestOptions) => Promise<Rows<ItemOf<N>>> {
    return async (range, { signal } = {}) =>
      this.#calls.list(name, { query: dateQuery(range, this.#now()), signal });
  }

  async *#people(
    { limit, cursor: first, ...range }: UserDaysQuery,
    { signal }: RequestOptions = {},
  ): AsyncGenerator<Page<ItemOf<'people'>> & Rows<ItemOf<'people'>>, void, undefined> {
    const query = dateQuery(range, this.#now());
    yield* this.#calls.pages('people', { query, limit: limitQuery(limit), first, signal });
  }

  /** The documented path first; where that is not found, the other one once, and then whichever answered. */
  async *#reports(
    { repoId, limit, startAfter }: ReportsQuery = {},
    { signal }: RequestOptions = {},
  ): AsyncGenerator<Page<ReadinessReport>, void, undefined> {
    const query = { repoId: idQuery('repoId', repoId) };
    const first = idQuery('startAfter', startAfter);
    const asked = { query, limit: limitQuery(limit, Infinity), first, signal };
    let refusal: unknown;
    for (const path of this.#reportsPath === undefined ? [REPORTS, RENAMED_REPORTS] : [this.#reportsPath]) {
      try {
        for await (const page of this.#calls.pages('reports', { ...asked, path })) {
          this.#reportsPath = path;
          yield page;
        }
        return;
      } catch (error) {
        const isUnknown = this.#reportsPath === undefined && isApiError(error) && error.kind === 'notFound';
        if (!isUnknown) throw error;
        refusal ??= error;
      }
    }
    this.#reportsPath = REPORTS;
    throw refusal;
  }
}

/** A gate for one client alone. */
function memoryGate(): RequestGate {
  const until = new Map<string, number>();
  return {
    pausedUntil: origin => until.get(origin) ?? 0,
    pause: (origin, untilMs) => void until.set(origin, Math.max(untilMs, until.get(origin) ?? 0)),
  };
}
