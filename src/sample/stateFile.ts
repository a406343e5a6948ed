import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type SessionState } from './records';

/** What outlives the process. */
export interface SavedState {
  readonly sessions: readonly SessionState[];
  /** When the computer that is being made was first seen, Unix ms. */
  readonly computerFirstSeen?: number;
}

const VERSION = 1;

/** Keeps the state in one file: written beside it, then renamed, one write at a time. */
export class StateFile {
  readonly #path: string;
  readonly #current: () => SavedState;
  #writing: Promise<void> | undefined;
  #queued: Promise<void> | undefined;

  /** `current` gives what to write at the moment of writing. */
  constructor(path: string, current: () => SavedState) {
    this.#path = path;
    this.#current = current;
  }

  /** Resolves when everything known at the time of the call is on disk; calls that come while one is writing share the next. */
  async save(): Promise<void> {
    if (this.#writing === undefined) {
      this.#writing = this.#write().finally(() => (this.#writing = undefined));
      return this.#writing;
    }
    this.#queued ??= this.#writing
      .catch(() => undefined)
      .then(() => {
        this.#queued = undefined;
        return this.save();
      });
    return this.#queued;
  }

  /** Resolves when nothing is being written or about to be. */
  async idle(): Promise<void> {
    while (this.#writing !== undefined) await (this.#queued ?? this.#writing).catch(() => undefined);
  }

  async #write(): Promise<void> {
    const text = JSON.stringify({ version: VERSION, ...this.#current() });
    const temporary = `${this.#path}.${randomUUID()}.tmp`;
    await mkdir(dirname(this.#path), { recursive: true });
    try {
      await writeFile(temporary, text, { mode: 0o600 });
      await replace(temporary, this.#path);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }
}

/** Renames over a file; where another program has it open for a moment (Windows), tries again. */
async function replace(from: string, to: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await rename(from, to);
      return;
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (attempt === 5 || !['EPERM', 'EACCES', 'EBUSY'].includes(code)) throw error;
      await setTimeout(attempt * 10);
    }
  }
}

/** Reads what an earlier run kept. A file that is not ours or of a newer version is put aside, not overwritten. */
export async function readState(path: string): Promise<SavedState | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const state = parse(text);
  if (state === undefined) await rename(path, `${path}.unreadable-${randomUUID()}`);
  return state;
}

function parse(text: string): SavedState | undefined {
  try {
    const value = JSON.parse(text) as Partial<SavedState> & { version?: unknown };
    return value.version === VERSION && Array.isArray(value.sessions) && value.sessions.every(isSession)
      ? { ...value, sessions: value.sessions }
      : undefined;
  } catch {
    return undefined;
  }
}

function isSession(value: unknown): value is SessionState {
  if (typeof value !== 'object' || value === null) return false;
  const { sessionId, computerId, messages, steps, usage } = value as Partial<
    Record<keyof SessionState, unknown>
  >;
  return (
    typeof sessionId === 'string' &&
    typeof computerId === 'string' &&
    Array.isArray(messages) &&
    Array.isArray(steps) &&
    typeof usage === 'object' &&
    usage !== null
  );
}
