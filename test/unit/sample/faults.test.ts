import assert from 'node:assert/strict';
import { type Fault, type RecordedRequest, type SampleService } from '../../../src/sample';
import { Recorder } from '../../../src/sample/recorder';
import { error } from './contract';
import { call, closeAll, newSession, post, readSession, start } from './harness';

const COMPUTERS = '/api/v0/computers';

describe('sample service: told to fail', () => {
  let service: SampleService;
  beforeEach(async () => {
    service = await start({ pace: 0 });
  });
  afterEach(closeAll);

  it('answers a status with the error body, and how long to wait', async () => {
    service.fail({ kind: 'status', times: 1 });
    service.fail({ kind: 'status', status: 503, retryAfter: 7, times: 1 });
    service.fail({ kind: 'rateLimit', times: 1 });
    service.fail({ kind: 'rateLimit', retryAfter: 'Sat, 21 Nov 2026 10:00:00 GMT', times: 1 });
    const seen = [];
    for (let index = 0; index < 5; index++) {
      const reply = await call(service, COMPUTERS);
      if (reply.status !== 200) assert.equal(error(reply.body).status, reply.status);
      assert.ok(reply.headers.get('x-request-id'));
      seen.push([reply.status, reply.headers.get('retry-after')]);
    }
    assert.deepEqual(seen, [
      [500, null],
      [503, '7'],
      [429, '1'],
      [429, 'Sat, 21 Nov 2026 10:00:00 GMT'],
      [200, null],
    ]);
  });

  it('delays, and goes on', async () => {
    const fault = service.fail({ kind: 'delay', ms: 80 });
    const start = performance.now();
    assert.equal((await call(service, COMPUTERS)).status, 200);
    assert.ok(performance.now() - start >= 75);
    fault.dispose();
    service.fail({ kind: 'status', status: 503 });
    assert.equal((await call(service, COMPUTERS)).status, 503, 'the next fault is reached');
  });

  it('answers web pages, nothing, broken JSON, redirects and changed bodies', async () => {
    const once = async (fault: Fault) => {
      service.fail({ ...fault, times: 1 });
      return call(service, COMPUTERS);
    };
    const page = await once({ kind: 'html' });
    assert.deepEqual([page.status, page.headers.get('content-type')], [200, 'text/html; charset=utf-8']);
    assert.match(page.text, /^<!doctype html>/);
    assert.equal((await once({ kind: 'html', status: 502 })).status, 502);
    assert.deepEqual(
      [(await once({ kind: 'empty' })).text, (await once({ kind: 'empty', status: 204 })).status],
      ['', 204],
    );
    const broken = await once({ kind: 'malformed' });
    assert.throws(() => JSON.parse(broken.text) as unknown, SyntaxError);
    const moved = await once({ kind: 'redirect', location: 'http://127.0.0.1:9/x' });
    assert.deepEqual([moved.status, moved.headers.get('location')], [307, 'http://127.0.0.1:9/x']);
    const altered = await once({ kind: 'alter', alter: body => ({ ...(body as object), extra: null }) });
    assert.deepEqual(Object.keys(altered.body as object), ['computers', 'extra']);
    assert.equal((await call(service, COMPUTERS)).status, 200);
  });

  it('cuts connections, before the answer and in the middle of it', async () => {
    service.fail({ kind: 'reset', times: 1 });
    await assert.rejects(call(service, COMPUTERS), /fetch failed/);
    service.fail({ kind: 'truncate', times: 1 });
    await assert.rejects(call(service, COMPUTERS), /terminated/);
    assert.deepEqual(
      service.requests.map(request => request.status),
      [0, 0],
    );
  });

  it('hits only what it was told to', async () => {
    service.fail({ kind: 'status', status: 500, match: { method: 'post' } });
    service.fail({ kind: 'status', status: 501, match: { path: COMPUTERS } });
    service.fail({ kind: 'status', status: 502, match: { path: /^\/api\/v1\//g } });
    service.fail({ kind: 'status', status: 503, match: { origin: 'app' } });
    for (let round = 0; round < 2; round++) {
      assert.equal((await call(service, '/api/v0/sessions', { body: {} })).status, 500);
      assert.equal((await call(service, COMPUTERS)).status, 501);
      assert.equal((await call(service, '/api/v1/analytics/tokens')).status, 502);
      assert.equal((await call(service, '/anything', { origin: 'app' })).status, 503);
      assert.equal((await call(service, '/api/v0/organization/users')).status, 200);
    }
  });

  it('spoils the answer of a message that arrived, or keeps it from arriving', async () => {
    const session = await newSession(service);
    const count = async (): Promise<number> => (await readSession(service, session)).messageCount;
    const faults: Fault[] = [{ kind: 'reset' }, { kind: 'status' }, { kind: 'html' }, { kind: 'malformed' }];
    for (const fault of faults) {
      for (const applied of [false, true]) {
        const before = await count();
        service.fail({ ...fault, applied, times: 1, match: { method: 'POST' } });
        await post(service, session, 'Hello').then(
          () => assert.fail('was answered'),
          () => undefined,
        );
        assert.equal((await count()) > before, applied, `${fault.kind} applied: ${applied}`);
      }
    }
    const before = await count();
    service.fail({ kind: 'truncate', times: 1, match: { method: 'POST' } });
    await assert.rejects(post(service, session, 'Hello'));
    assert.ok((await count()) > before);
  });

  it('applies a delayed message before or after the delay; not at all when the sender has gone', async () => {
    const session = await newSession(service);
    for (const applied of [false, true]) {
      const before = (await readSession(service, session)).messageCount;
      service.fail({ kind: 'delay', ms: 60, applied, times: 1, match: { method: 'POST' } });
      const arrived = new Promise<RecordedRequest>(resolve => service.onDidReceive(resolve));
      const abort = new AbortController();
      const sending = fetch(`${service.baseUrl}/api/v0/sessions/${session}/messages`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${service.apiKey}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ text: 'Hello' }),
        signal: abort.signal,
      });
      const request = await arrived;
      abort.abort();
      await assert.rejects(sending, /abort/);
      while (request.status === undefined) await new Promise(setImmediate);
      assert.equal((await readSession(service, session)).messageCount > before, applied);
    }
  });

  it('records each request as it came, with the credential taken out', async () => {
    const body = { computerId: 'nope', sessionSettings: { model: 'm' } };
    await call(service, '/api/v0/sessions?a=1&b=2&b=3', { body, headers: { 'X-Test': 'yes' } });
    await call(service, COMPUTERS, { key: service.keys.member, origin: 'app' });
    await call(service, COMPUTERS, { key: null });
    await call(service, '/api/v0/sessions', { body: '{"half' });
    const [first, second, third, fourth] = service.requests;
    assert.ok(first && second && third && fourth);
    assert.deepEqual(
      [first.origin, first.method, first.path, first.query, first.body, first.status, first.credential],
      ['base', 'POST', '/api/v0/sessions', { a: '1', b: ['2', '3'] }, body, 400, 'owner'],
    );
    assert.equal(first.bodyBytes, JSON.stringify(body).length);
    assert.deepEqual([first.headers['x-test'], first.headers.authorization], ['yes', '[owner]']);
    assert.deepEqual([second.origin, second.credential, second.status], ['app', 'member', 404]);
    assert.deepEqual([third.credential, third.headers.authorization, third.status], ['none', undefined, 401]);
    assert.deepEqual([fourth.body, fourth.bodyBytes, fourth.status], [undefined, 6, 400]);
  });
});

describe('sample service: the record of requests', () => {
  const recording = (path: string, bodyBytes: number): RecordedRequest => ({
    requestId: path,
    receivedAt: 0,
    origin: 'base',
    method: 'POST',
    path,
    query: {},
    headers: {},
    credential: 'owner',
    body: { path },
    bodyBytes,
    status: 200,
  });

  it('keeps the last 1,000', () => {
    const recorder = new Recorder();
    for (let index = 0; index < 1500; index++) recorder.add(recording(`/${index}`, 10));
    const { requests } = recorder;
    assert.deepEqual([requests.length, requests[0]?.path, requests.at(-1)?.path], [1000, '/500', '/1499']);
    assert.ok(requests.every(request => request.body !== undefined));
  });

  it('keeps at most 64 MB of bodies, and always that of the last', () => {
    const recorder = new Recorder();
    const kept = (): string[] =>
      recorder.requests.filter(request => request.body !== undefined).map(request => request.path);
    for (let index = 0; index < 5; index++) recorder.add(recording(`/${index}`, 30 * 1024 * 1024));
    assert.deepEqual(kept(), ['/3', '/4']);
    recorder.add(recording('/huge', 140 * 1024 * 1024));
    assert.deepEqual(kept(), ['/huge']);
    recorder.add(recording('/small', 1));
    assert.deepEqual(kept(), ['/small']);
    assert.equal(recorder.requests.length, 7);
  });
});
