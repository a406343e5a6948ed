import assert from 'node:assert/strict';
import { ApiClient, isApiError, type ApiClientOptions, type ApiError } from '../../../src/api';
import type { Logger } from '../../../src/log';
import type { FaultServer } from '../../fakes/faultServer';

export const KEY = 'fk-canary-0123456789-abcdefgh';
/** Noon (UTC) of a day on which 2026-11-20 is the latest that can be asked for. */
export const NOON = Date.UTC(2026, 10, 21, 12);

/** Keeps every line. */
export class MemoryLog implements Logger {
  readonly lines: string[] = [];
  trace(message: string): void {
    this.lines.push(message);
  }
  debug(message: string): void {
    this.lines.push(message);
  }
  info(message: string): void {
    this.lines.push(message);
  }
  warn(message: string): void {
    this.lines.push(message);
  }
  error(message: string, cause?: unknown): void {
    this.lines.push(`${message} ${String(cause)}`);
  }
}

export interface TestClient {
  readonly api: ApiClient;
  readonly log: MemoryLog;
  /** Every wait asked for, ms. */
  readonly waits: number[];
  readonly clock: { now: number };
}

/** A client of `server` whose waits take no time but move its clock. */
export function clientOf(
  server: Pick<FaultServer, 'origin'>,
  options: Partial<ApiClientOptions> = {},
): TestClient {
  const log = new MemoryLog();
  const waits: number[] = [];
  const clock = { now: NOON };
  const api = new ApiClient({
    baseUrl: server.origin,
    appUrl: server.origin,
    key: () => Promise.resolve(KEY),
    log,
    now: () => clock.now,
    random: () => 0.5,
    delay: ms => {
      waits.push(ms);
      clock.now += ms;
      return Promise.resolve();
    },
    ...options,
  });
  return { api, log, waits, clock };
}

/** The error `work` fails with; fails the test when it does not. */
export async function failureOf(work: Promise<unknown>): Promise<ApiError> {
  const error: unknown = await work.then(
    value => assert.fail(`resolved to ${JSON.stringify(value)}`),
    (thrown: unknown) => thrown,
  );
  assert.ok(isApiError(error), String(error));
  return error;
}

export async function collect<T>(pages: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const page of pages) all.push(page);
  return all;
}

export interface Endpoint {
  readonly name: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly call: (api: ApiClient, signal?: AbortSignal) => Promise<unknown>;
  /** An answer the endpoint takes. */
  readonly good: unknown;
}

const DAYS = { startDate: '2026-11-01', endDate: '2026-11-20' };
export const SESSION = { sessionId: 's1', status: 'idle', messageCount: 2, createdAt: 1, updatedAt: 2 };
export const COMPUTER = { id: 'c1', name: 'atlas', providerType: 'byom', createdAt: 1 };
export const MESSAGE = {
  id: 'm1',
  role: 'user',
  content: [{ type: 'text', text: 'hi', id: 'x' }],
  createdAt: 1,
  updatedAt: 2,
};
const META = { org_id: 'o', start_date: DAYS.startDate, end_date: DAYS.endDate };
const rows = {
  data: [{ date: '2026-11-01', group_key: 'k', user_id: 'u' }],
  meta: { ...META, has_more: false },
};
const LAST = { hasMore: false, nextCursor: null };

const drain = (pages: AsyncIterable<unknown>): Promise<unknown> => collect(pages);

/** Every endpoint of section 4. */
export const ENDPOINTS: readonly Endpoint[] = [
  get('computers.list', '/api/v0/computers', (api, signal) => api.computers.list({ signal }), {
    computers: [COMPUTER],
  }),
  get(
    'computers.get',
    '/api/v0/computers/c1',
    (api, signal) => api.computers.get('c1', { signal }),
    COMPUTER,
  ),
  get('sessions.get', '/api/v0/sessions/s1', (api, signal) => api.sessions.get('s1', { signal }), SESSION),
  get(
    'messages.get',
    '/api/v0/sessions/s1/messages/m1',
    (api, signal) => api.messages.get('s1', 'm1', { signal }),
    MESSAGE,
  ),
  get(
    'organization.users',
    '/api/v0/organization/users',
    (api, signal) => drain(api.organization.users({}, { signal })),
    {
      users: [{ id: 'u1' }],
      pagination: LAST,
    },
  ),
  get(
    'organization.controlHistory',
    '/api/v0/organization/enterprise-controls/history',
    (api, signal) => drain(api.organization.controlHistory({}, { signal })),
    { changes: [{ revision: 1, settings: {} }], pagination: LAST },
  ),
  get(
    'analytics.tokens',
    '/api/v1/analytics/tokens',
    (api, signal) => api.analytics.tokens(DAYS, { signal }),
    rows,
  ),
  get(
    'analytics.tools',
    '/api/v1/analytics/tools',
    (api, signal) => api.analytics.tools(DAYS, { signal }),
    rows,
  ),
  get(
    'analytics.activity',
    '/api/v1/analytics/activity',
    (api, signal) => api.analytics.activity(DAYS, { signal }),
    rows,
  ),
  get(
    'analytics.productivity',
    '/api/v1/analytics/productivity',
    (api, signal) => api.analytics.productivity(DAYS, { signal }),
    rows,
  ),
  get(
    'analytics.users',
    '/api/v1/analytics/users',
    (api, signal) => drain(api.analytics.users(DAYS, { signal })),
    rows,
  ),
  get(
    'readiness.reports',
    '/api/organization/maturity-level-reports',
    // Its first page: without an end marker, only the next one tells that it was all.
    (api, signal) => api.readiness.reports({}, { signal }).next(),
    { reports: [{ reportId: 'r1', createdAt: 1, repoUrl: 'https://host/a/b', apps: {}, report: {} }] },
  ),
  post(
    'sessions.create',
    '/api/v0/sessions',
    (api, signal) => api.sessions.create({ computerId: 'c1' }, { signal }),
    SESSION,
  ),
  post(
    'messages.send',
    '/api/v0/sessions/s1/messages',
    (api, signal) => api.messages.send('s1', { text: 'hi' }, { signal }),
    {
      messageId: 'm1',
      status: 'pending',
    },
  ),
];

function get(name: string, path: string, call: Endpoint['call'], good: unknown): Endpoint {
  return { name, method: 'GET', path, call, good };
}

function post(name: string, path: string, call: Endpoint['call'], good: unknown): Endpoint {
  return { name, method: 'POST', path, call, good };
}
