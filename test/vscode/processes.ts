import { setTimeout as pause } from 'node:timers/promises';
import { spawn, spawnSync, type ChildProcess, type SpawnOptions } from 'node:child_process';

/**
 * Everything a run starts ends with it: each program gets a process group of its own, and what is still there is ended
 * when this process exits, is interrupted, or loses the parent that started it with a channel.
 */
type CleanUp = () => void | Promise<void>;

const cleanUps = new Set<CleanUp>();
const running = new Map<ChildProcess, number>();
let watching = false;
let ending = false;

/** How long a program has to end by itself after it was asked to, in ms. */
const defaultGraceMs = 3000;

/** Longest time for all clean-ups together. */
const cleanUpLimitMs = 8000;

/** Starts a program as the leader of its own process group. */
export function start(
  command: string,
  args: readonly string[],
  { graceMs = defaultGraceMs, ...options }: SpawnOptions & { readonly graceMs?: number } = {},
): ChildProcess {
  watch();
  const child = spawn(command, args, { ...options, detached: process.platform !== 'win32' });
  running.set(child, graceMs);
  child.once('exit', () => {
    // What the program left behind in its group goes with it.
    signalGroup(child, 'SIGKILL');
    running.delete(child);
  });
  child.once('error', () => running.delete(child));
  return child;
}

/** Ends a program and all it started: politely, then after its grace time by force. Resolves when it is gone. */
export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const gone = new Promise<void>(resolve => child.once('exit', () => resolve()));
  signalGroup(child, 'SIGTERM');
  const force = setTimeout(() => signalGroup(child, 'SIGKILL'), running.get(child) ?? defaultGraceMs);
  await gone;
  clearTimeout(force);
}

/** Runs `cleanUp` when this process ends by any way that leaves it time; returns a function that takes it back. */
export function onEnd(cleanUp: CleanUp): () => void {
  watch();
  cleanUps.add(cleanUp);
  return () => cleanUps.delete(cleanUp);
}

/** Ends this process when the one that started it is gone, for programs that are started without a channel. */
export function endWithParent(): void {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent && !ending) void endAll(1);
  }, 1000).unref();
}

/** Whether this process is on its way out. */
export function isEnding(): boolean {
  return ending;
}

/** Ends what was started, runs the clean-ups, and exits. */
export async function endAll(exitCode: number): Promise<never> {
  ending = true;
  await Promise.allSettled([...running.keys()].map(child => end(child)));
  const cleaned = Promise.allSettled([...cleanUps].map(async cleanUp => cleanUp()));
  await Promise.race([cleaned, pause(cleanUpLimitMs)]);
  process.exit(exitCode);
}

function watch(): void {
  if (watching) return;
  watching = true;
  const signals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
  for (const [signal, code] of Object.entries(signals)) {
    process.on(signal, () => {
      if (ending) process.exit(code);
      void endAll(code);
    });
  }
  if (process.channel) {
    process.once('disconnect', () => void endAll(1));
    process.channel.unref();
  }
  process.once('exit', () => {
    for (const child of running.keys()) signalGroup(child, 'SIGKILL');
  });
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === 'win32') {
      spawnSync('taskkill', ['/T', '/F', '/PID', String(child.pid)], { stdio: 'ignore' });
    } else {
      process.kill(-child.pid, signal);
    }
  } catch {
    // The group is gone already.
  }
}
