import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as path from 'node:path';
import * as z from 'zod/mini';
import type { Logger } from '../../log';
import type { Collection } from '../../storage';
import { hasCome } from '../../util/clock';
import { Disposable } from '../../util/disposable';
import { oneLine, withoutEcho } from '../../util/text';
import { Emitter } from '../../util/event';
import { eventNames, type EventName } from '../model';
import { runCommand, type CommandResult } from './command';

/** The same JSON that the client gives its hooks (interface.md section 6). */
export interface OutgoingEvent {
  readonly hook_event_name: EventName;
  readonly session_id: string;
  readonly cwd: string;
  readonly message?: string | undefined;
  readonly reason?: string | undefined;
}

export interface FinishedHook extends CommandResult {
  readonly event: EventName;
}

const LONGEST_TIMEOUT_SECONDS = 600;

const commandSchema = z.object({
  type: z.literal('command'),
  command: z.string().check(z.refine(command => command.trim() !== '' && !command.includes('\0'))),
  timeout: z.pipe(
    z._default(z.number().check(z.positive()), 60),
    z.transform((seconds: number) => Math.min(seconds, LONGEST_TIMEOUT_SECONDS)),
  ),
});
/** A command of the person's own for one event; its time limit in seconds. */
type OutgoingHook = Readonly<z.infer<typeof commandSchema>> & { readonly event: EventName };

const entrySchema = z.object({ hooks: z.array(z.unknown()) });

/** Hooks of a setting in the shape of interface.md section 6. What is not of that shape is left out and named. */
export function readOutgoing(value: unknown): {
  readonly hooks: readonly OutgoingHook[];
  readonly problems: readonly string[];
} {
  const events = z.record(z.string(), z.unknown()).safeParse(value ?? {});
  if (!events.success) return { hooks: [], problems: ['agentConsole.hooks.outgoing'] };
  const hooks: OutgoingHook[] = [];
  const problems: string[] = [];
  for (const [name, entries] of Object.entries(events.data)) {
    const event = eventNames.find(known => known === name);
    if (event === undefined || !Array.isArray(entries)) {
      problems.push(name);
      continue;
    }
    for (const [index, entry] of entries.entries()) {
      const list = entrySchema.safeParse(entry).data?.hooks.map(item => commandSchema.safeParse(item).data);
      for (const hook of list ?? []) if (hook !== undefined) hooks.push({ event, ...hook });
      if (list === undefined || list.includes(undefined)) problems.push(`${name}[${index}]`);
    }
  }
  return { hooks, problems };
}

/** The end of a session's work, as it was told last; the same for all windows. */
export const stopRecord = z.object({
  sessionId: z.string(),
  /** Unix ms. */
  at: z.number(),
  /** Who told it: `status` where the service alone did, else a hook of the client. */
  by: z.string(),
});
export type Stop = Readonly<z.infer<typeof stopRecord>>;

/** The end of work, told by a hook of the client or by the service. */
export interface Told {
  readonly by: 'hook' | 'status';
  readonly at: number;
  /** When the service last said that the session works. */
  readonly workedAt?: number | undefined;
}

/** Between what a hook and what the service says of the same end, ms. */
const APART_MS = 10_000;
/** What is older is forgotten, ms. */
const KEPT_MS = 60 * 24 * 60 * 60_000;

export interface OutgoingDeps {
  /** The setting as it is now. */
  readonly setting: () => unknown;
  /** Whether anything may be started from this window (trust.md 39). */
  readonly mayRun: () => boolean;
  /** Folders of the workspace: where a hook runs whose event names none that is there. */
  readonly folders: () => readonly string[];
  readonly stops: Collection<Stop>;
  readonly log: Logger;
}

/** Events whose commands run at the same time; the others take their turn. */
const AT_ONCE = 4;

/** Runs the person's own hooks where that is allowed, those of one event beside each other. */
export class Outgoing extends Disposable {
  readonly #deps: OutgoingDeps;
  readonly #closing = new AbortController();
  readonly #finished = this.register(new Emitter<FinishedHook>());
  #running = 0;
  readonly #turns: (() => void)[] = [];

  constructor(deps: OutgoingDeps) {
    super();
    this.#deps = deps;
  }

  /** A command has ended, one way or another. */
  readonly onDidFinish = this.#finished.event;

  /** Whether a command is to run in this window on such an event. */
  isWanted(event: EventName): boolean {
    return this.#wanted(event).length > 0;
  }

  /** Resolves when all commands of the event have ended; never rejects. */
  async run(event: OutgoingEvent): Promise<void> {
    const { hook_event_name: name } = event;
    if (!this.isWanted(name)) return;
    if (this.#running < AT_ONCE) this.#running++;
    else await new Promise<void>(resolve => this.#turns.push(resolve));
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

  /**
   * Runs the commands for `Stop` once for each end of work: the client's hook tells of it at once, the service when it is asked, and
   * another window may have heard of it first. Resolves when the commands have ended.
   */
  async runStop(event: OutgoingEvent, told: Told): Promise<void> {
    // Another window may run them.
    if (!this.isWanted('Stop')) return;
    const { session_id: sessionId } = event;
    const { at, by } = told;
    const news = { isNews: false };
    await this.#deps.stops.update(sessionId, known => {
      news.isNews = !isKnown(known, told);
      if (news.isNews || known === undefined) return { sessionId, at, by };
      return { sessionId, at: Math.max(at, known.at), by: known.by === 'status' ? by : known.by };
    });
    if (news.isNews) await this.run(event);
  }

  async forgetOldStops(): Promise<void> {
    const { stops } = this.#deps;
    for (const { sessionId, at } of [...(await stops.load()).values()])
      if (Date.now() - at > KEPT_MS) await stops.remove(sessionId);
  }

  override dispose(): void {
    this.#closing.abort();
    super.dispose();
  }

  #wanted(event: EventName): readonly OutgoingHook[] {
    if (this.isDisposed || !this.#deps.mayRun()) return [];
    return readOutgoing(this.#deps.setting()).hooks.filter(hook => hook.event === event);
  }

  /** The log says nothing of the command, which may hold secrets, nor of what the event is about (trust.md 21). */
  async #runOne(hook: OutgoingHook, event: OutgoingEvent, cwd: string | undefined): Promise<void> {
    const result = await runCommand({
      command: hook.command,
      input: JSON.stringify(event),
      timeoutMs: hook.timeout * 1000,
      signal: this.#closing.signal,
      cwd,
    });
    const status = result.exitCode === undefined ? result.outcome : `status ${result.exitCode}`;
    const line = `Hook for ${hook.event}: ${status} after ${result.ms} ms`;
    const own = [event.message, event.cwd].map(text => oneLine(text ?? '')).filter(text => text.length > 1);
    const output = withoutEcho(oneLine(result.output, 1_000), own);
    if (result.exitCode === 0) this.#deps.log.info(line);
    else this.#deps.log.warn(output === '' ? line : `${line}; output: ${output}`);
    this.#finished.fire({ ...result, event: hook.event });
  }
}

/** Whether the same end of work was told before by the other one of the two. */
function isKnown(known: Stop | undefined, told: Told): boolean {
  if (known === undefined || !hasCome(known.at, Date.now())) return false;
  // Every hook event is of an end of its own.
  if (told.by === 'hook') return known.by === 'status' && told.at <= known.at + APART_MS;
  const late = known.by === 'status' ? 0 : APART_MS;
  return known.at + late >= (told.workedAt ?? told.at);
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
