import type { ItemProblem, Page } from '../api';
import type { Logger } from '../log';
import type { Collection, Storage } from '../storage';
import { hasCome, isSame } from '../util/compare';
import {
  Disposable,
  ObservableValue,
  Slot,
  unhandled,
  type IDisposable,
  type Observable,
} from '../util/lifecycle';
import { SharedRequests } from '../util/promises';
import { HEAD, idOf, listRecords } from './stored';
import type { Head, ItemKind, ListFailure, ListState, Stored } from './stored';

export interface RemoteListOptions<T extends object> extends ItemKind<T> {
  readonly storage: Pick<Storage, 'collection' | 'tryRun'>;
  readonly log: Pick<Logger, 'error'>;
  readonly keyOf: (item: T) => string;
  /** The pages of the service in use, from the beginning of the list; `undefined` when nobody can be asked. */
  readonly pages: (signal: AbortSignal) => AsyncIterable<Pick<Page<T>, 'items' | 'problems'>> | undefined;
  /** What to tell of a failed request; `undefined` when it was only cancelled. */
  readonly failureOf: (error: unknown) => Omit<ListFailure, 'at'> | undefined;
  /** Stands for the key in use: what another one was told is not shown. `undefined` where that is not known. */
  readonly key?: () => string | undefined;
  /** What the service no longer lists stays, unless it lists nothing of what is known: then it is of another organization. */
  readonly keepsGone?: boolean;
  readonly now?: (() => number) | undefined;
}

const EMPTY: ListState<never> = { items: [], problems: [] };
/** A window that asked and says nothing for so long has gone. */
const LEASE_MS = 20_000;
/** The longest wait after failures, unless a list is usually read more rarely. */
const SLOWEST_MS = 120_000;
/** After an answer that the key has no right: it may get one meanwhile; ms. */
const FORBIDDEN_MS = 3_600_000;

/**
 * A list of the service: read page by page, kept in the store, shared by all windows, shown as it was while nobody answers. One
 * record an item, so that a reading writes only what has changed.
 */
export class RemoteList<T extends object> extends Disposable {
  readonly #options: RemoteListOptions<T>;
  readonly #now: () => number;
  readonly #state = this.register(new ObservableValue<ListState<T>>(EMPTY));
  readonly #requests = new SharedRequests<void>();
  readonly #following = this.register(new Slot<IDisposable>());
  #path: string | undefined;
  #records: Collection<Stored<T>> | undefined;
  /** What is kept is read, or being read. */
  #opening: Promise<void> | undefined;
  /** Stands for the reading that is under way: what an earlier one brings is dropped. */
  #reading: AbortSignal | undefined;
  /** When what is shown was learned. */
  #stamp = 0;
  /** Since when what is known counts for nothing. */
  #staleSince: number | undefined;
  /** How often in a row nobody answered. */
  #failures = 0;

  constructor(options: RemoteListOptions<T>) {
    super();
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  get state(): Observable<ListState<T>> {
    return this.#state;
  }

  /** Shows what is kept at a path of the store, `undefined` for nothing. Rejects when that cannot be read; the next call tries again. */
  use(path: string | undefined): Promise<void> {
    if (path !== this.#path) {
      this.#end();
      [this.#path, this.#records, this.#opening] = [path, undefined, undefined];
      this.#following.set(undefined);
      [this.#stamp, this.#failures, this.#staleSince] = [0, 0, undefined];
      this.#state.set(EMPTY);
    }
    if (path === undefined) return Promise.resolve();
    return (this.#opening ??= this.#open(path).catch((error: unknown) => {
      if (path === this.#path) this.#opening = undefined;
      throw error;
    }));
  }

  /** Reads the list to its end, for a person. Never rejects: a failure is part of the state. */
  read(signal?: AbortSignal): Promise<void> {
    this.#failures = 0;
    return this.#run(signal);
  }

  /** Reads what is due, in one window at a time. Resolves to false where another window is at it. */
  async readInTurn(usualMs: number, signal: AbortSignal): Promise<boolean> {
    const [records, path] = [this.#records, this.#path];
    const ask = async (): Promise<true> => {
      if (this.untilDue(usualMs) === 0) await this.#run(signal);
      return true;
    };
    if (records === undefined || path === undefined) return ask();
    try {
      return (await this.#options.storage.tryRun(path, LEASE_MS, ask)) === true;
    } catch (error) {
      this.#options.log.error('The windows cannot take turns; this one asks for itself', error);
      return ask();
    }
  }

  /** How long what is known counts from now on, ms; 0 when it does not. `usualMs`: how often the list is read where nothing fails. */
  untilDue(usualMs: number): number {
    const { at = 0, failure } = this.#state.current;
    if (this.#staleSince !== undefined) return 0;
    const longer = Math.min(usualMs, SLOWEST_MS) * 2 ** (this.#failures - 1);
    const retry = Math.min(Math.max(usualMs, SLOWEST_MS), longer);
    const wait = failure === undefined ? usualMs : failure.forbidden === true ? FORBIDDEN_MS : retry;
    const age = this.#now() - Math.max(at, failure?.at ?? 0);
    return age < wait * 0.9 ? wait - age : 0;
  }

  /** There is another key: how the newest reading ended is of no interest, and what was read before is due. */
  forgive(): void {
    this.#failures = 0;
    if (this.#stamp > 0) this.#staleSince = this.#now();
    const { head } = this.#records?.get(HEAD) ?? {};
    const known = head === undefined || this.#isOurs(head) ? this.#state.current : EMPTY;
    this.#state.set({ ...known, failure: undefined, partial: undefined });
  }

  #end(): void {
    this.#reading = undefined;
    this.#requests.abortAll();
  }

  /** When what is known was told, where a later attempt to ask has failed: nobody knows how it stands now. */
  get unknownSince(): number | undefined {
    const { at = 0, failure } = this.#state.current;
    return failure !== undefined && failure.at >= at ? at : undefined;
  }

  override dispose(): void {
    this.#end();
    super.dispose();
  }

  async #open(path: string): Promise<void> {
    const records = this.#options.storage.collection(listRecords<T>(path, this.#options));
    await records.load();
    if (path !== this.#path || this.isDisposed) return;
    this.#records = records;
    this.#following.set(records.onDidChange(() => this.#adopt()));
    this.#adopt();
  }

  /** Takes over what another window has learned; what is dated in the future is of a clock that was wrong. */
  #adopt(): void {
    const records = this.#records;
    const head = records?.get(HEAD)?.head;
    if (head === undefined || records === undefined || this.#reading !== undefined) return;
    if (!this.#isOurs(head)) return;
    const { at = 0, failure } = head;
    const stamp = Math.max(at, failure?.at ?? 0);
    if (stamp <= this.#stamp || !hasCome(stamp, this.#now())) return;
    if (failure === undefined && this.#staleSince !== undefined && at >= this.#staleSince)
      this.#staleSince = undefined;
    this.#stamp = stamp;
    this.#failures = failure === undefined ? 0 : this.#failures + 1;
    const items = [...records.values.values()].flatMap(({ item }) => item ?? []);
    this.#state.set({ ...head, items, problems: [...head.problems, ...records.unreadable] });
  }

  /** What is not said to be told to another key. */
  #isOurs({ key }: Head, ours = this.#options.key?.()): boolean {
    return key === undefined || ours === undefined || key === ours;
  }

  #run(signal?: AbortSignal): Promise<void> {
    const reading = this.#requests.run('list', shared => this.#read(shared), signal);
    return reading.catch((error: unknown) => (signal?.aborted === true ? undefined : unhandled(error)));
  }

  async #read(signal: AbortSignal): Promise<void> {
    // What cannot be stored is read all the same. Whoever wanted it open has the error.
    await this.#opening?.catch(() => undefined);
    const { pages, keyOf, failureOf, keepsGone } = this.#options;
    // Before an answer that refuses it.
    const key = this.#options.key?.();
    const asked = signal.aborted || this.isDisposed ? undefined : pages(signal);
    if (asked === undefined) return;
    this.#reading = signal;
    this.#staleSince = undefined;
    const before = this.#state.current;
    const known = new Map(before.items.map(item => [keyOf(item), item]));
    const read = new Map<string, T>();
    let problems: readonly ItemProblem[] = [];
    const isCurrent = (): boolean => this.#reading === signal;
    const show = (end: Partial<ListState<T>>): void => {
      if (!isCurrent()) return;
      const items = [...new Map([...known, ...read]).values()];
      this.#state.set({ items, problems: before.problems, at: before.at, ...end });
    };
    show({ reading: { count: 0 } });
    try {
      for await (const { items, problems: unread } of asked) {
        if (!isCurrent()) return;
        problems = [...problems, ...unread];
        for (const item of items) {
          const old = this.#stored(keyOf(item)) ?? known.get(keyOf(item));
          const isKnown = old !== undefined && isSame(old, item);
          read.set(keyOf(item), isKnown ? old : item);
        }
        show({ reading: { count: read.size } });
      }
      if (!isCurrent()) return;
      const wasListed = (id: string): boolean => known.has(id) || this.#stored(id) !== undefined;
      const isOther = read.size > 0 && ![...read.keys()].some(wasListed);
      const keeps = keepsGone === true && !isOther;
      const items = [...(keeps ? new Map([...known, ...read]) : read).values()];
      const at = (this.#stamp = this.#now());
      this.#failures = 0;
      this.#state.set({ items, problems, at });
      await this.#keep({ at, problems, key }, read, keeps);
    } catch (error) {
      const failed = failureOf(error);
      const partial = read.size > 0;
      if (failed === undefined || !isCurrent()) {
        show({ partial });
        return;
      }
      // Failures of one cause are told once, as in the view.
      if (failed.cause === undefined || failed.cause !== before.failure?.cause)
        this.#options.log.error('A list of the service cannot be read', error);
      const failure = { ...failed, at: this.#now() };
      this.#stamp = failure.at;
      this.#failures += 1;
      show({ partial, failure });
      await this.#keep({ failure, partial, key });
    } finally {
      if (isCurrent()) {
        this.#reading = undefined;
        // Another window may have learned something meanwhile.
        this.#adopt();
      }
    }
  }

  #stored(key: string): T | undefined {
    return this.#records?.get(idOf(key))?.item;
  }

  /** Keeps what was read, then says so to the other windows. */
  async #keep(head: Partial<Head>, read?: ReadonlyMap<string, T>, keepsGone?: boolean): Promise<void> {
    const records = this.#records;
    if (records === undefined) return;
    try {
      if (read !== undefined) {
        const changed = [...read].filter(([key, item]) => this.#stored(key) !== item);
        await Promise.all(changed.map(([key, item]) => records.put(idOf(key), { item })));
        const ids = new Set([HEAD, ...[...read.keys()].map(idOf)]);
        const gone = keepsGone === true ? [] : [...records.values.keys()].filter(id => !ids.has(id));
        await Promise.all(gone.map(id => records.remove(id)));
      }
      await records.update(HEAD, record => {
        const before = record?.head;
        // A failure takes nothing away, nor does it make what another key was told one's own.
        if (read === undefined && before !== undefined && !this.#isOurs(before, head.key)) return record;
        return { head: { problems: [], ...(head.failure && before), ...head } };
      });
    } catch (error) {
      // What was read is shown all the same; it is only not there the next time.
      this.#options.log.error('What was read of a list cannot be kept', error);
    }
  }
}
