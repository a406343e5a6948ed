import type * as Sqlite from 'node:sqlite';
import type { DatabaseSync } from 'node:sqlite';
import { StorageError } from './errors';

/** How long one call waits for other processes, ms. It holds up this thread, so never the extension host's own. */
const BUSY_MS = 5_000;
/** SQLite before this one may corrupt a database in WAL mode (fixed 2026-03). */
const WAL_SINCE = [3, 51, 3];

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
    db.exec(`PRAGMA journal_mode = ${journalFor(version)}; PRAGMA synchronous = FULL`);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * Whether the next transactions are on the disk when they end. In WAL mode a loss of power takes only the last ones of those that
 * are not; with another journal it may damage the file, so there all of them are.
 */
export function setDurable(db: DatabaseSync, isDurable: boolean): void {
  const isWal = db.prepare('PRAGMA journal_mode').get()?.['journal_mode'] === 'wal';
  db.exec(`PRAGMA synchronous = ${isDurable || !isWal ? 'FULL' : 'NORMAL'}`);
}

/** The journal mode that is safe with a version of SQLite. */
export function journalFor(version: string): 'WAL' | 'PERSIST' {
  const parts = version.split('.').map(Number);
  const differing = WAL_SINCE.findIndex((part, index) => part !== parts[index]);
  return differing < 0 || (parts[differing] ?? 0) > (WAL_SINCE[differing] ?? 0) ? 'WAL' : 'PERSIST';
}
