import type { DatabaseSync } from 'node:sqlite';
import { TEXTS, WORDS } from './search';

/** SQLite's code for what it does not know, such as a module that was left out. */
const UNSUPPORTED = 1;

/** Version of the tables below; a database with a higher one was written by a newer Agent Console. */
export const SCHEMA_VERSION = 2;

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

/** In a file of its own, which no write waits for and a loss of power may take: what can be asked for again, and leases. */
const PASSING = `
  -- What came after the value in \`documents\`, where its \`seq\` is higher.
  CREATE TABLE IF NOT EXISTS passing.changes (
    key INTEGER PRIMARY KEY, seq INTEGER NOT NULL, version INTEGER NOT NULL, value TEXT NOT NULL
  );
  CREATE INDEX IF NOT EXISTS passing.changes_by_seq ON changes (seq);
  CREATE TABLE IF NOT EXISTS passing.leases (name TEXT PRIMARY KEY, holder TEXT NOT NULL, until INTEGER NOT NULL);
  PRAGMA passing.user_version = 1;`;

/** Records as they are now, whichever file has the newest value. */
const RECORDS = `
  CREATE TEMP VIEW records AS SELECT document.key AS key, collection, id,
    coalesce(change.seq, document.seq) AS seq,
    coalesce(change.version, document.version) AS version,
    coalesce(change.value, document.value) AS value
  FROM main.documents AS document
  LEFT JOIN passing.changes AS change ON change.key = document.key AND change.seq > document.seq`;

/** The version a database has; 0 for a new one. */
export function versionOf(db: DatabaseSync, schema = 'main'): number {
  return Number(db.prepare(`PRAGMA ${schema}.user_version`).get()?.['user_version']);
}

/** Makes the tables of a new database; `fill` runs within the same transaction. Later versions go on from here, step by step. */
export function migrate(db: DatabaseSync, fill: () => void): void {
  if (versionOf(db) > 0) return;
  db.exec('BEGIN IMMEDIATE');
  try {
    // Another window may have been first while this one waited.
    if (versionOf(db) === 0) {
      db.exec(TABLES);
      indexWords(db);
      fill();
    }
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

/** Adds the file of what may be lost, and the view over both. */
export function attachPassing(db: DatabaseSync, file: string): void {
  db.prepare('ATTACH ? AS passing').run(file);
  db.exec('PRAGMA passing.journal_mode = PERSIST; PRAGMA passing.synchronous = OFF');
  if (versionOf(db, 'passing') === 0) db.exec(`BEGIN IMMEDIATE; ${PASSING} COMMIT`);
  db.exec(RECORDS);
}
