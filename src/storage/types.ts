import type { Event } from '../util/event';
import type { IDisposable } from '../util/disposable';

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

/**
 * Durable records, shared live by all windows and processes (trust.md 32-34). Whatever writes rejects with a `StorageError` when
 * the record was not stored.
 */
export interface Collection<T> extends IDisposable {
  /** Reads all records once; later calls answer from memory, which from then on follows what other windows write. */
  load(): Promise<ReadonlyMap<string, T>>;
  /** The value as this process knows it; `undefined` before `load` and for unknown ids. */
  get(id: string): T | undefined;
  /** The value as it is stored now, whatever was loaded. */
  read(id: string): Promise<T | undefined>;
  /** A live view: it changes as records do. Values are never to be changed in place. */
  readonly values: ReadonlyMap<string, T>;
  readonly unreadable: readonly UnreadableRecord[];
  /** Writes the whole value; resolves when it is durable. */
  put(id: string, value: T): Promise<void>;
  /**
   * Applies `change` to what is known and writes the result where nobody has written since; otherwise applies it to what is stored, so
   * no update is lost: `change` may run several times, and the last one counts. Returning the value it was given (or `undefined` for
   * none) writes nothing. Resolves to the value now stored.
   */
  update(id: string, change: (current: T | undefined) => T | undefined): Promise<T | undefined>;
  /** Removes the record, except where `unless` is true of the newest value. */
  remove(id: string, unless?: (current: T) => boolean): Promise<void>;
  /** The ids that changed, here at once or, after `load`, in another window. */
  readonly onDidChange: Event<readonly string[]>;
}

/** What a record says, to be found by. */
export interface SearchText {
  readonly text: string;
  /** When it was said; Unix ms. Without it, when it was stored. */
  readonly at?: number | undefined;
  readonly by?: 'me' | 'agent' | undefined;
}

export interface SearchTerm {
  /** One word, or several that follow each other. */
  readonly text: string;
  /** The last word may go on. */
  readonly isPrefix: boolean;
}

export interface SearchQuery {
  /** All of them are to be found in one record. */
  readonly terms: readonly SearchTerm[];
  /** Paths of collections, or of the folders they are in, such as `services/ab12`; one of them. */
  readonly within: readonly string[];
  /** Collections that are left out. */
  readonly without?: readonly string[] | undefined;
  readonly by?: 'me' | 'agent' | undefined;
  /** Unix ms: from this on, and before that. */
  readonly after?: number | undefined;
  readonly before?: number | undefined;
  readonly limit: number;
}

export interface SearchHit {
  readonly collection: string;
  readonly id: string;
  readonly at: number;
  readonly by: string | undefined;
  /** The first line of what it is found by, and the one with the match. */
  readonly first: string;
  readonly line: string;
  /** The first place of the first term that was found, as it is written, and what stands around it. */
  readonly lead: string;
  readonly match: string;
  readonly rest: string;
}

export interface SearchAnswer {
  /** The latest first. */
  readonly hits: readonly SearchHit[];
  /** There are more than were asked for. */
  readonly isMore: boolean;
}

/** What the holder of a lease is given. */
export interface Lease {
  /** Whether it still holds. To be asked before anything that must happen once: a machine that slept may have lost it. */
  readonly isHeld: () => boolean;
  /** Lets it lapse instead of giving it back: nobody does the work again before that. */
  readonly keep: () => void;
}

/** The root of all durable records. */
export interface Storage extends IDisposable {
  /** The same path gives the same collection. */
  collection<T>(options: CollectionOptions<T>): Collection<T>;
  /** The JSON values of all records in the collections that a pattern such as `services/*\/queue` names, for a look without loading. */
  peek(pattern: string): Promise<readonly unknown[]>;
  /** The latest records with these words. */
  search(query: SearchQuery): Promise<SearchAnswer>;
  /**
   * Runs `work` while this process alone holds the lease `name`, renewed until it ends. Resolves to its result, or to `undefined`
   * without running it when another holder has the lease. `ttlMs` is how long others wait for one that died or sleeps.
   */
  tryRun<T>(name: string, ttlMs: number, work: (lease: Lease) => Promise<T>): Promise<T | undefined>;
  /** Resolves when all that was asked for so far is done, after `dispose` also the closing. Writing goes on working then; following does not. */
  settled(): Promise<void>;
}
