import type { Collection, CollectionOptions, Lease, SearchAnswer, Storage } from '../../src/storage';
import { Emitter } from '../../src/util/event';

class MemoryCollection<T> implements Collection<T> {
  readonly values = new Map<string, T>();
  readonly unreadable = [];
  readonly #changed = new Emitter<readonly string[]>();
  readonly onDidChange = this.#changed.event;

  load(): Promise<ReadonlyMap<string, T>> {
    return Promise.resolve(this.values);
  }
  get(id: string): T | undefined {
    return this.values.get(id);
  }
  read(id: string): Promise<T | undefined> {
    return Promise.resolve(this.values.get(id));
  }
  put(id: string, value: T): Promise<void> {
    this.values.set(id, value);
    this.#changed.fire([id]);
    return Promise.resolve();
  }
  async update(id: string, change: (current: T | undefined) => T | undefined): Promise<T | undefined> {
    await Promise.resolve();
    const before = this.values.get(id);
    const after = change(before);
    if (after === undefined || after === before) return before;
    await this.put(id, after);
    return after;
  }
  remove(id: string): Promise<void> {
    this.values.delete(id);
    this.#changed.fire([id]);
    return Promise.resolve();
  }
  dispose(): void {
    this.#changed.dispose();
  }
}

/** Records that all windows of a test share, without a disk. */
export class MemoryStorage implements Storage {
  readonly #collections = new Map<string, MemoryCollection<unknown>>();
  /** Until when each is held, Unix ms. */
  readonly #leases = new Map<string, number>();

  collection<T>({ path }: CollectionOptions<T>): Collection<T> {
    const known = this.#collections.get(path) ?? new MemoryCollection<unknown>();
    this.#collections.set(path, known);
    return known as unknown as Collection<T>;
  }
  peek(): Promise<readonly unknown[]> {
    return Promise.resolve([]);
  }
  search(): Promise<SearchAnswer> {
    return Promise.resolve({ hits: [], isMore: false });
  }
  async tryRun<T>(name: string, ttlMs: number, work: (lease: Lease) => Promise<T>): Promise<T | undefined> {
    await Promise.resolve();
    if ((this.#leases.get(name) ?? 0) > Date.now()) return undefined;
    const lapsing = Date.now() + ttlMs;
    this.#leases.set(name, Infinity);
    let end = (): unknown => this.#leases.delete(name);
    const keep = (): void => {
      end = () => this.#leases.set(name, lapsing);
    };
    try {
      return await work({ isHeld: () => true, keep });
    } finally {
      end();
    }
  }
  settled(): Promise<void> {
    return Promise.resolve();
  }
  dispose(): void {
    this.#collections.clear();
  }
}
