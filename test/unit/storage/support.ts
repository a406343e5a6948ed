import * as fs from 'node:fs';
import * as path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type {
  Collection,
  CollectionOptions,
  OpenStorageOptions,
  Restored,
  Storage,
} from '../../../src/storage';
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
  if (typeof value !== 'object' || value === null || !('text' in value) || typeof value.text !== 'string') {
    throw new Error('It has no text.');
  }
  return 'count' in value && typeof value.count === 'number'
    ? { text: value.text, count: value.count }
    : { text: value.text };
}

export function entries<T>(collection: Collection<T>): Record<string, T> {
  return Object.fromEntries([...collection.values].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The file of the database below a root. */
export function databaseOf(root: string): string {
  return path.join(root, 'store', 'console.db');
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
