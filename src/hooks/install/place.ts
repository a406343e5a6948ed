import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { replaceFile } from './file';
import { Refusal } from './settings';

/**
 * Where the hook command and its events live: a private folder of this extension's storage, which stays when the extension is
 * updated.
 */
export interface HookPlace {
  readonly folder: string;
  /** Events that no window has taken yet. */
  readonly spool: string;
  /** Settings files as they were before a change. */
  readonly backups: string;
  readonly script: string;
  /** The script of this version, among the files of the extension. */
  readonly shipped: string;
}

/** Seconds the client gives the command; it needs milliseconds. */
export const COMMAND_TIMEOUT_SECONDS = 5;

export function hookPlace(
  folder: string,
  extensionFolder: string,
  platform: NodeJS.Platform = process.platform,
): HookPlace {
  const isWindows = platform === 'win32';
  const join = (...names: readonly string[]): string => (isWindows ? path.win32 : path.posix).join(...names);
  const script = `agent-console-hook.${isWindows ? 'ps1' : 'sh'}`;
  return {
    folder,
    spool: join(folder, 'spool'),
    backups: join(folder, 'backups'),
    script: join(folder, script),
    shipped: join(extensionFolder, 'media', 'hooks', script),
  };
}

/**
 * The command line for the client's settings file. Even when the script is gone it takes in what it is given, prints nothing and
 * ends with 0, so a left-over hook never stops an agent. The Windows form reads the same in `cmd` and in a POSIX shell, which know
 * no file in common to write to: what PowerShell says goes into a pipe that nobody reads. Throws a `Refusal` for a path that cannot
 * be written safely.
 */
export function commandLine(script: string, platform: NodeJS.Platform = process.platform): string {
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

/** Puts the script there, or the newer one of this version. */
export async function placeScript(place: HookPlace): Promise<void> {
  if (await hasScript(place)) return;
  for (const folder of [place.folder, place.spool, place.backups]) await privateFolder(folder);
  await replaceFile(place.script, await fs.readFile(place.shipped));
}

/** Whether the script of this version is there: what is empty, or another's, may end well and yet hand nothing over. */
export async function hasScript({ script, shipped }: HookPlace): Promise<boolean> {
  const there = await fs.readFile(script).catch(() => undefined);
  return there?.equals(await fs.readFile(shipped)) === true;
}

/** Makes a folder that only this user can read; one that is there already is made private. */
export async function privateFolder(folder: string): Promise<void> {
  await fs.mkdir(folder, { recursive: true, mode: 0o700 });
  await fs.chmod(folder, 0o700);
}
