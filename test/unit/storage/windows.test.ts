import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { mock } from 'node:test';
import { workerEngine, type Collection, type Lease, type Storage } from '../../../src/storage';
import { temporaryFolder } from '../../fakes/cleanUp';
import { until } from '../../until';
import { child, COUNTERS, databaseOf, eachInItsFolder, entries, filesBelow, turn, valueOf } from './support';
import { forked, gated, inspect, notes, open, openNotes, planned, root, type Note } from './support';

describe('a lease between windows', () => {
  let clock: number;
  eachInItsFolder();
  beforeEach(() => {
    clock = 1_000_000;
    mock.timers.enable({ apis: ['setInterval'] });
  });

  const opened = (options = {}) => open({ now: () => clock, ...options });
  const enters = async (window: Storage, name = 'a') =>
    (await window.tryRun(name, 900, () => Promise.resolve(true))) === true;
  const ready = () => turn(20);
  const pass = async (ms: number): Promise<void> => {
    clock += ms;
    mock.timers.tick(ms);
    await ready();
  };
  /** A window that works until `end`, which says whether it held the lease to the last. */
  const hold = async (window: Storage) => {
    const gate = Promise.withResolvers<undefined>();
    let isHeld: Lease['isHeld'] = () => false;
    const run = window.tryRun('a', 900, async lease => {
      isHeld = lease.isHeld;
      await gate.promise;
      return isHeld();
    });
    await ready();
    return { isHeld: () => isHeld(), end: () => (gate.resolve(undefined), run) };
  };

  it('lets one in at a time, for as long as the work takes, and the next when that one is through or has failed; work that is not to be done again soon lets it lapse', async () => {
    const [one, other] = [opened(), opened()];
    const { end } = await hold(one);
    for (let n = 0; n < 10; n++) {
      await pass(300);
      assert.deepEqual([await enters(other), await enters(one)], [false, false]);
    }
    assert.equal(await enters(other, 'b'), true, 'another name');
    assert.equal(await end(), true);
    await pass(300);
    assert.equal(await enters(other), true);
    const failing = one.tryRun('a', 900, () => Promise.reject(new Error('no')));
    await assert.rejects(failing, /no/);
    assert.equal(await enters(other), true);
    await one.tryRun('a', 900, async ({ keep }) => {
      keep();
      await turn();
    });
    await pass(899);
    assert.equal(await enters(one), false);
    await pass(1);
    assert.equal(await enters(one), true);
  });

  it('is lost by a holder that slept, who learns it before it acts, and never takes it up again', async () => {
    const other = opened();
    const first = await hold(opened());
    clock += 899;
    assert.equal(first.isHeld(), true);
    clock += 1;
    assert.equal(first.isHeld(), false);
    assert.equal(await enters(other), true, 'somebody else has had it meanwhile');
    await pass(300);
    assert.equal(first.isHeld(), false);
    clock -= 900;
    assert.equal(first.isHeld(), false, 'whatever the clock says');
    clock += 900;
    await hold(other);
    await first.end();
    assert.equal(await enters(opened()), false, 'the first has not taken away what the other holds');
    clock = 10_000_000_000;
    await hold(opened());
    clock = 1_000_000;
    assert.equal(await enters(opened()), true, 'a clock that was ahead');
  });

  it('is lost by a holder whose renewals come when it has lapsed, though nobody has it, and lasts from when it was asked for', async () => {
    for (const [renewals, lateMs, isInTime] of [
      [1, 500, true],
      [2, 300, false],
    ] as const) {
      const gate = Promise.withResolvers<undefined>();
      const { isHeld, end } = await hold(opened({ engine: gated('lease', 2, gate.promise) }));
      for (let n = 0; n < renewals; n++) await pass(300);
      clock += lateMs;
      gate.resolve(undefined);
      await ready();
      clock += 399;
      assert.equal(isHeld(), isInTime);
      clock += 1;
      assert.deepEqual([await end(), await enters(opened())], [false, true]);
    }
  });

  it('goes to one of four processes at a time', async () => {
    const codes = await Promise.all(
      forked(4, 'compete', root, '50').map(async each => (await once(each, 'exit'))[0] as unknown),
    );
    assert.deepEqual(codes, [0, 0, 0, 0], 'no process found another one inside');
    const counter = opened().collection<number>({ path: 'inside', version: 1, schema: { parse: Number } });
    assert.deepEqual([await counter.read('entered'), await counter.read('inside')], [200, 0]);
  });
});

/** A folder in memory: killed processes lose nothing there that they would not lose on a disk, and it is far faster. */
const MEMORY = '/dev/shm';
const [WRITERS, EACH, KILLS_A_WRITER] = [4, 2_500, 8];

/** What one writer has begun, what of it was acknowledged, and how often it was killed. */
type Journal = Awaited<ReturnType<typeof run>>;

/** Runs one writer to its end, killing it now and then: after a few acts, after many, or not at all. */
async function run(writer: number, journals: string) {
  const file = path.join(journals, String(writer));
  for (let kills = 0; ;) {
    const text = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
    const [tried = [], done] = ['try', 'done'].map(word =>
      [...text.matchAll(new RegExp(`^${word} (\\d+)\n`, 'gm'))].map(([, index]) => Number(index)),
    );
    const from = Math.max(-1, ...tried) + 1;
    if (from >= EACH) return { tried, done: new Set(done), kills };
    const working = fork(child, ['work', root, file, ...[writer, from, EACH].map(String)]);
    const most = kills < KILLS_A_WRITER ? (0.16 * EACH) / KILLS_A_WRITER : Infinity;
    let patience = Math.ceil(Math.random() * most);
    working.on('message', () => {
      if (--patience === 0) working.kill('SIGKILL');
    });
    const [code, signal] = (await once(working, 'exit')) as [number | null, string | null];
    assert.ok(code === 0 || signal !== null, `A writer ended with ${code}`);
    if (signal !== null) kills++;
  }
}

/** Each record is as its last acknowledged act left it, or as a later act that was cut off did. */
function checkOwnRecords(writer: number, { done }: Journal, values: Collection<Note>['values']): void {
  const acts = Array.from({ length: EACH }, (_, index) => ({ index, ...planned(writer, index) }));
  for (const [id, own] of Map.groupBy(acts, act => act.id)) {
    if (own[0]?.kind === 'increment') continue;
    const last = own.findLastIndex(({ index }) => done.has(index));
    const possible = own
      .slice(Math.max(last, 0))
      .map(act => (act.kind === 'put' ? { text: act.text, count: act.index } : undefined));
    if (last < 0) possible.push(undefined);
    const found = values.get(id);
    const isPossible = possible.some(value => JSON.stringify(value) === JSON.stringify(found));
    assert.ok(isPossible, `${id} is ${found?.count} after act ${own[last]?.index}`);
  }
}

describe('storage under four processes that are killed at random', () => {
  const parent = fs.existsSync(MEMORY) ? MEMORY : undefined;
  eachInItsFolder(parent);

  it(`loses nothing in ${WRITERS * EACH} operations`, async () => {
    const journals = temporaryFolder(parent);
    const watching = await openNotes();
    const books = await Promise.all(Array.from({ length: WRITERS }, (_, n) => run(n, journals)));
    assert.ok(books.reduce((sum, { kills }) => sum + kills, 0) >= 4, 'too few were killed');

    const after = await openNotes();
    assert.deepEqual(after.unreadable, []);
    assert.equal(valueOf('PRAGMA integrity_check'), 'ok');
    for (const name of filesBelow()) assert.match(name, /^store\/(console\.db(-wal|-shm)?|backup-.*\.db)$/);
    for (const [writer, book] of books.entries()) checkOwnRecords(writer, book, after.values);
    for (let n = 0; n < COUNTERS; n++) {
      const id = `counter-${n}`;
      const sum = (of: (book: Journal) => Iterable<number>): number =>
        books.flatMap((book, writer) => [...of(book)].filter(index => planned(writer, index).id === id))
          .length;
      const [done, tried] = [sum(book => book.done), sum(book => book.tried)];
      const { count = 0 } = after.get(id) ?? {};
      assert.ok(done <= count && count <= tried, `${id}: ${done} done, ${count} stored, ${tried} tried`);
    }
    // Texts and records are the same.
    inspect(db => {
      const rows = db.prepare('SELECT value, text FROM documents FULL JOIN texts USING (key)').all();
      for (const { value, text } of rows)
        assert.equal(text, value === null ? null : `said ${(JSON.parse(String(value)) as Note).count}`);
      const found = db.prepare("SELECT count(*) AS n FROM words WHERE words MATCH 'said'").get();
      assert.equal(found?.['n'], after.values.size);
      db.exec("INSERT INTO words (words) VALUES ('integrity-check')");
    });
    const text = (): string => JSON.stringify(entries(watching));
    await until(watching.onDidChange, () => text() === JSON.stringify(entries(after)));
  });
});

/** What the product uses: the database in a thread of its own. */
describe('storage in a thread of its own', () => {
  // Built by the run of these tests.
  const script = path.join(process.env['AGENT_CONSOLE_ROOT']!, 'dist/storageWorker.mjs');
  eachInItsFolder();

  const started = (file = script) => open({ engine: workerEngine(file) });

  it('never goes back to what a record was, whatever of its own and of others comes in at the same time', async () => {
    const windows = [started(), started()].map(window => window.collection(notes));
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
    assert.ok(seen.every(counts => counts.every((count, at) => count >= (counts[at - 1] ?? 0))));
  });

  it('writes many records at once in few transactions, all of which other windows see', async () => {
    const [here, there] = [started(), started()].map(window => window.collection(notes));
    await there!.load();
    await here!.put('first', { text: 'x' });
    const size = (): number => fs.statSync(`${databaseOf()}-wal`).size;
    const before = size();
    await Promise.all(Array.from({ length: 600 }, (_, n) => here!.put(`n${n}`, { text: 'x' })));
    // A page of the log a record would be more than two megabytes.
    assert.ok(size() - before < 600 * 4096, `${size() - before} bytes for 600 records`);
    await until(there!.onDidChange, () => there!.values.size === 601);
  });

  it('leaves a database of a newer version alone and says so', async () => {
    await started().collection(notes).put('a', { text: 'x' });
    inspect(db => db.exec('PRAGMA user_version = 99'));
    const before = fs.readFileSync(databaseOf());
    const collection = started().collection(notes);
    const isNewer = { name: 'StorageError', message: /by a newer version.* Update Agent Console/ };
    await assert.rejects(collection.load(), isNewer);
    await assert.rejects(collection.put('a', { text: 'y' }), isNewer);
    assert.deepEqual(fs.readFileSync(databaseOf()), before);
  });

  it('follows what others write also after its thread has died', async () => {
    const mortal = path.join(temporaryFolder(), 'mortal.js');
    fs.writeFileSync(
      mortal,
      `require('node:worker_threads').parentPort.on('message', ({ args }) => {
        if (args[0] === 'die') process.exit(1);
      });
      require(${JSON.stringify(script)});`,
    );
    const window = started(mortal);
    const [here, there] = [window, started()].map(each => each.collection(notes));
    await there!.put('gone', { text: 'removed meanwhile' });
    await here!.load();
    await assert.rejects(window.peek('die'), /thread of the database has ended/);
    assert.ok(window.lines.some(line => line.includes('thread of the database has ended')));
    await here!.read('a');
    await Promise.all([there!.put('a', { text: 'written meanwhile' }), there!.remove('gone')]);
    await until(() => here!.get('a') !== undefined && here!.get('gone') === undefined);
    await there!.put('b', { text: 'written later' });
    await until(() => here!.get('b') !== undefined);
  });

  it('waits for writes under way, and goes on after dispose and after the thread has ended', async () => {
    const window = started();
    const collection = window.collection(notes);
    void collection.put('a', { text: 'one' });
    window.dispose();
    await window.settled();
    await collection.put('b', { text: 'two' });
    await window.settled();
    assert.deepEqual(filesBelow(), [path.join('store', 'console.db')], 'closed again');
    assert.deepEqual(entries(await openNotes()), { a: { text: 'one' }, b: { text: 'two' } });
  });
});
