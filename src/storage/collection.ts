import { Emitter } from '../util/event';
import { once } from '../util/promises';
import type { Row, Write, Written } from './database';
import type { Engine } from './engine';
import { reasonOf, StorageError } from './errors';
import type { Collection, CollectionOptions, UnreadableRecord } from './types';

/** What a collection asks of the store. */
export interface RecordsStore {
  readonly engine: Pick<Engine, 'call'>;
  write(write: Write): Promise<Written>;
  track<T>(work: Promise<T>): Promise<T>;
}

/** What this process knows of a stored record; `problem` is why its value cannot be used. */
interface Known {
  readonly seq: number;
  readonly problem?: { readonly reason: string; readonly isNewer: boolean };
}

/** Nothing is written without one. */
type Decision<T> = { readonly value: T } | 'remove' | undefined;

/** Give up when other processes won the race for one record this many times. */
const ATTEMPTS = 500;

/** The records of one collection as this process knows them. */
export class Records<T> implements Collection<T> {
  readonly #options: CollectionOptions<T>;
  readonly #store: RecordsStore;
  readonly #known = new Map<string, Known>();
  readonly #values = new Map<string, T>();
  readonly #acts = new Map<string, Promise<unknown>>();
  /** What was known when another database took the place of the one it was read from, and is not compared with that yet. */
  readonly #kept = new Set<string>();
  readonly #changed = new Emitter<readonly string[]>();
  #isLoaded = false;

  constructor(options: CollectionOptions<T>, store: RecordsStore) {
    this.#options = options;
    this.#store = store;
  }

  readonly onDidChange = this.#changed.event;

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

  readonly load = once(async () => {
    await this.#store.track(this.#readAll(rows => this.#take(rows)));
    this.#isLoaded = true;
    return this.values;
  });

  async read(id: string): Promise<T | undefined> {
    await this.#ask(id);
    return this.#values.get(id);
  }

  async put(id: string, value: T): Promise<void> {
    await this.#write(id, () => ({ value }));
  }

  update(id: string, change: (current: T | undefined) => T | undefined): Promise<T | undefined> {
    return this.#write(id, current => {
      const value = change(current);
      return value === undefined || Object.is(value, current) ? undefined : { value };
    });
  }

  async remove(id: string, unless?: (current: T) => boolean): Promise<void> {
    const isKept = (current: T | undefined) => current === undefined || unless?.(current) === true;
    await this.#write(id, current => (isKept(current) ? undefined : 'remove'));
  }

  /** Takes in what other processes have written. */
  follow(rows: readonly Row[]): void {
    const changed = this.#take(rows);
    if (changed.length > 0) this.#changed.fire(changed);
  }

  /** Goes on with another thread, or with another database: there it stores what is known and missing or older. */
  async resume(isAnother: boolean): Promise<void> {
    if (isAnother) for (const [id, { problem }] of this.#known) if (problem === undefined) this.#kept.add(id);
    const rows: Row[] = [];
    if (this.#isLoaded) await this.#readAll(page => rows.push(...page));
    this.follow(rows);
    const stored = new Map(rows.map(({ id, seq }) => [id, seq]));
    for (const [id, { seq }] of [...this.#known]) {
      const found = stored.get(id) ?? (await this.#ask(id));
      if (this.#kept.has(id) && found < seq)
        await this.#write(id, current => (current === undefined ? 'remove' : { value: current }));
      this.#kept.delete(id);
    }
  }

  dispose(): void {
    this.#changed.dispose();
  }

  /** All that is stored; the first page begins to follow it. */
  async #readAll(onRead: (rows: readonly Row[]) => void): Promise<void> {
    for (let rows: readonly Row[] | undefined; rows?.length !== 0;) {
      rows = await this.#store.engine.call('page', this.#options.path, rows?.at(-1)?.id);
      onRead(rows);
    }
  }

  /** One write of a record after another, in the order they were asked for; resolves to the value now stored. */
  #write(id: string, decide: (current: T | undefined) => Decision<T>): Promise<T | undefined> {
    const done = (this.#acts.get(id) ?? Promise.resolve()).then(() => this.#swap(id, decide));
    const settled: Promise<unknown> = done
      .catch(() => undefined)
      .then(() => this.#acts.get(id) === settled && this.#acts.delete(id));
    this.#acts.set(id, settled);
    return this.#store.track(done);
  }

  /** Decides by what is known, and writes where nobody else has written since; otherwise by what is stored. Reads before it does nothing. */
  async #swap(id: string, decide: (current: T | undefined) => Decision<T>): Promise<T | undefined> {
    const options = this.#options;
    const { path, version } = options;
    let expected = this.#known.get(id)?.seq ?? (this.#isLoaded ? 0 : undefined);
    let isFresh = false;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (expected === undefined) {
        expected = await this.#ask(id);
        isFresh = true;
      }
      const problem = this.#known.get(id)?.problem;
      if (problem?.isNewer === true && isFresh) throw newer(id);
      const before = this.#values.get(id);
      const decision = problem?.isNewer === true ? undefined : decide(before);
      if (decision === undefined && isFresh) return before;
      if (decision === undefined) {
        expected = undefined;
        continue;
      }
      const next = decision === 'remove' ? undefined : this.#prepare(decision.value);
      const written = await this.#store.write({
        collection: path,
        id,
        expected,
        version,
        value: next?.json ?? null,
        quarantine: problem !== undefined,
        durable: next === undefined || options.isVolatile?.(before, next.value) !== true,
        text: next && options.text?.(next.value),
      });
      if (typeof written !== 'number') {
        expected = this.#learn(id, written);
        isFresh = true;
        continue;
      }
      this.#known.set(id, { seq: written });
      if (next === undefined) this.#values.delete(id);
      else this.#values.set(id, next.value);
      this.#changed.fire([id]);
      return next?.value;
    }
    throw new StorageError(`Other windows keep writing the same record in ${path}. Try again.`);
  }

  /** What would be read back. */
  #prepare(value: T): { readonly json: string; readonly value: T } {
    try {
      const json = JSON.stringify(value);
      return { json, value: this.#options.schema.parse(JSON.parse(json)) };
    } catch (error) {
      throw new StorageError(`This cannot be stored: ${reasonOf(error)}`, { cause: error });
    }
  }

  async #ask(id: string): Promise<number> {
    return this.#learn(id, await this.#store.engine.call('read', this.#options.path, id));
  }

  /** Takes in what is stored, unless more is known than a backup had; its `seq`. What is missing was removed, so long ago that no trace is left. */
  #learn(id: string, row: Row | undefined): number {
    if (row !== undefined) this.follow([row]);
    else if (!this.#kept.has(id) && this.#known.delete(id) && this.#values.delete(id))
      this.#changed.fire([id]);
    return row?.seq ?? 0;
  }

  /** Takes in rows unless later ones are known that can be read; the ids of those whose value came, went or changed. */
  #take(rows: readonly Row[]): readonly string[] {
    const isNews = (row: Row): boolean => {
      const known = this.#known.get(row.id);
      return (known === undefined || known.problem !== undefined || row.seq > known.seq) && this.#decode(row);
    };
    return rows.filter(isNews).map(({ id }) => id);
  }

  /** True when the value came, went or changed. */
  #decode({ id, seq, version: from, value: json }: Row): boolean {
    const { version, schema, migrate = (value: unknown) => value } = this.#options;
    let problem: Known['problem'];
    if (json !== null && from > version)
      problem = { reason: `It was written by a newer version (${from}).`, isNewer: true };
    else if (json !== null)
      try {
        const stored: unknown = JSON.parse(json);
        this.#values.set(id, schema.parse(from < version ? migrate(stored, from) : stored));
        this.#known.set(id, { seq });
        return true;
      } catch (error) {
        problem = { reason: reasonOf(error), isNewer: false };
      }
    this.#known.set(id, problem === undefined ? { seq } : { seq, problem });
    return this.#values.delete(id);
  }
}

function newer(id: string): StorageError {
  const sentence = `"${id}" was stored by a newer version of Agent Console and stays as it is. Update Agent Console to change it.`;
  return new StorageError(sentence);
}
