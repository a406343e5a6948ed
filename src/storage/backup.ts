import * as fs from 'node:fs';
import * as path from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import type { DatabaseOptions } from './database';
import { troubleOf } from './errors';
import { BUSY_MS, quickCheck } from './sqlite';

/** Told to people: a broken database was put aside, and what took its place. */
export interface Restored {
  readonly keptAs: string;
  /** Day of the backup that is used now, `YYYY-MM-DD` UTC; `undefined` when there was none. */
  readonly day: string | undefined;
}

const KEPT = 3;
const BACKUP = /^backup-(\d{4}-\d{2}-\d{2})\.db$/;

/** Whether there is a copy of the day (UTC). */
export function isBackedUp(folder: string, now: number): boolean {
  return fs.existsSync(backupOf(folder, now));
}

/** Copies the database into its folder and keeps the newest three copies. By one process at a time. */
export async function backUp(db: DatabaseSync, folder: string, now: number): Promise<void> {
  const copy = path.join(folder, 'copying.db');
  // Of a process that was killed.
  removeCopy(copy);
  try {
    await backup(db, copy);
    fs.chmodSync(copy, 0o600);
    fs.renameSync(copy, backupOf(folder, now));
  } finally {
    removeCopy(copy);
  }
  for (const old of backupsIn(folder).slice(KEPT)) fs.rmSync(path.join(folder, old), { force: true });
}

/** The database in use: `console.db`, or the one that took its place. */
export function databaseIn(folder: string): string {
  const numbers = fs.readdirSync(folder).map(name => Number(/^console-(\d+)\.db$/.exec(name)?.[1] ?? 0));
  const newest = Math.max(0, ...numbers);
  return path.join(folder, newest === 0 ? 'console.db' : `console-${newest}.db`);
}

/** Whether another one has taken its place. */
export function isPutAside(file: string): boolean {
  return fs.existsSync(nextOf(file));
}

/** What takes the place of a database. */
function nextOf(file: string): string {
  return file.replace(/(?:-(\d+))?\.db$/, (_, number = '0') => `-${Number(number) + 1}.db`);
}

/**
 * Puts the newest whole backup in the place of a broken database; nothing where another process has done so. The broken one keeps its
 * name: in a moment without it another window would make an empty one, whose journal then stood beside the backup.
 */
export function putAside(file: string, onProblem: DatabaseOptions['onProblem']): Restored | undefined {
  const folder = path.dirname(file);
  const copy = path.join(folder, 'restoring.db');
  const lock = path.join(folder, 'lock.db');
  // An empty file whose lock lets one process in at a time.
  makeFile(lock);
  using others = new DatabaseSync(lock, { timeout: BUSY_MS });
  try {
    others.exec('BEGIN IMMEDIATE');
    if (isPutAside(file)) return undefined;
    const newest = backupsIn(folder).find(name => {
      removeCopy(copy);
      try {
        fs.copyFileSync(path.join(folder, name), copy);
        using db = new DatabaseSync(copy, { readOnly: true });
        quickCheck(db);
        return true;
      } catch (error) {
        // Where no copy of it finds room it is as good as before.
        if (troubleOf(error) === 'full') throw error;
        onProblem(`${name} cannot take the place of a damaged database`, error);
        return false;
      }
    });
    if (newest === undefined) {
      removeCopy(copy);
      makeFile(copy);
    }
    fs.renameSync(copy, nextOf(file));
    return { keptAs: file, day: newest && BACKUP.exec(newest)?.[1] };
  } finally {
    removeCopy(copy);
  }
}

/** Made here for its mode; SQLite gives its other files the same. */
export function makeFile(file: string): void {
  fs.closeSync(fs.openSync(file, 'a', 0o600));
}

/** With what SQLite keeps beside it. */
function removeCopy(copy: string): void {
  for (const end of ['', '-wal', '-shm', '-journal']) fs.rmSync(copy + end, { force: true });
}

function backupOf(folder: string, now: number): string {
  return path.join(folder, `backup-${new Date(now).toISOString().slice(0, 10)}.db`);
}

/** Newest first. */
function backupsIn(folder: string): readonly string[] {
  const backups = fs.readdirSync(folder).filter(name => BACKUP.test(name));
  return backups.sort().reverse();
}
