import type { Logger } from '../log';
import { Analytics } from './analytics';
import type { FetchLike } from './attempt';
import { Computers } from './computers';
import type { ApiError } from './errors';
import { Extras } from './extras';
import { Http } from './http';
import { Messages } from './messages';
import { Organization } from './organization';
import { Readiness } from './readiness';
import { Redactor } from './redaction';
import type { RequestGate } from './retryAfter';
import type { Service, Timeouts } from './service';
import { Sessions } from './sessions';

export interface ApiClientOptions {
  /** Address of the service, as `parseAddress` gives it. */
  readonly baseUrl: string;
  /** Address of the web application, as `parseAddress` gives it. */
  readonly appUrl: string;
  /** API key or JWT; asked for each request, never kept. */
  readonly key: () => Promise<string | undefined>;
  /** Asked once after a 401. True when the key has changed meanwhile: a GET is tried once more. */
  readonly onUnauthorized?: ((error: ApiError) => Promise<boolean>) | undefined;
  readonly log: Logger;
  /** Shared by all windows, so that a pause the service asks for holds everywhere; one of its own when left out. */
  readonly gate?: RequestGate | undefined;
  /** Key of the marks that stand for secrets; marks compare across clients with the same one. Random when left out. */
  readonly redactionKey?: string | undefined;
  /** For one attempt including its body, ms: 15,000 for a GET, 60,000 for a POST and for analytics. */
  readonly timeouts?: Partial<Timeouts> | undefined;
  readonly now?: (() => number) | undefined;
  readonly delay?: ((ms: number, signal: AbortSignal) => Promise<void>) | undefined;
  readonly random?: (() => number) | undefined;
  readonly fetch?: FetchLike | undefined;
  /** The script of the worker that reads large answers; this room's own when left out. */
  readonly workerScript?: string | undefined;
}

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
  readonly #http: Http;

  constructor(options: ApiClientOptions) {
    this.#http = new Http(options);
    const service: Service = {
      http: this.#http,
      log: options.log,
      redactor: new Redactor(options.redactionKey),
      baseUrl: options.baseUrl,
      appUrl: options.appUrl,
      timeouts: { get: 15_000, post: 60_000, analytics: 60_000, ...options.timeouts },
      now: options.now ?? Date.now,
    };
    this.computers = new Computers(service);
    this.sessions = new Sessions(service);
    this.messages = new Messages(service);
    this.organization = new Organization(service);
    this.analytics = new Analytics(service);
    this.readiness = new Readiness(service);
    this.extras = new Extras(service);
  }

  /** Gives up every request under way; later ones fail as cancelled. */
  dispose(): void {
    this.#http.close();
  }
}
