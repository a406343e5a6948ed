import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import type { Logger } from '../../../src/log';
import { DatabaseSync } from 'node:sqlite';
import type { Collection, CollectionOptions, OpenStorageOptions, Storage } from '../../../src/storage';
import { openStorage } from '../../fakes/storage';
export { until } from '../../until';

/** A folder of this test, gone after it. */
export function temporaryFolder(parent = os.tmpdir()): string {
  const folder = fs.mkdtempSync(path.join(parent, 'agent-console-storage-'));
  cleanups.push(() => fs.rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A storage as one window has it, closed after the test. */
export function openWindow(
  root: string,
  options: Partial<OpenStorageOptions> = {},
): Storage & { lines: string[] } {
  const log = new MemoryLog();
  const storage = openStorage({ root, log, ...options });
  cleanups.push(() => storage.dispose());
  return Object.assign(storage, { lines: log.lines });
}

const cleanups: (() => void)[] = [];

export function cleanUp(): void {
  for (const run of cleanups.splice(0).reverse()) run();
}

export class MemoryLog implements Logger {
  readonly lines: string[] = [];
  trace(message: string): void {
    this.lines.push(message);
  }
  debug(message: string): void {
    this.lines.push(message);
  }
  info(message: string): void {
    this.lines.push(message);
  }
  warn(message: string): void {
    this.lines.push(message);
  }
  error(message: string, cause?: unknown): void {
    this.lines.push(`${message} ${String(cause)}`);
  }
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
