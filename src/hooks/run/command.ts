import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';

export interface CommandRun {
  readonly command: string;
  /** Goes to standard input as a whole. */
  readonly input: string;
  /** After it, the command and its process group are ended, ms. */
  readonly timeoutMs: number;
  /** Ends the same before its time. */
  readonly signal: AbortSignal;
  readonly cwd?: string | undefined;
  /** The hook command of this extension takes no notice of events that other runs hand to it. */
  readonly isTest?: boolean;
}

export interface CommandResult {
  /** `undefined` when it did not end by itself. */
  readonly exitCode: number | undefined;
  readonly outcome: 'ended' | 'timedOut' | 'stopped' | 'notStarted';
  /** What it wrote to both outputs, as far as it is kept; foreign text. */
  readonly output: string;
  readonly ms: number;
}

/** Characters of output that are kept. */
const OUTPUT_CAP = 4_000;
/** What does not go when asked to, goes now, ms. */
const GRACE_MS = 1_000;
/** What a command started and left behind is looked for this often, ms. */
const LOOK_MS = 100;

/** The hook command leaves alone what it is given below this. */
const OUTGOING = 'AGENT_CONSOLE_OUTGOING_HOOK';
/** The person's own; what others start has no use for them. */
const OWN_SECRETS = new Set(['AGENT_CONSOLE_API_KEY', 'AGENT_CONSOLE_BASE_URL', 'AGENT_CONSOLE_APP_URL']);

/** What a command sees of the environment. */
export function environmentOf(run: Pick<CommandRun, 'isTest'>, from = process.env): NodeJS.ProcessEnv {
  const env = Object.fromEntries(
    Object.entries(from).filter(([name]) => !OWN_SECRETS.has(name.toUpperCase())),
  );
  return run.isTest === true ? env : { ...env, [OUTGOING]: '1' };
}

/** How a command line is started; on POSIX in a process group of its own. */
export function spawnPlan(
  command: string,
  platform: NodeJS.Platform = process.platform,
): { readonly file: string; readonly args: readonly string[]; readonly options: SpawnOptions } {
  const options: SpawnOptions = { stdio: ['pipe', 'pipe', 'pipe'], windowsHide: true };
  if (platform !== 'win32')
    return { file: '/bin/sh', args: ['-c', command], options: { ...options, detached: true } };
  const args = ['/d', '/s', '/c', `"${command}"`];
  return { file: 'cmd.exe', args, options: { ...options, windowsVerbatimArguments: true } };
}

/**
 * Runs a command line with something on its standard input. Resolves when it has ended and none of its process group is left,
 * in the foreground or in the background; at the timeout all of the group is ended. What has left the group stays. Never rejects.
 */
export function runCommand(run: CommandRun): Promise<CommandResult> {
  const started = Date.now();
  const { file, args, options } = spawnPlan(run.command);
  const env = environmentOf(run);
  const notStarted = (reason: string): CommandResult => ({
    exitCode: undefined,
    outcome: 'notStarted',
    output: reason,
    ms: Date.now() - started,
  });
  if (run.command.includes('\0'))
    return Promise.resolve(
      notStarted('The command has a NUL character in it, which no command line can have.'),
    );
  let child: ChildProcess;
  try {
    child = spawn(file, [...args], { ...options, env, cwd: run.cwd });
  } catch (error) {
    return Promise.resolve(notStarted(error instanceof Error ? error.message : String(error)));
  }
  return new Promise(resolve => {
    let output = '';
    let outcome: CommandResult['outcome'] = 'ended';
    let exitCode: number | undefined;
    const finish = (): void => {
      clearTimeout(timeout);
      clearTimeout(grace);
      clearInterval(look);
      run.signal.removeEventListener('abort', onAbort);
      child.stdout?.destroy();
      child.stderr?.destroy();
      resolve({ exitCode, outcome, output, ms: Date.now() - started });
    };
    let look: NodeJS.Timeout | undefined;
    let grace: NodeJS.Timeout | undefined;
    const stop = (why: CommandResult['outcome']): void => {
      if (outcome !== 'ended') return;
      outcome = why;
      // What the window leaves behind when it closes has no second chance.
      endGroup(child, why === 'stopped');
      grace = setTimeout(() => {
        endGroup(child, true);
        // What is dead but has no parent that asks about it counts as gone.
        grace = setTimeout(finish, GRACE_MS);
      }, GRACE_MS);
    };
    const onAbort = (): void => stop('stopped');
    const timeout = setTimeout(() => stop('timedOut'), run.timeoutMs);
    run.signal.addEventListener('abort', onAbort, { once: true });
    if (run.signal.aborted) onAbort();
    const keep = (chunk: Buffer): void => {
      if (output.length < OUTPUT_CAP) output = (output + chunk.toString('utf8')).slice(0, OUTPUT_CAP);
    };
    child.stdout?.on('data', keep);
    child.stderr?.on('data', keep);
    child.once('error', error => {
      outcome = 'notStarted';
      output = error.message;
      finish();
    });
    // A command may end without reading what it was given.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(run.input);
    child.once('exit', code => {
      if (outcome === 'ended') exitCode = code ?? undefined;
      look = setInterval(whenGone, LOOK_MS);
      whenGone();
    });
    // What a process outside the group holds open is not waited for.
    let isClosed = false;
    let looks = 0;
    const whenGone = (): void => {
      if (!isGroupAlive(child) && (isClosed || ++looks > 3)) finish();
    };
    child.once('close', () => {
      isClosed = true;
      if (look !== undefined) whenGone();
    });
  });
}

/** What ends a process and what it has started. */
export function endPlan(
  pid: number,
  force: boolean,
  platform: NodeJS.Platform = process.platform,
):
  | { readonly signal: NodeJS.Signals; readonly group: number }
  | { readonly file: string; readonly args: readonly string[] } {
  if (platform === 'win32') return { file: 'taskkill', args: ['/pid', String(pid), '/t', '/f'] };
  return { signal: force ? 'SIGKILL' : 'SIGTERM', group: -pid };
}

/** Ends a process that leads a group, with all of the group; on Windows with its tree. */
export function endGroup({ pid }: ChildProcess, force: boolean): void {
  if (pid === undefined) return;
  const plan = endPlan(pid, force);
  if (!('group' in plan)) {
    spawn(plan.file, [...plan.args], { stdio: 'ignore', windowsHide: true }).on('error', () => undefined);
    return;
  }
  try {
    process.kill(plan.group, plan.signal);
  } catch {
    // Gone already.
  }
}

/** Whether a process of the group is left; Windows tells only of the tree as a whole, which `taskkill` ends. */
export function isGroupAlive({ pid }: ChildProcess): boolean {
  if (pid === undefined || process.platform === 'win32') return false;
  try {
    process.kill(-pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
