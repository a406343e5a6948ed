import * as fs from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import type { Logger } from '../log';
import type { Restored } from './backup';
import { decoded, foundBy, Records } from './collection';
import type { Write, Written } from './database';
import type { Engine, MakeEngine } from './engine';
import { tryRun, type Lease } from './lease';
import type { ChangedRow } from './rows';
import type { SearchQuery, SearchText, UntoldRow } from './search';
import type { Collection, CollectionOptions, SearchAnswer, Storage } from './types';

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
/** Others get their turn after so much work, ms. */
const SLICE = 4;

class Store implements Storage {
  readonly #options: OpenStorageOptions;
  readonly #engine: Engine;
  readonly #now: () => number;
  readonly #collections = new Map<string, Records<unknown>>();
  /** By path: all of these records can be found. */
  readonly #told = new Map<string, Promise<void>>();
  readonly #underWay = new Set<Promise<unknown>>();
  #pending: { readonly write: Write; readonly done: PromiseWithResolvers<Written> }[] = [];
  #flushing = false;
  #disposed = false;
  #closing: Promise<void> | undefined;

  constructor(options: OpenStorageOptions) {
    this.#options = options;
    const { root, log, engine, now = Date.now } = options;
    this.#now = now;
    this.#engine = engine({
      root,
      now,
      onChanged: rows => this.#onChanged(rows),
      onReplaced: restored => this.#onReplaced(restored),
      onProblem: (message, error) => log.error(message, error),
      onLost: error => this.#onLost(error),
    });
  }

  collection<T>(options: CollectionOptions<T>): Collection<T> {
    const existing = this.#collections.get(options.path);
    // The path decides what is in the collection, so it decides the type.
    if (existing !== undefined) return existing as unknown as Collection<T>;
    const collection = new Records<T>(options, this.#options.log, {
      call: (name, ...args) => this.#engine.call(name, ...args),
      write: write => this.#write(write),
      track: work => this.#track(work),
    });
    this.#collections.set(options.path, collection);
    return collection;
  }

  async peek(pattern: string): Promise<readonly unknown[]> {
    // Where nothing was ever stored no thread is started.
    if (!fs.existsSync(this.#options.root)) return [];
    const values = await this.#track(this.#engine.call('peek', pattern));
    return values.map(value => JSON.parse(value) as unknown);
  }

  async search(
    collections: readonly CollectionOptions<unknown>[],
    query: SearchQuery,
  ): Promise<SearchAnswer> {
    for (const options of collections) {
      const { path } = options;
      let told = this.#told.get(path);
      if (told === undefined) {
        this.#told.set(path, (told = this.#track(this.#tell(options))));
        told.catch(() => this.#told.delete(path));
      }
      await told;
    }
    return this.#track(this.#engine.call('search', query));
  }

  tryRun<T>(name: string, ttlMs: number, work: (lease: Lease) => Promise<T>): Promise<T | undefined> {
    const deps = { engine: this.#engine, log: this.#options.log, now: this.#now };
    return this.#track(tryRun(deps, name, ttlMs, work));
  }

  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.allSettled(this.#underWay);
    await this.#closing;
  }

  dispose(): void {
    this.#disposed = true;
    for (const collection of this.#collections.values()) collection.dispose();
    this.#closeWhenIdle();
  }

  #track<T>(work: Promise<T>): Promise<T> {
    this.#underWay.add(work);
    const done = (): void => {
      this.#underWay.delete(work);
      this.#closeWhenIdle();
    };
    work.then(done, done);
    return work;
  }

  #closeWhenIdle(): void {
    if (!this.#disposed || this.#underWay.size > 0) return;
    this.#closing = this.#engine.close().catch((error: unknown) => {
      this.#options.log.error('The database could not be closed', error);
    });
  }

  /** What is written while another write is under way goes together into the next transaction. */
  #write(write: Write): Promise<Written> {
    const done = Promise.withResolvers<Written>();
    this.#pending.push({ write, done });
    if (!this.#flushing) {
      this.#flushing = true;
      queueMicrotask(() => void this.#flush());
    }
    return done.promise;
  }

  async #flush(): Promise<void> {
    while (this.#pending.length > 0) {
      const batch = this.#pending.splice(0, WRITES_AT_ONCE);
      try {
        const results = await this.#engine.call(
          'write',
          batch.map(({ write }) => write),
        );
        for (const [index, result] of results.entries()) batch[index]?.done.resolve(result);
      } catch (error) {
        for (const { done } of batch) done.reject(error);
      }
    }
    this.#flushing = false;
  }

  /** Gives their texts to records that were stored without. */
  async #tell(options: CollectionOptions<unknown>): Promise<void> {
    for (let after = 0; ;) {
      const { rows, isLast } = await this.#engine.call('untold', options.path, after);
      const told: [UntoldRow, SearchText | null][] = [];
      let began = performance.now();
      for (const row of rows) {
        told.push([row, textOf(options, row)]);
        if (performance.now() - began < SLICE) continue;
        await setImmediate();
        began = performance.now();
      }
      if (told.length > 0) await this.#engine.call('tell', told);
      after = rows.at(-1)?.key ?? after;
      if (isLast) return;
    }
  }

  #onChanged(rows: readonly ChangedRow[]): void {
    for (const [path, changed] of Map.groupBy(rows, row => row.collection))
      this.#collections.get(path)?.follow(changed);
  }

  /** A new thread knows nothing of what this window follows. */
  #onLost(error: Error): void {
    const { log } = this.#options;
    log.error('The thread of the database has ended and begins anew', error);
    for (const collection of this.#collections.values())
      this.#track(collection.loadAgain()).catch((reason: unknown) =>
        log.error('Stored records cannot be followed any more', reason),
      );
  }

  /** What this window knows and the other database does not is stored again. */
  #onReplaced(restored: Restored | undefined): void {
    this.#told.clear();
    for (const collection of this.#collections.values()) {
      this.#track(collection.restore()).catch((error: unknown) => {
        this.#options.log.error('What this window knows could not be stored again', error);
      });
    }
    if (restored !== undefined) this.#options.onRestored?.(restored);
  }
}

/** Nobody finds what cannot be read. */
function textOf(options: CollectionOptions<unknown>, { value, version }: UntoldRow): SearchText | null {
  try {
    if (value === null || version > options.version) return null;
    return foundBy(options, decoded(options, value, version)) ?? null;
  } catch {
    return null;
  }
}
