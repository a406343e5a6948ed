import type { Logger } from '../log';
import { Emitter } from '../util/event';
import { once } from '../util/once';
import type { Write, Written } from './database';
import type { Engine } from './engine';
import { StorageError } from './errors';
import { seqOf, type Row } from './rows';
import type { SearchText } from './search';
import type { Collection, CollectionOptions, UnreadableRecord } from './types';

/** What a collection asks of the store. */
export interface RecordsEngine extends Pick<Engine, 'call'> {
  /** Goes out together with what other collections write at the same time. */
  write(write: Write): Promise<Written>;
  /** The store is not closed before this is done. */
  track<T>(work: Promise<T>): Promise<T>;
}

/** What this process knows of a stored record. */
interface Known {
  readonly seq: number;
  readonly isRemoved: boolean;
  /** Why its value cannot be used. */
  readonly problem?: { readonly reason: string; readonly isNewer: boolean };
}

type Decision<T> = { readonly value: T } | 'removed' | 'unchanged';

/** Give up when other processes won the race for one record this many times. */
const ATTEMPTS = 500;

/** The records of one collection as this process knows them. */
export class Records<T> implements Collection<T> {
  readonly #options: CollectionOptions<T>;
  readonly #engine: RecordsEngine;
  readonly #known = new Map<string, Known>();
  readonly #values = new Map<string, T>();
  readonly #acts = new Map<string, Promise<unknown>>();
  readonly #changed: Emitter<readonly string[]>;
  #isLoaded = false;

  constructor(options: CollectionOptions<T>, log: Logger, engine: RecordsEngine) {
    this.#options = options;
    this.#engine = engine;
    this.#changed = new Emitter(error => log.error('A listener of stored records failed', error));
    this.onDidChange = this.#changed.event;
  }

  readonly onDidChange: Collection<T>['onDidChange'];

  get values(): ReadonlyMap<string, T> {
    return this.#values;
  }

  get unreadable(): readonly UnreadableRecord[] {
    return [...this.#known].flatMap(([id, { problem }]) =>
      problem === undefined ? [] : [{ id, reason: problem.reason }],
    );
  }

  get(id: string): T | undefined {
    return this.#values.get(id);
  }

  readonly load = once(() => this.#engine.track(this.#load()));

  async read(id: string): Promise<T | undefined> {
    this.#adopt(id, await this.#engine.call('read', this.#options.path, id));
    return this.#values.get(id);
  }

  async put(id: string, value: T): Promise<void> {
    await this.#write(id, () => ({ value }));
  }

  async update(id: string, change: (current: T | undefined) => T | undefined): Promise<T | undefined> {
    const { after } = await this.#write(id, current => {
      const value = change(current);
      return value === undefined || Object.is(value, current) ? 'unchanged' : { value };
    });
    return after;
  }

  async remove(id: string, unless?: (current: T) => boolean): Promise<T | undefined> {
    const { before } = await this.#write(id, current =>
      current === undefined ? 'unchanged' : unless?.(current) === true ? 'unchanged' : 'removed',
    );
    return before;
  }

  /** Takes in what other processes have written. */
  follow(rows: readonly Row[]): void {
    const changed = rows.filter(row => this.#follow(row)).map(({ id }) => id);
    if (changed.length > 0) this.#changed.fire(changed);
  }

  /** Stores all that is known in another database, where that one does not have it. */
  async restore(): Promise<void> {
    for (const [id, value] of [...this.#values]) {
      const row = await this.#engine.call('read', this.#options.path, id);
      this.#known.set(id, { seq: row?.seq ?? 0, isRemoved: seqOf(row) === 0 });
      if (row?.value !== JSON.stringify(value)) await this.put(id, value);
    }
  }

  /** Follows, in a thread that knows nothing of this collection yet, what it has followed before. */
  async loadAgain(): Promise<void> {
    if (this.#isLoaded) for await (const rows of this.#pages()) this.follow(rows);
  }

  dispose(): void {
    this.#changed.dispose();
  }

  #write(
    id: string,
    decide: (current: T | undefined) => Decision<T>,
  ): Promise<{ before: T | undefined; after: T | undefined }> {
    const done = (this.#acts.get(id) ?? Promise.resolve()).then(() => this.#swap(id, decide));
    const settled = done.then(
      () => undefined,
      () => undefined,
    );
    this.#acts.set(id, settled);
    void settled.then(() => {
      if (this.#acts.get(id) === settled) this.#acts.delete(id);
    });
    return this.#engine.track(done);
  }

  async #load(): Promise<ReadonlyMap<string, T>> {
    for await (const rows of this.#pages()) for (const row of rows) this.#follow(row);
    this.#isLoaded = true;
    return this.#values;
  }

  /** All that is stored; the first page begins to follow it. */
  async *#pages(): AsyncGenerator<readonly Row[]> {
    const { path } = this.#options;
    for (let after: string | undefined; ;) {
      const { rows, isLast } = await this.#engine.call('page', path, after);
      yield rows;
      if (isLast) return;
      after = rows.at(-1)?.id;
    }
  }

  async #swap(id: string, decide: (current: T | undefined) => Decision<T>) {
    const { path, version } = this.#options;
    // Whether what is known was asked for just now.
    let isFresh = false;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (!isFresh && !this.#isLoaded && !this.#known.has(id)) {
        this.#adopt(id, await this.#engine.call('read', path, id));
        isFresh = true;
      }
      const known = this.#known.get(id);
      if (known?.problem?.isNewer === true) throw newer(id);
      const before = this.#values.get(id);
      const decision = decide(before);
      if (decision === 'unchanged') {
        if (isFresh || !this.#adopt(id, await this.#engine.call('read', path, id)))
          return { before, after: before };
        isFresh = true;
        continue;
      }
      const prepared = decision === 'removed' ? undefined : this.#prepare(decision.value);
      const written = await this.#engine.write({
        collection: path,
        id,
        expected: known === undefined || known.isRemoved ? 0 : known.seq,
        version,
        value: prepared?.text ?? null,
        quarantine: known?.problem !== undefined,
        durable: prepared === undefined || this.#options.isVolatile?.(before, prepared.value) !== true,
        text: prepared && foundBy(this.#options, prepared.value),
      });
      if ('seq' in written) {
        this.#known.set(id, { seq: written.seq, isRemoved: prepared === undefined });
        if (prepared === undefined) this.#values.delete(id);
        else this.#values.set(id, prepared.value);
        this.#changed.fire([id]);
        return { before, after: prepared?.value };
      }
      this.#adopt(id, written.found);
      isFresh = true;
    }
    throw new StorageError(`Other windows keep writing the same record in ${path}. Try again.`);
  }

  /** What would be read back. */
  #prepare(value: T): { readonly text: string; readonly value: T } {
    try {
      const text = JSON.stringify(value);
      return { text, value: this.#options.schema.parse(JSON.parse(text)) };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new StorageError(`This cannot be stored: ${reason}`, { cause: error });
    }
  }

  /** Brings memory to what the database has answered just now, and says so. True when that was not known. */
  #adopt(id: string, row: Row | undefined): boolean {
    const known = this.#known.get(id);
    if (row === undefined ? known === undefined || known.isRemoved : row.seq === known?.seq) return false;
    if (row === undefined) this.#known.delete(id);
    const changed = row === undefined ? this.#values.delete(id) : this.#take(row);
    if (changed) this.#changed.fire([id]);
    return true;
  }

  /** Takes in a row unless a later one is known. True when its value came, went or changed. */
  #follow(row: Row): boolean {
    return row.seq > (this.#known.get(row.id)?.seq ?? 0) && this.#take(row);
  }

  #take({ id, seq, version: from, value: text }: Row): boolean {
    const { version } = this.#options;
    if (text === null || from > version) {
      const problem = { reason: `It was written by a newer version (${from}).`, isNewer: true };
      this.#known.set(id, text === null ? { seq, isRemoved: true } : { seq, isRemoved: false, problem });
      return this.#values.delete(id);
    }
    try {
      this.#values.set(id, decoded(this.#options, text, from));
      this.#known.set(id, { seq, isRemoved: false });
      return true;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#known.set(id, { seq, isRemoved: false, problem: { reason, isNewer: false } });
      return this.#values.delete(id);
    }
  }
}

/** The value of a stored text, which an older version may have written; throws with a reason. */
export function decoded<T>(
  { version, migrate, schema }: CollectionOptions<T>,
  text: string,
  from: number,
): T {
  const stored: unknown = JSON.parse(text);
  return schema.parse(from < version && migrate !== undefined ? migrate(stored, from) : stored);
}

/** What a record is found by: null for nothing, `undefined` in a collection where nothing is. */
export function foundBy<T>(options: CollectionOptions<T>, value: T): SearchText | null | undefined {
  return options.text && (options.text(value) ?? null);
}

function newer(id: string): StorageError {
  const sentence = `"${id}" was stored by a newer version of Agent Console and stays as it is. Update Agent Console to change it.`;
  return new StorageError(sentence);
}
