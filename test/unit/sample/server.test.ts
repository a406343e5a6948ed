import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import {
  startSampleService,
  type Fault,
  type RecordedRequest,
  type SampleService,
} from '../../fakes/sampleService';

const COMPUTERS = '/api/v0/computers';
const DAYS = 'startDate=2026-11-01&endDate=2026-11-02';
const REPORTS = '/api/organization/maturity-level-reports';

/** The server that tests put before the sample: credentials, faults and a record of what was asked. */
describe('the server before the sample', () => {
  let service: SampleService;
  beforeEach(async () => {
    service = await startSampleService({ pace: 0, now: () => Date.UTC(2026, 10, 21) });
  });
  afterEach(() => service.close());

  async function call(
    path: string,
    { key = service.apiKey, app = false, body, signal }: CallOptions = {},
  ): Promise<{ status: number; headers: Headers; text: string }> {
    const answer = await fetch((app ? service.appUrl : service.baseUrl) + path, {
      method: body === undefined ? 'GET' : 'POST',
      redirect: 'manual',
      signal: signal ?? null,
      headers: {
        ...(key === '' ? {} : { Authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body }),
    });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  }
  interface CallOptions {
    readonly key?: string;
    readonly app?: boolean;
    readonly body?: string;
    readonly signal?: AbortSignal;
  }

  const session = (): string => service.sessionIds[0] ?? '';
  const send = (signal?: AbortSignal) =>
    call(`/api/v0/sessions/${session()}/messages`, { body: '{"text":"Hello"}', ...(signal && { signal }) });
  const count = async (): Promise<number> => {
    const { text } = await call(`/api/v0/sessions/${session()}`);
    return (JSON.parse(text) as { messageCount: number }).messageCount;
  };

  it('takes keys as section 5 says: a token on /api/v0 only, a member on everything but analytics', async () => {
    const { owner, member, jwt } = service.keys;
    const tokens = `/api/v1/analytics/tokens?${DAYS}`;
    for (const [key, statuses] of [
      [owner, [200, 200, 200]],
      [member, [200, 200, 403]],
      [jwt, [200, 401, 401]],
      ['wrong', [401, 401, 401]],
      ['', [401, 401, 401]],
    ] as const) {
      const seen = [
        await call(COMPUTERS, { key }),
        await call(REPORTS, { key, app: true }),
        await call(tokens, { key }),
      ];
      assert.deepEqual(
        seen.map(({ status }) => status),
        statuses,
        key,
      );
    }
    assert.ok(!JSON.stringify(service.requests).includes(owner));
  });

  it('has the sessions that wait to be added', async () => {
    assert.equal(service.sessionIds.length, 3);
    for (const id of service.sessionIds) assert.equal((await call(`/api/v0/sessions/${id}`)).status, 200);
    assert.equal((await call('/api/v0/sessions')).status, 405);
  });

  it('answers a status with the error body, and how long to wait', async () => {
    service.fail({ kind: 'status', times: 1 });
    service.fail({ kind: 'status', status: 503, retryAfter: 7, times: 1 });
    service.fail({ kind: 'rateLimit', times: 1 });
    const seen = [];
    for (let index = 0; index < 4; index++) {
      const { status, headers } = await call(COMPUTERS);
      assert.ok(headers.get('x-request-id'));
      seen.push([status, headers.get('retry-after')]);
    }
    assert.deepEqual(seen, [
      [500, null],
      [503, '7'],
      [429, '1'],
      [200, null],
    ]);
  });

  it('answers web pages, nothing, broken JSON, redirects, changed bodies, late, or not to the end', async () => {
    const once = (fault: Fault) => {
      service.fail({ ...fault, times: 1 });
      return call(COMPUTERS);
    };
    const page = await once({ kind: 'html', status: 502 });
    assert.deepEqual([page.status, page.headers.get('content-type')], [502, 'text/html; charset=utf-8']);
    assert.equal((await once({ kind: 'empty' })).text, '');
    const broken = await once({ kind: 'malformed' });
    assert.throws(() => JSON.parse(broken.text) as unknown, SyntaxError);
    const moved = await once({ kind: 'redirect', location: 'http://127.0.0.1:9/x' });
    assert.deepEqual([moved.status, moved.headers.get('location')], [307, 'http://127.0.0.1:9/x']);
    const altered = await once({ kind: 'alter', alter: body => ({ ...(body as object), extra: null }) });
    assert.deepEqual(Object.keys(JSON.parse(altered.text) as object), ['computers', 'extra']);
    assert.equal((await once({ kind: 'delay', ms: 1 })).status, 200);
    await assert.rejects(once({ kind: 'reset' }), /fetch failed/);
    await assert.rejects(once({ kind: 'truncate' }), /terminated/);
    assert.deepEqual(
      service.requests.slice(-2).map(({ status }) => status),
      [0, 0],
    );
  });

  it('hits only what it was told to', async () => {
    service.fail({ kind: 'status', status: 500, match: { method: 'post' } });
    service.fail({ kind: 'status', status: 501, match: { path: COMPUTERS } });
    service.fail({ kind: 'status', status: 502, match: { path: /^\/api\/v1\//g } });
    service.fail({ kind: 'status', status: 503, match: { origin: 'app' } });
    for (let round = 0; round < 2; round++) {
      assert.equal((await send()).status, 500);
      assert.equal((await call(COMPUTERS)).status, 501);
      assert.equal((await call('/api/v1/analytics/tokens')).status, 502);
      assert.equal((await call('/anything', { app: true })).status, 503);
      assert.equal((await call('/api/v0/organization/users')).status, 200);
    }
  });

  it('spoils the answer of a message that arrived, or keeps it from arriving', async () => {
    for (const kind of ['reset', 'status', 'html', 'malformed'] as const) {
      for (const applied of [false, true]) {
        const before = await count();
        service.fail({ kind, applied, times: 1, match: { method: 'POST' } });
        await send().catch(() => undefined);
        assert.equal((await count()) > before, applied, `${kind} applied: ${applied}`);
      }
    }
  });

  it('applies a delayed message before or after the delay; not at all when the sender has gone', async () => {
    for (const applied of [false, true]) {
      const before = await count();
      service.fail({ kind: 'delay', ms: 500, applied, times: 1, match: { method: 'POST' } });
      const arrived = new Promise<RecordedRequest>(resolve => service.onDidReceive(resolve));
      const abort = new AbortController();
      const sending = send(abort.signal);
      const request = await arrived;
      abort.abort();
      await assert.rejects(sending, /abort/);
      while (request.status === undefined) await new Promise(setImmediate);
      assert.equal((await count()) > before, applied);
    }
  });

  it('records each request as it came, with the credential taken out', async () => {
    const body = '{"computerId":"nope"}';
    await call('/api/v0/sessions?a=1&b=2&b=3', { body });
    await call(COMPUTERS, { key: service.keys.member, app: true });
    await call('/api/v0/sessions', { body: '{"half' });
    const [first, second, third] = service.requests;
    assert.ok(first && second && third);
    assert.deepEqual(
      [first.origin, first.method, first.path, first.query, first.body, first.status, first.credential],
      ['base', 'POST', '/api/v0/sessions', { a: '1', b: ['2', '3'] }, JSON.parse(body), 400, 'owner'],
    );
    assert.deepEqual([first.bodyBytes, first.headers['authorization']], [body.length, '[owner]']);
    assert.deepEqual([second.origin, second.credential, second.status], ['app', 'member', 404]);
    assert.deepEqual([third.body, third.bodyBytes, third.status], [undefined, 6, 400]);
  });

  it('settles when no agent works any more, and when it is closed', async () => {
    const quick = await startSampleService({ pace: 0.01 });
    const headers = { Authorization: `Bearer ${quick.apiKey}`, 'Content-Type': 'application/json' };
    const address = `${quick.baseUrl}/api/v0/sessions/${quick.sessionIds[0]}`;
    await fetch(`${address}/messages`, { method: 'POST', headers, body: '{"text":"Hello"}' });
    await quick.settle();
    const { status } = (await (await fetch(address, { headers })).json()) as { status: string };
    assert.equal(status, 'idle');
    await send();
    const waiting = call(COMPUTERS).catch(() => undefined);
    await Promise.all([quick.settle(), quick.close(), quick.close(), waiting]);
    await assert.rejects(fetch(address), /fetch failed/);
  });

  it('listens on the ports it is given and says so when one is taken, leaving nothing open', async () => {
    const blocker = createServer();
    await new Promise<void>(resolve => blocker.listen(0, '127.0.0.1', resolve));
    const appPort = (blocker.address() as { port: number }).port;
    const probe = await startSampleService();
    const port = Number(new URL(probe.baseUrl).port);
    await probe.close();
    await assert.rejects(startSampleService({ port, appPort }), { code: 'EADDRINUSE' });
    const again = await startSampleService({ port });
    assert.equal(again.baseUrl, `http://127.0.0.1:${port}`);
    await again.close();
    await new Promise(resolve => blocker.close(resolve));
  });
});
