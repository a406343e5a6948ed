import { constants } from 'node:fs';
import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { FolderWatch } from '../storage';
import { Disposable, toDisposable } from '../util/disposable';
import { decodeEvent, EVENT_CAP, rankOf, type HookEvent, type WindowPresence } from './model';
import { privateFolder, type HookPlace } from './place';
import { codeOf } from './settingsFile';

/** What each further window waits, so that the right one takes an event first and yet none is lost with it, ms. */
const STEP_MS = 2_000;
const MAX_STEPS = 3;

/** Events kept after they were taken. */
const HISTORY_SIZE = 200;
const HISTORY_MS = 7 * 24 * 60 * 60_000;
/** What is half written for so long was never finished, ms. */
const ABANDONED_MS = 10 * 60_000;
const SWEEP_MS = 60 * 60_000;
const SWEEP_AFTER = 50;

export const EVENT_FILE = /^\d{1,12}\.\w{1,64}\.json$/;
/** Of the script, or of the doctor. */
const HALF_WRITTEN = /^(?:\d{1,12}\.\w{1,64}|trial-[\w-]{1,64})$/;

export interface HandoverDeps {
  readonly place: HookPlace;
  readonly id: string;
  readonly windows: () => Promise<readonly WindowPresence[]>;
  /** Resolves when somebody could see something in this window; may never do so. */
  readonly isShown: () => Promise<void>;
  /** The event is this window's alone, and in the history already. */
  readonly take: (event: HookEvent) => void;
  readonly onProblem: (sentence: string) => void;
  readonly stepMs?: number;
}

/**
 * Hands each event of the spool to exactly one window. A window takes an event by moving its file to the history, which succeeds
 * once; when it may try follows from the places of all windows (trust.md 38). A window that dies leaves its events to the next.
 */
export class Handover extends Disposable {
  readonly #deps: HandoverDeps;
  /** Names that are being looked at, or wait for their time. */
  readonly #pending = new Set<string>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #scanning = false;
  #scanAgain = false;
  #taken = 0;

  constructor(deps: HandoverDeps) {
    super();
    this.#deps = deps;
    const { spool, history } = deps.place;
    this.register(
      new FolderWatch({
        folder: spool,
        prepare: async () => {
          try {
            await privateFolder(spool);
            await privateFolder(history);
            return true;
          } catch (error) {
            deps.onProblem(`The folder of hook events cannot be made: ${String(codeOf(error))}`);
            return false;
          }
        },
        onChange: () => void this.#scan(),
        onUnavailable: reason => deps.onProblem(`The folder of hook events cannot be watched: ${reason}`),
      }),
    );
    const sweep = setInterval(() => void sweepPlace(deps.place), SWEEP_MS);
    sweep.unref();
    this.register(toDisposable(() => clearInterval(sweep)));
    void sweepPlace(deps.place);
  }

  override dispose(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    super.dispose();
  }

  async #scan(): Promise<void> {
    this.#scanAgain = true;
    if (this.#scanning) return;
    this.#scanning = true;
    while (this.#scanAgain && !this.isDisposed) {
      this.#scanAgain = false;
      const names = await fs.readdir(this.#deps.place.spool).catch(() => [] as string[]);
      const found = names.filter(name => EVENT_FILE.test(name) && !this.#pending.has(name)).sort();
      for (const name of found) this.#pending.add(name);
      const now: Found[] = [];
      for (const name of found) await this.#place(name, now);
      if (now.length > 0) void this.#takeAll(now);
    }
    this.#scanning = false;
  }

  /** Finds out when this window may take the event; puts it into `now` or sets a timer. */
  async #place(name: string, now: Found[]): Promise<void> {
    const found = await readEvent(this.#deps.place.spool, name);
    if (found === undefined) {
      this.#pending.delete(name);
      return;
    }
    const cwd = found.event?.cwd;
    const real = cwd === undefined ? undefined : await fs.realpath(cwd).catch(() => path.resolve(cwd));
    const rank = rankOf(this.#deps.id, await this.#deps.windows(), real, foldCase);
    if (rank === 0) {
      now.push(found);
      return;
    }
    const timer = setTimeout(
      () => {
        this.#timers.delete(timer);
        void this.#takeAll([found]);
      },
      Math.min(rank, MAX_STEPS) * (this.#deps.stepMs ?? STEP_MS),
    );
    timer.unref();
    this.#timers.add(timer);
  }

  async #takeAll(found: readonly Found[]): Promise<void> {
    await this.#deps.isShown();
    for (const { name, event } of found) {
      if (this.isDisposed) return;
      if (await this.#move(name, event !== undefined)) {
        if (event === undefined) this.#deps.onProblem('A hook event could not be read and was dropped.');
        else this.#deps.take(event);
        if (++this.#taken % SWEEP_AFTER === 0) await sweepPlace(this.#deps.place);
      }
      this.#pending.delete(name);
    }
  }

  /** Whether it was this window that took it. */
  async #move(name: string, isReadable: boolean): Promise<boolean> {
    const { spool, history } = this.#deps.place;
    const file = path.join(spool, name);
    const move = (): Promise<void> =>
      isReadable ? fs.rename(file, path.join(history, name)) : fs.unlink(file);
    try {
      await move();
      return true;
    } catch (error) {
      // Another window was first; or somebody removed the history.
      const isGone = await fs.access(file).then(
        () => false,
        () => true,
      );
      if (isGone) return false;
      this.#deps.onProblem(`A hook event cannot be taken: ${String(codeOf(error))}`);
      await privateFolder(history).catch(() => undefined);
      return move().then(
        () => true,
        () => false,
      );
    }
  }
}

interface Found {
  readonly name: string;
  /** `undefined`: it is no event. */
  readonly event: HookEvent | undefined;
}

/** `undefined` when the file is not there or is no plain file. */
export async function readEvent(folder: string, name: string): Promise<Found | undefined> {
  try {
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    const handle = await fs.open(path.join(folder, name), flags);
    try {
      const stats = await handle.stat();
      if (!stats.isFile()) return undefined;
      const { bytesRead, buffer } = await handle.read(Buffer.alloc(EVENT_CAP + 1), 0, EVENT_CAP + 1, 0);
      return { name, event: decodeEvent(name, buffer.subarray(0, bytesRead), stats.mtimeMs) };
    } finally {
      await handle.close();
    }
  } catch {
    return undefined;
  }
}

/** Keeps the folders small: the latest events of the history, and nothing that was never finished. Never rejects. */
export async function sweepPlace(place: HookPlace, now = Date.now()): Promise<void> {
  const oldest = Math.floor((now - HISTORY_MS) / 1000);
  const history = (await fs.readdir(place.history).catch(() => [] as string[])).sort().reverse();
  const old = history.filter((name, index) => index >= HISTORY_SIZE || Number.parseInt(name, 10) < oldest);
  const abandoned = async (name: string): Promise<boolean> => {
    if (!HALF_WRITTEN.test(name)) return false;
    const stats = await fs.stat(path.join(place.spool, name)).catch(() => undefined);
    return stats !== undefined && now - stats.mtimeMs > ABANDONED_MS;
  };
  for (const name of old) await fs.rm(path.join(place.history, name), { force: true }).catch(() => undefined);
  for (const name of await fs.readdir(place.spool).catch(() => [] as string[])) {
    if (await abandoned(name))
      await fs.rm(path.join(place.spool, name), { force: true }).catch(() => undefined);
  }
}

/** Paths as the system compares them. */
export function foldCase(text: string): string {
  return process.platform === 'win32' || process.platform === 'darwin' ? text.toLowerCase() : text;
}
