import type * as Sqlite from 'node:sqlite';
import type { DatabaseSync } from 'node:sqlite';

/** Something was not read or not stored; nothing that was there before is lost. `message` is a sentence for people. */
export class StorageError extends Error {
  override readonly name = 'StorageError';
}

/** Primary result codes of SQLite, https://sqlite.org/rescode.html. */
const [BUSY, LOCKED, CORRUPT, FULL, PROTOCOL, NOT_A_DATABASE] = [5, 6, 11, 13, 15, 26];

/** How long one call waits for other processes, ms. It holds up this thread, so never the extension host's own. */
export const BUSY_MS = 10_000;
/** SQLite asks less and less often for a lock; begun anew after so long, it goes on asking often. */
export const ASK_MS = 50;

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

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Whether SQLite says that the file itself is damaged. */
export function isDamage(error: unknown): boolean {
  const code = codeOf(error);
  return code === CORRUPT || code === NOT_A_DATABASE;
}

/** Whether there is no space left. */
export function isFull(error: unknown): boolean {
  return [FULL, 'ENOSPC', 'EDQUOT'].includes(codeOf(error) ?? '');
}

/** Whether another connection holds what is needed. */
export function isBusy(error: unknown): boolean {
  return codeOf(error) === BUSY;
}

/** A failure of SQLite or of the file system as a `StorageError`; anything else stays what it is. */
export function storageFailure(error: unknown, folder: string): unknown {
  const code = codeOf(error);
  if (error instanceof StorageError || code === undefined) return error;
  const what = typeof code === 'string' ? code : reasonOf(error);
  const sentence = isFull(error)
    ? `There is no space left to store data in ${folder}. Free some space and try again.`
    : sentenceOf(code, what, folder);
  return new StorageError(sentence, { cause: error });
}

function sentenceOf(code: number | string, what: string, folder: string): string {
  switch (code) {
    case BUSY:
    case LOCKED:
      return `Other windows keep the stored data in ${folder} busy. Try again.`;
    case PROTOCOL:
      return `The disk that holds ${folder} has no file locks, so nothing can be stored there.`;
    case CORRUPT:
    case NOT_A_DATABASE:
      return `The stored data in ${folder} is damaged (${what}).`;
    default:
      return `The folder ${folder} cannot be read or written (${what}). Check that it is a folder and that it is yours.`;
  }
}

/** The result code of SQLite, or the system's. */
function codeOf(error: unknown): number | string | undefined {
  const { errcode, code } = (error ?? {}) as { readonly errcode?: unknown; readonly code?: unknown };
  if (typeof errcode === 'number') return errcode & 0xff;
  return typeof code === 'string' && !code.startsWith('ERR_') ? code : undefined;
}
