import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { errorCode } from './errors';
import { SharedRun } from './limit';
import { tempName } from './names';

/** Tells one file from another that later has the same name; unchanged by links made to it. */
export type Stamp = string;

const BUSY_ATTEMPTS = 25;
const CREATE_ATTEMPTS = 5;

/** How file systems without hard links answer; Windows reports an unknown function as EISDIR. */
const NO_LINKS = new Set([
  'EPERM',
  'EACCES',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
  'EMLINK',
  'EINVAL',
  'EISDIR',
  'UNKNOWN',
]);

/** What differs between systems; replaced only to stand for another one. */
export interface System {
  readonly platform: NodeJS.Platform;
  link(existing: string, created: string): Promise<void>;
  unlink(file: string): Promise<void>;
}

const thisSystem: System = { platform: process.platform, link: fs.link, unlink: fs.unlink };

/** File operations of which each one happens wholly or not at all. Missing files are answers here, not errors. */
export class Disk {
  readonly #system: System;
  readonly #syncs = new Map<string, SharedRun<void>>();

  constructor(system: System = thisSystem) {
    this.#system = system;
  }

  /** Names in a folder; none when there is no such folder. */
  async list(folder: string): Promise<string[]> {
    try {
      return await fs.readdir(folder);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return [];
      throw error;
    }
  }

  async read(file: string): Promise<{ readonly text: string; readonly stamp: Stamp } | undefined> {
    try {
      const handle = await retryBusy(() => fs.open(file, 'r'), this.#system.platform);
      try {
        return { stamp: stampOf(await handle.stat({ bigint: true })), text: await handle.readFile('utf8') };
      } finally {
        await handle.close();
      }
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** `undefined` when there is no such file. */
  async stamp(file: string): Promise<Stamp | undefined> {
    try {
      return stampOf(await fs.stat(file, { bigint: true }));
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** Unix milliseconds of the last change; `undefined` when there is no such file. */
  async changedAt(file: string): Promise<number | undefined> {
    try {
      return (await fs.stat(file)).mtimeMs;
    } catch {
      return undefined;
    }
  }

  /**
   * Makes `folder/name` with this text, readable by this user only. `undefined` when that name exists already. The file
   * survives a power cut only after `syncFolder`.
   */
  async create(folder: string, name: string, text: string): Promise<Stamp | undefined> {
    for (let attempt = 1; ; attempt++) {
      const temp = path.join(folder, tempName(process.pid, randomBytes(6).toString('hex')));
      try {
        const stamp = await this.#writeTemp(temp, text);
        return await this.#claim(temp, path.join(folder, name), stamp);
      } catch (error) {
        const code = errorCode(error);
        if (code === 'EEXIST') return undefined;
        // Another process swept the temporary file, or somebody removed the folder.
        if (code !== 'ENOENT' || attempt === CREATE_ATTEMPTS) throw error;
      } finally {
        await this.remove(temp).catch(() => undefined);
      }
    }
  }

  /** Throws only when the system refuses; a file that is gone already is fine. */
  async remove(file: string): Promise<void> {
    try {
      await retryBusy(() => this.#system.unlink(file), this.#system.platform);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
    }
  }

  /** Gives `file` a second name in `folder`, or copies it there. Does nothing when that name exists. */
  async keepAside(file: string, folder: string, name: string): Promise<string> {
    await makeFolder(folder);
    const aside = path.join(folder, name);
    await this.#linkOrCopy(file, aside).catch((error: unknown) => {
      if (errorCode(error) !== 'EEXIST') throw error;
    });
    await this.syncFolder(folder);
    return aside;
  }

  async makeFolder(folder: string): Promise<void> {
    await makeFolder(folder);
  }

  /** Makes names created and removed in a folder so far survive a power cut, where the system can. */
  syncFolder(folder: string): Promise<void> {
    if (this.#system.platform === 'win32') return Promise.resolve();
    let sync = this.#syncs.get(folder);
    if (sync === undefined) this.#syncs.set(folder, (sync = new SharedRun(() => flush(folder))));
    return sync.run();
  }

  async #writeTemp(temp: string, text: string): Promise<Stamp> {
    const handle = await fs.open(temp, 'wx', 0o600).catch(async (error: unknown) => {
      if (errorCode(error) !== 'ENOENT') throw error;
      await makeFolder(path.dirname(temp));
      return fs.open(temp, 'wx', 0o600);
    });
    try {
      await handle.writeFile(text, 'utf8');
      await handle.sync();
      return stampOf(await handle.stat({ bigint: true }));
    } finally {
      await handle.close();
    }
  }

  async #claim(temp: string, target: string, stamp: Stamp): Promise<Stamp | undefined> {
    const how = await this.#linkOrCopy(temp, target);
    return how === 'linked' ? stamp : await this.stamp(target);
  }

  async #linkOrCopy(from: string, to: string): Promise<'linked' | 'copied'> {
    try {
      await retryBusy(() => this.#system.link(from, to), this.#system.platform);
      return 'linked';
    } catch (error) {
      if (!NO_LINKS.has(errorCode(error) ?? '')) throw error;
    }
    await retryBusy(() => fs.copyFile(from, to, constants.COPYFILE_EXCL), this.#system.platform);
    const handle = await fs.open(to, 'r+');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
    return 'copied';
  }
}

async function flush(folder: string): Promise<void> {
  try {
    const handle = await fs.open(folder, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch {
    // Some file systems cannot flush folders; the file itself has been flushed.
  }
}

/** Repeats what Windows refuses while a virus scanner or another process holds the file, in steps of 10 ms. */
async function retryBusy<T>(run: () => Promise<T>, platform: NodeJS.Platform): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      const code = errorCode(error);
      const busy = code === 'EPERM' || code === 'EACCES' || code === 'EBUSY';
      if (platform !== 'win32' || !busy || attempt === BUSY_ATTEMPTS) throw error;
      await delay(Math.min(10 * attempt, 100));
    }
  }
}

async function makeFolder(folder: string): Promise<void> {
  await fs.mkdir(folder, { recursive: true, mode: 0o700 });
}

function stampOf(stats: { readonly ino: bigint; readonly mtimeNs: bigint }): Stamp {
  return `${stats.ino}:${stats.mtimeNs}`;
}
