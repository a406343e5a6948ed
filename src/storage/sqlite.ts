import type * as Sqlite from 'node:sqlite';
import type { DatabaseSync } from 'node:sqlite';
import { StorageError } from './errors';

/** How long one call waits for other processes, ms. It holds up this thread, so never the extension host's own. */
export const BUSY_MS = 5_000;

/** The module, which VS Code has since 1.105; not loaded before a database is opened. */
export function sqlite(): typeof Sqlite {
  const module = process.getBuiltinModule('node:sqlite') as typeof Sqlite | undefined;
  if (module !== undefined) return module;
  throw new StorageError('Agent Console needs VS Code 1.105 or newer to store anything.');
}

/** Opens a file with the journal that is safe with this SQLite, durable with every transaction. */
export function openSqlite(file: string): DatabaseSync {
  const { DatabaseSync: Database } = sqlite();
  const db = new Database(file, { timeout: BUSY_MS });
  try {
    const version = String(db.prepare('SELECT sqlite_version() AS v').get()?.['v']);
    // A journal that is not empty was left by a process that died.
    db.exec(`PRAGMA journal_mode = ${journalFor(version)}; PRAGMA journal_size_limit = 0`);
    db.exec('PRAGMA synchronous = FULL');
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** The journal mode that is safe with a version of SQLite: before 3.51.3 WAL may corrupt a database (fixed 2026-03). */
export function journalFor(version: string): 'WAL' | 'PERSIST' {
  return version.localeCompare('3.51.3', 'en', { numeric: true }) < 0 ? 'PERSIST' : 'WAL';
}

/** What SQLite finds wrong with an open database; `undefined` for nothing. */
export function quickCheck(db: DatabaseSync): string | undefined {
  const found = String(db.prepare('PRAGMA main.quick_check(1)').get()?.['quick_check']);
  return found === 'ok' ? undefined : found;
}
