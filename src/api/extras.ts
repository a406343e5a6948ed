import type { Logger } from '../log';
import { failureOf, isApiError } from './errors';
import type { Message, Session } from './resources';
import type { ApiClient, Asked, Page } from './service';

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
  readonly #sessions: Probe;
  readonly #messages: Probe;
  #hasInterrupt = true;

  constructor(api: Pick<ApiClient, 'one' | 'page'>, log: Logger, now: () => number) {
    this.#api = api;
    this.#sessions = new Probe(log, now);
    this.#messages = new Probe(log, now);
  }

  /** A page of the sessions this key may see. Rejects with `ApiError` only where the list is known to exist. */
  sessions(first?: string, { signal }: RequestOptions = {}): Promise<Extra<Page<Session>>> {
    return this.#sessions.run(once => this.#api.page('sessions', { first, once, signal }));
  }

  /** Whether agents can be stopped: where the list of sessions has answered, until that is refused. */
  get canInterrupt(): boolean {
    return this.#hasInterrupt && this.#sessions.offered === true;
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

/** Remembers whether a call is offered; callers at the same time share the first try, which is one request. */
class Probe {
  readonly #log: Logger;
  readonly #now: () => number;
  offered: boolean | undefined;
  #notBefore = 0;
  #first: Promise<unknown> | undefined;

  constructor(log: Logger, now: () => number) {
    this.#log = log;
    this.#now = now;
  }

  /** `owner` rejects where what the list belongs to does not exist: then a list that is not found says nothing of the service. */
  async run<T>(ask: (once: boolean) => Promise<T>, owner?: () => Promise<unknown>): Promise<Extra<T>> {
    while (this.#first !== undefined) await this.#first;
    if (this.offered === true) return ask(false);
    if (this.offered === false || this.#now() < this.#notBefore) return 'missing';
    const first = this.#try(ask, owner);
    this.#first = first.catch(() => undefined).finally(() => (this.#first = undefined));
    return first;
  }

  /** A refusal of the first try is no error of anybody's. */
  async #try<T>(ask: (once: boolean) => Promise<T>, owner?: () => Promise<unknown>): Promise<Extra<T>> {
    try {
      const answer = await ask(true);
      this.offered = true;
      return answer;
    } catch (error) {
      if (!isApiError(error)) throw error;
      const doubt = error.kind === 'notFound' ? owner && (await failureOf(owner)) : undefined;
      const { kind, status } = doubt ?? error;
      const isFirm = status === 501 || /^(notFound|forbidden|refused|malformedAnswer)$/.test(kind);
      if (doubt === undefined && isFirm) this.offered = false;
      // What is gone or was cancelled says nothing about a service; one that is out of order is not better in a moment.
      else if (!/^(cancelled|notFound|forbidden)$/.test(kind)) this.#notBefore = this.#now() + PROBE_AGAIN;
      this.#log.debug(`${error.request.path}: not offered here (${String(error.status ?? error.kind)})`);
      return 'missing';
    }
  }
}
