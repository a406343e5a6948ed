import { fork, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { mock } from 'node:test';
import type { Collection, CollectionOptions, OpenStorageOptions, Restored } from '../../../src/storage';
import { databaseIn } from '../../../src/storage/backup';
import type { MakeEngine } from '../../../src/storage/engine';
import { later, temporaryFolder } from '../../fakes/cleanUp';
import { silentLog } from '../../fakes/log';
import { localEngine, openStorage } from '../../fakes/storage';
export { temporaryFolder } from '../../fakes/cleanUp';
export { until } from '../../until';

/** The folder of the test that runs. */
export let root = '';

/** Each test of a `describe` has a folder of its own. */
export function eachInItsFolder(parent?: string): void {
  beforeEach(() => {
    later(() => mock.timers.reset());
    later(() => mock.reset());
    root = temporaryFolder(parent);
  });
}

/** A storage as one window has it, closed after the test. */
export function openWindow(folder: string, options: Partial<OpenStorageOptions> = {}) {
  const log = silentLog();
  const restored: Restored[] = [];
  const storage = openStorage({ root: folder, log, onRestored: each => restored.push(each), ...options });
  later(() => storage.dispose());
  return Object.assign(storage, { lines: log.lines, restored });
}

/** One of the folder of the test. */
export const open = (options?: Partial<OpenStorageOptions>) => openWindow(root, options);

export function openNotes(folder = root): Promise<Collection<Note>> {
  return loaded(openWindow(folder).collection(notes));
}

export async function storedNotes(folder = root): Promise<Record<string, Note>> {
  return entries(await openNotes(folder));
}

export async function loaded<T extends { load(): Promise<unknown> }>(collection: T): Promise<T> {
  await collection.load();
  return collection;
}

export interface Note {
  readonly text: string;
  readonly count?: number;
}

function parse(value: unknown): Note {
  const { text, count } = value as Partial<Note>;
  if (typeof text !== 'string') throw new Error('It has no text.');
  return count === undefined ? { text } : { text, count };
}

export const notes: CollectionOptions<Note> = { path: 'notes', version: 1, schema: { parse } };

export function entries<T>(collection: Collection<T>): Record<string, T> {
  return Object.fromEntries([...collection.values].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The file in use below the folder of the test, or another. */
export function databaseOf(folder = root): string {
  return databaseIn(path.join(folder, 'store'));
}

export function keepBackup(folder = root): void {
  inspect(db => db.exec('PRAGMA wal_checkpoint(TRUNCATE)'), folder);
  fs.copyFileSync(databaseOf(folder), path.join(folder, 'store', 'backup-2026-11-01.db'));
}

export function scramble(file = databaseOf()): void {
  const bytes = fs.readFileSync(file);
  fs.writeFileSync(file, bytes.fill(0x5a, 0, 4096));
  for (const end of ['-wal', '-shm']) fs.rmSync(file + end, { force: true });
}

/** A database whose calls of one name wait for a gate, from the `nth` on. */
export const gated =
  (method: string, nth: number, gate: Promise<unknown>): MakeEngine =>
  options => {
    const engine = localEngine(options);
    let calls = 0;
    return async (name, ...args) => {
      if (name === method && ++calls >= nth) await gate;
      return engine(name, ...args);
    };
  };

export function inspect<T>(look: (db: DatabaseSync) => T, folder = root): T {
  using db = new DatabaseSync(databaseOf(folder));
  return look(db);
}

export function valueOf(sql: string): unknown {
  return inspect(db => Object.values(db.prepare(sql).get() ?? {})[0]);
}

/** Hears each statement before it runs on any database; it does not run where `hear` throws. */
export function onExec(hear: (sql: string) => void): void {
  const exec: (sql: string) => void = Reflect.get(DatabaseSync.prototype, 'exec');
  mock.method(DatabaseSync.prototype, 'exec', function (this: DatabaseSync, sql: string) {
    hear(sql);
    exec.call(this, sql);
  });
}

export function filesBelow(folder = root): string[] {
  return fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .sort();
}

export const child = path.join(__dirname, 'writer.child.js');
/** Other processes that do the same (`writer.child.ts`). */
export const forked = (count: number, ...args: readonly string[]): readonly ChildProcess[] =>
  Array.from({ length: count }, () => fork(child, args));

/** Everything that is ready in this thread goes on. */
export async function turn(count = 1): Promise<void> {
  for (let at = 0; at < count; at++) await new Promise(resolve => setImmediate(resolve));
}

export const COUNTERS = 4;

/** What writer number `writer` does as its `index`-th act; the same in the child that does it and the test that checks. */
export function planned(writer: number, index: number) {
  const dice = createHash('md5').update(`${writer} ${index}`).digest().readUInt32LE();
  const which = dice >>> 8;
  const kind = dice % 10 < 3 ? 'increment' : dice % 10 === 3 ? 'remove' : 'put';
  const id = kind === 'increment' ? `counter-${which % COUNTERS}` : `writer-${writer}-record-${which % 40}`;
  return { kind, id, text: 'x'.repeat(which % 3000) } as const;
}
