import { createHash, randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Why a file on disk is left alone. */
export type FileProblem =
  | { readonly kind: 'link'; readonly target: string }
  /** It lies in a folder of the workspace by its name, but really elsewhere. */
  | { readonly kind: 'outside'; readonly target: string }
  | { readonly kind: 'hardLinked' }
  | { readonly kind: 'readOnly' }
  | { readonly kind: 'notAFile' }
  | { readonly kind: 'tooLarge' }
  | { readonly kind: 'noFolder' }
  | { readonly kind: 'notText' }
  | { readonly kind: 'changed' }
  /** There is no room for a copy of it. */
  | { readonly kind: 'noBackup'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string };

export class SettingsFileError extends Error {
  readonly problem: FileProblem;

  constructor(problem: FileProblem, options?: ErrorOptions) {
    super(`The settings file is left alone: ${problem.kind}`, options);
    this.problem = problem;
  }
}

/** A file as it was read; `text` is `undefined` where there is none. */
export interface ReadFile {
  readonly file: string;
  readonly text: string | undefined;
  readonly stats: Stats | undefined;
}

const MAX_BYTES = 4 * 1024 * 1024;

/**
 * Reads a settings file that may be written to afterwards. Throws a `SettingsFileError` for one that is not what it seems, and
 * for one that must not or cannot be written. `folders` are those a file must not leave by way of links.
 */
export async function readSettingsFile(file: string, folders: readonly string[]): Promise<ReadFile> {
  const stats = await statOf(file);
  await checkFolder(file, folders);
  if (stats === undefined) return { file, text: undefined, stats };
  if (!stats.isFile()) throw new SettingsFileError({ kind: 'notAFile' });
  if (stats.nlink > 1) throw new SettingsFileError({ kind: 'hardLinked' });
  if (stats.size > MAX_BYTES) throw new SettingsFileError({ kind: 'tooLarge' });
  // Whoever may write everything would not be stopped by the system.
  if ((stats.mode & 0o200) === 0) throw new SettingsFileError({ kind: 'readOnly' });
  await fs.access(file, fs.constants.R_OK | fs.constants.W_OK).catch((error: unknown) => {
    throw new SettingsFileError({ kind: 'readOnly' }, { cause: error });
  });
  const bytes = await fs.readFile(file);
  const text = bytes.toString('utf8');
  if (!Buffer.from(text, 'utf8').equals(bytes)) throw new SettingsFileError({ kind: 'notText' });
  return { file, text, stats };
}

/**
 * Replaces the file as a whole, with its mode and owner; `undefined` removes it. Throws `changed` when it is no longer as it was
 * read.
 */
export async function replaceFile(
  read: ReadFile,
  text: string | undefined,
  folders: readonly string[],
): Promise<void> {
  const { file, stats } = read;
  const unchanged = async (): Promise<void> => {
    const now = await readSettingsFile(file, folders);
    if (now.text !== read.text) throw new SettingsFileError({ kind: 'changed' });
  };
  await unchanged();
  if (text === undefined) {
    await fs.rm(file, { force: true });
    return;
  }
  const temp = path.join(path.dirname(file), `.${path.basename(file)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    const handle = await fs.open(temp, 'wx', stats === undefined ? 0o600 : stats.mode & 0o777);
    try {
      await handle.writeFile(text, 'utf8');
      if (stats !== undefined && process.platform !== 'win32') {
        await handle.chmod(stats.mode & 0o7777);
        const { uid, gid } = await handle.stat();
        if (uid !== stats.uid || gid !== stats.gid) await handle.chown(stats.uid, stats.gid);
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
    await unchanged();
    await renameBusy(temp, file);
  } catch (error) {
    if (error instanceof SettingsFileError) throw error;
    throw new SettingsFileError({ kind: 'failed', reason: reasonOf(error) }, { cause: error });
  } finally {
    await fs.rm(temp, { force: true });
  }
}

/**
 * Copies the file as it was read into `folder`, unless that was done before; resolves to the copy. A copy is there as a whole or
 * not at all.
 */
export async function backUp(read: ReadFile, folder: string): Promise<string | undefined> {
  if (read.text === undefined) return undefined;
  const copy = path.join(folder, `${digest(read.file).slice(0, 12)}-${path.basename(read.file)}`);
  const isThere = await fs.lstat(copy).then(
    () => true,
    () => false,
  );
  if (isThere) return copy;
  const temp = `${copy}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    await fs.mkdir(folder, { recursive: true, mode: 0o700 });
    const handle = await fs.open(temp, 'wx', 0o600);
    try {
      await handle.writeFile(read.text, 'utf8');
      await handle.sync();
    } finally {
      await handle.close();
    }
    await renameBusy(temp, copy);
  } catch (error) {
    throw new SettingsFileError({ kind: 'noBackup', reason: reasonOf(error) }, { cause: error });
  } finally {
    await fs.rm(temp, { force: true }).catch(() => undefined);
  }
  return copy;
}

export function digest(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

async function statOf(file: string): Promise<Stats | undefined> {
  try {
    const stats = await fs.lstat(file);
    if (stats.isSymbolicLink()) {
      const target = await fs.realpath(file).catch(async () => fs.readlink(file));
      throw new SettingsFileError({ kind: 'link', target });
    }
    return stats;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    if (error instanceof SettingsFileError) throw error;
    throw new SettingsFileError({ kind: 'failed', reason: reasonOf(error) }, { cause: error });
  }
}

async function checkFolder(file: string, folders: readonly string[]): Promise<void> {
  const parent = path.dirname(file);
  const real = await fs.realpath(parent).catch((error: unknown) => {
    throw new SettingsFileError({ kind: 'noFolder' }, { cause: error });
  });
  for (const folder of folders.filter(each => isInside(each, file))) {
    const realFolder = await fs.realpath(folder).catch(() => folder);
    if (!isInside(realFolder, path.join(real, path.basename(file))))
      throw new SettingsFileError({ kind: 'outside', target: path.join(real, path.basename(file)) });
  }
  await fs.access(parent, fs.constants.W_OK).catch((error: unknown) => {
    throw new SettingsFileError({ kind: 'readOnly' }, { cause: error });
  });
}

export function isInside(folder: string, file: string): boolean {
  const relative = path.relative(folder, file);
  return (
    relative !== '' &&
    !relative.startsWith(`..${path.sep}`) &&
    relative !== '..' &&
    !path.isAbsolute(relative)
  );
}

/** Windows refuses while a virus scanner or the client itself holds the file. */
export async function renameBusy(from: string, to: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await fs.rename(from, to);
      return;
    } catch (error) {
      const busy = process.platform === 'win32' && ['EPERM', 'EACCES', 'EBUSY'].includes(codeOf(error) ?? '');
      if (!busy || attempt === 20) throw error;
      await delay(attempt * 10);
    }
  }
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
