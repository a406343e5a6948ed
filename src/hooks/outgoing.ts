import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod/mini';
import type { Logger } from '../log';
import type { Collection } from '../storage';
import { Disposable } from '../util/disposable';
import { oneLine, withoutEcho } from '../util/text';
import { byTime, eventNames, type EventName, type HookEvent } from './model';
import { STEP_MS, stepsBefore } from './inbox';
import { runCommand, type CommandResult } from './command';

/** What the hooks are told of; `id` where it is stored. */
type Told = Pick<HookEvent, 'name' | 'sessionId' | 'cwd' | 'message' | 'reason'> & { readonly id?: string };

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
  const hooks: OutgoingHook[] = [];
  const problems: string[] = [];
  const events = z.record(z.string(), z.unknown()).safeParse(value ?? {});
  if (!events.success) problems.push('agentConsole.hooks.outgoing');
  for (const [name, entries] of Object.entries(events.data ?? {})) {
    const event = eventNames.find(known => known === name);
    if (event === undefined || !Array.isArray(entries)) problems.push(name);
    else
      for (const [index, entry] of entries.entries()) {
        const list = entrySchema.safeParse(entry).data?.hooks.map(each => commandSchema.safeParse(each).data);
        hooks.push(...(list ?? []).flatMap(hook => (hook === undefined ? [] : { event, ...hook })));
        if (list?.includes(undefined) ?? true) problems.push(`${name}[${index}]`);
      }
  }
  return { hooks, problems };
}

export interface OutgoingDeps {
  /** The setting as it is now. */
  readonly setting: () => unknown;
  /** Whether anything may be started from this window (trust.md 39). */
  readonly mayRun: () => boolean;
  /** Folders of the workspace: where a hook runs whose event names none that is there. */
  readonly folders: () => readonly string[];
  /** What the hooks of the client have told, in whichever window. */
  readonly events: Collection<HookEvent>;
  readonly finished: (hook: FinishedHook) => void;
  readonly log: Logger;
  readonly apartMs?: number;
}

/** Events whose commands run at the same time; the others take their turn. */
const AT_ONCE = 4;
/** So long what the service says of an end of work waits for an event that tells of the same: longer than a window leaves one to others, ms. */
export const APART_MS = (stepsBefore(undefined, [], false) + 2) * STEP_MS;
/** The service may say so long after such an event that the session still works, ms. */
const LAG_MS = 10_000;

/** Runs the person's own hooks where that is allowed, those of one event beside each other. */
export class Outgoing extends Disposable {
  readonly #deps: OutgoingDeps;
  readonly #closing = new AbortController();
  readonly #running = new Set<Promise<unknown>>();

  constructor(deps: OutgoingDeps) {
    super();
    this.#deps = deps;
  }

  /** Whether a command is to run in this window on such an event. */
  isWanted(event: string): boolean {
    return this.#wanted(event).length > 0;
  }

  /** Resolves when all commands of the event have ended. A stored one is marked first, so that no window runs them again. */
  async run(event: Told): Promise<void> {
    const { id, name, sessionId } = event;
    if (sessionId === undefined || !this.isWanted(name)) return;
    if (id !== undefined)
      await this.#deps.events
        .update(id, stored => stored && { ...stored, hasRun: true })
        .catch((error: unknown) => this.#deps.log.error('A hook event cannot be marked as run', error));
    while (this.#running.size >= AT_ONCE) await Promise.race(this.#running);
    const turn = this.#runAll(event).finally(() => this.#running.delete(turn));
    this.#running.add(turn);
    await turn;
  }

  /** Much may have changed while the event waited for its turn. */
  async #runAll(event: Told): Promise<void> {
    const wanted = this.#wanted(event.name);
    const folder = await firstFolder([event.cwd ?? '', ...this.#deps.folders(), os.homedir()]);
    await Promise.all(wanted.map(hook => this.#runOne(hook, event, folder)));
  }

  /**
   * The service says that a session has come to rest that worked at `workedAt`, Unix ms. Runs the commands for `Stop`, unless a hook of
   * the client tells of the same end: that event runs them. The service knows no folder; a hook may have told one.
   */
  async runStop(sessionId: string, workedAt: number): Promise<void> {
    const { events, folders, apartMs = APART_MS } = this.#deps;
    await delay(apartMs, undefined, { signal: this.#closing.signal }).catch(() => undefined);
    if (!this.isWanted('Stop')) return;
    const heard = [...(await events.load()).values()].filter(event => event.sessionId === sessionId);
    if (heard.some(({ name, at, hasRun }) => name === 'Stop' && hasRun && at >= workedAt - LAG_MS)) return;
    const { cwd } = heard.sort(byTime).findLast(event => event.cwd !== undefined) ?? {};
    await this.run({ name: 'Stop', sessionId, cwd: cwd ?? folders()[0] });
  }

  override dispose(): void {
    this.#closing.abort();
    super.dispose();
  }

  #wanted(event: string): readonly OutgoingHook[] {
    if (this.isDisposed || !this.#deps.mayRun()) return [];
    return readOutgoing(this.#deps.setting()).hooks.filter(hook => hook.event === event);
  }

  /** The log says nothing of the command, which may hold secrets, nor of what the event is about (trust.md 21). */
  async #runOne(hook: OutgoingHook, event: Told, folder: string | undefined): Promise<void> {
    const { name, sessionId, cwd = '', message, reason } = event;
    const result = await runCommand({
      command: hook.command,
      // The same JSON that the client gives its hooks (interface.md section 6).
      input: JSON.stringify({ hook_event_name: name, session_id: sessionId, cwd, message, reason }),
      timeoutMs: hook.timeout * 1000,
      signal: this.#closing.signal,
      cwd: folder,
    });
    const { log, finished } = this.#deps;
    const status = result.exitCode === undefined ? result.outcome : `status ${result.exitCode}`;
    const line = `Hook for ${hook.event}: ${status} after ${result.ms} ms`;
    const own = [message ?? '', cwd].map(text => oneLine(text)).filter(text => text.length > 1);
    const output = withoutEcho(oneLine(result.output, 1_000), own);
    if (result.exitCode === 0) log.info(line);
    else log.warn(output === '' ? line : `${line}; output: ${output}`);
    finished({ ...result, event: hook.event });
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
