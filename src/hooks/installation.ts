import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import * as z from 'zod/mini';
import * as vscode from 'vscode';
import type { Collection } from '../storage';
import { depthIn, ifThere, privateFolder, replaceFile } from '../util/files';
import { middle, oneLine } from '../util/text';
import { installedEvents, Refusal, withHook } from './settings';

/** Where the hook command and its events live: a private folder of this extension's storage, which stays when the extension is updated. */
export function hookPlace(folder: string, extensionFolder: string, platform = process.platform) {
  const isWindows = platform === 'win32';
  const kind = isWindows ? path.win32 : path.posix;
  const script = `agent-console-hook.${isWindows ? 'ps1' : 'sh'}`;
  return {
    folder,
    /** Events that no window has taken yet. */
    spool: kind.join(folder, 'spool'),
    /** Settings files as they were before a change. */
    backups: kind.join(folder, 'backups'),
    script: kind.join(folder, script),
    /** The script of this version, among the files of the extension. */
    shipped: kind.join(extensionFolder, 'media', 'hooks', script),
  };
}
export type HookPlace = Readonly<ReturnType<typeof hookPlace>>;

/**
 * The command line for the client's settings file. Even when the script is gone it takes in what it is given, prints nothing and
 * ends with 0, so a left-over hook never stops an agent. The Windows form reads the same in `cmd` and in a POSIX shell, which know
 * no file in common to write to: what PowerShell says goes into a pipe that nobody reads. Throws a `Refusal` for a path that cannot
 * be written safely.
 */
export function commandLine(script: string, platform = process.platform): string {
  const isWindows = platform === 'win32';
  if (isWindows ? /["$`%!^\n\r]/.test(script) : /[\n\r]/.test(script))
    throw new Refusal(
      vscode.l10n.t(
        'Agent Console’s data is in a folder whose path cannot be used safely in a command line.',
      ),
    );
  return isWindows
    ? `powershell.exe -NoProfile -NonInteractive -ExecutionPolicy Bypass -File "${script.replaceAll('\\', '/')}" 2>&1 | exit 0`
    : `sh '${script.replaceAll("'", "'\\''")}' >/dev/null 2>&1 || cat >/dev/null`;
}

/** What is kept of a settings file that has our hook. A copy of the file as it was found lies in the backups. */
export const installedFile = z.object({
  file: z.string(),
  /** SHA-256 of the text as it was left, and of the one left before: a change may have ended halfway. */
  written: z.string(),
  writtenBefore: z.optional(z.string()),
  /** SHA-256 of the text as it was found; missing when there was no file. */
  found: z.optional(z.string()),
});
export type InstalledFile = Readonly<z.infer<typeof installedFile>>;

export interface Plan {
  readonly read: ReadFile;
  /** `undefined`: the file, which this extension has made, goes. */
  readonly text: string | undefined;
  readonly record: InstalledFile | undefined;
}

/** Puts the hook into clients' settings files and takes it out again (trust.md 35, 36). Failures leave files as they are. */
export class Installation {
  readonly place: HookPlace;
  readonly #files: Collection<InstalledFile>;

  constructor(place: HookPlace, files: Collection<InstalledFile>) {
    this.place = place;
    this.#files = files;
  }

  get command(): string {
    return commandLine(this.place.script);
  }

  async files(): Promise<readonly InstalledFile[]> {
    return [...(await this.#files.load()).values()].sort((a, b) => a.file.localeCompare(b.file));
  }

  /** The events of the file that have the hook now; `undefined` where there is no file. */
  look(file: string): Promise<readonly string[] | undefined> {
    return about(file, async () => {
      const { text } = await readSettingsFile(file);
      return text === undefined ? undefined : installedEvents(text, this.command);
    });
  }

  planInstall(file: string, events: readonly string[]): Promise<Plan> {
    return about(file, async () => {
      const read = await readSettingsFile(file);
      const text = withHook(read.text ?? '', events, this.command);
      const before = await this.#record(file);
      const digestNow = read.text === undefined ? undefined : digest(read.text);
      // Installed before and not touched since: the way back leads to what was there first.
      const isAsLeft = isLeftBy(before, read.text);
      const writtenBefore = isAsLeft ? digestNow : undefined;
      const found = isAsLeft ? before.found : digestNow;
      return { read, text, record: { file, written: digest(text), writtenBefore, found } };
    });
  }

  planUninstall(file: string): Promise<Plan> {
    return about(file, async () => {
      const read = await readSettingsFile(file);
      const { text } = read;
      if (text === undefined) return { read, text, record: undefined };
      const before = await this.#record(file);
      if (isLeftBy(before, text)) {
        if (before.found === undefined) return { read, text: undefined, record: undefined };
        const original = await restored(file, before.found, this.place.backups);
        // What was found may have had a hook of ours itself, such as one installed before somebody else's edit.
        if (original !== undefined && installedEvents(original, this.command).length === 0)
          return { read, text: original, record: undefined };
      }
      return { read, text: withHook(text, [], this.command), record: undefined };
    });
  }

  /** Writes what was planned, for a hook with its script first; resolves to the copy of the file as it was. */
  async carryOut({ read, text, record }: Plan): Promise<string | undefined> {
    const id = idOf(read.file);
    const copied = await about(read.file, async () => {
      const isOther = text !== read.text;
      if (isOther) await refuseChanged(read);
      const copy = isOther ? await backUp(read, this.place.backups) : undefined;
      if (record !== undefined) {
        await placeScript(this.place);
        // A hook without a record could not be found again, nor undone to the byte; a record without its hook does no harm.
        await this.#files.put(id, record);
      }
      if (isOther && text !== undefined)
        await replaceFile(read.file, text, read.stats, () => refuseChanged(read));
      else if (isOther) {
        await refuseChanged(read);
        await fs.rm(read.file);
      }
      return copy;
    });
    if (record === undefined) await this.#files.remove(id);
    return copied;
  }

  async #record(file: string): Promise<InstalledFile | undefined> {
    return (await this.#files.load()).get(idOf(file));
  }
}

/** Says of which file a failure is, and that it is as it was. */
async function about<T>(file: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    const name = middle(oneLine(file, 1_000), 80);
    throw new Error(vscode.l10n.t('{0} was not changed: {1}', name, reasonOf(cause)), { cause });
  }
}

/** Whether a text is what this extension has left there, and nobody has touched it since. */
function isLeftBy(record: InstalledFile | undefined, text: string | undefined): record is InstalledFile {
  if (record === undefined || text === undefined) return false;
  return [record.written, record.writtenBefore].includes(digest(text));
}

function idOf(file: string): string {
  return digest(file).slice(0, 32);
}

/** Puts the script of this version there: what is empty, or another's, may end well and yet hand nothing over. */
export async function placeScript({ folder, spool, backups, script, shipped }: HookPlace): Promise<void> {
  const wanted = await fs.readFile(shipped);
  if ((await ifThere(fs.readFile(script)))?.equals(wanted) === true) return;
  for (const each of [folder, spool, backups]) await privateFolder(each);
  await replaceFile(script, wanted);
}

/** A file as it was read; `text` is `undefined` where there is none. */
interface ReadFile {
  readonly file: string;
  readonly text: string | undefined;
  readonly stats: Stats | undefined;
}

/** Reads a settings file that may be written to afterwards. Throws a `Refusal` for one that is not what it seems, or cannot be written. */
async function readSettingsFile(file: string): Promise<ReadFile> {
  const folder = await ifThere(fs.realpath(path.dirname(file)));
  if (folder === undefined) throw new Refusal(vscode.l10n.t('Its folder does not exist.'));
  const stats = await ifThere(fs.lstat(file));
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
  const readOnly = new Refusal(vscode.l10n.t('It is read-only.'));
  // Whoever may write everything would not be stopped by the system.
  if ((stats.mode & 0o200) === 0) throw readOnly;
  await fs.access(file, fs.constants.R_OK | fs.constants.W_OK).catch(() => Promise.reject(readOnly));
  const bytes = await fs.readFile(file);
  const text = bytes.toString('utf8');
  if (!Buffer.from(text, 'utf8').equals(bytes)) throw new Refusal(vscode.l10n.t('It is not UTF-8 text.'));
  return { file, text, stats };
}

/** Throws a `Refusal` when the file is no longer as it was read. */
async function refuseChanged({ file, text }: ReadFile): Promise<void> {
  if ((await readSettingsFile(file)).text !== text)
    throw new Refusal(vscode.l10n.t('Something else has changed it in the meantime. Try again.'));
}

/** Keeps the text as it was read in `folder`, under its digest; resolves to the copy, which is there as a whole or not at all. */
async function backUp({ file, text }: ReadFile, folder: string): Promise<string | undefined> {
  if (text === undefined) return undefined;
  const copy = copyOf(file, digest(text), folder);
  await privateFolder(folder);
  await replaceFile(copy, text);
  return copy;
}

async function restored(file: string, wanted: string, folder: string): Promise<string | undefined> {
  const text = await ifThere(fs.readFile(copyOf(file, wanted, folder), 'utf8'));
  return text !== undefined && digest(text) === wanted ? text : undefined;
}

function copyOf(file: string, of: string, folder: string): string {
  return path.join(folder, `${of.slice(0, 16)}-${path.basename(file)}`);
}

function digest(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

/** Folders of this window that are on this machine. */
export function workspaceFolders(): string[] {
  return (vscode.workspace.workspaceFolders ?? [])
    .filter(({ uri }) => uri.scheme === 'file')
    .map(({ uri }) => uri.fsPath);
}

export function reasonOf(error: unknown): string {
  return oneLine(error instanceof Error ? error.message : String(error), 200);
}
