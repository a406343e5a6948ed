import * as fs from 'node:fs';
import * as path from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { FolderWatch } from '../util/folderWatch';
import { Backups, quickCheck, type Restored } from './backup';
import { isDamage, StorageError, storageFailure } from './errors';
import { importOldFiles } from './importOldFiles';
import { migrate, SCHEMA_VERSION, versionOf } from './schema';
import { TextIndex, type SearchQuery, type SearchText, type UntoldRow } from './search';
import { pageOf, rowOf, seqOf, type ChangedRow, type Page, type Row } from './rows';
import { openSqlite, setDurable } from './sqlite';
import type { SearchAnswer } from './types';

/** A compare-and-swap of one record: it happens only where the record still has `expected` as its seq, 0 for none. */
export interface Write {
  readonly collection: string;
  readonly id: string;
  readonly expected: number;
  readonly version: number;
  readonly value: string | null;
  /** What is written over could not be read: it is kept in quarantine. */
  readonly quarantine: boolean;
  /** Whether it must survive a loss of power; a crash of this process loses nothing in any case. */
  readonly durable: boolean;
  /** What it is found by; null for nothing. Without it, it is found when `tell` has told. */
  readonly text?: SearchText | null | undefined;
}

/** `seq` of what was written, or what was there instead; `undefined` for no record. */
export type Written = { readonly seq: number } | { readonly found: Row | undefined };

export interface DatabaseOptions {
  /** The folder of all durable records. */
  readonly root: string;
  /** Unix ms. */
  readonly now: () => number;
  /** Records of followed collections that another process has written. */
  readonly onChanged: (rows: readonly ChangedRow[]) => void;
  /** Another file has taken the place of the database; `restored` in the one process that has done it. */
  readonly onReplaced: (restored: Restored | undefined) => void;
  /** Something failed that nobody waits for. */
  readonly onProblem: (message: string, error: unknown) => void;
}

const FOLDER = 'store';
const FILE = 'console.db';
/** Between the system's notice of a change and the look at it, ms. */
const SETTLE_MS = 3;
/** Of a database that nobody has closed, after opening: what people wait for comes first. */
const CHECK_AFTER_MS = 2_000;
const JOURNALS = ['-wal', '-journal'];
/** Removed records are forgotten when nobody can still be unaware of it. */
const REMOVED_MS = 7 * 24 * 60 * 60 * 1000;
export const LONGEST_LEASE_MS = 60 * 60 * 1000;

/** All records in one SQLite file, shared by all windows. Synchronous: it belongs in a thread of its own (`worker.ts`). */
export class Database {
  readonly #options: DatabaseOptions;
  readonly #folder: string;
  readonly #file: string;
  readonly #backups: Backups;
  readonly #followed = new Set<string>();
  readonly #statements = new Map<string, StatementSync>();
  #texts = new TextIndex(text => this.#sql(text));
  #db: DatabaseSync | undefined;
  /** The file that is open: another one in its place means that it was put aside as broken. */
  #inode = 0;
  /** The highest seq up to which everything was looked at, or written here. */
  #seen = 0;
  #watch: FolderWatch | undefined;
  #check: NodeJS.Timeout | undefined;

  constructor(options: DatabaseOptions) {
    this.#options = options;
    this.#folder = path.join(options.root, FOLDER);
    this.#file = path.join(this.#folder, FILE);
    this.#backups = new Backups({ ...options, folder: this.#folder, file: this.#file });
  }

  /** Some records of a collection in the order of their ids. The first page begins to follow it. */
  page(collection: string, after?: string): Page<Row> {
    return this.#run(() => {
      if (after === undefined) this.#follow(collection);
      const all = 'SELECT id, seq, version, value FROM documents WHERE collection = ? AND value IS NOT NULL';
      const found =
        after === undefined
          ? this.#sql(`${all} ORDER BY id`).iterate(collection)
          : this.#sql(`${all} AND id > ? ORDER BY id`).iterate(collection, after);
      return pageOf(found, rowOf);
    });
  }

  /** The latest records with these words. */
  search(query: SearchQuery): SearchAnswer {
    return this.#look({ hits: [], isMore: false }, () => this.#texts.find(query));
  }

  /** Some of the records in the collections that a GLOB pattern names whose texts are not known, in the order of their keys. */
  untold(pattern: string, after = 0): Page<UntoldRow> {
    return this.#look({ rows: [], isLast: true }, () => this.#texts.untold(pattern, after));
  }

  /** Notes what records are found by that are still what they were. */
  tell(told: readonly (readonly [row: UntoldRow, text: SearchText | null])[]): void {
    this.#run(() => this.#transaction(false, () => this.#texts.tell(told)));
  }

  /** One record as it is now; `undefined` where there is none. */
  read(collection: string, id: string): Row | undefined {
    return this.#look(undefined, () => this.#find(collection, id));
  }

  /** The values of all records in the collections that a GLOB pattern names. */
  peek(pattern: string): readonly string[] {
    const all = 'SELECT value FROM documents WHERE collection GLOB ? AND value IS NOT NULL';
    return this.#look([], () =>
      this.#sql(all)
        .all(pattern)
        .map(row => String(row['value'])),
    );
  }

  /** Carries out all writes in one transaction, each by itself as a compare-and-swap. */
  write(writes: readonly Write[]): readonly Written[] {
    const isDurable = writes.some(({ durable }) => durable);
    const { written, before, after } = this.#run(() =>
      this.#transaction(isDurable, () => {
        const before = this.#newestSeq();
        const written = writes.map(write => this.#swap(write));
        return { written, before, after: this.#newestSeq() };
      }),
    );
    // Nothing of others lies between.
    if (before === this.#seen) this.#seen = after;
    this.#tell();
    return written;
  }

  /** Takes or renews a lease for `ttlMs`. False while another holder has it. */
  lease(name: string, holder: string, ttlMs: number): boolean {
    const now = this.#options.now();
    return this.#run(() =>
      this.#transaction(false, () => {
        const held = this.#sql('SELECT holder, until FROM leases WHERE name = ?').get(name);
        const until = Number(held?.['until'] ?? 0);
        // One that lasts longer than any is given was written by a clock that was ahead.
        const isFree = held?.['holder'] === holder || until <= now || until > now + LONGEST_LEASE_MS;
        if (isFree)
          this.#sql('INSERT OR REPLACE INTO leases VALUES (?, ?, ?)').run(name, holder, now + ttlMs);
        return isFree;
      }),
    );
  }

  /** Gives a lease back, if this holder still has it. */
  release(name: string, holder: string): void {
    const work = () => this.#sql('DELETE FROM leases WHERE name = ? AND holder = ?').run(name, holder);
    this.#run(() => this.#transaction(false, work));
  }

  /** Lets the file go and follows nothing any more. */
  close(): void {
    this.#stopWatching();
    this.#followed.clear();
    this.#disconnect();
  }

  /** What `work` finds; `nothing` where no database was ever made. */
  #look<T>(nothing: T, work: () => T): T {
    return this.#db === undefined && !fs.existsSync(this.#options.root) ? nothing : this.#run(work);
  }

  /** Runs `work` on the open database. A broken one is put aside and replaced, once. */
  #run<T>(work: () => T): T {
    try {
      try {
        this.#connect();
        return work();
      } catch (error) {
        if (!isDamage(error)) throw error;
        this.#replace(error);
        return work();
      }
    } catch (error) {
      throw storageFailure(error, this.#folder);
    }
  }

  #connect(): void {
    const inode = inodeOf(this.#file);
    if (this.#db !== undefined && inode === this.#inode) return;
    const isAnother = this.#db !== undefined;
    this.#disconnect();
    fs.mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const isUnclean = JOURNALS.some(
      end => (fs.statSync(this.#file + end, { throwIfNoEntry: false })?.size ?? 0) > 0,
    );
    // Made here for its mode; SQLite gives its other files the same.
    fs.closeSync(fs.openSync(this.#file, 'a', 0o600));
    this.#inode = inodeOf(this.#file);
    const db = (this.#db = openSqlite(this.#file));
    try {
      if (versionOf(db) > SCHEMA_VERSION) {
        const sentence = `The data in ${this.#folder} was stored by a newer version of Agent Console and stays as it is. Update Agent Console.`;
        throw new StorageError(sentence);
      }
      migrate(db, () => importOldFiles(this.#options.root, db, this.#options));
      this.#seen = this.#newestSeq();
    } catch (error) {
      // The next call tries again from the beginning.
      this.#disconnect();
      throw error;
    }
    this.#backups.start(db);
    this.#check = setTimeout(() => this.#examine(isUnclean), CHECK_AFTER_MS).unref();
    if (isAnother) this.#options.onReplaced(undefined);
  }

  /** Forgets what is long gone. A database that nobody has closed may be damaged where nothing was read yet. */
  #examine(isUnclean: boolean): void {
    try {
      const problem = isUnclean ? this.#run(() => quickCheck(this.#open)) : undefined;
      if (problem !== undefined) this.#replace(problem);
      const before = this.#options.now() - REMOVED_MS;
      this.#run(() => {
        this.#sql('DELETE FROM documents WHERE value IS NULL AND at < ?').run(before);
        this.#sql('DELETE FROM leases WHERE until < ?').run(before);
      });
    } catch (error) {
      this.#options.onProblem('The database could not be examined', error);
    }
  }

  #replace(why: unknown): void {
    const broken = this.#inode;
    this.#disconnect();
    const restored = this.#backups.replace(broken);
    this.#inode = 0;
    this.#connect();
    if (restored !== undefined)
      this.#options.onProblem(`A damaged database is kept as ${restored.keptAs}`, why);
    this.#options.onReplaced(restored);
  }

  #disconnect(): void {
    this.#backups.stop();
    clearTimeout(this.#check);
    this.#statements.clear();
    this.#texts = new TextIndex(text => this.#sql(text));
    this.#db?.close();
    this.#db = undefined;
  }

  #transaction<T>(isDurable: boolean, work: () => T): T {
    const db = this.#open;
    setDurable(db, isDurable);
    db.exec('BEGIN IMMEDIATE');
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

  #swap({ collection, id, expected, version, value, quarantine, text }: Write): Written {
    const found = this.#find(collection, id);
    if (seqOf(found) !== expected) return { found };
    if (value === null && expected === 0) return { seq: 0 };
    const at = this.#options.now();
    if (quarantine)
      this.#sql(
        'INSERT INTO quarantine SELECT collection, id, version, value, ? FROM documents WHERE collection = ? AND id = ?',
      ).run(at, collection, id);
    const seq = Number(this.#sql('UPDATE counter SET seq = seq + 1 RETURNING seq').get()?.['seq']);
    const stored = this.#sql(
      `INSERT INTO documents (collection, id, seq, version, at, value) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET seq = excluded.seq, version = excluded.version, at = excluded.at, value = excluded.value
       RETURNING key`,
    ).get(collection, id, seq, version, at, value);
    this.#texts.put(Number(stored?.['key']), collection, at, value === null ? undefined : text);
    return { seq };
  }

  /** The system tells other processes of what SQLite writes before they can read it; this is told when they can. */
  #tell(): void {
    const now = new Date();
    try {
      fs.utimesSync(this.#file, now, now);
    } catch (error) {
      this.#options.onProblem('Other windows learn late of what was stored', error);
    }
  }

  #find(collection: string, id: string): Row | undefined {
    const row = this.#sql(
      'SELECT id, seq, version, value FROM documents WHERE collection = ? AND id = ?',
    ).get(collection, id);
    return row === undefined ? undefined : rowOf(row);
  }

  #newestSeq(): number {
    return Number(this.#sql('SELECT seq FROM counter').get()?.['seq']);
  }

  #follow(collection: string): void {
    this.#followed.add(collection);
    this.#watch ??= new FolderWatch({
      folder: this.#folder,
      prepare: () => Promise.resolve(true),
      debounceMs: SETTLE_MS,
      onChange: () => this.#hear(),
      onUnavailable: reason =>
        this.#options.onProblem('Changes of other windows are looked for every few seconds', reason),
    });
  }

  #stopWatching(): void {
    this.#watch?.dispose();
    this.#watch = undefined;
  }

  /** Tells of what was written since the last look. */
  #hear(): void {
    try {
      this.#run(() => {
        const newest = this.#newestSeq();
        if (newest === this.#seen) return;
        const rows = this.#sql(
          `SELECT collection, id, seq, version, value FROM documents
           WHERE seq > ? AND collection IN (SELECT value FROM json_each(?)) ORDER BY seq`,
        ).all(this.#seen, JSON.stringify([...this.#followed]));
        const changed = rows.map(row => ({ ...rowOf(row), collection: String(row['collection']) }));
        this.#seen = newest;
        if (changed.length > 0) this.#options.onChanged(changed);
      });
    } catch (error) {
      this.#options.onProblem('What other windows have stored could not be read', error);
    }
  }

  get #open(): DatabaseSync {
    if (this.#db === undefined) throw new Error('The database is not open.');
    return this.#db;
  }

  #sql(text: string): StatementSync {
    let statement = this.#statements.get(text);
    if (statement === undefined) this.#statements.set(text, (statement = this.#open.prepare(text)));
    return statement;
  }
}

/** 0 where there is no file. */
function inodeOf(file: string): number {
  return fs.statSync(file, { throwIfNoEntry: false })?.ino ?? 0;
}
