import { execFile } from 'node:child_process';
import { devNull } from 'node:os';
import * as vscode from 'vscode';

/** Git did not do what it was asked. `message`: its own words, foreign text. */
export class GitError extends Error {
  override readonly name = 'GitError';
  constructor(
    message: string,
    /** `undefined` when it did not end by itself. */
    readonly code: number | undefined,
    /** What it had printed. */
    readonly output: Buffer = Buffer.alloc(0),
  ) {
    super(message);
  }
}

interface RunOptions {
  readonly input?: string | Buffer | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
}

/** Of what a command prints; with more it is ended. */
const MAX_BYTES = 256 * 1024 * 1024;
/** The person's own, without which Git may not find its parts or settings. */
const KEPT = new Set(['GIT_EXEC_PATH', 'GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM', 'GIT_CONFIG_NOSYSTEM']);

/** No hook, monitor or pager of a repository runs, whatever is asked. */
const ALWAYS = [
  ...['--no-pager', '--literal-pathspecs'],
  ...['-c', `core.hooksPath=${devNull}`, '-c', 'core.fsmonitor=false', '-c', 'submodule.recurse=false'],
];
/** What is read is what the commits hold, and nothing signs or shows signatures. */
const READING = ['--no-replace-objects', '-c', 'log.showSignature=false'];

/** Git on one folder, without a shell. `program` is the path of Git. */
export class Git {
  constructor(
    readonly program: string,
    readonly folder: string,
  ) {}

  /** Output of a command that changes nothing and starts no program that the repository names; nothing is fetched. */
  read(args: readonly string[], options: RunOptions = {}): Promise<Buffer> {
    const env = { GIT_OPTIONAL_LOCKS: '0', GIT_NO_LAZY_FETCH: '1', GIT_ALLOW_PROTOCOL: 'none' };
    return this.#run([...READING, ...args], { ...options, env: { ...env, ...options.env } });
  }

  /** A command of the person: filters of files run, hooks do not. */
  change(args: readonly string[], options: RunOptions = {}): Promise<Buffer> {
    return this.#run(args, options);
  }

  #run(args: readonly string[], { input = '', env }: RunOptions): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const options = {
        ...{ cwd: this.folder, env: { ...own(), ...env }, encoding: 'buffer' as const },
        ...{ maxBuffer: MAX_BYTES, windowsHide: true },
      };
      const child = execFile(this.program, [...ALWAYS, ...args], options, (error, output, said) => {
        const code = typeof error?.code === 'number' ? error.code : undefined;
        const isTooMuch = String(error?.code) === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER';
        const why = isTooMuch ? vscode.l10n.t('Git’s output is too large to read.') : said.toString().trim();
        if (!error) resolve(output);
        else reject(new GitError(why || error.message, code, output));
      });
      // It may end without reading what it was given.
      child.stdin?.on('error', () => undefined);
      child.stdin?.end(input);
    });
  }
}

/** The environment without what would lead Git elsewhere; it asks nobody and speaks English. */
function own(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^GIT_/i.test(name) || KEPT.has(name.toUpperCase()),
  );
  return { ...Object.fromEntries(kept), GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' };
}

/** What a command has found; nothing where it ended with 1, by which Git says that there is none, or as told. */
export async function orNothing(output: Promise<Buffer>, ...codes: readonly number[]): Promise<Buffer> {
  try {
    return await output;
  } catch (error) {
    if (error instanceof GitError && [1, ...codes].includes(error.code ?? 0)) return Buffer.alloc(0);
    throw error;
  }
}

export function lines(output: Buffer): readonly string[] {
  return output.toString('utf8').split('\n').filter(Boolean);
}

/** What was written with `-z`. */
export function records(output: Buffer): readonly string[] {
  return output.toString('utf8').split('\0').filter(Boolean);
}

/**
 * Environment in which Git runs no program over files: neither filters nor merges of the repository's own. What has such a merge
 * counts as a conflict.
 */
export async function withoutPrograms(git: Git): Promise<Record<string, string>> {
  const args = ['config', '-z', '--name-only', '--get-regexp', '^(filter|merge)\\..*\\.'];
  const names = new Set(
    records(await orNothing(git.read(args))).map(key => key.slice(0, key.lastIndexOf('.'))),
  );
  const settings = [...names].flatMap(name =>
    name.startsWith('merge.')
      ? [[`${name}.driver`, 'false']]
      : [[`${name}.clean`], [`${name}.smudge`], [`${name}.process`], [`${name}.required`, 'false']],
  );
  const pairs = settings.flatMap(([key = '', value = ''], n) => [
    [`GIT_CONFIG_KEY_${n}`, key],
    [`GIT_CONFIG_VALUE_${n}`, value],
  ]);
  return {
    GIT_CONFIG_COUNT: String(settings.length),
    ...(Object.fromEntries(pairs) as Record<string, string>),
  };
}

/** Unix ms of what a commit says in seconds, which may be anything. */
export const timeOf = (seconds = ''): number => Math.min(Number(seconds) * 1000 || 0, 8.64e15);

/** A whole commit hash: such words can be given to Git as they are. */
export function isHash(text: string): boolean {
  return /^(?:[\da-f]{40}|[\da-f]{64})$/.test(text);
}

/** What Git takes for the name of a branch, a little stricter: what it cannot be is never handed over. */
export function isBranchName(name: string): boolean {
  return (
    name.length <= 250 &&
    !/[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/\/|^[-/.]|\/\.|[/.]$|\.lock(?:\/|$)|^@$|^HEAD$/.test(name) &&
    name !== ''
  );
}
