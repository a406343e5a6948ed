import assert from 'node:assert/strict';
import { ApiClient, isApiError, type ApiClientOptions, type ApiError } from '../../../src/api';
import { FaultServer } from '../../fakes/faultServer';
import { silentLog } from '../../fakes/log';

export const KEY = 'fk-canary-0123456789-abcdefgh';
/** What a message says. */
export const BODY = 'canary-of-a-message-body';
/** Noon (UTC) of a day on which 2026-11-20 is the latest that can be asked for. */
export const NOON = Date.UTC(2026, 10, 21, 12);

/** A server for the tests of a `describe`. */
export function testServer(): FaultServer {
  const server = new FaultServer();
  before(() => server.listen());
  after(() => server.close());
  return server;
}

/** A client of `server` whose waits take no time but move its clock. */
export function clientOf(server: Pick<FaultServer, 'origin'>, options: Partial<ApiClientOptions> = {}) {
  const log = silentLog();
  /** Every wait asked for, ms. */
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

const ids = { computerId: 'c1', sessionId: 's1', messageId: 'm1' };
export const list = (api: ApiClient, signal?: AbortSignal) => api.list('computers', { signal });
export const create = (api: ApiClient, signal?: AbortSignal) =>
  api.createSession({ computerId: 'c1' }, { signal });
export const send = (api: ApiClient, signal?: AbortSignal) =>
  api.one('sendMessage', { ids, body: JSON.stringify({ text: BODY }), signal });

export const DAYS = { startDate: '2026-11-01', endDate: '2026-11-20' };
export const RANGE = 'startDate=2026-11-01&endDate=2026-11-20';
export const SESSION = { sessionId: 's1', status: 'idle', messageCount: 2, createdAt: 1, updatedAt: 2 };
export const COMPUTER = { id: 'c1', name: 'atlas', providerType: 'byom', createdAt: 1 };
const content = [{ type: 'text', text: 'hi', id: 'x' }];
export const MESSAGE = { id: 'm1', role: 'user', content, createdAt: 1, updatedAt: 2 };
const meta = { org_id: 'o', start_date: DAYS.startDate, end_date: DAYS.endDate, has_more: false };
const rows = { data: [{ date: '2026-11-01', group_key: 'k', user_id: 'u' }], meta };
const pagination = { hasMore: false, nextCursor: null };
const reports = [{ reportId: 'r1', createdAt: 1, repoUrl: 'https://host/a/b', apps: {}, report: {} }];
const changes = [{ revision: 1, settings: {} }];
const sent = { messageId: 'm1', status: 'pending' };

/** Each call of section 4, what it asks for, and an answer it takes. */
const ASKED = [
  ['computers', 'GET /api/v0/computers', { computers: [COMPUTER] }],
  ['computer', 'GET /api/v0/computers/c1', COMPUTER],
  ['session', 'GET /api/v0/sessions/s1', SESSION],
  ['message', 'GET /api/v0/sessions/s1/messages/m1', MESSAGE],
  ['users', 'GET /api/v0/organization/users?limit=100', { users: [{ id: 'u1' }], pagination }],
  [
    'controlHistory',
    `GET /api/v0/organization/enterprise-controls/history?limit=100`,
    { changes, pagination },
  ],
  ['tokens', `GET /api/v1/analytics/tokens?${RANGE}`, rows],
  ['tools', `GET /api/v1/analytics/tools?${RANGE}`, rows],
  ['activity', `GET /api/v1/analytics/activity?${RANGE}`, rows],
  ['productivity', `GET /api/v1/analytics/productivity?${RANGE}`, rows],
  ['people', `GET /api/v1/analytics/users?${RANGE}&limit=100`, rows],
  ['reports', 'GET /api/organization/maturity-level-reports?limit=100', { reports }],
  ['createSession', 'POST /api/v0/sessions', SESSION],
  ['sendMessage', 'POST /api/v0/sessions/s1/messages', sent],
] as const;

export const ENDPOINTS = ASKED.map(([name, asked, good]) => {
  const [method = '', path = '', query = ''] = asked.split(/[ ?]/);
  const given = { ids, query: query.startsWith(RANGE) ? DAYS : {} };
  const call = (api: ApiClient, signal?: AbortSignal): Promise<unknown> => {
    if (name === 'createSession') return create(api, signal);
    if (name === 'sendMessage') return send(api, signal);
    // Its first page: without an end marker, only the next one tells that it was all.
    if (name === 'reports') return api.pages(name, { signal }).next();
    const asks = { ...given, signal };
    return query.includes('limit') ? collect(api.pages(name, asks)) : api.list(name, asks);
  };
  return { name, method, path, query, good, call };
});
