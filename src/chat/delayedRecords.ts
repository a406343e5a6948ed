import type { Collection, Storage } from '../storage';
import { Disposable } from '../util/disposable';
import { Emitter } from '../util/event';

const VERSION = 1;
const WRITE_DELAY = 300;
const RETRY_DELAY = 5_000;

/** A value that is not stored yet, and when that is tried next. */
interface Pending<T> {
  readonly value: T;
  timer: NodeJS.Timeout;
}

export interface DelayedRecordsOptions<T> {
  readonly storage: Storage;
  /** Folder under the storage root. */
  readonly path: string;
  readonly decode: (value: unknown) => T;
  /** There is nothing in it that a record is needed for. */
  readonly isEmpty: (value: T) => boolean;
  /** Hears of the first failure of a record, not of each further try. */
  readonly onWriteError: (error: unknown) => void;
  /** ms. */
  readonly retryDelay?: number | undefined;
}

/**
 * What changes often, such as with each keystroke: kept in memory at once, durable 300 ms after the last change. What cannot be
 * written stays in memory and is tried again.
 */
export class DelayedRecords<T> extends Disposable {
  protected readonly collection: Collection<T>;
  readonly #options: DelayedRecordsOptions<T>;
  readonly #pending = new Map<string, Pending<T>>();
  readonly #failing = new Set<string>();
  readonly #stored = this.register(new Emitter<string>());
  #writing: Promise<unknown> = Promise.resolve();

  constructor(options: DelayedRecordsOptions<T>) {
    super();
    this.#options = options;
    const { path, decode } = options;
    this.collection = options.storage.collection<T>({ path, version: VERSION, decode });
  }

  /** The id of a record whose last change is durable now. */
  readonly onDidStore = this.#stored.event;

  /** Some records cannot be read now, so what they hold is not known. */
  get isPartial(): boolean {
    return this.collection.unreadable.length > 0;
  }

  async load(): Promise<void> {
    await this.collection.load();
  }

  set(id: string, value: T): void {
    clearTimeout(this.#pending.get(id)?.timer);
    const timer = setTimeout(() => void this.#write(id), WRITE_DELAY);
    this.#pending.set(id, { value, timer });
  }

  /** Resolves when everything is durable, or was tried in vain. */
  async flush(): Promise<void> {
    await Promise.all([...this.#pending.keys()].map(id => this.#write(id)));
    await this.#writing;
  }

  override dispose(): void {
    void this.flush();
    super.dispose();
  }

  /** The newest value, stored or not. */
  protected known(id: string): T | undefined {
    return this.#pending.get(id)?.value ?? this.collection.get(id);
  }

  /** Values that are not stored yet. */
  protected get unstored(): readonly T[] {
    return [...this.#pending.values()].map(({ value }) => value);
  }

  #write(id: string): Promise<void> {
    const pending = this.#pending.get(id);
    if (pending === undefined) return Promise.resolve();
    clearTimeout(pending.timer);
    const done = this.#store(id, pending.value)
      .then(() => {
        this.#failing.delete(id);
        if (this.#pending.get(id) !== pending) return;
        this.#pending.delete(id);
        this.#stored.fire(id);
      })
      .catch((error: unknown) => this.#onFailure(id, pending, error));
    this.#writing = Promise.all([this.#writing, done]);
    return done;
  }

  #onFailure(id: string, pending: Pending<T>, error: unknown): void {
    const { onWriteError, retryDelay = RETRY_DELAY } = this.#options;
    if (!this.isDisposed && this.#pending.get(id) === pending) {
      clearTimeout(pending.timer);
      pending.timer = setTimeout(() => void this.#write(id), retryDelay);
    }
    if (this.#failing.has(id)) return;
    this.#failing.add(id);
    onWriteError(error);
  }

  async #store(id: string, value: T): Promise<void> {
    if (this.#options.isEmpty(value)) await this.collection.remove(id);
    else await this.collection.put(id, value);
  }
}
