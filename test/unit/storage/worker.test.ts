import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { buildSync } from 'esbuild';
import { StorageError, workerEngine } from '../../../src/storage';
import { cleanUp, databaseOf, entries, filesBelow, inspect, notes } from './support';
import { openWindow, temporaryFolder, until } from './support';

/** What the product uses: the database in a thread of its own. */
describe('storage in a thread of its own', function () {
  let script = '';
  before(() => {
    const folder = fs.mkdtempSync(path.join(process.env['AGENT_CONSOLE_ROOT']!, '.test-out-worker-'));
    script = path.join(folder, 'worker.js');
    const entry = path.join(process.env['AGENT_CONSOLE_ROOT']!, 'src/storage/worker.ts');
    buildSync({ entryPoints: [entry], outfile: script, bundle: true, platform: 'node', format: 'cjs' });
  });
  after(() => fs.rmSync(path.dirname(script), { recursive: true, force: true }));
  let root: string;
  beforeEach(() => (root = temporaryFolder()));
  afterEach(cleanUp);

  const open = (root: string) => openWindow(root, { engine: workerEngine(script) });

  it('keeps records and tells other windows of them', async () => {
    const [here, there] = [open(root), open(root)].map(window => window.collection(notes));
    await here!.load();
    const add = (n: number) => here!.put(`n${n}`, { text: `text ${n}` });
    await there!.load();
    await Promise.all(Array.from({ length: 1_000 }, (_, n) => add(n)));
    await until(there!.onDidChange, () => there!.values.size === 1_000);
    await there!.remove('n7');
    await until(here!.onDidChange, () => here!.get('n7') === undefined);
    const fresh = open(root).collection(notes);
    await fresh.load();
    assert.deepEqual(entries(fresh), entries(here!));
  });

  it('never goes back to what a record was, whatever of its own and of others comes in at the same time', async () => {
    const windows = [open(root), open(root)].map(window => window.collection(notes));
    const seen = windows.map(() => [0]);
    for (const [index, window] of windows.entries()) {
      await window.load();
      window.onDidChange(() => seen[index]!.push(window.get('n')?.count ?? 0));
    }
    const count = (window: (typeof windows)[number]) =>
      window.update('n', current => ({ text: 'count', count: (current?.count ?? 0) + 1 }));
    await Promise.all(
      windows.map(async window => {
        for (let round = 0; round < 100; round++) await Promise.all([count(window), count(window)]);
      }),
    );
    for (const window of windows) assert.equal((await window.read('n'))?.count, 400);
    for (const counts of seen)
      assert.deepEqual(
        counts,
        counts.toSorted((a, b) => a - b),
      );
  });

  it('writes many records at once in few transactions', async () => {
    const window = open(root);
    const collection = window.collection(notes);
    await collection.put('first', { text: 'x' });
    const size = (): number => fs.statSync(`${databaseOf(root)}-wal`).size;
    const before = size();
    await Promise.all(Array.from({ length: 500 }, (_, n) => collection.put(`n${n}`, { text: 'x' })));
    // A page of the log a record would be two megabytes.
    assert.ok(size() - before < 500 * 4096, `${size() - before} bytes for 500 records`);
  });

  it('says what is wrong as it would in this thread', async () => {
    await open(root).collection(notes).put('a', { text: 'x' });
    inspect(root, db => db.exec('PRAGMA user_version = 99'));
    const collection = open(root).collection(notes);
    await assert.rejects(
      collection.load(),
      error => error instanceof StorageError && /Update Agent Console/.test(error.message),
    );
  });

  it('follows what others write also after its thread has died', async () => {
    const mortal = path.join(path.dirname(script), 'mortal.js');
    fs.writeFileSync(
      mortal,
      `require('node:worker_threads').parentPort.on('message', ({ args }) => {
        if (args[0] === 'die') process.exit(1);
      });
      require(${JSON.stringify(script)});`,
    );
    const window = openWindow(root, { engine: workerEngine(mortal) });
    const [here, there] = [window, open(root)].map(each => each.collection(notes));
    await there!.put('gone', { text: 'removed meanwhile' });
    await here!.load();
    await assert.rejects(window.peek('die'), /thread of the database has ended/);
    assert.ok(window.lines.some(line => line.includes('has ended and begins anew')));
    await Promise.all([there!.put('a', { text: 'written meanwhile' }), there!.remove('gone')]);
    await until(() => here!.get('a') !== undefined && here!.get('gone') === undefined);
    await there!.put('b', { text: 'written later' });
    await until(() => here!.get('b') !== undefined);
  });

  it('takes nothing that a dead thread had still to say for an answer of the next', async () => {
    const chatty = path.join(path.dirname(script), 'chatty.js');
    fs.writeFileSync(
      chatty,
      `const { parentPort } = require('node:worker_threads');
      parentPort.on('message', ({ args: [result] }) => {
        for (let n = 0; n < 3000; n++) parentPort.postMessage({ result });
        if (result === 'last words') throw new Error('It dies.');
      });`,
    );
    const quiet = { root, now: Date.now, onChanged: () => undefined, onProblem: () => undefined };
    for (let n = 0; n < 20; n++) {
      const next = Promise.withResolvers<unknown>();
      const onReplaced = (): void => next.resolve(engine.call('peek', 'next'));
      const engine = workerEngine(chatty)({ ...quiet, onReplaced });
      await Promise.allSettled([engine.call('peek', 'last words')]);
      assert.equal(await next.promise, 'next');
      await engine.close();
    }
  });

  it('waits for writes under way, and goes on after dispose and after the thread has ended', async () => {
    const window = open(root);
    const collection = window.collection(notes);
    void collection.put('a', { text: 'one' });
    window.dispose();
    await window.settled();
    await collection.put('b', { text: 'two' });
    await window.settled();
    assert.deepEqual(filesBelow(root), [path.join('store', 'console.db')], 'closed again');
    const stored = Object.fromEntries(await open(root).collection(notes).load());
    assert.deepEqual(stored, { a: { text: 'one' }, b: { text: 'two' } });
  });
});
