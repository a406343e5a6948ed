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
 * Runs a command line with something on its standard input. Resolves when it and all that holds its outputs open have ended; at the
 * timeout all of its process group is ended. What the command left in the background on purpose, with outputs of its own, lives on.
 * Never rejects.
 */
export function runCommand(run: CommandRun): Promise<CommandResult> {
  const started = Date.now();
  const { file, args, options } = spawnPlan(run.command);
  const ended = new Promise<CommandResult>(resolve => {
    const child = spawn(file, [...args], { ...options, env: environmentOf(run), cwd: run.cwd });
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
    child.stdout?.on('data', keep);
    child.stderr?.on('data', keep);
    child.once('error', error => {
      output = error.message;
      stop('notStarted');
    });
    // A command may end without reading what it was given.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(run.input);
    child.once('close', code => finish(code ?? undefined));
  });
  // Such as a command line that is too long for the system.
  return ended.catch((error: unknown) => ({
    exitCode: undefined,
    outcome: 'notStarted',
    output: String(error),
    ms: Date.now() - started,
  }));
}

/** Ends a process that leads a group, with all of the group; on Windows with its tree. */
function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  if (process.platform === 'win32') {
    const tree = ['/pid', String(pid), '/t', '/f'];
    spawn('taskkill', tree, { stdio: 'ignore', windowsHide: true }).on('error', () => undefined);
    return;
  }
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Gone already.
  }
}
