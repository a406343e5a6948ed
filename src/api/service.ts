import { Redactor } from '../util/redact';
import { Calls, type Page, type RequestOptions, type Rows } from './calls';
import { HttpClient, type HttpOptions, type RequestGate, type SentBody } from './client';
import type { ItemOf } from './endpoints';
import { isApiError } from './errors';
import { Extras } from './extras';
import type { DateRange } from './resources/analytics';
import type { ReadinessReport } from './resources/readiness';
import type { CreateSession, SessionSettings } from './resources/session';

export interface ApiClientOptions extends Omit<HttpOptions, 'redactor' | 'gate' | 'timeouts' | 'now'> {
  /** Addresses of the service and of the web application, as `parseAddress` gives them. */
  readonly baseUrl: string;
  readonly appUrl: string;
  /** Shared by all windows, so that a pause the service asks for holds everywhere; one of its own when left out. */
  readonly gate?: RequestGate | undefined;
  /** Key of the marks that stand for secrets; marks compare across clients with the same one. Random when left out. */
  readonly redactionKey?: string | undefined;
  readonly timeouts?: Partial<HttpOptions['timeouts']> | undefined;
  readonly now?: (() => number) | undefined;
}

interface GetOptions extends RequestOptions {
  /** Computer to ask directly. */
  readonly computerId?: string | undefined;
}

export interface PageOptions {
  /** Rows a page, 1-100; as many as the interface allows when left out. */
  readonly limit?: number | undefined;
}

interface UserDaysQuery extends DateRange, PageOptions {
  /** The `cursor` of a page read before: begins with the page after it. */
  readonly cursor?: string | undefined;
}

interface ReportsQuery extends PageOptions {
  readonly repoId?: string | undefined;
}

const REPORTS = '/api/organization/maturity-level-reports';
/** Where some services have moved the readiness reports (interface-notes, extras). */
const RENAMED_REPORTS = '/api/organization/agent-readiness-reports';

/**
 * Every endpoint of the service's interface (section 4). Calls fail with `ApiError`. Lists of pages are iterated: one page is asked
 * for at a time.
 */
export class ApiClient {
  /** What only some services offer. */
  readonly extras: Extras;
  readonly #http: HttpClient;
  readonly #calls: Calls;
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
    this.#calls = new Calls({ baseUrl, appUrl }, this.#http, log);
    this.extras = new Extras(this.#calls, log, now);
  }

  /** Gives up every request under way; later ones fail as cancelled. */
  dispose(): void {
    this.#http.close();
  }

  /** Sections 4.9 and 4.10. */
  readonly computers = {
    list: (options: RequestOptions = {}) => this.#calls.list('computers', options),
    get: (computerId: string, { signal }: RequestOptions = {}) =>
      this.#calls.one('computer', { ids: { computerId }, signal }),
  };

  /** Sections 4.5 and 4.6. There is no documented call that lists sessions. */
  readonly sessions = {
    /** Sent once. Fails with kind `outcomeUnknown` when the session may have been created all the same. */
    create: ({ computerId, sessionSettings }: CreateSession, { signal }: RequestOptions = {}) => {
      const settings: SessionSettings | undefined = sessionSettings && { ...sessionSettings };
      delete settings?.tokenUsage;
      const body = JSON.stringify({ computerId, sessionSettings: settings });
      return this.#calls.one('createSession', { body, signal });
    },
    get: (sessionId: string, { computerId, signal }: GetOptions = {}) =>
      this.#calls.one('session', { ids: { sessionId }, query: { computerId }, signal }),
  };

  /** Sections 4.7 and 4.8. There is no documented call that lists messages. */
  readonly messages = {
    /**
     * The body of section 4.7 as ready-made JSON, sent once. Fails with kind `outcomeUnknown` when the message may have arrived all
     * the same, and with another kind only when it certainly did not.
     */
    sendBody: (sessionId: string, body: SentBody, { signal }: RequestOptions = {}) =>
      this.#calls.one('sendMessage', { ids: { sessionId }, body, signal }),
    get: (sessionId: string, messageId: string, { computerId, signal }: GetOptions = {}) =>
      this.#calls.one('message', { ids: { sessionId, messageId }, query: { computerId }, signal }),
  };

  /** Sections 4.3 and 4.4. */
  readonly organization = {
    users: ({ limit }: PageOptions = {}, { signal }: RequestOptions = {}) =>
      this.#calls.pages('users', { limit, signal }),
    controlHistory: ({ limit }: PageOptions = {}, { signal }: RequestOptions = {}) =>
      this.#calls.pages('controlHistory', { limit, signal }),
  };

  /**
   * Section 4.1: UTC days from `EARLIEST_DAY` through `latestDay`. Needs an API key with the Manager or Owner role: kind
   * `forbidden` without the role, `unauthorized` with reason `jwt` for a JWT.
   */
  readonly analytics = {
    tokens: this.#days('tokens'),
    tools: this.#days('tools'),
    activity: this.#days('activity'),
    productivity: this.#days('productivity'),
    /** One person's day a row; the cursor is a user id, and `limit` does not count rows. */
    users: ({ startDate, endDate, limit, cursor: first }: UserDaysQuery, { signal }: RequestOptions = {}) =>
      this.#calls.pages('people', { query: { startDate, endDate }, limit, first, signal }),
  };

  /** Section 4.2, at the web application's address. Needs an API key. */
  readonly readiness = {
    /** In the service's order. Without an end marker, only a page that is empty or repeats is the last one. */
    reports: (query?: ReportsQuery, options?: RequestOptions) => this.#reports(query, options),
  };

  #days<N extends 'tokens' | 'tools' | 'activity' | 'productivity'>(
    name: N,
  ): (range: DateRange, options?: RequestOptions) => Promise<Rows<ItemOf<N>>> {
    return ({ startDate, endDate }, { signal } = {}) =>
      this.#calls.list(name, { query: { startDate, endDate }, signal });
  }

  /** The documented path first; where that is not found, the other one once, and then whichever answered. */
  async *#reports(
    { repoId, limit }: ReportsQuery = {},
    { signal }: RequestOptions = {},
  ): AsyncGenerator<Page<ReadinessReport>, void, undefined> {
    let refusal: unknown;
    for (const path of this.#reportsPath === undefined ? [REPORTS, RENAMED_REPORTS] : [this.#reportsPath]) {
      try {
        for await (const page of this.#calls.pages('reports', { query: { repoId }, limit, signal, path })) {
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
