import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { ApiClient, isApiError, type ApiClientOptions, type ApiError } from '../../../src/api';
import { failureOf as settled } from '../../../src/api/errors';
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

/** What pauses the clients that share it. */
export function gateOf() {
  const ends = new Map<string, number>();
  return {
    pausedUntil: (origin: string) => ends.get(origin) ?? 0,
    pause: (origin: string, end: number) => void ends.set(origin, end),
  };
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
    gate: gateOf(),
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

/** `read`, or why `work` fails. */
export async function outcomeOf(work: Promise<unknown>): Promise<string> {
  const error = await settled(() => work);
  return error?.reason ?? error?.kind ?? 'read';
}

/** Timers that keep the process alive, whoever made them; the deadline of a test runs once it has begun to wait. */
export async function timers(): Promise<number> {
  await Promise.resolve();
  return process.getActiveResourcesInfo().filter(name => name === 'Timeout').length;
}

/** Fails where `work` leaves a listener or a timer. */
export async function leavesNothing(work: (abort: AbortController) => Promise<unknown>): Promise<void> {
  const abort = new AbortController();
  const before = await timers();
  await work(abort);
  assert.equal(getEventListeners(abort.signal, 'abort').length, 0);
  assert.equal(await timers(), before, 'no timer is left');
}

export const DAYS = { startDate: '2026-11-01', endDate: '2026-11-20' };
export const RANGE = 'startDate=2026-11-01&endDate=2026-11-20';
export const SESSION = { sessionId: 's1', status: 'idle', messageCount: 2, createdAt: 1, updatedAt: 2 };
export const COMPUTER = { id: 'c1', name: 'atlas', providerType: 'byom', createdAt: 1 };
const content = [{ type: 'text', text: 'hi', id: 'x' }];
export const MESSAGE = { id: 'm1', role: 'user', content, createdAt: 1, updatedAt: 2 };
const meta = { org_id: 'o', start_date: DAYS.startDate, end_date: DAYS.endDate, has_more: false };
const rows = { data: [{ date: '2026-11-01', user_id: 'u' }], meta };
const pagination = { hasMore: false, nextCursor: null };
const reports = [{ reportId: 'r1', createdAt: 1, repoUrl: 'https://host/a/b', apps: {}, report: {} }];
const [users, changes] = [[{ id: 'u1' }], [{ revision: 1, settings: {} }]];
const sent = { messageId: 'm1' };
const ORGANIZATION = '/api/v0/organization';

/** Each call of section 4, what it asks for, an answer it takes, and its body. */
const ASKED = [
  ['computers', 'GET /api/v0/computers', { computers: [{ id: 'c1' }] }],
  ['computer', 'GET /api/v0/computers/c1', COMPUTER],
  ['session', 'GET /api/v0/sessions/s1?computerId=c%2F1', SESSION],
  ['message', 'GET /api/v0/sessions/s1/messages/m1?computerId=c1', MESSAGE],
  ['users', `GET ${ORGANIZATION}/users?limit=7`, { users, pagination }],
  ['controlHistory', `GET ${ORGANIZATION}/enterprise-controls/history?limit=100`, { changes, pagination }],
  ['tokens', `GET /api/v1/analytics/tokens?${RANGE}`, rows],
  ['tools', `GET /api/v1/analytics/tools?${RANGE}`, rows],
  ['activity', `GET /api/v1/analytics/activity?${RANGE}`, rows],
  ['productivity', `GET /api/v1/analytics/productivity?${RANGE}`, rows],
  ['people', `GET /api/v1/analytics/users?${RANGE}&limit=20`, rows],
  ['reports', 'GET /api/organization/maturity-level-reports?repoId=a+b%26c&limit=5000', { reports }],
  ['createSession', 'POST /api/v0/sessions', { sessionId: 's1' }, { computerId: 'c1' }],
  ['sendMessage', 'POST /api/v0/sessions/s1/messages', sent, { text: BODY }],
] as const;

const ids = { computerId: 'c1', sessionId: 's1', messageId: 'm1' };
export const ENDPOINTS = ASKED.map(([name, asked, good, posted]) => {
  const [method = '', url = ''] = asked.split(' ');
  const [path = '', search] = url.split('?');
  const { limit, ...query } = Object.fromEntries(new URLSearchParams(search));
  const body = posted && JSON.stringify(posted);
  const call = (api: ApiClient, signal?: AbortSignal): Promise<unknown> => {
    const asks = { ids, query, signal, ...(body && { body }) };
    // The first page. The next one alone tells that a list without an end marker was all; 100 is the limit without one.
    if (limit === undefined) return api.list(name, asks);
    return api.pages(name, { ...asks, limit: limit === '100' ? undefined : Number(limit) }).next();
  };
  return { name, method, url, path, body, good, call };
});
const callOf = (sought: string) => ENDPOINTS.find(({ name }) => name === sought)!.call;
export const [list, create, send] = [callOf('computers'), callOf('createSession'), callOf('sendMessage')];
