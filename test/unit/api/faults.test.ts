import assert from 'node:assert/strict';
import type { ApiErrorKind, ApiErrorReason } from '../../../src/api/errors';
import { FaultServer, REQUEST_ID, type Fault } from '../../fakes/faultServer';
import { clientOf, ENDPOINTS, failureOf } from './support';

interface Outcome {
  readonly kind: ApiErrorKind;
  readonly reason?: ApiErrorReason;
  readonly code?: string;
  readonly hits: number;
  /** Undefined when no answer arrived. */
  readonly status?: number;
}

interface Row {
  readonly name: string;
  readonly fault: (elsewhere: FaultServer) => Fault;
  readonly get: Outcome;
  readonly post: Outcome;
  readonly timeout?: boolean;
}

const PROBLEM = { title: 'T', detail: 'D', status: 400, requestId: 'req_body' };

function refusal(status: number, kind: ApiErrorKind, hits = 1): Row {
  const outcome = { kind, hits, status };
  return {
    name: `status ${status}`,
    fault: () => ({ kind: 'answer', status, body: { ...PROBLEM, status } }),
    get: outcome,
    post: { ...outcome, hits: 1 },
  };
}

function brokenAnswer(name: string, fault: Fault, code: string, hits = 1): Row {
  const facts = { reason: hits === 1 ? 'notThisService' : 'broken', code, status: 200 } as const;
  return {
    name,
    fault: () => fault,
    get: { kind: 'malformedAnswer', ...facts, hits },
    post: { kind: 'outcomeUnknown', ...facts, hits: 1 },
  };
}

function serverError(status: number): Row {
  return {
    name: `status ${status}`,
    fault: () => ({ kind: 'answer', status, body: { ...PROBLEM, status } }),
    get: { kind: 'unavailable', hits: 3, status },
    post: { kind: 'outcomeUnknown', hits: 1, status },
  };
}

const ROWS: readonly Row[] = [
  refusal(400, 'refused'),
  refusal(401, 'unauthorized'),
  refusal(403, 'forbidden'),
  refusal(405, 'refused'),
  refusal(409, 'refused'),
  refusal(413, 'refused'),
  refusal(422, 'refused'),
  refusal(408, 'refused', 3),
  refusal(429, 'rateLimited', 3),
  ...[500, 501, 502, 503, 504, 520].map(serverError),
  brokenAnswer('a web page', { kind: 'html' }, 'html'),
  brokenAnswer('nothing', { kind: 'empty' }, 'empty'),
  brokenAnswer('nothing, 204', { kind: 'answer', status: 200, body: '   ' }, 'empty'),
  brokenAnswer('cut JSON', { kind: 'answer', body: '{"a":' }, 'notJson'),
  brokenAnswer('text', { kind: 'answer', body: 'not JSON at all' }, 'notJson'),
  brokenAnswer('a list', { kind: 'answer', body: [] }, 'wrongShape'),
  brokenAnswer('a number', { kind: 'answer', body: 17 }, 'wrongShape'),
  brokenAnswer('null', { kind: 'answer', body: 'null' }, 'wrongShape'),
  brokenAnswer('another object', { kind: 'answer', body: { hello: 'world' } }, 'wrongShape'),
  brokenAnswer('bad gzip', { kind: 'badGzip' }, 'Z_DATA_ERROR'),
  brokenAnswer('a body that ends early', { kind: 'truncated' }, 'UND_ERR_SOCKET', 3),
  brokenAnswer('a reset within the body', { kind: 'resetAfterHead' }, 'ECONNRESET', 3),
  {
    name: 'a reset before the answer',
    fault: () => ({ kind: 'resetBeforeHead' }),
    get: { kind: 'unreachable', reason: 'broken', hits: 3 },
    post: { kind: 'outcomeUnknown', reason: 'broken', hits: 1 },
  },
  {
    name: 'a close before the answer',
    fault: () => ({ kind: 'closeBeforeHead' }),
    get: { kind: 'unreachable', reason: 'broken', hits: 3 },
    post: { kind: 'outcomeUnknown', reason: 'broken', hits: 1 },
  },
  {
    name: 'something that is not HTTP',
    fault: () => ({ kind: 'notHttp' }),
    get: { kind: 'unreachable', reason: 'notThisService', hits: 1 },
    post: { kind: 'outcomeUnknown', reason: 'notThisService', hits: 1 },
  },
  {
    name: 'silence',
    fault: () => ({ kind: 'silence' }),
    get: { kind: 'timedOut', code: 'timedOut', hits: 1 },
    post: { kind: 'outcomeUnknown', code: 'timedOut', hits: 1 },
    timeout: true,
  },
  {
    name: 'a body that stalls',
    fault: () => ({ kind: 'stall' }),
    get: { kind: 'timedOut', code: 'timedOut', hits: 1, status: 200 },
    post: { kind: 'outcomeUnknown', code: 'timedOut', hits: 1, status: 200 },
    timeout: true,
  },
  ...[301, 302, 303, 307, 308].map((status): Row => ({
    name: `a redirect (${status}) to another host`,
    fault: elsewhere => ({ kind: 'redirect', status, to: `${elsewhere.origin}/taken` }),
    get: { kind: 'malformedAnswer', reason: 'redirect', code: 'redirect', hits: 1 },
    post: { kind: 'outcomeUnknown', reason: 'redirect', code: 'redirect', hits: 1 },
  })),
];

describe('every endpoint under every fault', () => {
  let server: FaultServer;
  let elsewhere: FaultServer;

  before(async () => {
    server = await FaultServer.start();
    elsewhere = await FaultServer.start();
  });
  after(async () => {
    await server.close();
    await elsewhere.close();
  });

  for (const row of ROWS) {
    describe(row.name, () => {
      for (const endpoint of ENDPOINTS) {
        it(`${endpoint.name} fails once, clearly`, async () => {
          const expected = endpoint.method === 'GET' ? row.get : row.post;
          const timeouts = row.timeout === true ? { get: 200, post: 200, analytics: 200 } : undefined;
          const { api, log } = clientOf(server, { timeouts });
          elsewhere.answer({ kind: 'answer', body: endpoint.good });
          server.answer(row.fault(elsewhere));

          const error = await failureOf(endpoint.call(api));

          assert.deepEqual(
            { kind: error.kind, reason: error.reason, status: error.status, hits: server.hits.length },
            { kind: expected.kind, reason: expected.reason, status: expected.status, hits: expected.hits },
          );
          if (expected.code !== undefined) assert.equal(error.code, expected.code);
          assert.equal(elsewhere.hits.length, 0, 'nothing goes to another host');
          assert.deepEqual(error.request, {
            method: endpoint.method,
            path: endpoint.path,
            origin: server.origin,
          });
          if (expected.status !== undefined) assert.ok(error.requestId?.startsWith('req_'), error.requestId);
          assert.equal(
            log.lines.filter(line => line.includes('retry')).length,
            Math.max(0, expected.hits - 1),
          );
          assert.ok(server.hits.every(hit => hit.method === endpoint.method));
        });
      }
    });
  }

  it('takes title, detail and request id from the error body', async () => {
    server.answer({ kind: 'answer', status: 400, body: PROBLEM });
    const error = await failureOf(
      clientOf(server).api.analytics.tokens({ startDate: '2026-11-01', endDate: '2026-11-02' }),
    );
    assert.deepEqual([error.title, error.detail, error.requestId, error.status], ['T', 'D', 'req_body', 400]);
  });

  it('takes the request id from the header when the body names none', async () => {
    server.answer({ kind: 'html', status: 502 });
    const error = await failureOf(clientOf(server).api.computers.list());
    assert.deepEqual([error.kind, error.code, error.requestId], ['unavailable', 'html', REQUEST_ID]);
  });

  it('a web page with 404 is named as such, for the wrong address', async () => {
    server.answer({ kind: 'html', status: 404 });
    const error = await failureOf(clientOf(server).api.computers.list());
    assert.deepEqual([error.kind, error.code, error.status], ['notFound', 'html', 404]);
  });

  it('an error whose body stalls still gives the status', async () => {
    server.answer({ kind: 'stall', status: 403 });
    const { api } = clientOf(server, { timeouts: { get: 200 } });
    const error = await failureOf(api.computers.list());
    assert.deepEqual([error.kind, error.status], ['forbidden', 403]);
  });

  it('nothing listening: a POST certainly did not arrive', async () => {
    const gone = await FaultServer.start();
    const { origin } = gone;
    await gone.close();
    for (const endpoint of ENDPOINTS) {
      const { api, waits } = clientOf({ origin });
      const error = await failureOf(endpoint.call(api));
      assert.deepEqual(
        [error.kind, error.reason, error.code],
        ['unreachable', 'network', 'ECONNREFUSED'],
        endpoint.name,
      );
      assert.equal(waits.length, endpoint.method === 'GET' ? 2 : 0);
    }
  });

  it('an unknown host: a POST certainly did not arrive', async () => {
    const { api } = clientOf({ origin: 'https://no-such-host.invalid' });
    for (const work of [() => api.computers.list(), () => api.sessions.create({ computerId: 'c1' })]) {
      const error = await failureOf(work());
      assert.deepEqual([error.kind, error.reason], ['unreachable', 'network']);
    }
  });

  it('404 on the readiness path asks the renamed path once', async () => {
    server.answer({ kind: 'answer', status: 404, body: {} });
    const { api } = clientOf(server);
    const readiness = ENDPOINTS.find(({ name }) => name === 'readiness.reports');
    assert.ok(readiness);
    assert.equal((await failureOf(readiness.call(api))).kind, 'notFound');
    assert.equal((await failureOf(readiness.call(api))).kind, 'notFound');
    assert.deepEqual(
      server.hits.map(hit => hit.url.split('?')[0]),
      [readiness.path, '/api/organization/agent-readiness-reports', readiness.path],
    );
  });

  it('404 on the readiness path asks the renamed path again where that could not answer', async () => {
    const isRenamed = (url: string): boolean => url.includes('organization');
    let isBusy = true;
    server.answer(({ url }) =>
      isRenamed(url) && !isBusy
        ? { kind: 'answer', status: 200, body: { reports: [] } }
        : { kind: 'answer', status: isRenamed(url) ? 403 : 404, body: {} },
    );
    const { api } = clientOf(server);
    const readiness = ENDPOINTS.find(({ name }) => name === 'readiness.reports');
    assert.ok(readiness);
    assert.equal((await failureOf(readiness.call(api))).kind, 'forbidden');
    isBusy = false;
    await readiness.call(api);
  });

  it('404 elsewhere is not found, once', async () => {
    for (const endpoint of ENDPOINTS.filter(({ name }) => name !== 'readiness.reports')) {
      server.answer({ kind: 'answer', status: 404, body: {} });
      const error = await failureOf(endpoint.call(clientOf(server).api));
      assert.deepEqual([error.kind, server.hits.length], ['notFound', 1], endpoint.name);
    }
  });
});
