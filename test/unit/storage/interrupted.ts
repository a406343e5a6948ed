import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import type { Note } from './support';
import { COUNTERS, planned } from './workload';

const WRITERS = 4;
const KILLS_A_WRITER = 8;

/** What four processes did that were killed at random. */
export interface Interrupted {
  readonly kills: number;
  /** Throws where a record is not as its last acknowledged act left it, or a count lacks one or has one twice. */
  readonly check: (values: ReadonlyMap<string, Note>) => void;
}

interface Journal {
  readonly tried: ReadonlySet<number>;
  readonly done: ReadonlySet<number>;
}

/** Runs `operations` acts in four processes (`script`: writer.child.js), each killed now and then. `journals`: a folder for their notes. */
export async function interrupted(
  script: string,
  root: string,
  journals: string,
  operations: number,
): Promise<Interrupted> {
  const share = Math.ceil(operations / WRITERS);
  const writers = Array.from({ length: WRITERS }, (_, n) => n);
  const journal = (n: number): string => path.join(journals, String(n));
  const kills = await Promise.all(writers.map(n => runWriter(script, root, journal(n), n, share)));
  return {
    kills: kills.reduce((sum, count) => sum + count, 0),
    check: values => {
      const books = writers.map(n => readJournal(journal(n)));
      for (const [n, book] of books.entries())
        assert.equal(book.tried.size, share, `writer ${n} did not try all`);
      books.forEach((book, writer) => checkOwnRecords(writer, book, share, values));
      for (let n = 0; n < COUNTERS; n++) checkCounter(`counter-${n}`, books, values.get(`counter-${n}`));
    },
  };
}

/** Runs one writer to its end, killing it now and then; resolves to how often. */
async function runWriter(
  script: string,
  root: string,
  journal: string,
  writer: number,
  share: number,
): Promise<number> {
  let kills = 0;
  for (;;) {
    const from = fs.existsSync(journal) ? Math.max(-1, ...readJournal(journal).tried) + 1 : 0;
    if (from >= share) return kills;
    const args = ['work', root, journal, String(writer), String(from), String(share)];
    const child = fork(script, args);
    // Some processes are killed after a few acts, some after many, some not at all.
    let patience =
      kills < KILLS_A_WRITER ? Math.ceil((Math.random() * 1.6 * share) / 10 / KILLS_A_WRITER) : Infinity;
    child.on('message', () => {
      if (--patience === 0) child.kill('SIGKILL');
    });
    const signal = await new Promise<NodeJS.Signals | null>((resolve, reject) => {
      child.on('exit', (code, by) => {
        if (by !== null || code === 0) resolve(by);
        else reject(new Error(`A writer ended with ${code}`));
      });
    });
    if (signal !== null) kills++;
  }
}

function readJournal(file: string): Journal {
  const tried = new Set<number>();
  const done = new Set<number>();
  for (const line of fs.readFileSync(file, 'utf8').split('\n')) {
    const [word, index] = line.split(' ');
    if (word === 'try') tried.add(Number(index));
    if (word === 'done') done.add(Number(index));
  }
  return { tried, done };
}

/** Each record is as its last acknowledged act left it, or as a later act that was cut off did. */
function checkOwnRecords(
  writer: number,
  book: Journal,
  share: number,
  values: ReadonlyMap<string, Note>,
): void {
  const acts = new Map<string, number[]>();
  for (let index = 0; index < share; index++) {
    const operation = planned(writer, index);
    if (operation.kind === 'increment') continue;
    acts.set(operation.id, [...(acts.get(operation.id) ?? []), index]);
  }
  for (const [id, indexes] of acts) {
    const lastDone = indexes.findLastIndex(index => book.done.has(index));
    const possible = indexes.slice(Math.max(lastDone, 0)).map(index => {
      const operation = planned(writer, index);
      return operation.kind === 'put' ? { text: operation.text, count: index } : undefined;
    });
    if (lastDone < 0) possible.push(undefined);
    const found = values.get(id);
    assert.ok(
      possible.some(value => same(value, found)),
      `${id} is ${found?.count} after act ${indexes[lastDone]}`,
    );
  }
}

function checkCounter(id: string, books: readonly Journal[], found: Note | undefined): void {
  let done = 0;
  let tried = 0;
  for (const [writer, book] of books.entries()) {
    const isThis = (index: number): boolean => planned(writer, index).id === id;
    done += [...book.done].filter(isThis).length;
    tried += [...book.tried].filter(isThis).length;
  }
  const count = found?.count ?? 0;
  assert.ok(done <= count && count <= tried, `${id}: ${done} acknowledged, ${count} stored, ${tried} tried`);
}

export function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
