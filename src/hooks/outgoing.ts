import { spawn, type ChildProcess } from 'node:child_process';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod/mini';
import type { HooksContext } from '.';
import { codeOf } from '../util/files';
import { Disposable, unhandled } from '../util/lifecycle';
import { oneLine, withoutEcho } from '../util/text';
import { eventNames, takenEvents, type EventName, type HookEvent } from './events';
import { STEP_MS, stepsBefore } from './inbox';

/** What the hooks are told of; `id` where it is stored. */
type Told = Pick<HookEvent, 'name' | 'sessionId' | 'cwd' | 'message' | 'reason'> & { readonly id?: string };

export interface FinishedHook extends CommandResult {
  readonly event: EventName;
}

const LONGEST_TIMEOUT_SECONDS = 600;

const commandSchema = z.object({
  type: z.literal('command'),
  command: z.string().check(z.refine(command => command.trim() !== '' && !command.includes('\0'))),
  timeout: z._default(z.number().check(z.positive()), 60),
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

export interface OutgoingDeps extends Pick<HooksContext, 'events' | 'log'> {
  readonly setting: () => unknown;
  /** Whether anything may be started from this window (trust.md 39). */
  readonly mayRun: () => boolean;
  /** Folders of the workspace: where a hook runs whose event names none that is there. */
  readonly folders: () => readonly string[];
  readonly finished: (hook: FinishedHook) => void;
  readonly apartMs?: number;
}

const AT_ONCE = 4;
/** So long what the service says of an end of work waits for an event that tells of the same: longer than a window leaves one to others, ms. */
export const APART_MS = (stepsBefore(undefined, [], 'restricted') + 2) * STEP_MS;
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

  async #runAll(event: Told): Promise<void> {
    const wanted = this.#wanted(event.name);
    const folder = await this.#firstFolder([event.cwd ?? '', ...this.#deps.folders(), os.homedir()]);
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
    const heard = (await takenEvents(events)).filter(event => event.sessionId === sessionId);
    if (heard.some(({ name, at, hasRun }) => name === 'Stop' && hasRun && at >= workedAt - LAG_MS)) return;
    const { cwd } = heard.findLast(event => event.cwd !== undefined) ?? {};
    await this.run({ name: 'Stop', sessionId, cwd: cwd ?? folders()[0] });
  }

  override dispose(): void {
    this.#closing.abort();
    super.dispose();
  }

  async #firstFolder(candidates: readonly string[]): Promise<string | undefined> {
    for (const folder of candidates.filter(each => path.isAbsolute(each))) {
      const stats = await fs.stat(folder).catch((error: unknown) => {
        const code = codeOf(error) ?? '';
        if (code !== 'ENOENT') this.#deps.log.warn(`The folder of a hook event cannot be used: ${code}`);
        return undefined;
      });
      if (stats?.isDirectory() === true) return folder;
    }
    return undefined;
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
      timeoutMs: Math.min(hook.timeout, LONGEST_TIMEOUT_SECONDS) * 1000,
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

export interface CommandRun {
  readonly command: string;
  readonly input: string;
  /** After it, the command and its process group are ended, as `signal` ends them before, ms. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly cwd?: string | undefined;
  /** The hook command of this extension takes no notice of events that other runs hand to it. */
  readonly isTest?: boolean;
}

interface CommandResult {
  /** `undefined` when it did not end by itself. */
  readonly exitCode: number | undefined;
  readonly outcome: 'ended' | 'timedOut' | 'stopped' | 'notStarted';
  /** What it wrote to both outputs, as far as it is kept; foreign text. */
  readonly output: string;
  readonly ms: number;
}

const OUTPUT_CAP = 4_000;
/** The hook command leaves alone what it is given below this. */
const OUTGOING = 'AGENT_CONSOLE_OUTGOING_HOOK';
const OWN_SECRETS = new Set(['AGENT_CONSOLE_API_KEY', 'AGENT_CONSOLE_BASE_URL', 'AGENT_CONSOLE_APP_URL']);

export function environmentOf(run: Pick<CommandRun, 'isTest'>, from = process.env): NodeJS.ProcessEnv {
  const env = Object.fromEntries(
    Object.entries(from).filter(([name]) => !OWN_SECRETS.has(name.toUpperCase())),
  );
  return run.isTest === true ? env : { ...env, [OUTGOING]: '1' };
}

/**
 * Runs a command line with something on its standard input. Resolves when it and all that holds its outputs open have ended; at the
 * timeout all of its process group is ended. What the command left in the background on purpose, with outputs of its own, lives on.
 * Rejects where the system takes no such command line.
 */
export function runCommand(run: CommandRun): Promise<CommandResult> {
  const started = Date.now();
  return new Promise(resolve => {
    // It has no streams where this process may open none.
    const child: ChildProcess = spawn(run.command, {
      shell: true,
      // On POSIX it leads a process group.
      detached: process.platform !== 'win32',
      windowsHide: true,
      env: environmentOf(run),
      cwd: run.cwd,
    });
    let output = '';
    let outcome: CommandResult['outcome'] = 'ended';
    const finish = (exitCode?: number): void => {
      clearTimeout(timeout);
      run.signal.removeEventListener('abort', onAbort);
      child.stdout?.destroy();
      child.stderr?.destroy();
      resolve({ exitCode, outcome, output, ms: Date.now() - started });
    };
    const stop = (why: CommandResult['outcome']): void => {
      if (outcome !== 'ended') return;
      outcome = why;
      endGroup(child);
      finish();
    };
    const onAbort = (): void => stop('stopped');
    const timeout = setTimeout(() => stop('timedOut'), run.timeoutMs);
    run.signal.addEventListener('abort', onAbort, { once: true });
    if (run.signal.aborted) onAbort();
    const keep = (chunk: Buffer): void => {
      if (output.length < OUTPUT_CAP) output = (output + chunk.toString('utf8')).slice(0, OUTPUT_CAP);
    };
    child.once('error', error => {
      output = error.message;
      stop('notStarted');
    });
    child.stdout?.on('data', keep);
    child.stderr?.on('data', keep);
    // A command may end without reading what it was given.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(run.input);
    child.once('close', code => finish(code ?? undefined));
  });
}

/** Ends a process that leads a group, with all of the group; on Windows with its tree. */
function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  if (process.platform === 'win32') {
    const tree = ['/pid', String(pid), '/t', '/f'];
    spawn('taskkill', tree, { stdio: 'ignore', windowsHide: true }).on('error', unhandled);
    return;
  }
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    // It may be gone already.
    if (codeOf(error) !== 'ESRCH') unhandled(error);
  }
}
