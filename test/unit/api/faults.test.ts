import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type Fault, FaultServer, REQUEST_ID } from '../../fakes/faultServer';
import { ENDPOINTS, clientOf, failureOf, testServer } from './support';
import { isApiError } from '../../../src/api';

/** `kind reason code status xHITS`, `-` for what is unknown; `*` for any code. */
type Outcome = string;
type Row = readonly [name: string, fault: Fault, get: Outcome, post: Outcome];

const PROBLEM = { title: 'T', detail: 'D', requestId: 'req_body' };
const status = (code: number, get: string, post = get.replace(/x\d/, 'x1')): Row => [
  `status ${code}`,
  { kind: 'answer', status: code, body: { ...PROBLEM, status: code } },
  get,
  post,
];
const broken = (name: string, fault: Fault, code: string): Row => {
  const facts = `notThisService ${code} 200 x1`;
  return [name, fault, `malformedAnswer ${facts}`, `outcomeUnknown ${facts}`];
};

const ROWS: readonly Row[] = [
  status(401, 'unauthorized - - 401 x1'),
  status(403, 'forbidden - - 403 x1'),
  ...[400, 405, 409, 413, 422].map(code => status(code, `refused - - ${code} x1`)),
  status(408, 'refused - - 408 x3'),
  status(429, 'rateLimited - - 429 x3'),
  ...[500, 501, 502, 503, 504, 520].map(code =>
    status(code, `unavailable - - ${code} x3`, `outcomeUnknown - - ${code} x1`),
  ),
  broken('a web page', { kind: 'html' }, 'html'),
  broken('nothing', { kind: 'empty' }, 'empty'),
  broken('white space', { kind: 'answer', body: '   ' }, 'empty'),
  broken('cut JSON', { kind: 'answer', body: '{"a":' }, 'notJson'),
  broken('text', { kind: 'answer', body: 'not JSON at all' }, 'notJson'),
  broken('a list', { kind: 'answer', body: [] }, 'wrongShape'),
  broken('a number', { kind: 'answer', body: 17 }, 'wrongShape'),
  broken('null', { kind: 'answer', body: 'null' }, 'wrongShape'),
  broken('another object', { kind: 'answer', body: { hello: 'world' } }, 'wrongShape'),
  broken('bad gzip', { kind: 'badGzip' }, 'Z_DATA_ERROR'),
  [
    'a body that ends early',
    { kind: 'truncate' },
    'malformedAnswer broken UND_ERR_SOCKET 200 x3',
    'outcomeUnknown broken UND_ERR_SOCKET 200 x1',
  ],
  [
    'a reset within the body',
    { kind: 'resetAfterHead' },
    'malformedAnswer broken ECONNRESET 200 x3',
    'outcomeUnknown broken ECONNRESET 200 x1',
  ],
  ...(['reset', 'close'] as const).map((kind): Row => [
    kind,
    { kind },
    'unreachable broken * - x3',
    'outcomeUnknown broken * - x1',
  ]),
  [
    'something that is not HTTP',
    { kind: 'notHttp' },
    'unreachable notThisService * - x1',
    'outcomeUnknown notThisService * - x1',
  ],
  ['silence', { kind: 'silence' }, 'timedOut - timedOut - x1', 'outcomeUnknown - timedOut - x1'],
  ['a body that stalls', { kind: 'stall' }, 'timedOut - timedOut 200 x1', 'outcomeUnknown - timedOut 200 x1'],
  ...[301, 302, 303, 307, 308].map((code): Row => [
    `a redirect (${code}) to another host`,
    { kind: 'redirect', status: code, to: 'ELSEWHERE' },
    'malformedAnswer redirect redirect - x1',
    'outcomeUnknown redirect redirect - x1',
  ]),
];

describe('every endpoint under every fault', () => {
  const [server, elsewhere] = [testServer(), testServer()];

  for (const [name, fault, get, post] of ROWS)
    for (const { name: what, method, path, call, good } of ENDPOINTS)
      it(`${what} under ${name} fails once, clearly`, async () => {
        const expected = method === 'GET' ? get : post;
        const timeouts =
          fault.kind === 'silence' || fault.kind === 'stall'
            ? { get: 200, post: 200, analytics: 200 }
            : undefined;
        const { api, log } = clientOf(server, { timeouts });
        elsewhere.answer({ kind: 'answer', body: good });
        server.answer(fault.kind === 'redirect' ? { ...fault, to: `${elsewhere.origin}/taken` } : fault);

        const { kind, reason, code, status: answered, request, requestId } = await failureOf(call(api));

        const shownCode = expected.includes('*') ? '*' : code;
        const facts = [kind, reason, shownCode, answered].map(fact => fact ?? '-');
        assert.equal(`${facts.join(' ')} x${server.hits.length}`, expected);
        assert.equal(elsewhere.hits.length, 0, 'nothing goes to another host');
        assert.deepEqual(request, { method, path, origin: server.origin });
        if (answered !== undefined) assert.ok(requestId?.startsWith('req_'), requestId);
        const retries = log.lines.filter(line => line.includes('retry')).length;
        assert.equal(retries, server.hits.length - 1, 'each retry is in the log');
        assert.ok(server.hits.every(hit => hit.method === method));
      });

  it('takes what the error body says, and the request id from the header when it names none', async () => {
    for (const [fault, expected] of [
      [{ kind: 'answer', status: 400, body: PROBLEM }, ['refused', undefined, 'T', 'D', 'req_body']],
      [{ kind: 'html', status: 502 }, ['unavailable', 'html', undefined, undefined, REQUEST_ID]],
      [{ kind: 'html', status: 404 }, ['notFound', 'html', undefined, undefined, REQUEST_ID]],
      [{ kind: 'stall', status: 403 }, ['forbidden', undefined, undefined, undefined, REQUEST_ID]],
    ] as const) {
      server.answer(fault);
      const { api } = clientOf(server, { timeouts: { get: 200 } });
      const { kind, code, title, detail, requestId } = await failureOf(api.list('computers'));
      assert.deepEqual([kind, code, title, detail, requestId], expected);
    }
  });

  it('nothing listening, or no such host: a POST certainly did not arrive', async () => {
    const gone = await FaultServer.start();
    const { origin } = gone;
    await gone.close();
    for (const { name, method, call } of ENDPOINTS) {
      const { api, waits } = clientOf({ origin });
      const { kind, reason, code } = await failureOf(call(api));
      assert.deepEqual([kind, reason, code], ['unreachable', 'network', 'ECONNREFUSED'], name);
      assert.equal(waits.length, method === 'GET' ? 2 : 0);
    }
    const { api } = clientOf({ origin: 'https://no-such-host.invalid' });
    for (const work of [() => api.list('computers'), () => api.createSession({ computerId: 'c1' })]) {
      const error = await failureOf(work());
      assert.deepEqual([error.kind, error.reason], ['unreachable', 'network']);
    }
  });

  it('404 is not found, once; on the readiness path the renamed one is asked once', async () => {
    for (const { name, call, path } of ENDPOINTS) {
      server.answer({ kind: 'answer', status: 404, body: {} });
      const { api } = clientOf(server);
      for (let round = 0; round < 2; round++) assert.equal((await failureOf(call(api))).kind, 'notFound');
      const renamed = name === 'reports' ? ['/api/organization/agent-readiness-reports'] : [];
      const asked = server.hits.map(hit => hit.url.split('?')[0]);
      assert.deepEqual(asked, [path, ...renamed, path], name);
    }
  });

  it('404 on the readiness path asks the renamed path again where that could not answer', async () => {
    let isBusy = true;
    server.answer(({ url }) =>
      url.includes('agent-readiness') && !isBusy
        ? { kind: 'answer', body: { reports: [] } }
        : { kind: 'answer', status: url.includes('agent-readiness') ? 403 : 404, body: {} },
    );
    const { api } = clientOf(server);
    assert.equal((await failureOf(api.pages('reports').next())).kind, 'forbidden');
    isBusy = false;
    assert.equal((await api.pages('reports').next()).done, false);
  });
});

describe('every endpoint with any JSON for an answer', () => {
  const server = testServer();

  /** Replaces any one value within `good` by `other`. */
  function mutate(good: unknown, path: number, other: unknown): unknown {
    const keys = typeof good === 'object' && good !== null ? Object.keys(good) : [];
    const key = keys[path % keys.length];
    if (key === undefined) return other;
    const copy = structuredClone(good) as Record<string, unknown>;
    copy[key] = path % 3 === 0 ? other : mutate(copy[key], Math.floor(path / 7), other);
    return copy;
  }

  for (const { name, call, good } of ENDPOINTS)
    it(`${name} gives an answer or one typed error`, async () => {
      const mutated = fc.tuple(fc.nat(10_000), fc.jsonValue());
      const bodies = fc.oneof(
        fc.jsonValue(),
        mutated.map(([path, other]) => mutate(good, path, other)),
      );
      await fc.assert(
        fc.asyncProperty(bodies, async body => {
          server.answer({ kind: 'answer', body: JSON.stringify(body) });
          const error = await call(clientOf(server).api).then(
            () => undefined,
            (thrown: unknown) => thrown,
          );
          if (error === undefined) return;
          assert.ok(isApiError(error));
          assert.ok(['malformedAnswer', 'outcomeUnknown'].includes(error.kind), error.message);
          assert.deepEqual([error.status, error.cause], [200, undefined], 'no code threw');
        }),
        { numRuns: 60 },
      );
    });
});
