import assert from 'node:assert/strict';
import * as path from 'node:path';
import * as fs from 'node:fs';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mock } from 'node:test';
import type { Collection, Storage } from '../../../src/storage';
import { localEngine } from '../../fakes/storage';
import { cleanUp, COUNTERS, entries, filesBelow, openNotes, openWindow, planned } from './support';
import { temporaryFolder, until, valueOf, type Note } from './support';

const script = path.join(__dirname, 'writer.child.js');

describe('a lease between windows', function () {
  let clock: number;
  let root: string;
  beforeEach(() => ([clock, root] = [1_000_000, temporaryFolder()]));
  afterEach(cleanUp);
  afterEach(() => mock.timers.reset());

  const open = () => openWindow(root, { now: () => clock });
  /** Whether the window is let in for a moment. */
  const enters = async (window: Storage, name = 'a') =>
    (await window.tryRun(name, 900, () => Promise.resolve(true))) === true;
  /** Everything that is under way in this thread goes on until it waits. */
  const ready = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn++) await new Promise(resolve => setImmediate(resolve));
  };

  it('lets one in at a time, for as long as the work takes, and the next when that one is through or has failed', async () => {
    mock.timers.enable({ apis: ['setInterval'] });
    const [one, other] = [open(), open()];
    const gate = Promise.withResolvers<undefined>();
    const held = one.tryRun('a', 900, async ({ isHeld }) => {
      await gate.promise;
      return isHeld();
    });
    await ready();
    for (let n = 0; n < 10; n++) {
      clock += 300;
      mock.timers.tick(300);
      await ready();
      assert.deepEqual([await enters(other), await enters(one)], [false, false]);
    }
    assert.equal(await enters(other, 'b'), true, 'another name');
    gate.resolve(undefined);
    assert.equal(await held, true);
    assert.equal(await enters(other), true);
    await assert.rejects(
      one.tryRun('a', 900, () => Promise.reject(new Error('no'))),
      /no/,
    );
    assert.equal(await enters(other), true);
  });

  it('is left to lapse by work that is not to be done again soon', async () => {
    const window = open();
    await window.tryRun('a', 900, ({ keep }) => {
      keep();
      return Promise.resolve();
    });
    clock += 899;
    assert.equal(await enters(window), false);
    clock += 1;
    assert.equal(await enters(window), true);
  });

  it('is lost by a holder that slept, who learns it before it acts, and never takes it up again', async () => {
    mock.timers.enable({ apis: ['setInterval'] });
    const [one, other] = [open(), open()];
    const [gate, end] = [Promise.withResolvers<boolean>(), Promise.withResolvers<boolean>()];
    const told: boolean[] = [];
    const slept = one.tryRun('a', 900, async ({ isHeld }) => {
      await gate.promise;
      told.push(isHeld());
      mock.timers.tick(300);
      await ready();
      told.push(isHeld());
      await end.promise;
    });
    await ready();
    clock += 60_000;
    assert.equal(await enters(other), true, 'somebody else has had it meanwhile');
    gate.resolve(true);
    await until(() => told.length === 2);
    assert.deepEqual(told, [false, false]);
    const taken = Promise.withResolvers<boolean>();
    const second = other.tryRun('a', 900, ({ isHeld }) => taken.promise.then(isHeld));
    await ready();
    end.resolve(true);
    await slept;
    taken.resolve(true);
    assert.equal(await second, true, 'the first has not taken away what the other holds');
  });

  it('is lost by a holder whose renewals are answered when it has lapsed, though nobody has it any more', async () => {
    mock.timers.enable({ apis: ['setInterval'] });
    const [gate, end] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    let leases = 0;
    const one = openWindow(root, {
      now: () => clock,
      engine: options => {
        const engine = localEngine(options);
        const call: typeof engine.call = async (name, ...args) => {
          if (name === 'lease' && ++leases > 1) await gate.promise;
          return engine.call(name, ...args);
        };
        return { ...engine, call };
      },
    });
    const held = one.tryRun('a', 900, ({ isHeld }) => end.promise.then(isHeld));
    await ready();
    for (let n = 0; n < 3; n++) {
      clock += 300;
      mock.timers.tick(300);
    }
    assert.equal(await enters(open()), true);
    gate.resolve(undefined);
    await ready();
    end.resolve(undefined);
    assert.equal(await held, false);
  });

  it('does not outlive a clock that was ahead', async () => {
    clock = 10_000_000_000;
    void open().tryRun('a', 900, () => new Promise<void>(() => undefined));
    await ready();
    clock = 1_000_000;
    assert.equal(await enters(open()), true);
  });

  it('of a process that is killed passes on after its time', async () => {
    const child = fork(script, ['hold', root]);
    await once(child, 'message');
    clock = Date.now();
    assert.equal(await enters(open()), false);
    child.kill('SIGKILL');
    await once(child, 'exit');
    clock += 61_000;
    assert.equal(await enters(open()), true);
  });

  it('goes to one of four processes at a time, whatever is killed', async function () {
    const children = Array.from({ length: 4 }, () => fork(script, ['compete', root, '100']));
    const codes = await Promise.all(children.map(async child => (await once(child, 'exit'))[0] as unknown));
    assert.deepEqual(codes, [0, 0, 0, 0], 'no process found another one inside');
    const counter = open().collection<number>({ path: 'inside', version: 1, schema: { parse: Number } });
    assert.deepEqual([await counter.read('entered'), await counter.read('inside')], [400, 0]);
  });
});

/** A folder in memory: killed processes lose nothing there that they would not lose on a disk, and it is far faster. */
const MEMORY = '/dev/shm';
const [WRITERS, EACH, KILLS_A_WRITER] = [4, 2_500, 8];

/** What one writer has begun, and what of it was acknowledged. */
interface Journal {
  readonly tried: readonly number[];
  readonly done: ReadonlySet<number>;
}

function readJournal(file: string): Journal {
  const lines = fs.existsSync(file) ? fs.readFileSync(file, 'utf8').split('\n') : [];
  const of = (word: string): number[] =>
    lines.flatMap(line => (line.startsWith(`${word} `) ? Number(line.slice(word.length)) : []));
  return { tried: of('try'), done: new Set(of('done')) };
}

/** Runs one writer to its end, killing it now and then: after a few acts, after many, or not at all. */
async function run(writer: number, root: string, file: string): Promise<Journal & { kills: number }> {
  for (let kills = 0; ;) {
    const journal = readJournal(file);
    const from = Math.max(-1, ...journal.tried) + 1;
    if (from >= EACH) return { ...journal, kills };
    const args = ['work', root, file, ...[writer, from, EACH].map(String)];
    const child = fork(path.join(__dirname, 'writer.child.js'), args);
    const most = kills < KILLS_A_WRITER ? (0.16 * EACH) / KILLS_A_WRITER : Infinity;
    let patience = Math.ceil(Math.random() * most);
    child.on('message', () => {
      if (--patience === 0) child.kill('SIGKILL');
    });
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
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

describe('storage under four processes that are killed at random', function () {
  afterEach(cleanUp);

  it(`loses nothing in ${WRITERS * EACH} operations`, async () => {
    const parent = fs.existsSync(MEMORY) ? MEMORY : undefined;
    const [root, journals] = [temporaryFolder(parent), temporaryFolder(parent)];
    const watching = await openNotes(root);
    const books = await Promise.all(
      Array.from({ length: WRITERS }, (_, n) => run(n, root, path.join(journals, String(n)))),
    );
    assert.ok(books.reduce((sum, { kills }) => sum + kills, 0) >= 4, 'too few were killed');

    const after = await openNotes(root);
    assert.deepEqual(after.unreadable, []);
    assert.equal(valueOf(root, 'PRAGMA integrity_check'), 'ok');
    for (const name of filesBelow(root))
      assert.match(name, /^store\/(console\.db(-wal|-shm)?|backup-.*\.db)$/);
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
    const text = (): string => JSON.stringify(entries(watching));
    await until(watching.onDidChange, () => text() === JSON.stringify(entries(after)));
  });
});
