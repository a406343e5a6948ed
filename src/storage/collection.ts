import { Emitter } from '../util/lifecycle';
import { once } from '../util/promises';
import type { Row } from './database';
import { reasonOf, StorageError } from './errors';
import type { Store } from './index';
import type { SearchText } from './search';

/** How one kind of record is kept. */
export interface CollectionOptions<T> {
  /** Name of the collection, such as `services/ab12/sessions`. */
  readonly path: string;
  /** Version written beside each value. A record of a newer version is left alone. */
  readonly version: number;
  /** What a stored value must pass on its way back in; throws with a reason. */
  readonly schema: { parse(value: unknown): T };
  /** Turns a value of an older version into one of this version, one step after another. */
  readonly migrate?: (value: unknown, fromVersion: number) => unknown;
  /** A change of a record that need not survive a loss of power, such as what the service can be asked for again: no disk is waited for. */
  isVolatile?(before: T | undefined, after: T): boolean;
  /** What a record is found by; `undefined` for one that nobody may find. */
  text?(value: T): SearchText | undefined;
}

/** A record that could not be read, and why. It stays in the database until something is written over it, and then in quarantine. */
export interface UnreadableRecord {
  readonly id: string;
  readonly reason: string;
}

/** What this process knows of a stored record; `problem` is why its value cannot be used, a `StorageError` why it is not to be written over. */
interface Known {
  readonly seq: number;
  readonly problem?: unknown;
}

/** What becomes of a record: another value, `null` for none, `undefined` to leave it. */
type Decide<T> = (current: T | undefined) => T | null | undefined;

/** Durable records, shared live by all windows and processes (trust.md 32-34), as this one knows them. Whatever writes rejects when the record was not stored. */
export class Records<T> {
  readonly #options: CollectionOptions<T>;
  readonly #store: Pick<Store, 'call' | 'write' | 'track'>;
  readonly #known = new Map<string, Known>();
  readonly #values = new Map<string, T>();
  readonly #acts = new Map<string, Promise<unknown>>();
  readonly #changed = new Emitter<readonly string[]>();
  #isLoaded = false;

  constructor(options: CollectionOptions<T>, store: Pick<Store, 'call' | 'write' | 'track'>) {
    this.#options = options;
    this.#store = store;
  }

  /** The ids that changed, here at once or, after `load`, in another window. */
  readonly onDidChange = this.#changed.event;

  /** A live view: it changes as records do. Values are never to be changed in place. */
  get values(): ReadonlyMap<string, T> {
    return this.#values;
  }

  get unreadable(): readonly UnreadableRecord[] {
    return [...this.#known].flatMap(([id, { problem }]) =>
      problem === undefined ? [] : [{ id, reason: reasonOf(problem) }],
    );
  }

  /** The value as this process knows it; `undefined` before `load` and for unknown ids. */
  get(id: string): T | undefined {
    return this.#values.get(id);
  }

  readonly #loadOnce = () =>
    once(async () => {
      await this.#store.track(this.#readAll(row => this.#take(row)));
      this.#isLoaded = true;
      return this.values;
    });
  /** Reads all records once; later calls answer from memory, which from then on follows what other windows write. */
  load = this.#loadOnce();

  /** Keeps nothing in memory, unless something is being written; `load` reads it again. */
  forget(): void {
    if (!this.#isLoaded || this.#acts.size > 0) return;
    this.#isLoaded = false;
    this.#known.clear();
    this.#values.clear();
    this.load = this.#loadOnce();
  }

  /** The value as it is stored now, whatever was loaded. */
  async read(id: string): Promise<T | undefined> {
    await this.#ask(id);
    return this.#values.get(id);
  }

  /** Writes the whole value; resolves when it is durable. */
  async put(id: string, value: T): Promise<void> {
    await this.#write(id, () => value);
  }

  /**
   * Applies `change` to what is known and writes the result where nobody has written since; otherwise applies it to what is stored, so
   * no update is lost: `change` may run several times, and the last one counts. Returning the value it was given (or `undefined` for none) writes nothing. Resolves to the value now stored.
   */
  update(id: string, change: (current: T | undefined) => T | undefined): Promise<T | undefined> {
    return this.#write(id, current => {
      const value = change(current);
      return Object.is(value, current) ? undefined : value;
    });
  }

  async remove(id: string): Promise<void> {
    await this.#write(id, current => (current === undefined ? undefined : null));
  }

  /** Takes in what other processes have written. */
  follow(rows: readonly Row[]): void {
    const changed = rows.filter(row => this.#take(row)).map(({ id }) => id);
    if (changed.length > 0) this.#changed.fire(changed);
  }

  /** Goes on with another file or thread: there it stores what is known and missing or older. */
  async resume(): Promise<void> {
    if (this.#isLoaded) await this.#readAll(row => this.follow([row]));
    for (const [id, { seq, problem }] of [...this.#known])
      if (problem === undefined && (await this.#ask(id)) < seq)
        await this.#write(id, current => current ?? null);
  }

  dispose(): void {
    this.#changed.dispose();
  }

  /** All that is stored; the first page begins to follow it. */
  async #readAll(onRead: (row: Row) => void): Promise<void> {
    for (let rows: readonly Row[] | undefined; rows?.length !== 0;) {
      rows = await this.#store.call('page', this.#options.path, rows?.at(-1)?.id);
      rows.forEach(onRead);
    }
  }

  /** One write of a record after another, in the order they were asked for; resolves to the value now stored. */
  #write(id: string, decide: Decide<T>): Promise<T | undefined> {
    const done = Promise.allSettled([this.#acts.get(id)]).then(() => this.#swap(id, decide));
    this.#acts.set(id, done);
    const end = (): unknown => this.#acts.get(id) === done && this.#acts.delete(id);
    done.then(end, end);
    return this.#store.track(done);
  }

  /** Decides by what is known, and writes where nobody else has written since; otherwise by what is stored. Reads before it does nothing. */
  async #swap(id: string, decide: Decide<T>): Promise<T | undefined> {
    const options = this.#options;
    let expected = this.#known.get(id)?.seq ?? (this.#isLoaded ? 0 : undefined);
    for (let isFresh = false; ; isFresh = true) {
      expected ??= await this.#ask(id);
      const problem = this.#known.get(id)?.problem;
      const before = this.#values.get(id);
      const decision = problem instanceof StorageError ? undefined : decide(before);
      if (decision === undefined && !isFresh) {
        expected = undefined;
        continue;
      }
      if (problem instanceof StorageError) throw problem;
      if (decision === undefined) return before;
      const json = decision === null ? null : JSON.stringify(decision);
      // What would be read back.
      const next = json === null ? undefined : options.schema.parse(JSON.parse(json));
      const written = await this.#store.write({
        collection: options.path,
        id,
        expected,
        version: options.version,
        value: json,
        quarantine: problem !== undefined,
        durable: next === undefined || options.isVolatile?.(before, next) !== true,
        text: next && options.text?.(next),
      });
      if (typeof written === 'number') {
        this.#known.set(id, { seq: written });
        if (next === undefined) this.#values.delete(id);
        else this.#values.set(id, next);
        this.#changed.fire([id]);
        return next;
      }
      expected = this.#learn(written);
    }
  }

  async #ask(id: string): Promise<number> {
    return this.#learn(await this.#store.call('read', this.#options.path, id));
  }

  /** Takes in what is stored; its `seq`. What is missing, and was not removed within a week, is as it is known. */
  #learn(row: Row | undefined): number {
    if (row !== undefined) this.follow([row]);
    return row?.seq ?? 0;
  }

  /** Takes in a row, unless a later one is known that can be read. True when its value came, went or changed. */
  #take({ id, seq, version: from, value: json }: Row): boolean {
    const { version, schema, migrate = (value: unknown) => value } = this.#options;
    const known = this.#known.get(id);
    if (known !== undefined && known.problem === undefined && seq <= known.seq) return false;
    this.#known.set(id, { seq });
    if (json === null) return this.#values.delete(id);
    try {
      if (from > version)
        throw new StorageError(
          `"${id}" was stored by a newer version of Agent Console and stays as it is. Update Agent Console to change it.`,
        );
      const stored: unknown = JSON.parse(json);
      this.#values.set(id, schema.parse(from < version ? migrate(stored, from) : stored));
      return true;
    } catch (problem) {
      this.#known.set(id, { seq, problem });
      return this.#values.delete(id);
    }
  }
}
