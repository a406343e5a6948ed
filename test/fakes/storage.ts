import * as path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openStorage as open } from '../../src/storage';
import type { CollectionOptions, OpenStorageOptions, Storage } from '../../src/storage';
import { Database } from '../../src/storage/database';
import type { MakeEngine } from '../../src/storage/engine';
import { until } from '../until';

/** The database in this thread, without starting one for each window of a test. */
export const localEngine: MakeEngine = options => {
  const database = new Database(options);
  return async (name, ...args) => {
    await Promise.resolve();
    return Reflect.apply(database[name] as (...args: unknown[]) => never, database, args);
  };
};

/** A storage as one window has it. */
export function openStorage(
  options: Omit<OpenStorageOptions, 'engine'> & Partial<OpenStorageOptions>,
): Storage {
  return open({ engine: localEngine, ...options });
}

/** One record as the database has it. */
interface StoredRow {
  readonly collection: string;
  readonly id: string;
  readonly seq: number;
  readonly version: number;
  readonly value: string | null;
}

/** All records below a root, past what the product makes of them. */
export function storedRows(root: string): readonly StoredRow[] {
  const all = 'SELECT collection, id, seq, version, value FROM documents';
  return withDatabase(root, db => db.prepare(all).all() as unknown as StoredRow[]);
}

const none = (): void => undefined;
/** Of a database whose events nobody hears. */
export const quiet = { onChanged: none, onOpened: none, onRestored: none, onProblem: none };

/** Stores records as they are, past what the product would make of them; `found` by what a collection says. */
export function storeRows(
  root: string,
  collection: string,
  version: number,
  records: readonly (readonly [id: string, value: unknown])[],
  found?: Pick<CollectionOptions<unknown>, 'schema' | 'text'>,
): void {
  const database = new Database({ root, now: Date.now, ...quiet });
  const same = { collection, version, expected: 0, quarantine: false, durable: true };
  database.write(
    records.map(([id, value]) => {
      const text = found?.text?.(found.schema.parse(value));
      return { ...same, id, value: JSON.stringify(value), text };
    }),
  );
  database.close();
}

/** Resolves when `holds` is true of what is stored below a root. A look of its own may be a change, and hold up a writer: ten a second. */
export function untilStored(root: string, holds: (rows: readonly StoredRow[]) => boolean): Promise<void> {
  return until(async () => {
    await new Promise(resolve => setTimeout(resolve, 100));
    return holds(storedRows(root));
  });
}

/** Changes what is stored behind the product's back, as damage or another version would. */
export function spoil(root: string, collection: string, id: string, value: string, version = 1): void {
  const update = 'UPDATE documents SET value = ?, version = ? WHERE collection = ? AND id = ?';
  withDatabase(root, db => db.prepare(update).run(value, version, collection, id));
}

function withDatabase<T>(root: string, work: (db: DatabaseSync) => T): T {
  using db = new DatabaseSync(path.join(root, 'store', 'console.db'), { timeout: 5_000 });
  return work(db);
}
