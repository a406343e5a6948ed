import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { renameBusy } from './settingsFile';

/**
 * Where the hook command and its events live: a private folder of this extension's storage, which stays when the extension is
 * updated.
 */
export interface HookPlace {
  readonly folder: string;
  readonly spool: string;
  /** Events that a window has taken. */
  readonly history: string;
  /** One file for each open window. */
  readonly windows: string;
  /** Settings files as they were before the first change. */
  readonly backups: string;
  readonly script: string;
}

const SCRIPT = { posix: 'agent-console-hook.sh', windows: 'agent-console-hook.ps1' } as const;

/** Seconds the client gives the command; it needs milliseconds. */
export const COMMAND_TIMEOUT_SECONDS = 5;

export function hookPlace(folder: string, platform: NodeJS.Platform = process.platform): HookPlace {
  const join = (name: string): string => (platform === 'win32' ? path.win32 : path.posix).join(folder, name);
  return {
    folder,
    spool: join('spool'),
    history: join('history'),
    windows: join('windows'),
    backups: join('backups'),
    script: join(platform === 'win32' ? SCRIPT.windows : SCRIPT.posix),
  };
}

/** No command line can name this path safely. */
export class UnsafePathError extends Error {
  readonly path: string;

  constructor(file: string) {
    super(`No command line can name this path safely: ${file}`);
    this.path = file;
  }
}

/**
 * The command line for the client's settings file. Even when the script is gone it takes in what it is given, prints
 * nothing and ends with 0, so a left-over hook never stops an agent. The Windows form reads the same in `cmd` and in a POSIX shell,
 * which know no file in common to write to: what PowerShell says, such as that a policy forbids scripts, goes into a pipe that
 * nobody reads. Throws an `UnsafePathError` where a path cannot be written safely.
 */
export function commandLine(script: string, platform: NodeJS.Platform = process.platform): string {
  if (platform === 'win32') {
    const file = script.replaceAll('\\', '/');
    if (/["$`%!^\n\r]/.test(file)) throw new UnsafePathError(script);
    return `powershell.exe -NoProfile -NonInteractive -ExecutionPolicy Bypass -File "${file}" 2>&1 | exit 0`;
  }
  if (/[\n\r]/.test(script)) throw new UnsafePathError(script);
  return `sh '${script.replaceAll("'", "'\\''")}' >/dev/null 2>&1 || cat >/dev/null`;
}

/** The script that a command line of ours runs; `undefined` for the command of somebody else. */
export function scriptOf(command: string): string | undefined {
  const posix =
    /^sh '((?:[^']|'\\'')+\/agent-console-hook\.sh)' >\/dev\/null 2>&1 \|\| cat >\/dev\/null$/.exec(
      command,
    )?.[1];
  if (posix !== undefined) return posix.replaceAll("'\\''", "'");
  const windows =
    /^powershell\.exe [\w -]+ -File "([^"]+\/agent-console-hook\.ps1)" (?:\|\||2>&1 \|) exit 0$/;
  return windows.exec(command)?.[1];
}

/** The script of this version. */
export function shippedScript(place: HookPlace, shipped: string): Promise<Buffer> {
  return fs.readFile(path.join(shipped, path.basename(place.script)));
}

/** Puts the script there, or the newer one of this version; resolves to whether anything was written. */
export async function placeScript(place: HookPlace, shipped: string): Promise<boolean> {
  const wanted = await shippedScript(place, shipped);
  for (const folder of [place.folder, place.spool, place.history, place.windows, place.backups]) {
    await privateFolder(folder);
  }
  const there = await fs.readFile(place.script).catch(() => undefined);
  if (there?.equals(wanted) === true) return false;
  const temp = `${place.script}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    await fs.writeFile(temp, wanted, { mode: 0o600, flag: 'wx' });
    await renameBusy(temp, place.script);
  } finally {
    await fs.rm(temp, { force: true });
  }
  return true;
}

/** Makes a folder that only this user can read; one that is there already is made private. */
export async function privateFolder(folder: string): Promise<void> {
  await fs.mkdir(folder, { recursive: true, mode: 0o700 });
  await fs.chmod(folder, 0o700);
}

export async function isReadable(file: string): Promise<boolean> {
  return fs.access(file, constants.R_OK).then(
    () => true,
    () => false,
  );
}
