import type { ItemProblem, Page } from '../api';
import { Disposable } from '../util/disposable';
import { ObservableValue, type Observable } from '../util/event';
import { SharedRequests } from '../util/shared';

/** A whole list as it is kept on disk. */
export interface Kept<T> {
  /** When it was read to its end; Unix ms. */
  readonly at: number;
  readonly items: readonly T[];
  readonly problems: readonly ItemProblem[];
}

export interface ListingFailure {
  /** Unix ms. */
  readonly at: number;
  readonly sentence: string;
  /** The key has no right to this list: asking again by itself is of no use. */
  readonly forbidden: boolean;
  /** Status and request id, for a sentence about several lists. */
  readonly facts?: string;
  /** What kind of failure it is: two of the same are told once. */
  readonly gist?: string;
}

/** A list as last known. Neither a failure nor a reading that was stopped takes anything away. */
export interface ListingState<T> {
  readonly items: readonly T[];
  /** Entries that could not be read. */
  readonly problems: readonly ItemProblem[];
  /** When the list was last read to its end; `undefined` before. */
  readonly at?: number | undefined;
  /** Entries read so far, while it is being read. */
  readonly reading?: { readonly count: number } | undefined;
  /** The newest reading was stopped or failed before the end, so `items` may lack some. */
  readonly partial?: boolean | undefined;
  /** A person stopped the newest reading. */
  readonly stopped?: boolean | undefined;
  readonly failure?: ListingFailure | undefined;
}

export interface ListingDeps<T> {
  /** The pages of the service in use; `undefined` when nobody can be asked. */
  readonly pages: (signal: AbortSignal) => AsyncIterable<Page<T>> | undefined;
  readonly keyOf: (item: T) => string | number;
  /** What is kept of one service. */
  readonly load: (serviceId: string) => Promise<Kept<T> | undefined>;
  readonly save: (serviceId: string, kept: Kept<T>) => Promise<void>;
  readonly failureOf: (error: unknown) => Omit<ListingFailure, 'at'> | undefined;
  readonly now: () => number;
}

const NOTHING: ListingState<never> = { items: [], problems: [] };

/** A list of the service, read page by page to its end, kept durably, and shown as it was while nobody answers. */
export class Listing<T> extends Disposable {
  readonly #deps: ListingDeps<T>;
  readonly #state = this.register(new ObservableValue<ListingState<T>>(NOTHING));
  readonly #requests = new SharedRequests<void>();
  #serviceId: string | undefined;
  #opening: Promise<void> = Promise.resolve();
  #stop: AbortController | undefined;

  constructor(deps: ListingDeps<T>) {
    super();
    this.#deps = deps;
  }

  get state(): Observable<ListingState<T>> {
    return this.#state;
  }

  /** Shows the list of another service; resolves when what is kept of it has been read. Rejects when that cannot be read. */
  use(serviceId: string | undefined): Promise<void> {
    if (serviceId === this.#serviceId) return this.#opening;
    this.stop();
    this.#serviceId = serviceId;
    this.#state.set(NOTHING);
    this.#opening = this.#open(serviceId);
    return this.#opening;
  }

  /** Another window has kept a newer list. */
  async adopt(serviceId: string): Promise<void> {
    const kept = await this.#deps.load(serviceId);
    const { at = 0, reading } = this.#state.current;
    if (kept === undefined || serviceId !== this.#serviceId || reading !== undefined || kept.at <= at) return;
    this.#state.set(kept);
  }

  /** Reads the list to its end. Never rejects: a failure is part of the state. */
  read(signal?: AbortSignal): Promise<void> {
    return this.#requests.run('all', shared => this.#read(shared), signal).catch(() => undefined);
  }

  /** Ends a reading under way; what was read of it stays. The next one begins anew. */
  stop(): void {
    this.#stop?.abort();
    this.#requests.abortAll();
  }

  /** How the newest reading ended is no longer of interest: there is another key. */
  forgive(): void {
    const { failure, partial, stopped, ...rest } = this.#state.current;
    if (failure !== undefined || partial !== undefined || stopped !== undefined) this.#state.set(rest);
  }

  override dispose(): void {
    this.stop();
    super.dispose();
  }

  async #open(serviceId: string | undefined): Promise<void> {
    if (serviceId === undefined) return;
    try {
      const kept = await this.#deps.load(serviceId);
      if (serviceId === this.#serviceId && kept !== undefined) this.#state.set(kept);
    } catch (error) {
      // The next call tries again.
      if (serviceId === this.#serviceId) this.#serviceId = undefined;
      throw error;
    }
  }

  async #read(shared: AbortSignal): Promise<void> {
    const serviceId = this.#serviceId;
    const stop = new AbortController();
    const pages = this.#deps.pages(AbortSignal.any([shared, stop.signal]));
    if (pages === undefined || serviceId === undefined) return;
    this.#stop = stop;
    const before = this.#state.current;
    const read = new Map<string | number, T>();
    const problems: ItemProblem[] = [];
    const isCurrent = (): boolean => serviceId === this.#serviceId && this.#stop === stop && !this.isDisposed;
    const show = (end: Partial<ListingState<T>>): void => {
      if (isCurrent()) {
        const { at } = before;
        const seen = problems.length > 0 ? problems : before.problems;
        this.#state.set({ items: this.#merged(before.items, read), problems: seen, at, ...end });
      }
    };
    show({ reading: { count: 0 } });
    try {
      for await (const page of pages) {
        if (!isCurrent()) return;
        for (const item of page.items) read.set(this.#deps.keyOf(item), item);
        problems.push(...page.problems);
        if (stop.signal.aborted) break;
        show({ reading: { count: read.size } });
      }
      if (stop.signal.aborted) {
        show({ partial: true, stopped: true });
        return;
      }
      const kept: Kept<T> = { at: this.#deps.now(), items: [...read.values()], problems };
      if (isCurrent()) this.#state.set(kept);
      await this.#deps.save(serviceId, kept);
    } catch (error) {
      const failure = stop.signal.aborted ? undefined : this.#deps.failureOf(error);
      show({
        partial: read.size > 0 || stop.signal.aborted,
        ...(stop.signal.aborted ? { stopped: true } : {}),
        ...(failure === undefined ? {} : { failure: { ...failure, at: this.#deps.now() } }),
      });
    } finally {
      if (this.#stop === stop) this.#stop = undefined;
    }
  }

  /** What is new takes the place of what was known; before the end nothing is taken away. */
  #merged(known: readonly T[], read: ReadonlyMap<string | number, T>): readonly T[] {
    if (read.size === 0) return known;
    const rest = known.filter(item => !read.has(this.#deps.keyOf(item)));
    return [...read.values(), ...rest];
  }
}
