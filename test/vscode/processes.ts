import { spawn, spawnSync, type ChildProcess, type SpawnOptions } from 'node:child_process';

/** Everything a run starts ends with it: when this process exits, is interrupted, or loses the parent that started it with a channel. */
const shared = ((globalThis as { agentConsoleProcesses?: Shared }).agentConsoleProcesses ??= watched());
/** By the test files, which are bundled one by one. */
type Shared = ReturnType<typeof watched>;

/** How long a program has to end by itself after it was asked to, in ms. */
const graceMs = 10_000;

/** Starts a program as the leader of its own process group. */
export function start(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  const child = spawn(command, args, { ...options, detached: process.platform !== 'win32' });
  shared.running.add(child);
  child.once('exit', () => {
    // What the program left behind in its group goes with it.
    signalGroup(child, 'SIGKILL');
    shared.running.delete(child);
  });
  child.once('error', () => shared.running.delete(child));
  return child;
}

/** Ends a program and all it started: politely, then after its grace time by force. Resolves when it is gone. */
export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const gone = new Promise<void>(resolve => child.once('exit', () => resolve()));
  signalGroup(child, 'SIGTERM');
  const force = setTimeout(() => signalGroup(child, 'SIGKILL'), graceMs);
  await gone;
  clearTimeout(force);
}

async function endAll(exitCode: number): Promise<never> {
  shared.ending = true;
  await Promise.allSettled([...shared.running].map(end));
  process.exit(exitCode);
}

/** Runs a program to its end and exits: with the code it resolves to, if any, or by saying what went wrong. */
export function runProgram(main: () => Promise<number | undefined>): void {
  void main()
    .catch((error: unknown) => {
      if (!shared.ending) console.error(error instanceof Error ? error.message : error);
      return 1;
    })
    .then(code => shared.ending || endAll(code ?? 0));
}

function watched() {
  const running = new Set<ChildProcess>();
  for (const [signal, code] of Object.entries({ SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }))
    process.on(signal, () => {
      if (shared.ending) process.exit(code);
      void endAll(code);
    });
  process.once('disconnect', () => void endAll(1));
  process.once('exit', () => running.forEach(child => signalGroup(child, 'SIGKILL')));
  return { running, ending: false };
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    if (process.platform === 'win32')
      spawnSync('taskkill', ['/T', '/F', '/PID', String(pid)], { stdio: 'ignore' });
    else process.kill(-pid, signal);
  } catch {
    // The group is gone already.
  }
}
