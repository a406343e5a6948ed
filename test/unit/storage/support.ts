import * as fs from 'node:fs';
import * as path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Collection, CollectionOptions, OpenStorageOptions, Storage } from '../../../src/storage';
import { later } from '../../fakes/cleanUp';
import { silentLog } from '../../fakes/log';
import { openStorage } from '../../fakes/storage';
export { cleanUp, temporaryFolder } from '../../fakes/cleanUp';
export { until } from '../../until';

/** A storage as one window has it, closed after the test. */
export function openWindow(
  root: string,
  options: Partial<OpenStorageOptions> = {},
): Storage & { lines: readonly string[] } {
  const log = silentLog();
  const storage = openStorage({ root, log, ...options });
  later(() => storage.dispose());
  return Object.assign(storage, { lines: log.lines });
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

/** The names below a folder, without folders. */
export function filesBelow(folder: string): string[] {
  return fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .sort();
}
