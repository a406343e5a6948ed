import type { DatabaseSync } from 'node:sqlite';
import { joinOutboxes } from './joinOutboxes';
import { hasFts5, TEXTS, WORDS } from './search';

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
  CREATE TABLE leases (name TEXT PRIMARY KEY, holder TEXT NOT NULL, until INTEGER NOT NULL);
  CREATE TABLE counter (seq INTEGER NOT NULL);
  INSERT INTO counter VALUES (0);
  ${TEXTS}`;

/** The steps from one version to the next; never changed once released. A new database is filled by the first. */
const steps: readonly ((db: DatabaseSync, fill: () => void) => void)[] = [
  (db, fill) => {
    db.exec(TABLES);
    if (hasFts5(db)) db.exec(WORDS);
    fill();
  },
  joinOutboxes,
];

/** The version a database has; 0 for a new one. */
export function versionOf(db: DatabaseSync): number {
  return Number(db.prepare('PRAGMA user_version').get()?.['user_version']);
}

/** Brings a database to `SCHEMA_VERSION`, all steps or none; `fill` runs within the same transaction where it was new. */
export function migrate(db: DatabaseSync, fill: () => void): void {
  if (versionOf(db) === SCHEMA_VERSION) return;
  db.exec('BEGIN IMMEDIATE');
  try {
    // Another window may have been first while this one waited.
    for (const step of steps.slice(versionOf(db))) step(db, fill);
    db.exec(`PRAGMA user_version = ${SCHEMA_VERSION}; COMMIT`);
  } catch (error) {
    db.exec('ROLLBACK');
    throw error;
  }
}
