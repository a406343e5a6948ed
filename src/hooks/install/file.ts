import { createHash, randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as vscode from 'vscode';
import { middle, oneLine } from '../../util/text';
import { depthIn } from '../model';
import { Refusal } from './settings';

/** A file as it was read; `text` is `undefined` where there is none. */
export interface ReadFile {
  readonly file: string;
  readonly text: string | undefined;
  readonly stats: Stats | undefined;
}

/** Reads a settings file that may be written to afterwards. Throws a `Refusal` for one that is not what it seems, or cannot be written. */
export async function readSettingsFile(file: string): Promise<ReadFile> {
  const folder = await fs.realpath(path.dirname(file)).catch((error: unknown) => {
    throw new Refusal(vscode.l10n.t('Its folder does not exist.'), { cause: error });
  });
  const stats = await fs.lstat(file).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new Refusal(vscode.l10n.t('It cannot be read: {0}', reasonOf(error)), { cause: error });
  });
  const refuseLink = (to: string): never => {
    const target = middle(oneLine(to, 1_000), 80);
    throw new Refusal(
      vscode.l10n.t('It is a link to {0}. Choose that file itself if it is the right one.', target),
    );
  };
  if (stats?.isSymbolicLink() === true) refuseLink(await fs.readlink(file));
  const real = path.join(folder, path.basename(file));
  for (const project of workspaceFolders())
    if (depthIn(project, file) && !depthIn(await fs.realpath(project), real)) refuseLink(real);
  if (stats === undefined) return { file, text: undefined, stats };
  if (!stats.isFile()) throw new Refusal(vscode.l10n.t('It is not a file.'));
  if (stats.nlink > 1)
    throw new Refusal(vscode.l10n.t('It has a second name on this disk, which would keep the old content.'));
  const refuse = (cause?: unknown): never => {
    throw new Refusal(vscode.l10n.t('It is read-only.'), { cause });
  };
  // Whoever may write everything would not be stopped by the system.
  if ((stats.mode & 0o200) === 0) refuse();
  await fs.access(file, fs.constants.R_OK | fs.constants.W_OK).catch(refuse);
  const bytes = await fs.readFile(file);
  const text = bytes.toString('utf8');
  if (!Buffer.from(text, 'utf8').equals(bytes)) throw new Refusal(vscode.l10n.t('It is not UTF-8 text.'));
  return { file, text, stats };
}

/** Throws a `Refusal` when the file is no longer as it was read. */
export async function refuseChanged({ file, text }: ReadFile): Promise<void> {
  if ((await readSettingsFile(file)).text !== text)
    throw new Refusal(vscode.l10n.t('Something else has changed it meanwhile. Try again.'));
}

/** Replaces the file as a whole, with its mode and owner; `undefined` removes it. Throws a `Refusal`, also when it has changed. */
export async function writeSettingsFile(read: ReadFile, text: string | undefined): Promise<void> {
  const { file, stats } = read;
  const check = (): Promise<void> => refuseChanged(read);
  const done =
    text === undefined
      ? check().then(() => fs.rm(file, { force: true }))
      : replaceFile(file, text, stats, check);
  await done.catch((error: unknown) => {
    if (error instanceof Refusal) throw error;
    throw new Refusal(vscode.l10n.t('It could not be written: {0}', reasonOf(error)), { cause: error });
  });
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

/** Keeps the text as it was read in `folder`, under its digest; resolves to the copy, which is there as a whole or not at all. */
export async function backUp({ file, text }: ReadFile, folder: string): Promise<string | undefined> {
  if (text === undefined) return undefined;
  const copy = copyOf(file, digest(text), folder);
  try {
    await fs.mkdir(folder, { recursive: true, mode: 0o700 });
    await replaceFile(copy, text);
  } catch (error) {
    throw new Refusal(vscode.l10n.t('It could not be backed up: {0}', reasonOf(error)), { cause: error });
  }
  return copy;
}

/** The text with this digest, where a copy of it is kept. */
export async function restored(file: string, wanted: string, folder: string): Promise<string | undefined> {
  const text = await fs.readFile(copyOf(file, wanted, folder), 'utf8').catch(() => undefined);
  return text !== undefined && digest(text) === wanted ? text : undefined;
}

function copyOf(file: string, of: string, folder: string): string {
  return path.join(folder, `${of.slice(0, 16)}-${path.basename(file)}`);
}

export function digest(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

/** Folders of this window that are on this machine. */
export function workspaceFolders(): string[] {
  return (vscode.workspace.workspaceFolders ?? [])
    .filter(({ uri }) => uri.scheme === 'file')
    .map(({ uri }) => uri.fsPath);
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

function reasonOf(error: unknown): string {
  return oneLine(error instanceof Error ? error.message : String(error), 200);
}
