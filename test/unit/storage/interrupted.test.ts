import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as path from 'node:path';
import type { Collection } from '../../../src/storage';
import {
  cleanUp,
  entries,
  filesBelow,
  openNotes,
  temporaryFolder,
  until,
  valueOf,
  type Note,
} from './support';
import { COUNTERS, planned } from './workload';

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
    const allowed = /^store\/(console\.db(-wal|-shm)?|backup-.*\.db)$/;
    assert.deepEqual(
      filesBelow(root).filter(name => !allowed.test(name)),
      [],
    );
    for (const [writer, book] of books.entries()) checkOwnRecords(writer, book, after.values);
    for (let n = 0; n < COUNTERS; n++) {
      const id = `counter-${n}`;
      const sum = (of: (book: Journal) => Iterable<number>): number =>
        books.flatMap((book, writer) => [...of(book)].filter(index => planned(writer, index).id === id))
          .length;
      const [done, count, tried] = [
        sum(({ done }) => done),
        after.get(id)?.count ?? 0,
        sum(book => book.tried),
      ];
      assert.ok(
        done <= count && count <= tried,
        `${id}: ${done} acknowledged, ${count} stored, ${tried} tried`,
      );
    }
    const text = (): string => JSON.stringify(entries(watching));
    await until(watching.onDidChange, () => text() === JSON.stringify(entries(after)));
  });
});
