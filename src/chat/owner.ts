import * as vscode from 'vscode';
import { hostname } from 'node:os';

/** The process that sends. */
export interface SendOwner {
  readonly host: string;
  readonly pid: number;
  /** Start of the process, Unix ms: tells two processes with the same number apart. */
  readonly startedAt: number;
}

/** No request lasts longer than this, ms: what still counts as sending then was left by a process that cannot be asked. */
const LONGEST_SEND = 15 * 60_000;
/** Two readings of when a process started may differ by this much, ms. */
const START_TOLERANCE = 2_000;

export interface OwnershipOptions {
  readonly now?: (() => number) | undefined;
  readonly owner?: SendOwner | undefined;
  /** Whether a process of this machine lives. */
  readonly isRunning?: ((pid: number) => boolean) | undefined;
}

/** Another window, or another try of this one, has a message: it is not to be sent here. */
export class TakenElsewhere extends Error {
  override readonly name = 'TakenElsewhere';

  constructor() {
    super(vscode.l10n.t('This message has been recorded already.'));
  }
}

/** Who this process is, and whether another one that took something up still lives. */
export class Ownership {
  readonly self: SendOwner;
  readonly now: () => number;
  readonly #isRunning: (pid: number) => boolean;

  constructor(options: OwnershipOptions = {}) {
    this.self = options.owner ?? thisProcess();
    this.now = options.now ?? Date.now;
    this.#isRunning = options.isRunning ?? isRunning;
  }

  /** Whether what `owner` began at `startedAt` (Unix ms) will not be finished by it any more. */
  isLost(owner: SendOwner, startedAt: number): boolean {
    // A clock that was ahead holds nothing up for longer.
    const age = Math.abs(this.now() - startedAt);
    if (owner.host !== this.self.host) return age > LONGEST_SEND;
    if (owner.pid === this.self.pid)
      return Math.abs(owner.startedAt - this.self.startedAt) > START_TOLERANCE || age > LONGEST_SEND;
    return age > LONGEST_SEND || !this.#isRunning(owner.pid);
  }
}

function thisProcess(): SendOwner {
  return { host: hostname(), pid: process.pid, startedAt: Math.round(Date.now() - process.uptime() * 1000) };
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
