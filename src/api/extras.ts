import { decodeRows, isRecord, listIn } from './decode';
import { isApiError, type ApiError } from './errors';
import { CONTENT, messageSchema, type Message } from './messages';
import { onward, type Page } from './pagination';
import { idSegment, limitQuery } from './queries';
import type { RedactionRules } from './redaction';
import { v0Get, type Query, type RequestOptions, type Service } from './service';
import { sessionSchema, type Session } from './sessions';
import type * as z from 'zod/mini';

/** Items asked for a page. */
const PAGE = 100;
/** After a probe without a telling answer, the next one is not before, ms. */
const PROBE_AGAIN = 5 * 60_000;

/** What a call beyond the documented interface gave: `missing` where this service does not offer it, now or at all. */
export type Extra<T> = T | 'missing';

/**
 * Lists that some services offer beside the documented interface (interface-notes, extras). Each is tried once for the life of
 * this client; where the service says no, that is remembered and nothing is asked again.
 */
export class Extras {
  readonly #service: Service;
  readonly #sessions: Probe;
  readonly #messages: Probe;

  constructor(service: Service) {
    this.#service = service;
    this.#sessions = new Probe(service);
    this.#messages = new Probe(service);
  }

  /** A page of the sessions this key may see. Rejects with `ApiError` only where the list is known to exist. */
  sessions(cursor?: string, { signal }: RequestOptions = {}): Promise<Extra<Page<Session>>> {
    const rules = { texts: false };
    return this.#sessions.run(once =>
      this.#page('/sessions', 'sessions', sessionSchema(), 'sessionId', rules, { cursor, once }, signal),
    );
  }

  /** A page of the messages of a session, in the service's order. Rejects as `sessions` does. */
  async messages(
    sessionId: string,
    cursor?: string,
    { signal }: RequestOptions = {},
  ): Promise<Extra<Page<Message>>> {
    const session = `/sessions/${idSegment('sessionId', sessionId)}`;
    const path = `${session}/messages`;
    const rules = { texts: false, except: CONTENT };
    return this.#messages.run(
      once => this.#page(path, 'messages', messageSchema(), 'id', rules, { cursor, once }, signal),
      () => this.#exists(session, signal),
    );
  }

  /** Whether the service shows this; rejects where that is not known. */
  async #exists(path: string, signal: AbortSignal | undefined): Promise<boolean> {
    try {
      await this.#service.http.request({ ...v0Get(this.#service, path), once: true }, () => true, signal);
      return true;
    } catch (error) {
      if (isApiError(error) && (error.kind === 'notFound' || error.kind === 'forbidden')) return false;
      throw error;
    }
  }

  #page<S extends z.ZodMiniType>(
    path: string,
    name: string,
    schema: S,
    idName: string,
    rules: RedactionRules,
    { cursor, once }: { readonly cursor: string | undefined; readonly once: boolean },
    signal: AbortSignal | undefined,
  ): Promise<Page<z.output<S>>> {
    const { http, redactor } = this.#service;
    const query: Query = { limit: limitQuery(PAGE), cursor };
    return http.request(
      { ...v0Get(this.#service, path, query), once },
      answer => {
        const rows = listIn(answer, name).map(row => redactor.redact(row, rules));
        const { items, problems } = decodeRows(schema, rows, row => row[idName]);
        const next = onward(isRecord(answer) ? answer['pagination'] : undefined, 'hasMore', 'nextCursor');
        return {
          items,
          problems: [...problems, ...next.problems],
          hasMore: next.cursor !== undefined,
          ...(next.cursor === undefined ? {} : { cursor: next.cursor }),
        };
      },
      signal,
    );
  }
}

/** Remembers whether a call is offered; callers at the same time share the first try, which is one request. */
class Probe {
  readonly #service: Service;
  #offered: boolean | undefined;
  #notBefore = 0;
  #first: Promise<unknown> | undefined;

  constructor(service: Service) {
    this.#service = service;
  }

  /** `owner` tells whether what the list belongs to exists: without it, a list that is not found says nothing of the service. */
  async run<T>(ask: (once: boolean) => Promise<T>, owner?: () => Promise<boolean>): Promise<Extra<T>> {
    while (this.#first !== undefined) await this.#first.catch(() => undefined);
    if (this.#offered === true) return ask(false);
    if (this.#offered === false || this.#service.now() < this.#notBefore) return 'missing';
    const probe = this.#try(ask, owner);
    this.#first = probe;
    try {
      return await probe;
    } finally {
      this.#first = undefined;
    }
  }

  /** Never rejects: a failure of the first try is no error of anybody's. */
  async #try<T>(ask: (once: boolean) => Promise<T>, owner?: () => Promise<boolean>): Promise<Extra<T>> {
    try {
      const answer = await ask(true).catch(async (error: unknown) => {
        const isNotFound = isApiError(error) && error.kind === 'notFound';
        if (isNotFound && owner !== undefined && !(await owner())) return undefined;
        throw error;
      });
      if (answer === undefined) return 'missing';
      this.#offered = true;
      return answer;
    } catch (error) {
      if (!isApiError(error)) throw error;
      if (saysNo(error)) this.#offered = false;
      else if (error.kind !== 'cancelled') this.#notBefore = this.#service.now() + PROBE_AGAIN;
      this.#service.log.debug(
        `${error.request.path}: not offered here (${String(error.status ?? error.kind)})`,
      );
      return 'missing';
    }
  }
}

/** An answer that will be the same next time, unlike a service that is out of order or a key that was refused. */
function saysNo({ kind, status }: ApiError): boolean {
  if (status === 501) return true;
  return kind === 'notFound' || kind === 'forbidden' || kind === 'refused' || kind === 'malformedAnswer';
}
