import * as fs from 'node:fs';
import * as path from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { FolderWatch } from '../util/folderWatch';
import { backUp, databaseIn, isBackedUp, isPutAside, makeFile, putAside, type Restored } from './backup';
import { storageFailure, troubleOf } from './errors';
import { oldRecords } from './importOldFiles';
import { findTexts, latestTexts, putText } from './search';
import type { SearchAnswer, SearchQuery, SearchText } from './search';
import { BUSY_MS, migrate, quickCheck, takeSafeJournal, transaction } from './sqlite';

/** One record as it is stored. `value` is JSON; null when the record was removed. */
export interface Row {
  readonly collection: string;
  readonly id: string;
  readonly seq: number;
  readonly version: number;
  readonly value: string | null;
}

/** A compare-and-swap of one record: it happens only where the record still has `expected` as its seq, 0 for none. */
export interface Write extends Omit<Row, 'seq'> {
  readonly expected: number;
  /** What is written over could not be read: it is kept in quarantine. */
  readonly quarantine: boolean;
  /** Whether it must survive a loss of power. */
  readonly durable: boolean;
  /** What it is found by. */
  readonly text?: SearchText | undefined;
}

/** The `seq` of what was written, or what is stored instead: another window was first. */
export type Written = number | Row | undefined;

export interface DatabaseOptions {
  /** The folder of all durable records. */
  readonly root: string;
  /** Unix ms. */
  readonly now: () => number;
  /** Records of followed collections that another process has written. */
  readonly onChanged: (rows: readonly Row[]) => void;
  /** A file was opened, maybe not the one from which a record is known. */
  readonly onOpened: () => void;
  /** A damaged database was put aside by this process. */
  readonly onRestored: (restored: Restored) => void;
  /** Something failed that nobody waits for. */
  readonly onProblem: (message: string, error: unknown) => void;
}

/** SQLite asks less and less often for a lock; begun anew after so long, it goes on asking often. */
const ASK_MS = 50;
/** Between the system's notice of a change and the look at it, ms. */
const SETTLE_MS = 3;
/** From opening to the check and the backup, ms: what people wait for comes first. And to the next look whether there is one of the day. */
const [CARE_AFTER_MS, CARE_EVERY_MS] = [5_000, 60 * 60 * 1000];
/** What tells other windows that a record was removed is kept so long, ms; who comes later finds nothing in its place. */
const REMOVED_MS = 7 * 24 * 60 * 60 * 1000;
const LONGEST_LEASE_MS = 60 * 60 * 1000;
/** A page of records at a time: what the other side takes in within a few milliseconds. */
const [PAGE_ROWS, PAGE_CHARACTERS] = [200, 256 * 1024];

/** All records, shared by all windows: one SQLite file. Synchronous: it belongs in a thread of its own (`worker.ts`). */
export class Database {
  readonly #options: DatabaseOptions;
  readonly #folder: string;
  /** Its time is how windows tell each other of changes, whatever has taken its place as the database. */
  readonly #signal: string;
  readonly #followed = new Set<string>();
  readonly #statements = new Map<string, StatementSync>();
  #db: DatabaseSync | undefined;
  #file = '';
  /** Of the file that is open: another one may have been put there by hand. */
  #inode = 0;
  /** Why the file is to be put aside before it is opened again. */
  #damage: unknown;
  /** The highest seq up to which everything was looked at, or written here. */
  #seen = 0;
  #watch: FolderWatch | undefined;
  #care: NodeJS.Timeout | undefined;

  constructor(options: DatabaseOptions) {
    this.#options = options;
    this.#folder = path.join(options.root, 'store');
    this.#signal = path.join(this.#folder, 'console.db');
  }

  /** The next records of a collection in the order of their ids; none at its end. The first page begins to follow it. */
  page(collection: string, after?: string): readonly Row[] {
    return this.#run(() => {
      if (after === undefined) this.#follow(collection);
      const found = this.#sql(
        `SELECT * FROM documents WHERE collection = ? AND id ${after === undefined ? '>=' : '>'} ? AND value IS NOT NULL ORDER BY id`,
      ).iterate(collection, after ?? '');
      const rows: Row[] = [];
      let characters = 0;
      for (const row of found as Iterable<unknown> as Iterable<Row>) {
        rows.push(row);
        characters += row.value?.length ?? 0;
        if (rows.length >= PAGE_ROWS || characters >= PAGE_CHARACTERS) break;
      }
      return rows;
    });
  }

  search(query: SearchQuery): SearchAnswer {
    return this.#run(() => findTexts(this.#sql, query));
  }

  texts(collection: string, limit: number): readonly SearchText[] {
    return this.#run(() => latestTexts(this.#sql, collection, limit));
  }

  /** One record as it is now; `undefined` where there is none. */
  read(collection: string, id: string): Row | undefined {
    return this.#run(() => this.#find(collection, id));
  }

  /** The values of all records in the collections that a GLOB pattern names. */
  peek(pattern: string): readonly string[] {
    const all = 'SELECT value FROM documents WHERE collection GLOB ? AND value IS NOT NULL';
    return this.#run(() => this.#sql(all).all(pattern)).map(row => String(row['value']));
  }

  /** Carries out all writes in one transaction, each by itself as a compare-and-swap. */
  write(writes: readonly Write[]): readonly Written[] {
    const isDurable = writes.some(({ durable }) => durable);
    const [written, seen] = this.#transaction(() => {
      const isAllSeen = this.#newestSeq() === this.#seen;
      const written = writes.map(write => this.#swap(write));
      return [written, isAllSeen ? this.#newestSeq() : this.#seen] as const;
    }, isDurable);
    this.#seen = seen;
    this.#touch();
    return written;
  }

  /** Takes or renews a lease for `ttlMs`, or gives it back for 0. False while another holder has it. */
  lease(name: string, holder: string, ttlMs: number): boolean {
    const now = this.#options.now();
    // One that lasts longer than any is given was written by a clock that was ahead.
    const take = `INSERT INTO leases VALUES (?, ?, ?)
      ON CONFLICT DO UPDATE SET holder = excluded.holder, until = excluded.until
      WHERE holder = excluded.holder OR until <= ? OR until > ?`;
    const row = [name, holder, now + ttlMs, now, now + LONGEST_LEASE_MS];
    return this.#transaction(() => this.#sql(take).run(...row).changes > 0);
  }

  /** Lets the files go and follows nothing any more. */
  close(): void {
    this.#watch?.dispose();
    this.#watch = undefined;
    this.#followed.clear();
    this.#disconnect();
  }

  /** Runs `work` on the open database: again where another process has it, and on what takes its place where it is damaged. */
  #run<T>(work: (db: DatabaseSync) => T): T {
    const end = performance.now() + BUSY_MS;
    for (;;)
      try {
        return work(this.#connect());
      } catch (error) {
        const trouble = troubleOf(error);
        const isMended = trouble === 'busy' || trouble === 'damaged';
        if (!isMended || performance.now() > end) throw storageFailure(error, this.#folder);
        if (trouble === 'damaged') this.#damage = error;
        // Those that open a new one at the same moment keep it from each other, at once and again and again.
        else if (this.#db === undefined) pause(Math.random() * ASK_MS);
      }
  }

  #connect(): DatabaseSync {
    if (this.#damage !== undefined) this.#replace();
    const { onOpened } = this.#options;
    const inode = (): number => fs.statSync(this.#file, { throwIfNoEntry: false })?.ino ?? 0;
    if (this.#db !== undefined && !isPutAside(this.#file) && inode() === this.#inode) return this.#db;
    this.#disconnect();
    fs.mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    this.#file = databaseIn(this.#folder);
    const isUnclean = hasWork(this.#file);
    for (const file of [this.#signal, this.#file]) makeFile(file);
    this.#inode = inode();
    const db = (this.#db = new DatabaseSync(this.#file, { timeout: ASK_MS }));
    try {
      takeSafeJournal(db);
      migrate(db, this.#folder, () => this.#import());
      this.#seen = this.#newestSeq();
    } catch (error) {
      // The next call tries again from the beginning.
      this.#disconnect();
      throw error;
    }
    this.#care = setTimeout(() => void this.#takeCare(isUnclean), CARE_AFTER_MS).unref();
    onOpened();
    return db;
  }

  /** Lets a backup take the place of the damaged file. What fails here is done with the next call. */
  #replace(): void {
    const { onProblem, onRestored } = this.#options;
    this.#disconnect();
    const restored = putAside(this.#file, onProblem);
    const why = this.#damage;
    this.#damage = undefined;
    if (restored === undefined) return;
    onProblem(`A damaged database is kept as ${restored.keptAs}`, why);
    onRestored(restored);
    this.#touch();
  }

  /** Takes in the files of before there was a database. They stay; an import that dies is done again as a whole. */
  #import(): void {
    const { root, onProblem } = this.#options;
    for (const { value, ...record } of oldRecords(root, onProblem)) {
      const once = { expected: 0, quarantine: false, durable: true };
      this.#swap({ ...record, ...once, value: JSON.stringify(value) });
    }
    // Older than what a window knows that has changed them since, where nothing but the files is left.
    this.#sql('UPDATE documents SET seq = key').run();
  }

  /** Finds damage where nothing was read yet, once a day and after an end without a close; forgets what is long gone; backs up. */
  async #takeCare(isUnclean: boolean): Promise<void> {
    const { now, onProblem } = this.#options;
    const care = this.#care;
    try {
      const isDue =
        !isBackedUp(this.#folder, now()) && this.lease('backup', String(process.pid), CARE_EVERY_MS);
      if (isUnclean || isDue) this.#run(quickCheck);
      const before = now() - REMOVED_MS;
      this.#transaction(() => {
        this.#sql('DELETE FROM documents WHERE value IS NULL AND at < ?').run(before);
        this.#sql('DELETE FROM leases WHERE until < ?').run(before);
      });
      if (isDue) await backUp(this.#connect(), this.#folder, now());
    } catch (error) {
      onProblem('The database could not be checked or backed up', error);
    }
    // Unless it was closed meanwhile, or put aside.
    if (this.#care === care) this.#care = setTimeout(() => void this.#takeCare(false), CARE_EVERY_MS).unref();
  }

  #disconnect(): void {
    clearTimeout(this.#care);
    this.#care = undefined;
    this.#statements.clear();
    this.#db?.close();
    this.#db = undefined;
  }

  #transaction<T>(work: () => T, isDurable = false): T {
    return this.#run(db => transaction(db, isDurable ? 'FULL' : 'NORMAL', work));
  }

  #swap({ collection, id, expected, version, value, quarantine, text }: Write): Written {
    const found = this.#find(collection, id);
    if ((found?.seq ?? 0) !== expected) return found;
    if (value === null && (found?.value ?? null) === null) return expected;
    const at = Math.floor(this.#options.now());
    // Also after a backup was restored no record becomes older than it was known to be.
    const seq = Math.max(this.#newestSeq() + 1, at);
    if (quarantine)
      this.#sql(
        'INSERT INTO quarantine SELECT collection, id, version, value, ? FROM documents WHERE collection = ? AND id = ?',
      ).run(at, collection, id);
    const stored = this.#sql(
      `INSERT INTO documents (collection, id, seq, version, at, value) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET seq = excluded.seq, version = excluded.version, at = excluded.at, value = excluded.value
       RETURNING key`,
    ).get(collection, id, seq, version, at, value);
    putText(this.#sql, { key: Number(stored?.['key']), collection, at }, text);
    return seq;
  }

  /** The system tells other processes of what SQLite writes before they can read it; this is told when they can. */
  #touch(): void {
    const now = new Date();
    // Somebody may have removed what became only a signal when another file took its place.
    makeFile(this.#signal);
    fs.utimesSync(this.#signal, now, now);
  }

  #find(collection: string, id: string): Row | undefined {
    const row = this.#sql('SELECT * FROM documents WHERE collection = ? AND id = ?').get(collection, id);
    return row as Row | undefined;
  }

  #newestSeq(): number {
    return Number(this.#sql('SELECT max(seq) AS seq FROM documents').get()?.['seq'] ?? 0);
  }

  #follow(collection: string): void {
    this.#followed.add(collection);
    this.#watch ??= new FolderWatch({
      folder: this.#folder,
      // Every writer touches it; others change by reading alone where a journal is opened as root.
      file: path.basename(this.#signal),
      debounceMs: SETTLE_MS,
      onChange: () => this.#lookForChanges(),
      onUnavailable: reason =>
        this.#options.onProblem('Changes of other windows are looked for every few seconds', reason),
    });
  }

  /** Tells of what was written since the last look. */
  #lookForChanges(): void {
    try {
      this.#run(() => {
        const newest = this.#newestSeq();
        if (newest === this.#seen) return;
        const rows = this.#sql(
          'SELECT * FROM documents WHERE seq > ? AND collection IN (SELECT value FROM json_each(?)) ORDER BY seq',
        ).all(this.#seen, JSON.stringify([...this.#followed]));
        this.#seen = newest;
        if (rows.length > 0) this.#options.onChanged(rows as unknown as Row[]);
      });
    } catch (error) {
      this.#options.onProblem('What other windows have stored could not be read', error);
    }
  }

  /** A statement, prepared once. */
  readonly #sql = (text: string): StatementSync => {
    const statement = this.#statements.get(text) ?? this.#db?.prepare(text);
    if (statement === undefined) throw new Error('The database is not open.');
    this.#statements.set(text, statement);
    return statement;
  };
}

/** Holds up this thread, ms. */
function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** Whether a transaction is left in the journal of a file: whoever wrote it has died, or is at it right now. */
function hasWork(file: string): boolean {
  const size = (end: string): number => fs.statSync(file + end, { throwIfNoEntry: false })?.size ?? 0;
  return size('-wal') + size('-journal') > 0;
}
