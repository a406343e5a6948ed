import type { DatabaseSync } from 'node:sqlite';
import { CORRUPT, StorageError } from './errors';

/** How long one call waits for other processes, ms. It holds up this thread, so never the extension host's own. */
export const BUSY_MS = 10_000;

export function takeSafeJournal(db: DatabaseSync): void {
  const version = String(db.prepare('SELECT sqlite_version() AS v').get()?.['v']);
  const journal = journalFor(version);
  // A journal that is not empty was left by a process that died. A log is gone after the last close; till then, to write over it is faster than to let it grow.
  db.exec(`PRAGMA journal_mode = ${journal}; PRAGMA journal_size_limit = ${journal === 'WAL' ? -1 : 0}`);
}

/** The journal mode that is safe with a version of SQLite: before 3.51.3 WAL may corrupt a database (fixed 2026-03). */
export function journalFor(version: string): 'WAL' | 'PERSIST' {
  return version.localeCompare('3.51.3', 'en', { numeric: true }) < 0 ? 'PERSIST' : 'WAL';
}

/** Writes all or nothing. With `FULL` it survives a loss of power, and waits for the disk; a crash of this process loses nothing in any case. */
export function transaction<T>(db: DatabaseSync, synchronous: 'FULL' | 'NORMAL', work: () => T): T {
  db.exec(`PRAGMA synchronous = ${synchronous}; BEGIN IMMEDIATE`);
  try {
    const result = work();
    db.exec('COMMIT');
    return result;
  } catch (error) {
    // A full disk may have ended the transaction already.
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

/** Throws what SQLite finds wrong with an open database. */
export function quickCheck(db: DatabaseSync): void {
  const found = String(db.prepare('PRAGMA quick_check(1)').get()?.['quick_check']);
  if (found !== 'ok') throw Object.assign(new Error(found), { errcode: CORRUPT });
}

/** Version of the tables below; a database with a higher one was written by a newer Agent Console. */
const SCHEMA_VERSION = 3;

const TABLES = `
  -- Every record of every collection. \`value\` is JSON, or null where the record was removed; \`seq\` rises with each write.
  CREATE TABLE IF NOT EXISTS documents (
    key INTEGER PRIMARY KEY,
    collection TEXT NOT NULL,
    id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    version INTEGER NOT NULL,
    at INTEGER NOT NULL,
    value TEXT,
    UNIQUE (collection, id)
  );
  CREATE INDEX IF NOT EXISTS documents_by_seq ON documents (seq);
  -- What could not be read and was about to be written over.
  CREATE TABLE IF NOT EXISTS quarantine (collection TEXT, id TEXT, version INTEGER, value TEXT, at INTEGER);
  CREATE TABLE IF NOT EXISTS leases (name TEXT PRIMARY KEY, holder TEXT NOT NULL, until INTEGER NOT NULL);
  -- What records are found by. \`place\` is the time in ms and, below it, bits of the key: read backwards, the latest comes first.
  CREATE TABLE IF NOT EXISTS texts (place INTEGER PRIMARY KEY, key INTEGER NOT NULL UNIQUE, by TEXT, text TEXT NOT NULL);
  -- Their words come separated by spaces already, so this tokenizer need not know any script.
  CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (
    said, tags, content = '', contentless_delete = 1, tokenize = 'ascii', prefix = '1'
  );`;

/** Makes the tables that a database lacks; `fill` runs for a new one, within the same transaction. */
export function migrate(db: DatabaseSync, folder: string, fill: () => void): void {
  const versionOf = (): number => Number(db.prepare('PRAGMA user_version').get()?.['user_version']);
  if (versionOf() === SCHEMA_VERSION) return;
  if (versionOf() > SCHEMA_VERSION) {
    const sentence = `The data in ${folder} was stored by a newer version of Agent Console and stays as it is. Update Agent Console.`;
    throw new StorageError(sentence);
  }
  transaction(db, 'FULL', () => {
    // Another window may have been first while this one waited.
    const from = versionOf();
    if (from >= SCHEMA_VERSION) return;
    db.exec(TABLES);
    if (from === 0) fill();
    db.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`);
  });
}
