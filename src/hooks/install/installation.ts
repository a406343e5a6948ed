import * as z from 'zod/mini';
import * as vscode from 'vscode';
import type { Collection } from '../../storage';
import { middle, oneLine } from '../../util/text';
import { backUp, digest, readSettingsFile, restored, writeSettingsFile, type ReadFile } from './file';
import { COMMAND_TIMEOUT_SECONDS, commandLine, placeScript, type HookPlace } from './place';
import { installedEvents, Refusal, withHook, type HookToInstall } from './settings';

/** What is kept of a settings file that has our hook. A copy of the file as it was found lies in the backups. */
export const installedFile = z.object({
  file: z.string(),
  events: z.readonly(z.array(z.string())),
  /** SHA-256 of the text as it was left. */
  written: z.string(),
  /** SHA-256 of the text as it was found; missing when there was no file. */
  found: z.optional(z.string()),
});
export type InstalledFile = Readonly<z.infer<typeof installedFile>>;

/** What would be written, to be shown before it is. */
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
    return this.#hook.command;
  }

  get #hook(): HookToInstall {
    return { command: commandLine(this.place.script), timeout: COMMAND_TIMEOUT_SECONDS };
  }

  /** Files that have the hook, as far as known. */
  async files(): Promise<readonly InstalledFile[]> {
    return [...(await this.#files.load()).values()].sort((a, b) => a.file.localeCompare(b.file));
  }

  /** What the file says now: our events and whether each is up to date; `undefined` where there is none. */
  look(file: string): Promise<ReadonlyMap<string, 'current' | 'other'> | undefined> {
    return about(file, async () => {
      const { text } = await readSettingsFile(file);
      return text === undefined ? undefined : installedEvents(text, this.#hook);
    });
  }

  planInstall(file: string, events: readonly string[]): Promise<Plan> {
    return about(file, async () => {
      const read = await readSettingsFile(file);
      const text = withHook(read.text ?? '', events, this.#hook);
      const before = await this.#record(file);
      const digestNow = read.text === undefined ? undefined : digest(read.text);
      // Installed before and not touched since: the way back leads to what was there first.
      const found = before !== undefined && before.written === digestNow ? before.found : digestNow;
      return { read, text, record: { file, events, written: digest(text), found } };
    });
  }

  planUninstall(file: string): Promise<Plan> {
    return about(file, async () => {
      const read = await readSettingsFile(file);
      const { text } = read;
      if (text === undefined) return { read, text, record: undefined };
      const hook = this.#hook;
      const before = await this.#record(file);
      if (before?.written === digest(text)) {
        if (before.found === undefined) return { read, text: undefined, record: undefined };
        const original = await restored(file, before.found, this.place.backups);
        // What was found may have had a hook of ours itself, such as one installed before somebody else's edit.
        if (original !== undefined && installedEvents(original, hook).size === 0)
          return { read, text: original, record: undefined };
      }
      return { read, text: withHook(text, [], hook), record: undefined };
    });
  }

  /** Writes what was planned, for a hook with its script first; resolves to the copy of the file as it was. */
  carryOut({ read, text, record }: Plan): Promise<string | undefined> {
    return about(read.file, async () => {
      const id = idOf(read.file);
      const isOther = text !== read.text;
      const copy = isOther ? await backUp(read, this.place.backups) : undefined;
      let before: InstalledFile | undefined;
      if (record !== undefined) {
        await placeScript(this.place);
        // A hook without a record could not be found again, nor undone to the byte.
        await this.#files.update(id, current => {
          before = current;
          return record;
        });
      }
      if (isOther)
        await writeSettingsFile(read, text).catch(async (error: unknown) => {
          if (record !== undefined) await this.#takeBack(id, record, before);
          throw error;
        });
      if (record === undefined) await this.#files.remove(id);
      return copy;
    });
  }

  /** Another window may have written its own record meanwhile, or the very same file, whose record stays. */
  async #takeBack(id: string, record: InstalledFile, before: InstalledFile | undefined): Promise<void> {
    const { text } = await readSettingsFile(record.file).catch(() => ({ text: undefined }));
    if (text !== undefined && digest(text) === record.written) return;
    const isOthers = (current: InstalledFile): boolean => current.written !== record.written;
    if (before === undefined) await this.#files.remove(id, isOthers);
    else await this.#files.update(id, current => (current && !isOthers(current) ? before : current));
  }

  async #record(file: string): Promise<InstalledFile | undefined> {
    return (await this.#files.load()).get(idOf(file));
  }
}

/** Says of which file a refusal is, and that it is as it was. */
async function about<T>(file: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const name = middle(oneLine(file, 1_000), 80);
    throw new Error(vscode.l10n.t('{0}: {1} Nothing was changed.', name, error.message), { cause: error });
  }
}

function idOf(file: string): string {
  return digest(file).slice(0, 32);
}
