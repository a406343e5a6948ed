import * as fs from 'node:fs';
import * as path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { sqlite } from './sqlite';

export interface BackupsOptions {
  readonly folder: string;
  /** The database. */
  readonly file: string;
  /** Unix ms. */
  readonly now: () => number;
  /** Something failed that nobody waits for. */
  readonly onProblem: (message: string, error: unknown) => void;
}

/** Told to people: a broken database was put aside, and what took its place. */
export interface Restored {
  readonly keptAs: string;
  /** Day of the backup that is used now, `YYYY-MM-DD` UTC; `undefined` when there was none. */
  readonly day: string | undefined;
}

/** After opening, ms: what people wait for comes first. */
const BACKUP_AFTER_MS = 10_000;
const KEPT = 3;
const BACKUP = /^backup-(\d{4}-\d{2}-\d{2})\.db$/;
/** Whoever replaces a broken database is done within this time, ms. */
const REPLACED_WITHIN_MS = 30_000;
/** Added to the seq of a backup, so that no window takes its records for older ones than it knows. */
const SEQ_STEP = 1_000_000_000;
const JOURNALS = ['-wal', '-shm', '-journal'];

/** A copy of the database a day, the newest three kept; one takes the place of a broken database. */
export class Backups {
  readonly #options: BackupsOptions;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: BackupsOptions) {
    this.#options = options;
  }

  /** Makes the copy of the day in a while, where none was made. */
  start(db: DatabaseSync): void {
    this.#timer = setTimeout(() => {
      this.#backUp(db).catch((error: unknown) => this.#options.onProblem('No backup could be made', error));
    }, BACKUP_AFTER_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  /** Puts the file with this inode aside, and the newest whole backup in its place. `undefined` when somebody else has done so. */
  replace(inode: number): Restored | undefined {
    const { file, folder, now } = this.#options;
    return this.#alone(() => {
      if (fs.statSync(file, { throwIfNoEntry: false })?.ino !== inode) return undefined;
      const keptAs = path.join(folder, `broken-${new Date(now()).toISOString().replace(/\W/g, '-')}.db`);
      for (const end of JOURNALS.filter(journal => fs.existsSync(file + journal)))
        fs.renameSync(file + end, keptAs + end);
      fs.renameSync(file, keptAs);
      const newest = this.#names().find(name => isWhole(path.join(folder, name)));
      if (newest === undefined) return { keptAs, day: undefined };
      fs.copyFileSync(path.join(folder, newest), `${file}.new`);
      const { DatabaseSync: Sqlite } = sqlite();
      const db = new Sqlite(`${file}.new`);
      db.exec(`UPDATE counter SET seq = seq + ${SEQ_STEP}; UPDATE documents SET seq = seq + ${SEQ_STEP}`);
      db.close();
      fs.renameSync(`${file}.new`, file);
      return { keptAs, day: BACKUP.exec(newest)?.[1] };
    });
  }

  /** One process at a time; the mark of one that died is taken away. */
  #alone<T>(work: () => T): T {
    const mark = path.join(this.#options.folder, 'replacing');
    for (;;) {
      try {
        fs.closeSync(fs.openSync(mark, 'wx'));
        break;
      } catch (error) {
        const made = fs.statSync(mark, { throwIfNoEntry: false })?.mtimeMs;
        if (made === undefined && !isTaken(error)) throw error;
        if (made !== undefined && Date.now() - made > REPLACED_WITHIN_MS) fs.rmSync(mark, { force: true });
        else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
      }
    }
    try {
      return work();
    } finally {
      fs.rmSync(mark, { force: true });
    }
  }

  async #backUp(db: DatabaseSync): Promise<void> {
    const { folder, now } = this.#options;
    const name = `backup-${new Date(now()).toISOString().slice(0, 10)}.db`;
    if (this.#names().includes(name)) return;
    const copy = path.join(folder, `copying-${process.pid}.db`);
    try {
      await sqlite().backup(db, copy);
      fs.chmodSync(copy, 0o600);
      if (!isWhole(copy)) throw new Error('The copy is not whole.');
      fs.renameSync(copy, path.join(folder, name));
    } finally {
      for (const end of ['', ...JOURNALS]) fs.rmSync(copy + end, { force: true });
    }
    for (const old of this.#names().slice(KEPT)) fs.rmSync(path.join(folder, old), { force: true });
  }

  /** Newest first. */
  #names(): readonly string[] {
    return fs
      .readdirSync(this.#options.folder)
      .filter(name => BACKUP.test(name))
      .sort()
      .reverse();
  }
}

/** Whether SQLite finds nothing wrong with a database. */
export function isWhole(file: string): boolean {
  const { DatabaseSync: Sqlite } = sqlite();
  let db: DatabaseSync | undefined;
  try {
    db = new Sqlite(file, { readOnly: true });
    return quickCheck(db) === undefined;
  } catch {
    // Not a database at all.
    return false;
  } finally {
    db?.close();
  }
}

/** What SQLite finds wrong with an open database; `undefined` for nothing. */
export function quickCheck(db: DatabaseSync): string | undefined {
  const found = String(db.prepare('PRAGMA quick_check(1)').get()?.['quick_check']);
  return found === 'ok' ? undefined : found;
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST';
}
