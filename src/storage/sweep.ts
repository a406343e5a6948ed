import * as path from 'node:path';
import type { Disk } from './disk';
import { errorCode } from './errors';
import { parseTempName } from './names';

const ABANDONED_MS = 60_000;

/** Removes temporary files whose process is gone or that nobody has touched for a minute. */
export async function removeAbandonedTemps(options: {
  readonly disk: Disk;
  readonly folder: string;
  readonly names: readonly string[];
  /** Unix milliseconds. */
  readonly now: number;
}): Promise<void> {
  const { disk, folder, names, now } = options;
  for (const name of names) {
    const pid = parseTempName(name);
    if (pid === undefined) continue;
    const file = path.join(folder, name);
    if (isRunning(pid)) {
      const changedAt = await disk.changedAt(file);
      if (changedAt === undefined || changedAt > now - ABANDONED_MS) continue;
    }
    await disk.remove(file).catch(() => undefined);
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) !== 'ESRCH';
  }
}
