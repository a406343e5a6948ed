import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as path from 'node:path';
import type { Logger } from '../log';
import { Disposable } from '../util/disposable';
import { withoutEcho } from '../util/echo';
import { Emitter } from '../util/event';
import { oneLine } from '../util/text';
import { eventNames, isObject, type EventName } from './model';
import { runCommand, type CommandResult } from './runCommand';

/** A command of the person's own for one event. */
export interface OutgoingHook {
  readonly event: EventName;
  readonly command: string;
  readonly timeoutSeconds: number;
}

/** The same JSON that the client gives its hooks (section 6). */
export interface OutgoingEvent {
  readonly hook_event_name: EventName;
  readonly session_id: string;
  readonly cwd: string;
  readonly message?: string | undefined;
  readonly reason?: string | undefined;
}

export interface FinishedHook extends CommandResult {
  readonly hook: OutgoingHook;
  /** Unix ms. */
  readonly at: number;
}

const USUAL_TIMEOUT_SECONDS = 60;
const LONGEST_TIMEOUT_SECONDS = 600;

/**
 * Hooks of a setting in the shape of section 6: event -> entries -> commands with a `timeout` in seconds. What is not of that
 * shape is left out and named.
 */
export function readOutgoing(value: unknown): {
  readonly hooks: readonly OutgoingHook[];
  readonly problems: readonly string[];
} {
  const hooks: OutgoingHook[] = [];
  const problems =
    value === undefined || value === null || isObject(value) ? [] : ['agentConsole.hooks.outgoing'];
  for (const [name, entries] of Object.entries(isObject(value) ? value : {})) {
    const event = eventNames.find(known => known === name);
    if (event === undefined || !Array.isArray(entries)) {
      problems.push(name);
      continue;
    }
    for (const [index, entry] of (entries as readonly unknown[]).entries()) {
      const list: unknown = isObject(entry) ? entry['hooks'] : undefined;
      const read = Array.isArray(list) ? list.map(item => readHook(event, item)) : [undefined];
      hooks.push(...read.filter(hook => hook !== undefined));
      if (read.includes(undefined)) problems.push(`${name}[${index}]`);
    }
  }
  return { hooks, problems };
}

function readHook(event: EventName, value: unknown): OutgoingHook | undefined {
  if (!isObject(value) || value['type'] !== 'command') return undefined;
  const { command, timeout = USUAL_TIMEOUT_SECONDS } = value;
  if (typeof command !== 'string' || command.trim() === '' || typeof timeout !== 'number' || !(timeout > 0))
    return undefined;
  return { event, command, timeoutSeconds: Math.min(timeout, LONGEST_TIMEOUT_SECONDS) };
}

export interface OutgoingDeps {
  /** The setting as it is now. */
  readonly setting: () => unknown;
  /** Whether anything may be started from this window (trust.md 39). */
  readonly mayRun: () => boolean;
  /** Folders of the workspace: where a hook runs whose event names none that is there. */
  readonly folders: () => readonly string[];
  readonly log: Logger;
}

/** Events whose commands run at the same time. */
const AT_ONCE = 4;
/** Events that wait for that; what comes then is dropped. */
const WAITING = 200;

/**
 * Runs the person's own hooks where that is allowed: those of one event beside each other, those of a few events at a time, the
 * others in turn.
 */
export class Outgoing extends Disposable {
  readonly #deps: OutgoingDeps;
  readonly #closing = new AbortController();
  readonly #finished = this.register(new Emitter<FinishedHook>());
  #last: FinishedHook | undefined;
  #running = 0;
  readonly #turns: (() => void)[] = [];

  constructor(deps: OutgoingDeps) {
    super();
    this.#deps = deps;
  }

  /** A command has ended, one way or another. */
  readonly onDidFinish = this.#finished.event;

  get last(): FinishedHook | undefined {
    return this.#last;
  }

  /** Whether a command is to run in this window on such an event. */
  isWanted(event: EventName): boolean {
    return this.#wanted(event).length > 0;
  }

  /** Resolves when all commands of the event have ended; never rejects. */
  async run(event: OutgoingEvent): Promise<void> {
    const { hook_event_name: name } = event;
    if (!this.isWanted(name)) return;
    if (this.#running < AT_ONCE) this.#running++;
    else if (this.#turns.length < WAITING) await new Promise<void>(resolve => this.#turns.push(resolve));
    else {
      this.#deps.log.warn(`Hooks for ${name} were left out: ${WAITING} events wait for theirs.`);
      return;
    }
    try {
      // Much may have changed meanwhile.
      const wanted = this.#wanted(name);
      if (wanted.length === 0) return;
      const cwd = await firstFolder([event.cwd, ...this.#deps.folders(), os.homedir()]);
      await Promise.all(wanted.map(hook => this.#runOne(hook, event, cwd)));
    } finally {
      const next = this.#turns.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }

  #wanted(event: EventName): readonly OutgoingHook[] {
    if (this.isDisposed || !this.#deps.mayRun()) return [];
    return readOutgoing(this.#deps.setting()).hooks.filter(hook => hook.event === event);
  }

  override dispose(): void {
    this.#closing.abort();
    super.dispose();
  }

  /** The log says nothing of the command, which may hold secrets, nor of what the event is about (trust.md 21). */
  async #runOne(hook: OutgoingHook, event: OutgoingEvent, cwd: string | undefined): Promise<void> {
    const { command, timeoutSeconds } = hook;
    const { signal } = this.#closing;
    const result = await runCommand({
      command,
      input: JSON.stringify(event),
      timeoutMs: timeoutSeconds * 1000,
      signal,
      cwd,
    });
    const finished = { ...result, hook, at: Date.now() };
    this.#last = finished;
    const status = result.exitCode === undefined ? result.outcome : `status ${result.exitCode}`;
    const line = `Hook for ${hook.event}: ${status} after ${result.ms} ms`;
    const own = [event.message, event.cwd].map(text => oneLine(text ?? '')).filter(text => text.length > 1);
    const output = withoutEcho(oneLine(result.output, 1_000), own);
    if (result.exitCode === 0) this.#deps.log.info(line);
    else this.#deps.log.warn(output === '' ? line : `${line}; output: ${output}`);
    this.#finished.fire(finished);
  }
}

/** The first of these that is a folder on this machine. */
async function firstFolder(candidates: readonly string[]): Promise<string | undefined> {
  for (const folder of candidates) {
    if (!path.isAbsolute(folder)) continue;
    const stats = await fs.stat(folder).catch(() => undefined);
    if (stats?.isDirectory() === true) return folder;
  }
  return undefined;
}
