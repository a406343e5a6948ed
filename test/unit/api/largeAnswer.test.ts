import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { REQUEST_ID } from '../../fakes/faultServer';
import { answerOf, tokenRows, userRows } from '../../fakes/usage';
import { buildApiScript, clientOf, collect, failureOf, testServer } from './support';

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

  it('of any kind is read, and rid of its secrets, by a worker', async () => {
    const note = `a://b:token=canary-1f2e3d4c `.repeat(40);
    const users = Array.from({ length: 2_000 }, (_, n) => ({
      id: `u${n}`,
      metadata: { note, apiKey: `canary-${n}` },
    }));
    server.answer({ kind: 'answer', body: { users, pagination: { hasMore: false } } });
    const read = (workerScript: string): Promise<unknown> =>
      collect(clientOf(server, { workerScript, redactionKey: 'k' }).api.pages('users'));
    let pages: unknown;
    const turns = await turnsDuring(async () => (pages = await read(built.script)));
    assert.ok(turns > 20, `${turns} turns`);
    assert.doesNotMatch(JSON.stringify(pages), /canary/);
    assert.deepEqual(await read('/no/such/script.js'), pages);
  });

  it('comes in pages as a small one does, and names what it could not read', async () => {
    const rows = userRows(SIZE);
    rows[3] = { ...rows[3], tool_calls: 'many' };
    rows.push({ user_id: 'nobody' });
    const [first, second] = [answerOf(rows, { has_more: true, next_cursor: 'c' }), answerOf([])];
    assert.ok(first.length > 5 * 1024 * 1024);
    server.answer((_, count) => ({ kind: 'answer', body: count === 1 ? first : second }));
    const pages = [];
    for await (const page of client().pages('people', { query: DAYS })) pages.push(page);
    assert.deepEqual(
      pages.map(page => [page.items.length, page.cursor]),
      [
        [rows.length - 1, 'c'],
        [0, undefined],
      ],
    );
    assert.deepEqual(
      pages[0]?.problems.map(({ id, field }) => [id, field]),
      [
        [rows[3]['user_id'], 'tool_calls'],
        ['nobody', undefined],
      ],
    );
    assert.match(server.hits[1]!.url, /cursor=c/);
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

  it('is given up when its caller leaves', async () => {
    server.answer({ kind: 'answer', body: answerOf(tokenRows(SIZE)) });
    const abort = new AbortController();
    const asked = failureOf(client().list('tokens', { query: DAYS, signal: abort.signal }));
    await server.arrived(1);
    abort.abort();
    assert.equal((await asked).kind, 'cancelled');
  });
});
