import type * as Sqlite from 'node:sqlite';
import type { DatabaseSync } from 'node:sqlite';
import { isBusy, StorageError } from './errors';
import { TEXTS, WORDS } from './search';

/** How long one call waits for other processes, ms. It holds up this thread, so never the extension host's own. */
export const BUSY_MS = 10_000;
/** SQLite asks less and less often for a lock, up to ten times a second; begun anew after so long, it goes on asking often. */
const ASK_MS = 50;

/** The module, which VS Code has since 1.105; not loaded before a database is opened. */
export function sqlite(): typeof Sqlite {
  const module = process.getBuiltinModule('node:sqlite') as typeof Sqlite | undefined;
  if (module !== undefined) return module;
  throw new StorageError('Agent Console needs VS Code 1.105 or newer to store anything.');
}

/** Opens a file with the journal that is safe with this SQLite. */
export function openSqlite(file: string): DatabaseSync {
  const { DatabaseSync: Database } = sqlite();
  const db = new Database(file, { timeout: BUSY_MS });
  try {
    const version = String(db.prepare('SELECT sqlite_version() AS v').get()?.['v']);
    const journal = journalFor(version);
    // A journal that is not empty was left by a process that died. A log is gone after the last close; till then, to write over it is faster than to let it grow.
    db.exec(`PRAGMA journal_mode = ${journal}; PRAGMA journal_size_limit = ${journal === 'WAL' ? -1 : 0}`);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Begins to write, with SQLite's `synchronous` as it is to be for that. Whoever waits is not outrun by others that write all the time. */
export function begin(db: DatabaseSync, synchronous: 'FULL' | 'NORMAL'): void {
  const end = performance.now() + BUSY_MS;
  db.exec(`PRAGMA synchronous = ${synchronous}; PRAGMA busy_timeout = ${ASK_MS}`);
  try {
    for (;;)
      try {
        db.exec('BEGIN IMMEDIATE');
        return;
      } catch (error) {
        if (!isBusy(error) || performance.now() > end) throw error;
      }
  } finally {
    db.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
  }
}

/** The journal mode that is safe with a version of SQLite: before 3.51.3 WAL may corrupt a database (fixed 2026-03). */
export function journalFor(version: string): 'WAL' | 'PERSIST' {
  return version.localeCompare('3.51.3', 'en', { numeric: true }) < 0 ? 'PERSIST' : 'WAL';
}

/** What SQLite finds wrong with an open database; `undefined` for nothing. */
export function quickCheck(db: DatabaseSync): string | undefined {
  const found = String(db.prepare('PRAGMA quick_check(1)').get()?.['quick_check']);
  return found === 'ok' ? undefined : found;
}

/** SQLite's code for what it does not know, such as a module that was left out. */
const UNSUPPORTED = 1;

/** Version of the tables below; a database with a higher one was written by a newer Agent Console. */
export const SCHEMA_VERSION = 3;

const TABLES = `
  -- Every record of every collection. \`value\` is JSON, or null where the record was removed; \`seq\` rises with each write.
  CREATE TABLE documents (
    key INTEGER PRIMARY KEY,
    collection TEXT NOT NULL,
    id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    version INTEGER NOT NULL,
    at INTEGER NOT NULL,
    value TEXT,
    UNIQUE (collection, id)
  );
  CREATE INDEX documents_by_seq ON documents (seq);
  -- What could not be read and was about to be written over.
  CREATE TABLE quarantine (collection TEXT, id TEXT, version INTEGER, value TEXT, at INTEGER);
  ${TEXTS}`;

/** Also made in the databases of builds that kept leases elsewhere. */
const LEASES =
  'CREATE TABLE IF NOT EXISTS leases (name TEXT PRIMARY KEY, holder TEXT NOT NULL, until INTEGER NOT NULL)';

/** The version a database has; 0 for a new one. */
export function versionOf(db: DatabaseSync): number {
  return Number(db.prepare('PRAGMA user_version').get()?.['user_version']);
}

/** Makes the tables of a new database, and those that one of an earlier version lacks; `fill` runs within the same transaction. */
export function migrate(db: DatabaseSync, fill: () => void): void {
  if (versionOf(db) === SCHEMA_VERSION) return;
  db.exec('BEGIN IMMEDIATE');
  try {
    // Another window may have been first while this one waited.
    const from = versionOf(db);
    if (from === 0) {
      db.exec(TABLES);
      indexWords(db);
      fill();
    }
    if (from < 3) db.exec(LEASES);
    db.exec(`PRAGMA user_version = ${SCHEMA_VERSION}; COMMIT`);
  } catch (error) {
    db.exec('ROLLBACK');
    throw error;
  }
}

function indexWords(db: DatabaseSync): void {
  try {
    db.exec(WORDS);
  } catch (error) {
    if ((error as { readonly errcode?: number }).errcode !== UNSUPPORTED) throw error;
  }
}
