import { randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import * as fs from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

export interface ReplaceOptions {
  /** The file that is replaced, whose mode and owner stay; without it only this user can read the file. */
  readonly like?: Stats | undefined;
  /** Asked when the new file is on the disk; what it throws leaves the old one there. */
  readonly check?: () => Promise<void>;
}

/**
 * Writes a file as a whole or not at all: beside it, to the disk, then renamed over it. For what must be a plain file; records
 * belong into the store.
 */
export async function replaceFile(
  file: string,
  content: string | Uint8Array,
  { like, check }: ReplaceOptions = {},
): Promise<void> {
  const temp = join(dirname(file), `.${basename(file)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    const handle = await fs.open(temp, 'wx', like === undefined ? 0o600 : like.mode & 0o777);
    try {
      await handle.writeFile(content);
      if (like !== undefined && process.platform !== 'win32') {
        await handle.chmod(like.mode & 0o7777);
        const { uid, gid } = await handle.stat();
        if (uid !== like.uid || gid !== like.gid) await handle.chown(like.uid, like.gid);
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
    await check?.();
    await renameBusy(temp, file);
  } finally {
    await fs.rm(temp, { force: true });
  }
}

/** Windows refuses while a virus scanner or another program holds the file. */
async function renameBusy(from: string, to: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await fs.rename(from, to);
      return;
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      const isBusy = process.platform === 'win32' && ['EPERM', 'EACCES', 'EBUSY'].includes(code);
      if (!isBusy || attempt === 20) throw error;
      await delay(attempt * 10);
    }
  }
}
