import { randomUUID } from 'node:crypto';
import * as fs from 'node:fs';
import type { Logger } from '../log';
import type { Restored } from './backup';
import { Records, type RecordsStore } from './collection';
import type { Write, Written } from './database';
import type { Engine, MakeEngine } from './engine';
import type { Collection, CollectionOptions, Lease, SearchAnswer, SearchQuery, Storage } from './types';

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

/** Opens the root of all durable records. Nothing is read until a collection is used. */
export function openStorage(options: OpenStorageOptions): Storage {
  return new Store(options);
}

const WRITES_AT_ONCE = 500;

class Store implements Storage, RecordsStore {
  readonly #options: OpenStorageOptions;
  readonly engine: Engine;
  readonly #collections = new Map<string, Records<unknown>>();
  readonly #underWay = new Set<Promise<unknown>>();
  #pending: { readonly write: Write; readonly done: PromiseWithResolvers<Written> }[] = [];
  #isFlushing = false;
  #isDisposed = false;
  #closing: Promise<void> | undefined;

  constructor(options: OpenStorageOptions) {
    this.#options = options;
    const { root, log, engine, now = Date.now, onRestored } = options;
    this.engine = engine({
      root,
      now,
      onChanged: rows => {
        for (const [path, changed] of Map.groupBy(rows, row => row.collection))
          this.#collections.get(path)?.follow(changed);
      },
      onReplaced: restored => {
        this.#resume(true);
        if (restored !== undefined) onRestored?.(restored);
      },
      onProblem: (message, error) => log.error(message, error),
      onLost: error => {
        log.error('The thread of the database has ended and begins anew', error);
        this.#resume(false);
      },
    });
  }

  collection<T>(options: CollectionOptions<T>): Collection<T> {
    const existing = this.#collections.get(options.path);
    // The path decides what is in the collection, so it decides the type.
    if (existing !== undefined) return existing as unknown as Collection<T>;
    const collection = new Records<T>(options, this);
    this.#collections.set(options.path, collection);
    return collection;
  }

  async peek(pattern: string): Promise<readonly unknown[]> {
    // Where nothing was ever stored no thread is started.
    if (!fs.existsSync(this.#options.root)) return [];
    const values = await this.track(this.engine.call('peek', pattern));
    return values.map(value => JSON.parse(value) as unknown);
  }

  search(query: SearchQuery): Promise<SearchAnswer> {
    return this.track(this.engine.call('search', query));
  }

  tryRun<T>(name: string, ttlMs: number, work: (lease: Lease) => Promise<T>): Promise<T | undefined> {
    return this.track(this.#runAlone(name, ttlMs, work));
  }

  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.allSettled(this.#underWay);
    await this.#closing;
  }

  dispose(): void {
    this.#isDisposed = true;
    for (const collection of this.#collections.values()) collection.dispose();
    this.#closeWhenIdle();
  }

  /** The store is not closed before this is done. */
  track<T>(work: Promise<T>): Promise<T> {
    this.#underWay.add(work);
    const done = (): void => {
      this.#underWay.delete(work);
      this.#closeWhenIdle();
    };
    work.then(done, done);
    return work;
  }

  #closeWhenIdle(): void {
    if (!this.#isDisposed || this.#underWay.size > 0) return;
    this.#closing = this.engine.close().catch((error: unknown) => {
      this.#options.log.error('The database could not be closed', error);
    });
  }

  #resume(isAnother: boolean): void {
    for (const collection of this.#collections.values())
      this.track(collection.resume(isAnother)).catch((error: unknown) =>
        this.#options.log.error('Stored records could not be brought up to date', error),
      );
  }

  async #runAlone<T>(
    name: string,
    ttlMs: number,
    work: (lease: Lease) => Promise<T>,
  ): Promise<T | undefined> {
    const { log, now = Date.now } = this.#options;
    const holder = randomUUID();
    let until = 0;
    const end = { isKept: false, isLost: false };
    const take = async (): Promise<boolean> => {
      // From before the question: what was granted lasts at least as long as is believed here.
      const asked = now();
      if (!(await this.engine.call('lease', name, holder, ttlMs))) return false;
      until = asked + ttlMs;
      return true;
    };
    if (!(await take())) return undefined;
    const isHeld = (): boolean => !end.isLost && now() < until;
    const renew = setInterval(() => {
      // What has lapsed is not taken up again: somebody else may have had it meanwhile.
      const renewed = isHeld() ? take() : Promise.resolve(false);
      renewed.then(
        held => (end.isLost ||= !held),
        (error: unknown) => log.warn(`The lease ${name} could not be renewed: ${String(error)}`),
      );
    }, ttlMs / 3).unref();
    try {
      return await work({ isHeld, keep: () => (end.isKept = true) });
    } finally {
      clearInterval(renew);
      if (!end.isKept)
        await this.engine.call('release', name, holder).catch((error: unknown) => {
          log.warn(`The lease ${name} could not be given back: ${String(error)}`);
        });
    }
  }

  /** What is written while another write is under way goes together into the next transaction. */
  write(write: Write): Promise<Written> {
    const done = Promise.withResolvers<Written>();
    this.#pending.push({ write, done });
    if (!this.#isFlushing) {
      this.#isFlushing = true;
      queueMicrotask(() => void this.#flush());
    }
    return done.promise;
  }

  async #flush(): Promise<void> {
    while (this.#pending.length > 0) {
      const batch = this.#pending.splice(0, WRITES_AT_ONCE);
      const writes = batch.map(({ write }) => write);
      try {
        const results = await this.engine.call('write', writes);
        for (const [index, result] of results.entries()) batch[index]?.done.resolve(result);
      } catch (error) {
        for (const { done } of batch) done.reject(error);
      }
    }
    this.#isFlushing = false;
  }
}
