import type * as z from 'zod/mini';
import type { Search } from '../util/redact';
import { openObject } from './decode';
import * as resources from './resources';
import type { Logger } from '../log';
import { failureOf, isApiError } from './errors';
import type { Message, Session } from './resources';
import type { ApiClient, Asked, Page } from './service';

/** A call of the interface (section 4). */
export interface Endpoint<S extends z.ZodMiniType = z.ZodMiniType> {
  readonly method: 'GET' | 'POST';
  /** The service's address, or the web application's. */
  readonly at: 'baseUrl' | 'appUrl';
  readonly path: string;
  /** Of the answer, or of each item of the list in it. */
  readonly schema: S;
  /** The member of the answer that is the list. */
  readonly list?: string;
  /** The fields that tell an item from all others of the list, the first of which is its id; `id` when left out. */
  readonly key?: readonly [string, ...string[]];
  /** What leads to the next page: `{ hasMore, nextCursor }`, the same within `meta`, or the id of the last item. */
  readonly pages?: 'pagination' | 'meta' | 'lastId';
  readonly tidy?: (item: unknown) => unknown;
  /** Where names of members are of criteria and tools, they do not say what is a secret. */
  readonly secrets: Search;
  /** Largest answer taken, bytes after decompression. */
  readonly maxBytes: number;
}

const MB = 1024 * 1024;
const v0 = { at: 'baseUrl', secrets: 'all', maxBytes: 16 * MB } as const;
const get = { method: 'GET', ...v0 } as const;
const post = { method: 'POST', ...v0 } as const;
const paged = { ...get, pages: 'pagination' } as const;
const days = { ...get, list: 'data', secrets: 'texts', maxBytes: 96 * MB } as const;
const day = { ...days, key: ['date'] } as const;

const COMPUTERS = '/api/v0/computers';
const SESSIONS = '/api/v0/sessions';
const MESSAGES = `${SESSIONS}/{sessionId}/messages`;
const ORGANIZATION = '/api/v0/organization';
const HISTORY = `${ORGANIZATION}/enterprise-controls/history`;
const ANALYTICS = '/api/v1/analytics';

export const endpoints = {
  computers: { ...get, path: COMPUTERS, schema: resources.computerSchema, list: 'computers' },
  computer: { ...get, path: `${COMPUTERS}/{computerId}`, schema: resources.computerSchema },

  createSession: { ...post, path: SESSIONS, schema: resources.sessionSchema },
  session: { ...get, path: `${SESSIONS}/{sessionId}`, schema: resources.sessionSchema },
  /** Only some services have it, `interrupt` and `messages` (interface-notes, extras). */
  sessions: {
    ...paged,
    path: SESSIONS,
    schema: resources.sessionSchema,
    list: 'sessions',
    key: ['sessionId'],
  },
  interrupt: { ...post, path: `${SESSIONS}/{sessionId}/interrupt`, schema: openObject({}) },

  sendMessage: { ...post, path: MESSAGES, schema: resources.sentSchema },
  message: { ...get, path: `${MESSAGES}/{messageId}`, schema: resources.messageSchema },
  messages: { ...paged, path: MESSAGES, schema: resources.messageSchema, list: 'messages' },

  users: {
    ...paged,
    path: `${ORGANIZATION}/users`,
    schema: resources.userSchema,
    list: 'users',
  },
  controlHistory: {
    ...paged,
    path: HISTORY,
    schema: resources.controlChangeSchema,
    list: 'changes',
    key: ['revision'],
  },

  tokens: { ...day, path: `${ANALYTICS}/tokens`, schema: resources.tokenDaySchema },
  tools: { ...day, path: `${ANALYTICS}/tools`, schema: resources.toolDaySchema },
  activity: { ...day, path: `${ANALYTICS}/activity`, schema: resources.activityDaySchema },
  productivity: { ...day, path: `${ANALYTICS}/productivity`, schema: resources.productivityDaySchema },
  people: {
    ...days,
    path: `${ANALYTICS}/users`,
    schema: resources.userDaySchema,
    key: ['user_id', 'date'],
    pages: 'meta',
  },

  reports: {
    ...get,
    at: 'appUrl',
    path: '/api/organization/maturity-level-reports',
    schema: resources.reportSchema,
    tidy: resources.tidyReport,
    list: 'reports',
    key: ['reportId'],
    pages: 'lastId',
    secrets: 'texts',
  },
} as const satisfies Readonly<Record<string, Endpoint>>;

export type EndpointName = keyof typeof endpoints;
/** What an endpoint answers with, or an item of its list. */
export type ItemOf<N extends EndpointName> = z.output<(typeof endpoints)[N]['schema']>;

type IdIn<Path> = Path extends `${string}{${infer Id}}${infer Rest}` ? Id | IdIn<Rest> : never;
/** What stands in the path of an endpoint. */
export type IdOf<N extends EndpointName> = IdIn<(typeof endpoints)[N]['path']>;

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
