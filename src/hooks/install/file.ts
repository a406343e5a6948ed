import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { replaceFile } from '../../util/replaceFile';
import { middle, oneLine } from '../../util/text';
import { Refusal } from './settings';

/** A file as it was read; `text` is `undefined` where there is none. */
export interface ReadFile {
  readonly file: string;
  readonly text: string | undefined;
  readonly stats: Stats | undefined;
}

const MAX_BYTES = 4 * 1024 * 1024;

/**
 * Reads a settings file that may be written to afterwards. Throws a `Refusal` for one that is not what it seems, and for one that
 * must not or cannot be written. `folders` are those a file must not leave by way of links.
 */
export async function readSettingsFile(file: string, folders: readonly string[]): Promise<ReadFile> {
  const stats = await statOf(file);
  await checkFolder(file, folders);
  if (stats === undefined) return { file, text: undefined, stats };
  if (!stats.isFile()) throw new Refusal(vscode.l10n.t('It is not a file.'));
  if (stats.nlink > 1)
    throw new Refusal(vscode.l10n.t('It has a second name on this disk, which would keep the old content.'));
  if (stats.size > MAX_BYTES)
    throw new Refusal(vscode.l10n.t('It is larger than 4 MB, which is no settings file.'));
  // Whoever may write everything would not be stopped by the system.
  if ((stats.mode & 0o200) === 0) throw readOnly();
  await fs.access(file, fs.constants.R_OK | fs.constants.W_OK).catch((error: unknown) => {
    throw readOnly(error);
  });
  const bytes = await fs.readFile(file);
  const text = bytes.toString('utf8');
  if (!Buffer.from(text, 'utf8').equals(bytes)) throw new Refusal(vscode.l10n.t('It is not UTF-8 text.'));
  return { file, text, stats };
}

/** Replaces the file as a whole, with its mode and owner; `undefined` removes it. Throws a `Refusal` when it is no longer as it was read. */
export async function writeSettingsFile(
  read: ReadFile,
  text: string | undefined,
  folders: readonly string[],
): Promise<void> {
  const { file, stats } = read;
  const unchanged = async (): Promise<void> => {
    if ((await readSettingsFile(file, folders)).text !== read.text)
      throw new Refusal(vscode.l10n.t('Something else has changed it meanwhile. Try again.'));
  };
  await unchanged();
  if (text === undefined) {
    await fs.rm(file, { force: true });
    return;
  }
  try {
    await replaceFile(file, text, { like: stats, check: unchanged });
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal(vscode.l10n.t('It could not be written: {0}', reasonOf(error)), { cause: error });
  }
}

/** Keeps the text as it was read in `folder`, under its digest; resolves to the copy, which is there as a whole or not at all. */
export async function backUp(read: ReadFile, folder: string): Promise<string | undefined> {
  if (read.text === undefined) return undefined;
  const copy = copyOf(read.file, digest(read.text), folder);
  try {
    await fs.mkdir(folder, { recursive: true, mode: 0o700 });
    if ((await readCopy(copy)) !== read.text) await replaceFile(copy, read.text);
  } catch (error) {
    throw new Refusal(vscode.l10n.t('No copy of it could be made: {0}', reasonOf(error)), { cause: error });
  }
  return copy;
}

/** The text with this digest, where a copy of it is kept. */
export async function restored(file: string, wanted: string, folder: string): Promise<string | undefined> {
  const text = await readCopy(copyOf(file, wanted, folder));
  return text !== undefined && digest(text) === wanted ? text : undefined;
}

function copyOf(file: string, of: string, folder: string): string {
  return path.join(folder, `${of.slice(0, 16)}-${path.basename(file)}`);
}

function readCopy(copy: string): Promise<string | undefined> {
  return fs.readFile(copy, 'utf8').catch(() => undefined);
}

export function digest(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

async function statOf(file: string): Promise<Stats | undefined> {
  const stats = await fs.lstat(file).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new Refusal(vscode.l10n.t('It cannot be read: {0}', reasonOf(error)), { cause: error });
  });
  if (stats?.isSymbolicLink() !== true) return stats;
  const target = await fs.realpath(file).catch(async () => fs.readlink(file));
  throw new Refusal(
    vscode.l10n.t('It is a link to {0}. Choose that file itself if it is the right one.', shown(target)),
  );
}

async function checkFolder(file: string, folders: readonly string[]): Promise<void> {
  const parent = path.dirname(file);
  const real = await fs.realpath(parent).catch((error: unknown) => {
    throw new Refusal(vscode.l10n.t('Its folder does not exist.'), { cause: error });
  });
  const target = path.join(real, path.basename(file));
  for (const folder of folders.filter(each => isInside(each, file))) {
    const realFolder = await fs.realpath(folder).catch(() => folder);
    if (!isInside(realFolder, target))
      throw new Refusal(vscode.l10n.t('It really is outside the project, at {0}.', shown(target)));
  }
  await fs.access(parent, fs.constants.W_OK).catch((error: unknown) => {
    throw readOnly(error);
  });
}

function readOnly(cause?: unknown): Refusal {
  return new Refusal(vscode.l10n.t('It is read-only.'), { cause });
}

function shown(file: string): string {
  return middle(oneLine(file, 1_000), 80);
}

export function isInside(folder: string, file: string): boolean {
  const relative = path.relative(folder, file);
  return relative !== '' && relative.split(path.sep)[0] !== '..' && !path.isAbsolute(relative);
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

function reasonOf(error: unknown): string {
  return oneLine(error instanceof Error ? error.message : String(error), 200);
}
