import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import type { Event } from '../util/event';
import type { Installation } from './installation';
import { TEST_SESSION, type HookEvent } from './model';
import { shippedScript, type HookPlace } from './place';
import { runCommand } from './runCommand';

/** What the doctor found out about one thing. */
export interface Finding {
  readonly kind: 'file' | 'hook' | 'script' | 'spool' | 'backlog' | 'listening' | 'lastEvent' | 'outgoing';
  readonly state: 'fine' | 'attention' | 'broken';
  /** The settings file it is about. */
  readonly file?: string | undefined;
  /** Events of the hook. */
  readonly events?: readonly string[] | undefined;
  readonly event?: HookEvent | undefined;
  readonly count?: number | undefined;
  readonly error?: unknown;
  /** What of the person's own hooks cannot be used. */
  readonly unusable?: readonly string[] | undefined;
}

export interface DoctorDeps {
  readonly installation: Pick<Installation, 'files' | 'look' | 'command'>;
  readonly place: HookPlace;
  /** The folder of the extension that holds the script. */
  readonly shipped: string;
  readonly history: {
    readonly events: readonly HookEvent[];
    load(): Promise<void>;
    readonly onDidChange: Event<void>;
  };
  readonly isListening: () => boolean;
  /** What of the person's own hooks cannot be used. */
  readonly unusable: () => readonly string[];
}

/** Looks at every link of the chain from the client to this window; changes nothing but a trial file in the spool. */
export async function examine(deps: DoctorDeps): Promise<Finding[]> {
  const { installation, place, history } = deps;
  const files = await installation.files();
  const findings: Finding[] = files.length === 0 ? [{ kind: 'file', state: 'broken' }] : [];
  for (const { file, events } of files) findings.push(...(await examineFile(deps, file, events)));
  findings.push(await examineScript(deps));
  findings.push(await examineSpool(place));
  const waiting = (await fs.readdir(place.spool).catch(() => [] as string[])).length;
  if (waiting > 10) findings.push({ kind: 'backlog', state: 'attention', count: waiting });
  findings.push({ kind: 'listening', state: deps.isListening() ? 'fine' : 'broken' });
  await history.load();
  const [event] = history.events;
  findings.push({ kind: 'lastEvent', state: event === undefined ? 'attention' : 'fine', event });
  const unusable = deps.unusable();
  if (unusable.length > 0) findings.push({ kind: 'outgoing', state: 'broken', unusable });
  return findings;
}

/** What is empty, or another's, may end well and yet hand nothing over. */
async function examineScript({ place, shipped }: DoctorDeps): Promise<Finding> {
  try {
    const [there, wanted] = await Promise.all([fs.readFile(place.script), shippedScript(place, shipped)]);
    return { kind: 'script', state: there.equals(wanted) ? 'fine' : 'broken' };
  } catch (error) {
    return { kind: 'script', state: 'broken', error };
  }
}

async function examineFile(deps: DoctorDeps, file: string, events: readonly string[]): Promise<Finding[]> {
  try {
    const look = await deps.installation.look(file);
    if (!look.exists) return [{ kind: 'file', state: 'broken', file }];
    const missing = events.filter(name => look.events.get(name) !== 'current');
    const state = missing.length === 0 ? 'fine' : 'broken';
    return [
      { kind: 'file', state: 'fine', file },
      { kind: 'hook', state, file, events: state === 'fine' ? events : missing },
    ];
  } catch (error) {
    return [{ kind: 'file', state: 'broken', file, error }];
  }
}

async function examineSpool(place: HookPlace): Promise<Finding> {
  const trial = path.join(place.spool, `trial-${randomUUID()}`);
  try {
    await fs.access(place.spool, constants.W_OK);
    await fs.writeFile(trial, 'x'.repeat(1_024), { flag: 'wx', mode: 0o600 });
    return { kind: 'spool', state: 'fine' };
  } catch (error) {
    return { kind: 'spool', state: 'broken', error };
  } finally {
    await fs.rm(trial, { force: true });
  }
}

export type TestOutcome =
  | { readonly kind: 'arrived'; readonly ms: number }
  | { readonly kind: 'failed'; readonly exitCode: number | undefined; readonly output: string }
  /** The command ended well, but no window has taken the event. */
  | { readonly kind: 'lost' };

/** So long a test event may take from the command to a window, ms. */
const PATIENCE_MS = 10_000;

/** Sends an event through the real command, as the client would, and waits until a window has taken it. */
export async function sendTest(
  deps: DoctorDeps,
  cwd: string,
  patienceMs = PATIENCE_MS,
): Promise<TestOutcome> {
  const sessionId = `${TEST_SESSION}${randomUUID()}`;
  const started = Date.now();
  const stop = new AbortController();
  const arrival = arrivalOf(deps.history, sessionId, stop.signal);
  const timer = setTimeout(() => stop.abort(), patienceMs);
  try {
    const input = JSON.stringify({
      hook_event_name: 'Notification',
      session_id: sessionId,
      cwd,
      message: 'Test',
    });
    const { installation } = deps;
    const { exitCode, output } = await runCommand({
      command: installation.command,
      input,
      timeoutMs: patienceMs,
      signal: stop.signal,
      isTest: true,
    });
    if (exitCode !== 0) return { kind: 'failed', exitCode, output };
    return (await arrival) ? { kind: 'arrived', ms: Date.now() - started } : { kind: 'lost' };
  } finally {
    clearTimeout(timer);
    stop.abort();
  }
}

function arrivalOf(history: DoctorDeps['history'], sessionId: string, signal: AbortSignal): Promise<boolean> {
  return new Promise(resolve => {
    const end = (arrived: boolean): void => {
      subscription.dispose();
      signal.removeEventListener('abort', onAbort);
      resolve(arrived);
    };
    const onAbort = (): void => end(false);
    const subscription = history.onDidChange(() => {
      if (history.events.some(event => event.sessionId === sessionId)) end(true);
    });
    signal.addEventListener('abort', onAbort, { once: true });
  });
}
