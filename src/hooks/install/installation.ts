import * as fs from 'node:fs/promises';
import * as z from 'zod/mini';
import * as vscode from 'vscode';
import type { Collection } from '../../storage';
import { middle, oneLine } from '../../util/text';
import { backUp, digest, readSettingsFile, restored, writeSettingsFile, type ReadFile } from './file';
import { COMMAND_TIMEOUT_SECONDS, commandLine, scriptOf, type HookPlace } from './place';
import { installedEvents, Refusal, withHook, type HookToInstall } from './settings';

/** What is kept of a settings file that has our hook. A copy of the file as it was found lies in the backups. */
export const installedFile = z.object({
  file: z.string(),
  events: z.readonly(z.array(z.string())),
  /** Commands that were ever written into it. */
  commands: z.readonly(z.array(z.string())),
  /** SHA-256 of the text as it was left. */
  written: z.string(),
  /** SHA-256 of the text as it was found; missing when there was no file. */
  found: z.optional(z.string()),
  /** Unix ms. */
  at: z.number(),
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
  readonly #place: HookPlace;
  readonly #files: Collection<InstalledFile>;
  readonly #folders: () => readonly string[];

  /** `folders` are those of the workspace: what lies in them by name must lie in them. */
  constructor(place: HookPlace, files: Collection<InstalledFile>, folders: () => readonly string[]) {
    this.#place = place;
    this.#files = files;
    this.#folders = folders;
  }

  get command(): string {
    return commandLine(this.#place.script);
  }

  /** Files that have the hook, as far as known. */
  async files(): Promise<readonly InstalledFile[]> {
    return [...(await this.#files.load()).values()].sort((a, b) => a.file.localeCompare(b.file));
  }

  /** What the file says now: our events and whether each is up to date; `undefined` where there is none. */
  look(file: string): Promise<ReadonlyMap<string, 'current' | 'other'> | undefined> {
    return about(file, async () => {
      const { text } = await this.#read(file);
      return text === undefined ? undefined : installedEvents(text, await this.#hook(file, text));
    });
  }

  planInstall(file: string, events: readonly string[]): Promise<Plan> {
    return about(file, async () => {
      const read = await this.#read(file);
      const before = await this.#record(file);
      const hook = await this.#hook(file, read.text ?? '');
      const text = withHook(read.text ?? '', events, hook);
      const found = read.text === undefined ? undefined : digest(read.text);
      // Installed before and not touched since: the way back leads to what was there first.
      const isUntouched = before !== undefined && before.written === found;
      const record: InstalledFile = {
        file,
        events,
        commands: [...new Set([...(before?.commands ?? []), hook.command])],
        written: digest(text),
        found: isUntouched ? before.found : found,
        at: Date.now(),
      };
      return { read, text, record };
    });
  }

  planUninstall(file: string): Promise<Plan> {
    return about(file, async () => {
      const read = await this.#read(file);
      const { text } = read;
      if (text === undefined) return { read, text, record: undefined };
      const before = await this.#record(file);
      if (before?.written === digest(text)) {
        if (before.found === undefined) return { read, text: undefined, record: undefined };
        const original = await restored(file, before.found, this.#place.backups);
        // What was found may have had a hook of ours itself, such as one installed before somebody else's edit.
        if (original !== undefined && installedEvents(original, await this.#hook(file, original)).size === 0)
          return { read, text: original, record: undefined };
      }
      return { read, text: withHook(text, [], await this.#hook(file, text)), record: undefined };
    });
  }

  /** Writes what was planned; resolves to the copy of the file as it was. */
  carryOut({ read, text, record }: Plan): Promise<string | undefined> {
    const { file } = read;
    return about(file, async () => {
      const changes = text !== read.text;
      const copy = changes ? await backUp(read, this.#place.backups) : undefined;
      const id = idOf(file);
      if (record === undefined) {
        if (changes) await writeSettingsFile(read, text, this.#folders());
        await this.#files.remove(id);
        return copy;
      }
      // The record goes first: a hook without one could not be undone to the byte.
      let before: InstalledFile | undefined;
      await this.#files.update(id, current => {
        before = current;
        return record;
      });
      try {
        if (changes) await writeSettingsFile(read, text, this.#folders());
      } catch (error) {
        await this.#takeBack(id, record, before);
        throw error;
      }
      return copy;
    });
  }

  /** Another window may have written its own record meanwhile, which is about the file as it is now, and stays. */
  async #takeBack(id: string, record: InstalledFile, before: InstalledFile | undefined): Promise<void> {
    const isOthers = (current: InstalledFile): boolean =>
      current.at !== record.at || current.written !== record.written;
    if (before === undefined) await this.#files.remove(id, isOthers);
    else
      await this.#files.update(id, current =>
        current === undefined || isOthers(current) ? current : before,
      );
  }

  #read(file: string): Promise<ReadFile> {
    return readSettingsFile(file, this.#folders());
  }

  async #record(file: string): Promise<InstalledFile | undefined> {
    return (await this.#files.load()).get(idOf(file));
  }

  /** Ours is what we wrote into this file, what runs our script in any form, and what runs a script of ours that is gone. */
  async #hook(file: string, text: string): Promise<HookToInstall> {
    const { command } = this;
    const script = scriptOf(command);
    const known = new Set([command, ...((await this.#record(file))?.commands ?? [])]);
    for (const left of await leftOver(text)) known.add(left);
    const isOurs = (other: string): boolean =>
      known.has(other) || (script !== undefined && scriptOf(other) === script);
    return { command, timeout: COMMAND_TIMEOUT_SECONDS, isOurs };
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

/** Commands of ours whose script is not there any more. */
async function leftOver(text: string): Promise<string[]> {
  const literals = text.match(/"(?:[^"\\\n]|\\.)*agent-console-hook\.(?:[^"\\\n]|\\.)*"/g) ?? [];
  const gone = await Promise.all(
    literals.map(async literal => {
      const command = stringOf(literal);
      const script = command === undefined ? undefined : scriptOf(command);
      if (script === undefined) return [];
      return fs.access(script, fs.constants.R_OK).then(
        () => [],
        () => [command ?? ''],
      );
    }),
  );
  return gone.flat();
}

function stringOf(literal: string): string | undefined {
  try {
    return String(JSON.parse(literal));
  } catch {
    return undefined;
  }
}

function idOf(file: string): string {
  return digest(file).slice(0, 32);
}
