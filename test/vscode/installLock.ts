import * as fs from 'node:fs';
import * as path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * Runs `work` while holding a lock file that names this process; other runs of the same checkout wait for it.
 * A lock whose process is gone is taken over.
 */
export async function withLock<T>(file: string, onWait: () => void, work: () => Promise<T>): Promise<T> {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  let waiting = false;
  while (!acquire(file)) {
    if (!waiting) onWait();
    waiting = true;
    await pause(250);
  }
  const release = () => fs.rmSync(file, { force: true });
  process.once('exit', release);
  try {
    return await work();
  } finally {
    process.removeListener('exit', release);
    release();
  }
}

function acquire(file: string): boolean {
  try {
    fs.writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    const owner = Number(read(file));
    if (Number.isInteger(owner) && owner > 0 && !isAlive(owner) && read(file) === String(owner)) {
      fs.rmSync(file, { force: true });
    }
    return false;
  }
}

function read(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
