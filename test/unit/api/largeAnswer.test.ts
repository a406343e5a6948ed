import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { temporaryFolder } from '../../fakes/cleanUp';
import { type Fault, REQUEST_ID } from '../../fakes/faultServer';
import { answerOf, tokenRows } from '../../fakes/usage';
import { collectGarbage } from '../../growth';
import { until } from '../../until';
import { root } from '../../vscode/paths';
import { ENDPOINTS, KEY, DAYS, clientOf, failureOf, testServer } from './support';

/** What reads large answers, as it ships. */
const WORKER = path.join(root, 'dist/answerWorker.mjs');
/** A reader of answers that ends where it looks for the network. */
const OFFLINE = `
  const offline = name => () => { throw new Error(name + ' in a worker'); };
  globalThis.fetch = offline('fetch');
  for (const [module, names] of [['net', ['connect', 'createConnection']], ['tls', ['connect']], ['dns', ['lookup']]])
    for (const name of names) require('node:' + module)[name] = offline(name);
  require('node:net').Socket.prototype.connect = offline('a socket');
  require('node:module').syncBuiltinESMExports();
  require(${JSON.stringify(WORKER)});`;
/** One that begins, and never ends. */
const STUCK = `
  const { parentPort } = require('node:worker_threads');
  parentPort.on('message', () => require('node:fs').writeFileSync(__dirname + '/begun', ''));
  parentPort.postMessage({ type: 'ready' });`;

describe('a large analytics answer', () => {
  const server = testServer();
  let folder: string;

  beforeEach(() => {
    folder = temporaryFolder();
    fs.writeFileSync(path.join(folder, 'offline.js'), OFFLINE);
    fs.writeFileSync(path.join(folder, 'stuck.js'), STUCK);
  });

  const ask = (script: string, signal?: AbortSignal) => {
    const { api } = clientOf(server, { workerScript: path.resolve(folder, script), redactionKey: 'k' });
    return api.list('tokens', { query: DAYS, signal });
  };

  it('is read in slices by a thread without any way to the network, and reads or fails as it would here', async () => {
    const rows = tokenRows({ days: 300, people: 100 });
    const body = answerOf([...rows, { date: '2026-11-09', [KEY]: `secret ${KEY}` }]);
    assert.ok(body.length > 5 * 1024 * 1024);
    server.answer({ kind: 'answer', body });
    let [turns, isRunning] = [0, true];
    const count = (): void => {
      turns++;
      if (isRunning) setImmediate(count);
    };
    setImmediate(count);
    const answer = await ask('offline.js').finally(() => (isRunning = false));
    assert.ok(turns > 20, `${turns} turns for other work`);
    assert.equal(server.hits.length, 1);
    assert.deepEqual(answer.items.slice(0, -1), rows);
    assert.deepEqual([answer.problems, answer.meta.org_id], [[], 'org_acme']);
    assert.ok(!JSON.stringify(answer.items.at(-1)).includes(KEY));
    assert.deepEqual(await ask('no such script.js'), answer);
    const filler = 'x'.repeat(6 * 1024 * 1024);
    for (const [cut, code] of [
      [`{"data": [], "filler": "${filler}"`, 'notJson'],
      [`{"data": 3, "filler": "${filler}"}`, 'wrongShape'],
    ] as const) {
      server.answer({ kind: 'answer', body: cut });
      const error = await failureOf(ask(WORKER));
      assert.deepEqual([error.kind, error.code, error.requestId], ['malformedAnswer', code, REQUEST_ID]);
    }
  });

  it('is given up when its caller leaves, also while it is read', async () => {
    server.answer({ kind: 'answer', body: answerOf(tokenRows({ days: 300, people: 10 })) });
    const abort = new AbortController();
    const asked = failureOf(ask('stuck.js', abort.signal));
    await until(() => fs.existsSync(path.join(folder, 'begun')));
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
    const used = (): number => {
      collectGarbage();
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
    ['that says so', declared, /^(computers|reports|createSession|tokens)$/],
    ['that does not say so', endless, /^(computers|reports|createSession)$/],
    ['in an archive', { kind: 'gzipBomb', bytes: 100 * MB }, /^computers$/],
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
        assert.ok(growth < 20 * MB, `grew by ${Math.round(growth / MB)} MB`);
        assert.ok(server.sentBytes < 40 * MB, `${server.sentBytes} bytes were sent`);
      });

  it('an answer cut into single bytes, with a byte order mark, is read whole', async () => {
    const name = '🦊'.repeat(20_000);
    const bytes = new TextEncoder().encode(`\uFEFF${JSON.stringify({ computers: [{ id: 'é', name }] })}`);
    const parts = Array.from(bytes, byte => Uint8Array.of(byte));
    const fetch = () => Promise.resolve(new Response(ReadableStream.from(parts), { status: 200 }));
    const { items } = await clientOf(server, { fetch }).api.list('computers');
    assert.equal(items[0]?.name, name);
  });
});
