import { constants, existsSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import type { HooksContext } from '.';
import { Disposable } from '../util/lifecycle';
import { codeOf, depthIn, ifThere } from '../util/files';
import { FolderWatch } from '../util/folderWatch';
import { oneLine } from '../util/text';
import { decodeEvent, EVENT_CAP, FRESH_MS, takenEvents, type HookEvent } from './events';

/** What each less fitting window waits longer, so that the right one takes an event first and yet none is lost with it, ms. */
export const STEP_MS = 1_500;
/** Levels below a folder of a window that make a difference. */
const MAX_DEPTH = 3;

const KEPT = 200;
const KEPT_MS = 7 * 24 * 60 * 60_000;
/** What is half written for so long was never finished, ms. */
const ABANDONED_MS = 10 * 60_000;
const SWEEP_AFTER = 50;

const EVENT_FILE = /^\d{1,12}\.\w{1,64}\.json$/;
const HALF_WRITTEN = /^\d{1,12}\.\w{1,64}$/;

export interface InboxDeps extends Pick<HooksContext, 'events' | 'focused' | 'log'> {
  readonly spool: string;
  /** Those of this window. */
  readonly folders: () => readonly string[];
  /** Whether the person's own commands may be run from this window (trust.md 39). */
  readonly mayRun: () => boolean;
  /** The event is this window's alone, and kept already. */
  readonly take: (event: HookEvent) => void;
  readonly stepMs?: number;
}

/**
 * Hands each event of the spool to exactly one window (trust.md 38). A window takes an event by being the first to store it; how long
 * it waits before it tries follows from its own folders and focus, so a window that is gone leaves its events to the next.
 */
export class Inbox extends Disposable {
  readonly #deps: InboxDeps;
  /** Names that are being looked at, or wait for their time. */
  readonly #pending = new Map<string, NodeJS.Timeout | undefined>();
  #taken = 0;

  constructor(deps: InboxDeps) {
    super();
    this.#deps = deps;
    this.register(
      new FolderWatch({
        folder: deps.spool,
        onChange: () => {
          this.#look().catch((error: unknown) => deps.log.error('Hook events cannot be read', error));
        },
        onUnavailable: reason =>
          deps.log.warn(oneLine(`The folder of hook events cannot be watched: ${reason}`)),
      }),
    );
    this.#sweep();
  }

  override dispose(): void {
    for (const timer of this.#pending.values()) clearTimeout(timer);
    super.dispose();
  }

  async #look(): Promise<void> {
    const { spool, log } = this.#deps;
    const names = (await ifThere(fs.readdir(spool))) ?? [];
    for (const name of names.filter(each => EVENT_FILE.test(each)).sort()) {
      if (this.isDisposed || this.#pending.has(name)) continue;
      this.#pending.set(name, undefined);
      const found = await readEvent(spool, name).catch((error: unknown) => {
        // A link is none of the command's files; another window may have been faster.
        const isUsual = ['ELOOP', 'ENOENT'].includes(codeOf(error) ?? '');
        if (!isUsual) log.error('A hook event cannot be read', error);
        return undefined;
      });
      if (found === undefined) this.#pending.delete(name);
      else await this.#wait(found);
    }
  }

  /** Takes an event when it is this window's turn. */
  async #wait(found: Found): Promise<void> {
    const { folders, focused, mayRun, stepMs = STEP_MS, log } = this.#deps;
    const realOf = (folder: string): Promise<string> => fs.realpath(folder).catch(() => path.resolve(folder));
    const cwd = found.event?.cwd;
    const real = cwd === undefined ? undefined : await realOf(cwd);
    const rank = mayRun() ? (focused.current ? 'focused' : 'other') : 'restricted';
    const steps = stepsBefore(real, await Promise.all(folders().map(realOf)), rank);
    const timer = setTimeout(() => {
      focused
        .isShown()
        .then(() => (this.isDisposed ? undefined : this.#take(found)))
        .catch((error: unknown) => log.error('A hook event cannot be taken', error))
        // The next look tries again what could not be taken.
        .finally(() => this.#pending.delete(found.name));
    }, steps * stepMs);
    timer.unref();
    this.#pending.set(found.name, timer);
  }

  async #take({ name, event }: Found): Promise<void> {
    const { spool, events, take, log } = this.#deps;
    const file = path.join(spool, name);
    if (!existsSync(file)) return;
    let isOurs = false as boolean;
    if (event !== undefined)
      await events.update(event.id, stored => {
        isOurs = stored === undefined;
        return stored ?? event;
      });
    await fs.rm(file, { force: true }).catch((error: unknown) => {
      log.error('A hook event that was taken cannot be removed', error);
    });
    if (event === undefined) log.warn('A hook event could not be read and was dropped.');
    else if (isOurs) take(event);
    if (++this.#taken % SWEEP_AFTER === 0) this.#sweep();
  }

  #sweep(): void {
    sweep(this.#deps).catch((error: unknown) => this.#deps.log.error('Old hook events stay', error));
  }
}

type Rank = 'focused' | 'other' | 'restricted';
type Found = NonNullable<Awaited<ReturnType<typeof readEvent>>>;

/** `undefined` for what is no plain file. */
async function readEvent(folder: string, name: string) {
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
}

/** Keeps the latest events, and nothing in the spool that was never finished. */
export async function sweep(
  { spool, events }: Pick<InboxDeps, 'spool' | 'events'>,
  now = Date.now(),
): Promise<void> {
  const latest = [...(await takenEvents(events))].reverse();
  // A fresh one may be in another window's hands, which would take it for new.
  const old = latest.filter(({ at }, index) => (index >= KEPT && now - at > FRESH_MS) || now - at > KEPT_MS);
  for (const { id } of old) await events.remove(id);
  const names = (await ifThere(fs.readdir(spool))) ?? [];
  for (const file of names.filter(name => HALF_WRITTEN.test(name)).map(name => path.join(spool, name))) {
    const stats = await ifThere(fs.stat(file));
    if (stats !== undefined && now - stats.mtimeMs > ABANDONED_MS) await fs.rm(file, { force: true });
  }
}

/**
 * How many steps a window waits before it takes an event of `cwd`: none where that is its own folder, one for each level below it,
 * more where it is elsewhere, and there the most without the focus, or where it runs no commands.
 */
export function stepsBefore(cwd: string | undefined, folders: readonly string[], rank: Rank): number {
  const depths = cwd === undefined ? [] : folders.flatMap(folder => depthIn(folder, cwd) ?? []);
  if (depths.length > 0) return Math.min(MAX_DEPTH, ...depths);
  return MAX_DEPTH + { focused: 1, other: 2, restricted: 3 }[rank];
}
