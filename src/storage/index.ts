import { randomUUID } from 'node:crypto';
import * as fs from 'node:fs';
import type { Logger } from '../log';
import type { Restored } from './backup';
import { Records, type CollectionOptions } from './collection';
import type { Write, Written } from './database';
import type { Engine, MakeEngine } from './engine';
import type { SearchAnswer, SearchQuery, SearchText } from './search';

export type { Restored } from './backup';
export type { CollectionOptions, UnreadableRecord } from './collection';
export { workerEngine } from './engine';
export { StorageError } from './errors';
export type { SearchHit, SearchQuery, SearchTerm, SearchText } from './search';

export interface OpenStorageOptions {
  /** Absolute folder; the database is made below it when it is first needed. */
  readonly root: string;
  readonly log: Logger;
  /** Where the database runs: `workerEngine` with the built worker.ts. */
  readonly engine: MakeEngine;
  /** Told when a damaged database was put aside here. */
  readonly onRestored?: (restored: Restored) => void;
  /** Unix ms; for tests. */
  readonly now?: () => number;
}

/** What the holder of a lease is given. */
export interface Lease {
  /** Whether it still holds. To be asked before anything that must happen once: a machine that slept may have lost it. */
  readonly isHeld: () => boolean;
  /** Lets it lapse instead of giving it back: nobody does the work again before that. */
  readonly keep: () => void;
}

export type Collection<T> = Omit<Records<T>, 'follow' | 'resume'>;

export type Storage = Omit<Store, 'call' | 'write' | 'track'>;

/** Opens the root of all durable records. Nothing is read until a collection is used. */
export function openStorage(options: OpenStorageOptions): Storage {
  return new Store(options);
}

const WRITES_AT_ONCE = 500;

/** The root of all durable records. */
export class Store {
  readonly #options: OpenStorageOptions;
  readonly #engine: Engine;
  readonly #collections = new Map<string, Records<unknown>>();
  readonly #underWay = new Set<Promise<unknown>>();
  /** What the next write joins, and the end of that. */
  #batch: Write[] | undefined;
  #written: Promise<readonly Written[]> | undefined;
  #isDisposed = false;
  /** Whether the database was asked for anything since it was closed. */
  #isOpen = false;
  #closing: Promise<void> | undefined;

  constructor(options: OpenStorageOptions) {
    this.#options = options;
    const { root, log, engine, now = Date.now, onRestored } = options;
    this.#engine = engine({
      root,
      now,
      onChanged: rows => {
        for (const [path, changed] of Map.groupBy(rows, row => row.collection))
          this.#collections.get(path)?.follow(changed);
      },
      onOpened: () => {
        const failed = (error: unknown): void =>
          log.error('Stored records could not be brought up to date', error);
        for (const collection of this.#collections.values()) this.track(collection.resume()).catch(failed);
      },
      onRestored: restored => onRestored?.(restored),
      onProblem: (message, error) => log.error(message, error),
    });
  }

  /** The same path gives the same collection. */
  collection<T>(options: CollectionOptions<T>): Collection<T> {
    const existing = this.#collections.get(options.path);
    // The path decides what is in the collection, so it decides the type.
    if (existing !== undefined) return existing as unknown as Collection<T>;
    const collection = new Records<T>(options, this);
    this.#collections.set(options.path, collection);
    return collection;
  }

  /** The JSON values of all records in the collections that a pattern such as `services/*\/queue` names, for a look without loading. */
  async peek(pattern: string): Promise<readonly unknown[]> {
    // Where nothing was ever stored no thread is started.
    if (!fs.existsSync(this.#options.root)) return [];
    const values = await this.call('peek', pattern);
    return values.map(value => JSON.parse(value) as unknown);
  }

  /** The latest records with these words. */
  search(query: SearchQuery): Promise<SearchAnswer> {
    return this.call('search', query);
  }

  /** What the latest records of a collection are found by, the latest first; a long text in part. Nothing is loaded. */
  texts(collection: string, limit: number): Promise<readonly SearchText[]> {
    return this.call('texts', collection, limit);
  }

  /**
   * Runs `work` while this process alone holds the lease `name`, renewed until it ends. Resolves to its result, or to `undefined`
   * without running it when another holder has the lease. `ttlMs` is how long others wait for one that died or sleeps.
   */
  tryRun<T>(name: string, ttlMs: number, work: (lease: Lease) => Promise<T>): Promise<T | undefined> {
    return this.track(this.#runAlone(name, ttlMs, work));
  }

  /** Resolves when all that was asked for so far is done, after `dispose` also the closing. Writing goes on working then; following does not. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.allSettled(this.#underWay);
    if (this.#isDisposed && this.#isOpen) {
      this.#isOpen = false;
      const failed = (error: unknown): void =>
        this.#options.log.error('The database could not be closed', error);
      this.#closing = this.#engine('close').catch(failed);
    }
    await this.#closing;
  }

  dispose(): void {
    this.#isDisposed = true;
    for (const collection of this.#collections.values()) collection.dispose();
    void this.settled();
  }

  readonly call: Engine = (name, ...args) => {
    this.#isOpen = true;
    return this.track(this.#engine(name, ...args));
  };

  /** What is written while another write is under way goes together into the next transaction. */
  async write(write: Write): Promise<Written> {
    if (this.#batch === undefined || this.#batch.length >= WRITES_AT_ONCE) {
      const batch: Write[] = (this.#batch = []);
      this.#written = Promise.allSettled([this.#written]).then(() => {
        if (this.#batch === batch) this.#batch = undefined;
        return this.call('write', batch);
      });
    }
    const index = this.#batch.push(write) - 1;
    return (await this.#written)?.[index];
  }

  /** `settled` waits for this. */
  track<T>(work: Promise<T>): Promise<T> {
    const done = (): unknown => this.#underWay.delete(work);
    this.#underWay.add(work);
    work.then(done, done);
    return work;
  }

  async #runAlone<T>(
    name: string,
    ttlMs: number,
    work: (lease: Lease) => Promise<T>,
  ): Promise<T | undefined> {
    const { log, now = Date.now } = this.#options;
    const holder = randomUUID();
    let [until, isKept] = [Infinity, false];
    const isHeld = (): boolean => now() < until;
    const take = async (): Promise<void> => {
      // From before the question: what was granted lasts at least as long as is believed here.
      const asked = now();
      const isGranted = await this.call('lease', name, holder, ttlMs);
      // What has lapsed is not taken up again: somebody else may have had it meanwhile.
      until = isGranted && isHeld() ? asked + ttlMs : 0;
    };
    const failed = (error: unknown): void =>
      log.warn(`The lease ${name} could not be renewed or given back: ${String(error)}`);
    await take();
    if (until === 0) return undefined;
    const renew = setInterval(() => {
      if (isHeld()) take().catch(failed);
      else until = 0;
    }, ttlMs / 3).unref();
    try {
      return await work({ isHeld, keep: () => (isKept = true) });
    } finally {
      clearInterval(renew);
      if (!isKept) await this.call('lease', name, holder, 0).catch(failed);
    }
  }
}
