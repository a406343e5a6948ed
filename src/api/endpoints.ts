import type * as z from 'zod/mini';
import type { Search } from '../util/redact';
import { openObject } from './decode';
import * as resources from './resources';

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

  users: { ...paged, path: `${ORGANIZATION}/users`, schema: resources.userSchema, list: 'users' },
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
    key: ['date', 'user_id'],
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
