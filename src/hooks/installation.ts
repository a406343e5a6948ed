import type { Collection } from '../storage';
import { applySteps, installedEvents, withHook, type HookToInstall, type Step } from './hookEdits';
import { isObject } from './model';
import { COMMAND_TIMEOUT_SECONDS, commandLine, isReadable, scriptOf, type HookPlace } from './place';
import { backUp, digest, readSettingsFile, replaceFile, type ReadFile } from './settingsFile';

/** What is kept of a settings file that has our hook: how to undo it, but nothing of what else is in it. */
export interface InstalledFile {
  readonly file: string;
  readonly events: readonly string[];
  /** Commands that were ever written into it. */
  readonly commands: readonly string[];
  /** SHA-256 of the text as it was left. */
  readonly written: string;
  /** SHA-256 of the text as it was found; `undefined` when there was no file. */
  readonly found: string | undefined;
  readonly undo: readonly Step[];
  /** Unix ms. */
  readonly at: number;
}

export function decodeInstalledFile(value: unknown): InstalledFile {
  const lists = ['events', 'commands', 'undo'];
  if (!isObject(value) || typeof value['file'] !== 'string' || typeof value['written'] !== 'string')
    throw new Error('not an installed file');
  if (lists.some(key => !Array.isArray(value[key]))) throw new Error('a list is missing');
  return value as unknown as InstalledFile;
}

/** What would be written, to be shown before it is. */
export interface Plan {
  readonly read: ReadFile;
  /** `undefined`: the file, which this extension has made, goes. */
  readonly text: string | undefined;
  readonly record: InstalledFile | undefined;
}

export interface InstallationDeps {
  readonly place: HookPlace;
  readonly files: Collection<InstalledFile>;
  /** Folders of the workspace: what lies in them by name must lie in them. */
  readonly folders: () => readonly string[];
  readonly now?: () => number;
}

/** Puts the hook into clients' settings files and takes it out again (trust.md 35, 36). Failures leave files as they are. */
export class Installation {
  readonly #deps: InstallationDeps;
  readonly #now: () => number;

  constructor(deps: InstallationDeps) {
    this.#deps = deps;
    this.#now = deps.now ?? Date.now;
  }

  get command(): string {
    return commandLine(this.#deps.place.script);
  }

  /** Files that have the hook, as far as known. */
  async files(): Promise<readonly InstalledFile[]> {
    return [...(await this.#deps.files.load()).values()].sort((a, b) => a.file.localeCompare(b.file));
  }

  /** What the file says now: our events and whether each is up to date. Throws where it cannot be read or changed. */
  async look(
    file: string,
  ): Promise<{ readonly exists: boolean; readonly events: ReadonlyMap<string, 'current' | 'other'> }> {
    const { text } = await readSettingsFile(file, this.#deps.folders());
    if (text === undefined) return { exists: false, events: new Map() };
    return { exists: true, events: installedEvents(text, await this.#hook(file, text)) };
  }

  async planInstall(file: string, events: readonly string[]): Promise<Plan> {
    const read = await readSettingsFile(file, this.#deps.folders());
    const before = await this.#record(file);
    const source = read.text ?? '';
    const hook = await this.#hook(file, source);
    const change = withHook(source, events, hook);
    // Installed before and not touched since: the undo of both leads back to what was there first.
    const again = before !== undefined && read.text !== undefined && before.written === digest(source);
    const record: InstalledFile = {
      file,
      events,
      commands: [...new Set([...(before?.commands ?? []), hook.command])],
      written: digest(change.text),
      found: again ? before.found : read.text === undefined ? undefined : digest(read.text),
      undo: again ? [...change.undo, ...before.undo] : change.undo,
      at: this.#now(),
    };
    return { read, text: change.text, record };
  }

  async planUninstall(file: string): Promise<Plan> {
    const read = await readSettingsFile(file, this.#deps.folders());
    const { text } = read;
    if (text === undefined) return { read, text, record: undefined };
    const before = await this.#record(file);
    if (before?.written === digest(text)) {
      const restored = applySteps(text, before.undo);
      if (before.found === undefined && restored === '') return { read, text: undefined, record: undefined };
      // What was found may have had a hook of ours itself, such as one installed before somebody else's edit.
      if (before.found === digest(restored) && (await this.#isFree(file, restored)))
        return { read, text: restored, record: undefined };
    }
    return { read, text: withHook(text, [], await this.#hook(file, text)).text, record: undefined };
  }

  /** Writes what was planned; resolves to the copy of the file as it was before the first change. */
  async carryOut(plan: Plan): Promise<string | undefined> {
    const { read, text, record } = plan;
    const changes = text !== read.text;
    const copy = changes ? await backUp(read, this.#deps.place.backups) : undefined;
    // The record goes first: a hook without one could not be undone to the byte.
    const id = idOf(read.file);
    const { files } = this.#deps;
    let before: InstalledFile | undefined;
    if (record !== undefined)
      await files.update(id, current => {
        before = current;
        return record;
      });
    try {
      if (changes) await replaceFile(read, text, this.#deps.folders());
    } catch (error) {
      if (record !== undefined) await this.#takeBack(id, record, before);
      throw error;
    }
    if (record === undefined) await files.remove(id);
    return copy;
  }

  /** Another window may have written its own record meanwhile, which is about the file as it is now, and stays. */
  async #takeBack(id: string, record: InstalledFile, before: InstalledFile | undefined): Promise<void> {
    const isOurs = (current: InstalledFile | undefined): boolean =>
      current?.at === record.at && current.written === record.written;
    const kept = await this.#deps.files.update(id, current =>
      isOurs(current) ? (before ?? current) : current,
    );
    if (before === undefined && isOurs(kept)) await this.#deps.files.remove(id);
  }

  async #record(file: string): Promise<InstalledFile | undefined> {
    return (await this.#deps.files.load()).get(idOf(file));
  }

  /** Nothing of ours is in this text. */
  async #isFree(file: string, text: string): Promise<boolean> {
    return installedEvents(text, await this.#hook(file, text)).size === 0;
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

/** Commands of ours whose script is not there any more. */
async function leftOver(text: string): Promise<string[]> {
  const found: string[] = [];
  for (const [literal] of text.matchAll(/"(?:[^"\\\n]|\\.)*agent-console-hook\.(?:[^"\\\n]|\\.)*"/g)) {
    let command: unknown;
    try {
      command = JSON.parse(literal);
    } catch {
      continue;
    }
    const script = scriptOf(String(command));
    if (script !== undefined && !(await isReadable(script))) found.push(String(command));
  }
  return found;
}

function idOf(file: string): string {
  return digest(file).slice(0, 32);
}
