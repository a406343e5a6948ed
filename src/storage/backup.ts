import * as fs from 'node:fs';
import * as path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { DatabaseOptions } from './database';
import { BUSY_MS, isFull, quickCheck, sqlite } from './sqlite';

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
    removeCopy(copy);
  }
  const changedAt = (name: string): number =>
    fs.statSync(path.join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? now;
  const isLeft = (name: string): boolean => LEFT.test(name) && changedAt(name) < now - LONGEST_COPY_MS;
  for (const old of [...backupsIn(folder).slice(KEPT), ...fs.readdirSync(folder).filter(isLeft)])
    fs.rmSync(path.join(folder, old), { force: true });
}

/** The database in use: `console.db`, or the one that took its place. */
export function databaseIn(folder: string): string {
  const numbers = fs.readdirSync(folder).map(name => Number(/^console-(\d+)\.db$/.exec(name)?.[1] ?? 0));
  const newest = Math.max(0, ...numbers);
  return path.join(folder, newest === 0 ? 'console.db' : `console-${newest}.db`);
}

/** What takes the place of a database. */
function nextOf(file: string): string {
  return file.replace(/(?:-(\d+))?\.db$/, (_, number = '0') => `-${Number(number) + 1}.db`);
}

/** Whether another one has taken its place. */
export function isPutAside(file: string): boolean {
  return fs.existsSync(nextOf(file));
}

/**
 * Puts the newest whole backup in the place of a broken database; nothing where another process has done so. The broken one keeps its
 * name: in a moment without it another window would make an empty one, whose journal then stood beside the backup.
 */
export function putAside(file: string, onProblem: DatabaseOptions['onProblem']): Restored | undefined {
  const folder = path.dirname(file);
  const copy = path.join(folder, `restoring-${process.pid}.db`);
  const lock = path.join(folder, 'lock.db');
  // An empty file whose lock lets one process in at a time.
  makeFile(lock);
  const others = new (sqlite().DatabaseSync)(lock, { timeout: BUSY_MS });
  try {
    others.exec('BEGIN IMMEDIATE');
    if (isPutAside(file)) return undefined;
    const newest = backupsIn(folder).find(name => {
      try {
        copyWhole(path.join(folder, name), copy);
        return true;
      } catch (error) {
        // Where no copy of it finds room it is as good as before.
        if (isFull(error)) throw error;
        onProblem(`${name} cannot take the place of a damaged database`, error);
        return false;
      }
    });
    if (newest === undefined) {
      fs.rmSync(copy, { force: true });
      makeFile(copy);
    }
    fs.renameSync(copy, nextOf(file));
    return { keptAs: file, day: newest && BACKUP.exec(newest)?.[1] };
  } finally {
    others.close();
    removeCopy(copy);
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
  return fs.statSync(file, { throwIfNoEntry: false })?.ino ?? 0;
}

/** With what SQLite keeps beside it. */
function removeCopy(copy: string): void {
  for (const end of ['', '-wal', '-shm', '-journal']) fs.rmSync(copy + end, { force: true });
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
