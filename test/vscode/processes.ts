import { spawn, spawnSync, type ChildProcess, type SpawnOptions } from 'node:child_process';

/**
 * Everything a run starts ends with it: each program gets a process group of its own, and what is still there is ended
 * when this process exits, is interrupted, or loses the parent that started it with a channel.
 */
const shared = ((globalThis as { agentConsoleProcesses?: Shared }).agentConsoleProcesses ??= {
  running: new Map<ChildProcess, number>(),
  watching: false,
  ending: false,
});
const { running } = shared;

/** Shared by the test files, which are bundled one by one. */
interface Shared {
  readonly running: Map<ChildProcess, number>;
  watching: boolean;
  ending: boolean;
}

/** How long a program has to end by itself after it was asked to, in ms. */
const defaultGraceMs = 3000;

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

/** Ends what was started, and exits. */
async function endAll(exitCode: number): Promise<never> {
  shared.ending = true;
  await Promise.allSettled([...running.keys()].map(child => end(child)));
  process.exit(exitCode);
}

/** Runs a program to its end and exits: with the code it resolves to, if any, or by saying what went wrong. */
export function runProgram(main: () => Promise<number | undefined>): void {
  main().then(
    code => (shared.ending ? undefined : endAll(code ?? 0)),
    (error: unknown) => {
      if (shared.ending) return;
      console.error(error instanceof Error ? error.message : error);
      void endAll(1);
    },
  );
}

function watch(): void {
  if (shared.watching) return;
  shared.watching = true;
  const signals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
  for (const [signal, code] of Object.entries(signals)) {
    process.on(signal, () => {
      if (shared.ending) process.exit(code);
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
