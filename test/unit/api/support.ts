import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { buildSync } from 'esbuild';
import { ApiClient, isApiError, type ApiClientOptions, type ApiError } from '../../../src/api';
import { FaultServer } from '../../fakes/faultServer';
import { silentLog } from '../../fakes/log';

export const KEY = 'fk-canary-0123456789-abcdefgh';
/** Noon (UTC) of a day on which 2026-11-20 is the latest that can be asked for. */
export const NOON = Date.UTC(2026, 10, 21, 12);

interface TestClient {
  readonly api: ApiClient;
  readonly log: ReturnType<typeof silentLog>;
  /** Every wait asked for, ms. */
  readonly waits: number[];
  readonly clock: { now: number };
}

/** A server for the tests of a `describe`. */
export function testServer(): FaultServer {
  const server = new FaultServer();
  before(() => server.listen());
  after(() => server.close());
  return server;
}

/** A client of `server` whose waits take no time but move its clock. */
export function clientOf(
  server: Pick<FaultServer, 'origin'>,
  options: Partial<ApiClientOptions> = {},
): TestClient {
  const log = silentLog();
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

const DAYS = { startDate: '2026-11-01', endDate: '2026-11-20' };
export const SESSION = { sessionId: 's1', status: 'idle', messageCount: 2, createdAt: 1, updatedAt: 2 };
export const COMPUTER = { id: 'c1', name: 'atlas', providerType: 'byom', createdAt: 1 };
const content = [{ type: 'text', text: 'hi', id: 'x' }];
export const MESSAGE = { id: 'm1', role: 'user', content, createdAt: 1, updatedAt: 2 };
const meta = { org_id: 'o', start_date: DAYS.startDate, end_date: DAYS.endDate, has_more: false };
const rows = { data: [{ date: '2026-11-01', group_key: 'k', user_id: 'u' }], meta };
const pagination = { hasMore: false, nextCursor: null };
const reports = [{ reportId: 'r1', createdAt: 1, repoUrl: 'https://host/a/b', apps: {}, report: {} }];

export interface Endpoint {
  readonly name: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly call: (api: ApiClient, signal?: AbortSignal) => Promise<unknown>;
  /** An answer the endpoint takes. */
  readonly good: unknown;
}

const get = (name: string, path: string, good: unknown, call: Endpoint['call']): Endpoint => ({
  name,
  method: 'GET',
  path,
  good,
  call,
});
const analytics = (['tokens', 'tools', 'activity', 'productivity'] as const).map(name =>
  get(`analytics.${name}`, `/api/v1/analytics/${name}`, rows, (api, signal) =>
    api.list(name, { query: DAYS, signal }),
  ),
);
const changes = [{ revision: 1, settings: {} }];

/** Every endpoint of section 4. */
export const ENDPOINTS: readonly Endpoint[] = [
  get('computers.list', '/api/v0/computers', { computers: [COMPUTER] }, (api, signal) =>
    api.list('computers', { signal }),
  ),
  get('computers.get', '/api/v0/computers/c1', COMPUTER, (api, signal) =>
    api.one('computer', { ids: { computerId: 'c1' }, signal }),
  ),
  get('sessions.get', '/api/v0/sessions/s1', SESSION, (api, signal) =>
    api.one('session', { ids: { sessionId: 's1' }, signal }),
  ),
  get('messages.get', '/api/v0/sessions/s1/messages/m1', MESSAGE, (api, signal) =>
    api.one('message', { ids: { sessionId: 's1', messageId: 'm1' }, signal }),
  ),
  get(
    'organization.users',
    '/api/v0/organization/users',
    { users: [{ id: 'u1' }], pagination },
    (api, signal) => collect(api.pages('users', { signal })),
  ),
  get(
    'organization.controlHistory',
    '/api/v0/organization/enterprise-controls/history',
    { changes, pagination },
    (api, signal) => collect(api.pages('controlHistory', { signal })),
  ),
  ...analytics,
  get('analytics.users', '/api/v1/analytics/users', rows, (api, signal) =>
    collect(api.pages('people', { query: DAYS, signal })),
  ),
  // Its first page: without an end marker, only the next one tells that it was all.
  get('readiness.reports', '/api/organization/maturity-level-reports', { reports }, (api, signal) =>
    api.pages('reports', { signal }).next(),
  ),
  {
    ...get('sessions.create', '/api/v0/sessions', SESSION, (api, signal) =>
      api.createSession({ computerId: 'c1' }, { signal }),
    ),
    method: 'POST',
  },
  {
    ...get(
      'messages.send',
      '/api/v0/sessions/s1/messages',
      { messageId: 'm1', status: 'pending' },
      (api, signal) => api.one('sendMessage', { ids: { sessionId: 's1' }, body: '{"text":"hi"}', signal }),
    ),
    method: 'POST',
  },
];

/** Bundles the reader of answers as the build does, which workers are started with; remove its folder afterwards. */
export function buildApiScript(): { readonly folder: string; readonly script: string } {
  const folder = mkdtempSync(path.join(tmpdir(), 'agent-console-api-'));
  const script = path.join(folder, 'answerWorker.js');
  buildSync({
    entryPoints: [path.join(process.env['AGENT_CONSOLE_ROOT']!, 'src', 'api', 'answer.ts')],
    outfile: script,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node22',
    supported: { 'dynamic-import': false },
    external: ['vscode'],
  });
  return { folder, script };
}
