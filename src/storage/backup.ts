import * as fs from 'node:fs';
import * as path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { DatabaseOptions } from './database';
import { BUSY_MS, quickCheck, sqlite } from './sqlite';

/** Told to people: a broken database was put aside, and what took its place. */
export interface Restored {
  readonly keptAs: string;
  /** Day of the backup that is used now, `YYYY-MM-DD` UTC; `undefined` when there was none. */
  readonly day: string | undefined;
}

const KEPT = 3;
const BACKUP = /^backup-(\d{4}-\d{2}-\d{2})\.db$/;
/** What a process makes that may be killed meanwhile. */
const LEFT = /^(copying|restoring)-/;
const LONGEST_COPY_MS = 60 * 60 * 1000;
/** What SQLite keeps beside a database. */
const JOURNALS = ['-wal', '-shm', '-journal'];

/** Whether there is a copy of the day (UTC). */
export function isBackedUp(folder: string, now: number): boolean {
  return fs.existsSync(path.join(folder, nameOf(now)));
}

/** Copies the database into its folder, once a day, and keeps the newest three copies; takes away what processes left that died at it. */
export async function backUp(db: DatabaseSync, folder: string, now: number): Promise<void> {
  if (isBackedUp(folder, now)) return;
  const copy = path.join(folder, `copying-${process.pid}.db`);
  try {
    await sqlite().backup(db, copy);
    fs.chmodSync(copy, 0o600);
    fs.renameSync(copy, path.join(folder, nameOf(now)));
  } finally {
    for (const end of ['', ...JOURNALS]) fs.rmSync(copy + end, { force: true });
  }
  const isLeft = (name: string): boolean =>
    LEFT.test(name) && (statOf(path.join(folder, name))?.mtimeMs ?? now) < now - LONGEST_COPY_MS;
  for (const old of [...backupsIn(folder).slice(KEPT), ...fs.readdirSync(folder).filter(isLeft)])
    fs.rmSync(path.join(folder, old), { force: true });
}

/** Puts a broken database aside and the newest whole backup in its place; nothing where another process has done so. */
export function putAside(
  file: string,
  inode: number,
  { now, onProblem }: Pick<DatabaseOptions, 'now' | 'onProblem'>,
): Restored | undefined {
  const folder = path.dirname(file);
  const keptAs = path.join(folder, `broken-${new Date(now()).toISOString().replace(/\W/g, '-')}.db`);
  const copy = path.join(folder, `restoring-${process.pid}.db`);
  const lock = path.join(folder, 'lock.db');
  // An empty file whose lock lets one process in at a time.
  makeFile(lock);
  const others = new (sqlite().DatabaseSync)(lock, { timeout: BUSY_MS });
  try {
    others.exec('BEGIN IMMEDIATE');
    if (inodeOf(file) !== inode) return undefined;
    const newest = backupsIn(folder).find(name => {
      try {
        copyWhole(path.join(folder, name), copy);
        return true;
      } catch (error) {
        onProblem(`${name} cannot take the place of a damaged database`, error);
        return false;
      }
    });
    for (const end of JOURNALS.filter(journal => fs.existsSync(file + journal)))
      fs.renameSync(file + end, keptAs + end);
    fs.renameSync(file, keptAs);
    if (newest !== undefined) fs.renameSync(copy, file);
    return { keptAs, day: newest && BACKUP.exec(newest)?.[1] };
  } finally {
    others.close();
    for (const end of ['', ...JOURNALS]) fs.rmSync(copy + end, { force: true });
  }
}

/** Copies a backup; throws where that is damaged. */
function copyWhole(backup: string, copy: string): void {
  fs.copyFileSync(backup, copy);
  const db = new (sqlite().DatabaseSync)(copy, { readOnly: true });
  try {
    quickCheck(db);
  } finally {
    db.close();
  }
}

/** Made here for its mode; SQLite gives its other files the same. */
export function makeFile(file: string): void {
  fs.closeSync(fs.openSync(file, 'a', 0o600));
}

/** 0 where there is no file. */
export function inodeOf(file: string): number {
  return statOf(file)?.ino ?? 0;
}

function statOf(file: string): fs.Stats | undefined {
  return fs.statSync(file, { throwIfNoEntry: false });
}

function nameOf(now: number): string {
  return `backup-${new Date(now).toISOString().slice(0, 10)}.db`;
}

/** Newest first. */
function backupsIn(folder: string): readonly string[] {
  return fs
    .readdirSync(folder)
    .filter(name => BACKUP.test(name))
    .sort()
    .reverse();
}
