import assert from 'node:assert/strict';
import * as path from 'node:path';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type Fault, REQUEST_ID } from '../../fakes/faultServer';
import { answerOf, tokenRows } from '../../fakes/usage';
import { until } from '../../until';
import { ENDPOINTS, buildApiScript, clientOf, failureOf, testServer } from './support';

const DAYS = { startDate: '2026-01-14', endDate: '2026-11-09' };
const SIZE = { days: 300, people: 100 };

describe('a large analytics answer', function () {
  const server = testServer();
  let built: ReturnType<typeof buildApiScript>;

  before(() => (built = buildApiScript()));
  after(() => rmSync(built.folder, { recursive: true, force: true }));

  const client = (workerScript = built.script) => clientOf(server, { workerScript }).api;
  /** How often other work got its turn while `work` ran. */
  const turnsDuring = async (work: () => Promise<unknown>): Promise<number> => {
    let turns = 0;
    let running = true;
    const count = (): void => {
      turns++;
      if (running) setImmediate(count);
    };
    setImmediate(count);
    try {
      await work();
    } finally {
      running = false;
    }
    return turns;
  };

  it('is read by a worker in slices, and reads as it would here', async () => {
    const rows = tokenRows(SIZE);
    const body = answerOf(rows);
    assert.ok(body.length > 5 * 1024 * 1024);
    server.answer({ kind: 'answer', body });
    const script = client();
    const ask = () => script.list('tokens', { query: DAYS });
    let answer: Awaited<ReturnType<typeof ask>> | undefined;
    const turns = await turnsDuring(async () => (answer = await ask()));
    assert.ok(turns > 20, `${turns} turns`);
    assert.deepEqual(answer?.items, rows);
    assert.deepEqual(answer.problems, []);
    assert.equal(answer.meta.org_id, 'org_acme');
    const here = await client('/no/such/script.js').list('tokens', { query: DAYS });
    assert.deepEqual(here, answer);
  });

  it('is read by a thread without any way to the network: the proxy and certificates of VS Code are known to the window alone', async () => {
    const script = path.join(built.folder, 'offline.js');
    const cut = `
      const offline = name => () => { throw new Error(name + ' in a worker'); };
      globalThis.fetch = offline('fetch');
      for (const [module, names] of [['net', ['connect', 'createConnection']], ['tls', ['connect']], ['dns', ['lookup']]])
        for (const name of names) require('node:' + module)[name] = offline(name);
      require('node:net').Socket.prototype.connect = offline('a socket');
      require(${JSON.stringify(built.script)});`;
    writeFileSync(script, cut);
    const rows = tokenRows(SIZE);
    server.answer({ kind: 'answer', body: answerOf(rows) });
    const before = server.hits.length;
    let items: readonly unknown[] = [];
    const turns = await turnsDuring(
      async () => ({ items } = await client(script).list('tokens', { query: DAYS })),
    );
    assert.deepEqual(items, rows);
    assert.ok(turns > 20, 'it was a worker that read it');
    assert.equal(server.hits.length - before, 1);
  });

  it('fails as a small one does', async () => {
    const filler = 'x'.repeat(6 * 1024 * 1024);
    for (const [body, code] of [
      [`{"data": [], "filler": "${filler}"`, 'notJson'],
      [`{"data": 3, "filler": "${filler}"}`, 'wrongShape'],
    ] as const) {
      server.answer({ kind: 'answer', body });
      const error = await failureOf(client().list('tokens', { query: DAYS }));
      assert.deepEqual([error.kind, error.code, error.requestId], ['malformedAnswer', code, REQUEST_ID]);
    }
  });

  it('is given up when its caller leaves, also while it is read', async () => {
    const [script, begun] = ['stuck.js', 'begun'].map(name => path.join(built.folder, name)) as [
      string,
      string,
    ];
    writeFileSync(
      script,
      `const { parentPort } = require('node:worker_threads');
      parentPort.on('message', () => require('node:fs').writeFileSync(${JSON.stringify(begun)}, ''));
      parentPort.postMessage({ type: 'ready' });`,
    );
    server.answer({ kind: 'answer', body: answerOf(tokenRows(SIZE)) });
    const abort = new AbortController();
    const asked = failureOf(client(script).list('tokens', { query: DAYS, signal: abort.signal }));
    await until(() => existsSync(begun));
    abort.abort();
    assert.equal((await asked).kind, 'cancelled');
  });
});

const MB = 1_000_000;

describe('a 100 MB answer', () => {
  const server = testServer();

  before(async () => {
    // What is loaded on first use is no growth of an answer.
    server.answer({ kind: 'html' });
    for (const { call } of ENDPOINTS) await failureOf(call(clientOf(server).api));
  });

  /** By how much the memory in use grew at most while `work` ran, bytes; what is only waiting to be collected is not in use. */
  async function growthWhile(work: () => Promise<unknown>): Promise<number> {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const used = (): number => {
      collect();
      collect();
      const { heapUsed, arrayBuffers } = process.memoryUsage();
      return heapUsed + arrayBuffers;
    };
    const before = used();
    let most = before;
    server.onLargePart = () => (most = Math.max(most, used()));
    try {
      await work();
    } finally {
      server.onLargePart = () => undefined;
    }
    return Math.max(most, used()) - before;
  }

  const declared: Fault = { kind: 'large', bytes: 110 * MB, declared: true };
  const endless: Fault = { kind: 'large', bytes: 100 * MB, declared: false };
  for (const [name, fault, endpoints] of [
    ['that says so', declared, /^(computers.list|reports|sessions.create|tokens)$/],
    ['that does not say so', endless, /^(computers.list|reports|sessions.create)$/],
    ['in an archive', { kind: 'gzipBomb', bytes: 100 * MB }, /^computers.list$/],
  ] as const)
    for (const endpoint of ENDPOINTS.filter(each => endpoints.test(each.name)))
      it(`${name} is given up by ${endpoint.name}`, async () => {
        server.answer(fault);
        const growth = await growthWhile(async () => {
          const { kind, reason, status, requestId } = await failureOf(endpoint.call(clientOf(server).api));
          const expected = endpoint.method === 'GET' ? 'malformedAnswer' : 'outcomeUnknown';
          assert.deepEqual([kind, reason, status], [expected, 'tooLarge', 200]);
          assert.ok(requestId);
        });
        assert.equal(server.hits.length, 1);
        assert.ok(fault.kind === 'gzipBomb' || growth < 20 * MB, `grew by ${Math.round(growth / MB)} MB`);
        assert.ok(server.sentBytes < 40 * MB, `${server.sentBytes} bytes were sent`);
      });

  it('an answer cut into single bytes, with a byte order mark, is read whole', async () => {
    const name = '🦊'.repeat(20_000);
    const bytes = new TextEncoder().encode(`\uFEFF${JSON.stringify({ computers: [{ id: 'é', name }] })}`);
    let length = bytes.length;
    const { api } = clientOf(server, {
      fetch: () => {
        const body = new ReadableStream<Uint8Array>({
          start: controller => {
            for (const byte of bytes.subarray(0, length)) controller.enqueue(Uint8Array.of(byte));
            controller.close();
          },
        });
        return Promise.resolve(new Response(body, { status: 200 }));
      },
    });
    assert.equal((await api.list('computers')).items[0]?.name, name);
    // One that ends within a letter leaves nothing to the next.
    length = bytes.indexOf(0xf0) + 1;
    assert.equal((await failureOf(api.list('computers'))).code, 'notJson');
    length = bytes.length;
    assert.equal((await api.list('computers')).items[0]?.name, name);
  });
});
