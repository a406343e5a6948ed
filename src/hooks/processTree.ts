import { spawn, type ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** What ends a process and all its children. */
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

/** Rounds in which those are ended that came while the others were looked for. */
const ROUNDS = 5;

/**
 * Ends a process that leads a group, and everything it has started. On Linux those too that went into a session of their own: they
 * are known by `mark`, an entry of the environment they were all started with, and by their parents. Elsewhere on POSIX
 * nothing tells of those, and they stay.
 */
export function endTree(child: ChildProcess, force: boolean, mark: string): void {
  if (child.pid === undefined) return;
  const plan = endPlan(child.pid, force);
  if (!('group' in plan)) {
    spawn(plan.file, [...plan.args], { stdio: 'ignore', windowsHide: true }).on('error', () => undefined);
    return;
  }
  for (let round = 0; round < (force ? ROUNDS : 1); round++) {
    // Before the group: whoever has lost its parent is no longer known by it.
    const escaped = strays(child, mark);
    send(plan.group, plan.signal);
    for (const pid of escaped) send(pid, plan.signal);
    if (escaped.length === 0) return;
  }
}

/** Whether something is left of what the process has started; Windows tells only of the tree as a whole, which `taskkill` ends. */
export function isTreeAlive(child: ChildProcess, mark: string): boolean {
  return isGroupAlive(child) || strays(child, mark).length > 0;
}

/** Whether a process of the group is left. */
export function isGroupAlive(child: ChildProcess): boolean {
  if (child.pid === undefined || process.platform === 'win32') return false;
  try {
    process.kill(-child.pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Gone already.
  }
}

interface Living {
  readonly parent: number;
  readonly group: number;
}

/** Processes that the child has started, directly or not, and that are not in its group. */
function strays(child: ChildProcess, mark: string): number[] {
  if (process.platform !== 'linux' || child.pid === undefined) return [];
  const living = new Map<number, Living>();
  for (const name of readdirSync('/proc')) {
    const process = /^\d+$/.test(name) ? livingOf(name) : undefined;
    if (process !== undefined) living.set(Number(name), process);
  }
  // The number of a child that has ended may be another's by now.
  const isOurs = child.exitCode === null && child.signalCode === null;
  const found = new Set<number>(isOurs ? [child.pid] : []);
  for (const pid of living.keys()) if (isMarked(pid, mark)) found.add(pid);
  // A set gives what is added while it is walked through, too.
  for (const ancestor of found)
    for (const [pid, { parent }] of living) if (parent === ancestor) found.add(pid);
  return [...found].filter(pid => pid !== child.pid && living.get(pid)?.group !== child.pid);
}

/** `undefined` for one that is gone, or dead with a parent that has not asked about it yet. */
function livingOf(pid: string): Living | undefined {
  try {
    // The name, in brackets, may hold anything.
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const [state, parent, group] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' || state === 'X' ? undefined : { parent: Number(parent), group: Number(group) };
  } catch {
    return undefined;
  }
}

function isMarked(pid: number, mark: string): boolean {
  try {
    return `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`.includes(`\0${mark}\0`);
  } catch {
    // Another person's.
    return false;
  }
}
