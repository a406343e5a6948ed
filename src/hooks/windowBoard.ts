import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as path from 'node:path';
import { Disposable, toDisposable } from '../util/disposable';
import { isObject, type WindowPresence } from './model';
import { privateFolder } from './place';

/** Between signs of life, ms. */
const HEARTBEAT_MS = 15_000;
const STALE_MS = 3 * HEARTBEAT_MS;
/** So long an answer about the other windows serves again, ms: events come in bursts. */
const FRESH_MS = 500;

export interface WindowBoardDeps {
  readonly folder: string;
  readonly id: string;
  readonly describe: () => Promise<Omit<WindowPresence, 'id'>>;
  /** Resolves when somebody could see something in this window; may never do so. */
  readonly isShown: () => Promise<void>;
  readonly onFailure: (error: unknown) => void;
  readonly heartbeatMs?: number;
}

/** What the open windows know of each other: one small file each, a sign of life now and then. */
export class WindowBoard extends Disposable {
  readonly #deps: WindowBoardDeps;
  readonly #file: string;
  #writing: Promise<void> = Promise.resolve();
  #lastBeat = Date.now();
  /** After the machine slept: until others have had the time for a sign of life, theirs may be older by so much. */
  #slept = { ms: 0, until: 0 };
  #known: { readonly at: number; readonly windows: Promise<WindowPresence[]> } | undefined;

  constructor(deps: WindowBoardDeps) {
    super();
    this.#deps = deps;
    this.#file = path.join(deps.folder, `${deps.id}.json`);
    const beat = setInterval(() => {
      this.#noticeSleep();
      void this.#beat();
    }, deps.heartbeatMs ?? HEARTBEAT_MS);
    beat.unref();
    this.register(toDisposable(() => clearInterval(beat)));
  }

  /** Writes down how things stand in this window; to be called when they have changed. Never rejects. */
  publish(): Promise<void> {
    this.#known = undefined;
    this.#writing = this.#writing.then(() => this.#write()).catch(this.#deps.onFailure);
    return this.#writing;
  }

  /** All windows that are alive, this one always among them. */
  async windows(): Promise<WindowPresence[]> {
    const now = Date.now();
    if (this.#known === undefined || now - this.#known.at > FRESH_MS)
      this.#known = { at: now, windows: this.#read() };
    return this.#known.windows;
  }

  override dispose(): void {
    super.dispose();
    this.#forgetIfGone();
  }

  #forgetIfGone(): void {
    if (this.isDisposed) rmSync(this.#file, { force: true });
  }

  /** A beat that comes far too late was held up with all of the machine. */
  #noticeSleep(): void {
    const now = Date.now();
    const ms = now - this.#lastBeat;
    if (ms > STALE_MS) this.#slept = { ms, until: now + 2 * HEARTBEAT_MS };
    this.#lastBeat = now;
  }

  async #beat(): Promise<void> {
    await this.#deps.isShown();
    const now = new Date();
    await fs.utimes(this.#file, now, now).catch(() => this.publish());
  }

  async #write(): Promise<void> {
    const presence = {
      id: this.#deps.id,
      ...(await this.#deps.describe()),
      pid: process.pid,
      host: os.hostname(),
    };
    if (this.isDisposed) return;
    const temp = `${this.#file}.${randomBytes(4).toString('hex')}.tmp`;
    const write = (): Promise<void> => fs.writeFile(temp, JSON.stringify(presence), { mode: 0o600 });
    await write().catch(async () => {
      await privateFolder(this.#deps.folder);
      await write();
    });
    await fs.rename(temp, this.#file);
    this.#forgetIfGone();
  }

  #sleepMs(): number {
    const now = Date.now();
    const silent = now - this.#lastBeat;
    if (silent > STALE_MS) return silent;
    return now < this.#slept.until ? this.#slept.ms : 0;
  }

  async #read(): Promise<WindowPresence[]> {
    const { id, describe, folder } = this.#deps;
    const names = await fs.readdir(folder).catch(() => [] as string[]);
    const others = names.filter(name => name.endsWith('.json') && name !== `${id}.json`);
    const latest = Date.now() - STALE_MS - this.#sleepMs();
    const read = await Promise.all(others.map(name => readPresence(path.join(folder, name), latest)));
    return [{ id, ...(await describe()) }, ...read.filter(presence => presence !== undefined)];
  }
}

/** `undefined` for what is no sign of a living window, or one from before `latest` (Unix ms); those of the dead are removed. */
async function readPresence(file: string, latest: number): Promise<WindowPresence | undefined> {
  try {
    const { mtimeMs } = await fs.stat(file);
    const value: unknown = JSON.parse(await fs.readFile(file, 'utf8'));
    if (!isObject(value)) return undefined;
    const { id, folders, focused, focusedAt, pid, host } = value;
    const isHere = host === os.hostname() && typeof pid === 'number';
    if (mtimeMs < latest || (isHere && !isAlive(pid))) {
      if (isHere && !isAlive(pid)) await fs.rm(file, { force: true });
      return undefined;
    }
    if (typeof id !== 'string' || !Array.isArray(folders)) return undefined;
    return {
      id,
      folders: folders.filter(folder => typeof folder === 'string'),
      focused: focused === true,
      focusedAt: typeof focusedAt === 'number' ? focusedAt : 0,
    };
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
