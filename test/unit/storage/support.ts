import * as fs from 'node:fs';
import * as path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { mock } from 'node:test';
import type {
  Collection,
  CollectionOptions,
  OpenStorageOptions,
  Restored,
  Storage,
} from '../../../src/storage';
import { databaseIn } from '../../../src/storage/backup';
import { later } from '../../fakes/cleanUp';
import { silentLog } from '../../fakes/log';
import { openStorage } from '../../fakes/storage';
export { cleanUp, temporaryFolder } from '../../fakes/cleanUp';
export { until } from '../../until';

/** A storage as one window has it, closed after the test. */
export function openWindow(
  root: string,
  options: Partial<OpenStorageOptions> = {},
): Storage & { readonly lines: readonly string[]; readonly restored: readonly Restored[] } {
  const log = silentLog();
  const restored: Restored[] = [];
  const storage = openStorage({ root, log, onRestored: each => restored.push(each), ...options });
  later(() => storage.dispose());
  return Object.assign(storage, { lines: log.lines, restored });
}

/** The notes as a new window reads them. */
export function openNotes(root: string): Promise<Collection<Note>> {
  return loaded(openWindow(root).collection(notes));
}

/** What a new window finds. */
export async function storedNotes(root: string): Promise<Record<string, Note>> {
  return entries(await openNotes(root));
}

export async function loaded<T extends { load(): Promise<unknown> }>(collection: T): Promise<T> {
  await collection.load();
  return collection;
}

export interface Note {
  readonly text: string;
  readonly count?: number;
}

export const notes: CollectionOptions<Note> = { path: 'notes', version: 1, schema: { parse: decodeNote } };

export function decodeNote(value: unknown): Note {
  const { text, count } = value as Partial<Note>;
  if (typeof text !== 'string') throw new Error('It has no text.');
  return count === undefined ? { text } : { text, count };
}

export function entries<T>(collection: Collection<T>): Record<string, T> {
  return Object.fromEntries([...collection.values].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The file of the database below a root. */
export function databaseOf(root: string): string {
  return databaseIn(path.join(root, 'store'));
}

/** Keeps the database of now as the backup of a day. */
export function keepBackup(root: string): void {
  inspect(root, db => db.exec('PRAGMA wal_checkpoint(TRUNCATE)'));
  fs.copyFileSync(databaseOf(root), path.join(root, 'store', 'backup-2026-11-01.db'));
}

/** Damages a file as all files are. */
export function scramble(file: string): void {
  const bytes = fs.readFileSync(file);
  bytes.fill(0x5a, 0, Math.min(bytes.length, 4096));
  fs.writeFileSync(file, bytes);
  for (const end of ['-wal', '-shm']) fs.rmSync(file + end, { force: true });
}

/** Whoever opens a database finds it locked once, as when several open a new one at the same moment. */
export function lockAtFirst(): void {
  const exec: (sql: string) => void = Reflect.get(DatabaseSync.prototype, 'exec');
  let opened = 0;
  mock.method(DatabaseSync.prototype, 'exec', function (this: DatabaseSync, sql: string) {
    if (sql.includes('journal_mode') && opened++ % 2 === 0)
      throw Object.assign(new Error('database is locked'), { errcode: 5 });
    exec.call(this, sql);
  });
}

/** The database as SQLite itself shows it. */
export function inspect<T>(root: string, look: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(databaseOf(root));
  try {
    return look(db);
  } finally {
    db.close();
  }
}

/** The one value that SQLite has for a question. */
export function valueOf(root: string, sql: string): unknown {
  return inspect(root, db => Object.values(db.prepare(sql).get() ?? {})[0]);
}

/** The names below a folder, without folders. */
export function filesBelow(folder: string): string[] {
  return fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .sort();
}

/** What writer number `writer` does as its `index`-th act; the same in the child that does it and the test that checks. */
export function planned(writer: number, index: number) {
  const dice = mix(writer * 1_000_003 + index);
  const [counter, own] = [
    `counter-${(dice >>> 8) % COUNTERS}`,
    `writer-${writer}-record-${(dice >>> 8) % 40}`,
  ];
  const kind = dice % 10 < 3 ? 'increment' : dice % 10 === 3 ? 'remove' : 'put';
  return { kind, id: kind === 'increment' ? counter : own, text: 'x'.repeat((dice >>> 4) % 3000) } as const;
}

export const COUNTERS = 4;

/** A fixed scrambling of 32 bits. */
function mix(value: number): number {
  let x = value | 0;
  x = Math.imul(x ^ (x >>> 16), 0x45d9f3b);
  x = Math.imul(x ^ (x >>> 16), 0x45d9f3b);
  return (x ^ (x >>> 16)) >>> 0;
}
