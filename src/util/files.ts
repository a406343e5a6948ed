import { randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** What is read, or `undefined` where it is not there. */
export async function ifThere<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '')) return undefined;
    throw error;
  }
}

/** How many levels `inner` is below a folder; `undefined` when it is not in it. Paths are compared as the system does. */
export function depthIn(folder: string, inner: string): number | undefined {
  const isSame = process.platform === 'win32' || process.platform === 'darwin';
  const [from, to] = isSame ? [folder.toLowerCase(), inner.toLowerCase()] : [folder, inner];
  const way = path.relative(from, to);
  if (way === '') return 0;
  const [first = '', ...deeper] = way.split(path.sep);
  return first === '..' || path.isAbsolute(way) ? undefined : 1 + deeper.length;
}

/** A folder that only this user can look into. */
export async function privateFolder(folder: string): Promise<void> {
  await fs.mkdir(folder, { recursive: true, mode: 0o700 });
  await fs.chmod(folder, 0o700);
}

/**
 * Writes a file as a whole or not at all: beside it, to the disk, then renamed over it. It keeps the mode and owner of `like`, the file
 * that is replaced; without it only this user can read it. What `check` throws leaves the old one there.
 */
export async function replaceFile(
  file: string,
  content: string | Uint8Array,
  like?: Stats,
  check?: () => Promise<void>,
): Promise<void> {
  const temp = path.join(path.dirname(file), `.${path.basename(file)}.${randomBytes(6).toString('hex')}.tmp`);
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
async function renameBusy(from: string, to: string, attempt = 1): Promise<void> {
  await fs.rename(from, to).catch(async (error: unknown) => {
    const isBusy = process.platform === 'win32' && ['EPERM', 'EACCES', 'EBUSY'].includes(codeOf(error) ?? '');
    if (!isBusy || attempt === 20) throw error;
    await delay(attempt * 10);
    await renameBusy(from, to, attempt + 1);
  });
}
