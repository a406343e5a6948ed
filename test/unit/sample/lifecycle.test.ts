import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSampleService, type SampleService } from '../../../src/sample';
import { computer, error } from './contract';
import {
  ancestors,
  call,
  closeAll,
  computerId,
  ManualClock,
  newSession,
  ok,
  post,
  readSession,
  refused,
  start,
  timed,
} from './harness';

/** Sends text over a bare connection; hands back all that comes until the other side ends. */
function raw(service: SampleService, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(service.baseUrl).port), '127.0.0.1');
    let answer = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => (answer += chunk));
    socket.on('error', reject);
    socket.on('close', () => resolve(answer));
    socket.end(text);
  });
}

/** Resolves once the condition holds; fails after 200 turns of the event loop. */
async function until(condition: () => boolean, what: string): Promise<void> {
  for (let turn = 0; !condition(); turn++) {
    assert.ok(turn < 200, what);
    await new Promise(setImmediate);
  }
}

describe('sample service: who may call', () => {
  let service: SampleService;
  before(async () => {
    service = await start({ pace: 0 });
  });
  after(closeAll);

  const get = (headers: string): Promise<string> =>
    raw(service, `GET /api/v0/computers HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`);
  const key = (): string => `Authorization: Bearer ${service.apiKey}\r\n`;

  it('answers on loopback names only', async () => {
    for (const host of ['127.0.0.1', '127.0.0.1:80', 'localhost:1', 'LOCALHOST', '[::1]:5']) {
      assert.match(await get(`Host: ${host}\r\n${key()}`), /^HTTP\/1\.1 200 /, host);
    }
    for (const host of [
      'evil.example',
      'evil.example:80',
      '127.0.0.1.evil.example',
      'localhost.',
      '0.0.0.0',
      '',
    ]) {
      const answer = await get(`Host: ${host}\r\n${key()}`);
      assert.match(answer, /^HTTP\/1\.1 403 /, host);
      error(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))));
    }
    assert.match(await get(key()), /^HTTP\/1\.1 403 [^]*x-request-id: req_/i, 'no host at all');
    assert.ok(
      service.baseUrl.startsWith('http://127.0.0.1:') && service.appUrl.startsWith('http://127.0.0.1:'),
    );
    assert.notEqual(service.baseUrl, service.appUrl);
  });

  it('answers nothing a web page asks', async () => {
    for (const origin of ['https://evil.example', 'null', service.baseUrl]) {
      await refused(service, 403, /Web pages/, '/api/v0/computers', { headers: { Origin: origin } });
      const preflight = await refused(service, 403, /Web pages/, '/api/v0/sessions', {
        method: 'OPTIONS',
        headers: { Origin: origin, 'Access-Control-Request-Method': 'POST' },
      });
      assert.equal(preflight.headers.get('access-control-allow-origin'), null);
    }
  });

  it('survives what is not HTTP, and requests that break off', async () => {
    for (const text of [
      '\r\n\r\n',
      'hello\r\n\r\n',
      'GET / HTTP/9.9\r\n\r\n',
      '\u0000\u0001\u0002\r\n\r\n',
      `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`,
      'GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
      'POST /api/v0/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\n{"computer',
      'POST /api/v0/sessions HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
      'GET /%%%?%%%=%ff HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
    ]) {
      const answer = await raw(service, text).catch(() => '');
      assert.ok(answer === '' || /^HTTP\/1\.1 4\d\d [^]*x-request-id: req_/i.test(answer), answer);
      assert.equal((await call(service, '/api/v0/computers')).status, 200, JSON.stringify(text.slice(0, 50)));
    }
  });

  it('answers 413 to more than 150 MB, whether announced or not, and goes on', async () => {
    const chunk = Buffer.alloc(1024 * 1024, 'x');
    const send = (headers: Record<string, string>): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const upload = request(`${service.baseUrl}/api/v0/sessions`, {
          method: 'POST',
          headers: {
            ...headers,
            Authorization: `Bearer ${service.apiKey}`,
            'Content-Type': 'application/json',
          },
        });
        upload.on('response', answer => {
          answer.resume();
          answer.on('end', () => resolve(answer.statusCode));
        });
        upload.on('error', reject);
        let left = 151;
        const more = (): void => {
          while (left-- > 0) if (!upload.write(chunk)) return void upload.once('drain', more);
          upload.end();
        };
        more();
      });
    assert.equal(await send({ 'Content-Length': String(151 * chunk.length) }), 413);
    assert.equal(await send({ 'Transfer-Encoding': 'chunked' }), 413);
    assert.equal((await call(service, '/api/v0/computers')).status, 200);
  });
});

describe('sample service: start, state and end', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sample-'));
  });
  afterEach(async () => {
    await closeAll();
    await rm(folder, { recursive: true });
  });

  it('keeps sessions, messages, unfinished answers and provisioning from run to run', async () => {
    const clock = new ManualClock();
    const stateFile = join(folder, 'deep', 'state.json');
    const first = await start({ now: clock.now, stateFile });
    const session = await newSession(first, { model: 'onyx-large' });
    const { messageId } = await post(first, session, 'Explain this');
    clock.advance(2_000);
    const before = await readSession(first, session);
    assert.equal(before.status, 'running');
    const boreal = await ok(first, `/api/v0/computers/${await computerId(first, 'boreal')}`, computer);
    await first.close();

    clock.advance(500);
    const second = await start({ now: clock.now, stateFile });
    const after = await readSession(second, session);
    assert.equal(after.sessionSettings?.model, 'onyx-large');
    assert.ok(after.messageCount >= before.messageCount && after.status === 'running');
    assert.equal((await ok(second, `/api/v0/computers/${boreal.id}`, computer)).createdAt, boreal.createdAt);
    clock.advance(20_000);
    assert.equal((await readSession(second, session)).status, 'idle');
    const next = await post(second, session, 'Thanks');
    const chain = await ancestors(second, session, next.messageId);
    assert.equal(chain.at(-1)?.id, messageId);
    assert.ok(chain.length > 6);
    await second.close();
    assert.deepEqual(await readdir(join(folder, 'deep')), ['state.json']);
    if (process.platform !== 'win32') assert.equal((await stat(stateFile)).mode & 0o077, 0);
  });

  it('writes nothing more once its ports are free, so that the next service may take over', async () => {
    const stateFile = join(folder, 'state.json');
    const first = await start({ stateFile, pace: 0 });
    const ports = { port: Number(new URL(first.baseUrl).port), appPort: Number(new URL(first.appUrl).port) };
    const session = await newSession(first);
    const unanswered = Array.from({ length: 20 }, () => post(first, session, 'Hello').catch(() => undefined));
    await new Promise(resolve => first.onDidReceive(resolve));
    const closing = first.close();
    let second: SampleService | undefined;
    for (let turn = 0; second === undefined; turn++) {
      assert.ok(turn < 1000, 'the ports become free');
      await new Promise(setImmediate);
      second = await start({ ...ports, stateFile, pace: 0 }).catch(() => undefined);
    }
    const { messageId } = await post(second, session, 'To the second');
    await Promise.all([closing, ...unanswered]);
    assert.ok((await readFile(stateFile, 'utf8')).includes(messageId));
    assert.equal((await ancestors(second, session, messageId)).at(0)?.id, messageId);
  });

  it('has a message on disk before it answers', async () => {
    const stateFile = join(folder, 'state.json');
    const service = await start({ stateFile });
    const session = await newSession(service);
    const sent = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const { messageId } = await post(service, session, `Message ${index}`);
        assert.ok((await readFile(stateFile, 'utf8')).includes(messageId));
        return messageId;
      }),
    );
    assert.equal(new Set(sent).size, 20);
  });

  for (const [name, content] of [
    ['broken', '{"version":1,"sess'],
    ['of a newer version', '{"version":2,"sessions":[]}'],
    ['of something else', '[1,2]'],
    ['of null', 'null'],
    ['with odd sessions', '{"version":1,"sessions":[{"sessionId":5}]}'],
  ] as const) {
    it(`puts a state file aside that is ${name}, and starts`, async () => {
      const stateFile = join(folder, 'state.json');
      await writeFile(stateFile, content);
      const service = await start({ stateFile });
      await newSession(service);
      const files = (await readdir(folder)).sort();
      assert.equal(files.length, 2);
      assert.match(files[1] ?? '', /^state\.json\.unreadable-/);
      assert.equal(await readFile(join(folder, files[1] ?? ''), 'utf8'), content);
    });
  }

  it('answers 500 when a message cannot be kept, and goes on', async () => {
    const stateFile = join(folder, 'state.json');
    const service = await start({ stateFile });
    const session = await newSession(service);
    await rm(folder, { recursive: true });
    await writeFile(folder, 'a file where the folder was');
    await refused(service, 500, /Internal/, `/api/v0/sessions/${session}/messages`, {
      body: { text: 'Hello' },
    });
    assert.equal((await call(service, '/api/v0/computers')).status, 200);
    await rm(folder);
    await post(service, session, 'Again');
    assert.ok((await readFile(stateFile, 'utf8')).includes('Again'));
  });

  it('accepts the keys it is given', async () => {
    const service = await start({ keys: { owner: 'mine' } });
    assert.deepEqual([service.apiKey, service.keys.owner], ['mine', 'mine']);
    assert.equal((await call(service, '/api/v0/computers', { key: 'mine' })).status, 200);
    const usual = await start();
    assert.equal((await call(service, '/api/v0/computers', { key: usual.apiKey })).status, 401);
    assert.deepEqual(usual.keys, (await start()).keys);
  });

  it('listens on the ports it is given and says so when one is taken, leaving nothing open', async () => {
    const blocker = createServer();
    await new Promise<void>(resolve => blocker.listen(0, '127.0.0.1', resolve));
    const taken = (blocker.address() as { port: number }).port;
    const probe = await start();
    const free = Number(new URL(probe.baseUrl).port);
    await probe.close();
    await assert.rejects(startSampleService({ port: free, appPort: taken }), { code: 'EADDRINUSE' });
    const service = await start({ port: free });
    assert.equal(service.baseUrl, `http://127.0.0.1:${free}`);
    await new Promise(resolve => blocker.close(resolve));
  });

  it('closes within 200 ms with connections open, requests waiting and agents working, and stays closed', async () => {
    const service = await start();
    await post(service, await newSession(service), 'Hello');
    service.fail({ kind: 'delay', ms: 60_000 });
    const arrived = new Promise(resolve => service.onDidReceive(resolve));
    const waiting = call(service, '/api/v0/computers');
    const idle = connect(Number(new URL(service.appUrl).port), '127.0.0.1');
    await new Promise(resolve => idle.once('connect', resolve));
    const ended = new Promise(resolve => idle.once('close', resolve));
    await arrived;
    const settled = service.settle();
    assert.ok((await timed(() => service.close())) < 200);
    await assert.rejects(waiting, /fetch failed/);
    await Promise.all([settled, ended, service.close()]);
    await assert.rejects(call(service, '/api/v0/computers'), /fetch failed/);
  });

  it('leaves no timer and no server behind', async () => {
    const open = (): number =>
      process.getActiveResourcesInfo().filter(kind => kind === 'Timeout' || kind === 'TCPServerWrap').length;
    // The test runner's own timer begins once the test waits.
    await new Promise(setImmediate);
    const before = open();
    const service = await start({ now: Date.now });
    await post(service, await newSession(service), 'Hello');
    service.fail({ kind: 'delay', ms: 60_000 });
    const arrived = new Promise(resolve => service.onDidReceive(resolve));
    const waiting = new Promise(resolve => {
      request(service.baseUrl, { agent: false }).on('error', resolve).end();
    });
    const settled = service.settle();
    await arrived;
    await until(() => open() >= before + 4, 'two servers and two timers');
    await service.close();
    await Promise.all([settled, waiting]);
    await until(() => open() === before, 'all gone');
  });
});
