import type { IDisposable } from '../util/disposable';
import type { Event } from '../util/event';

/** What a stored value must pass on its way back in. Throws with a reason when it does not. */
export type Decode<T> = (value: unknown) => T;

/** How one kind of record is kept. */
export interface CollectionOptions<T> {
  /** Folder under the storage root; may hold `/`, such as `services/ab12/sessions`. */
  readonly path: string;
  /** Version written beside each value. A record of a newer version is kept aside, never overwritten. */
  readonly version: number;
  readonly decode: Decode<T>;
  /** Turns a value of an older version into one of this version, one step after another. */
  readonly migrate?: (value: unknown, fromVersion: number) => unknown;
}

/** A record that could not be read: where it was put aside, and why. */
export interface UnreadableRecord {
  readonly id: string;
  readonly file: string;
  readonly reason: string;
}

/**
 * Durable records, one file each, shared live by all windows and processes (trust.md 32-34). Whatever writes rejects with a
 * `StorageError` when the record was not stored.
 */
export interface Collection<T> extends IDisposable {
  /** Reads what is on disk once; later calls answer from memory, which follows the disk while someone listens. */
  load(): Promise<ReadonlyMap<string, T>>;
  /** The value as this process knows it; `undefined` before `load` and for unknown ids. */
  get(id: string): T | undefined;
  /** A live view: it changes as records do. Values are never to be changed in place. */
  readonly values: ReadonlyMap<string, T>;
  readonly unreadable: readonly UnreadableRecord[];
  /** Writes the whole value; resolves when it is durable. */
  put(id: string, value: T): Promise<void>;
  /**
   * Reads the newest value, applies `change`, writes the result; repeats if another process wrote in between, so no update
   * is lost. Returning the value it was given (or `undefined` for none) writes nothing. Resolves to the value now stored.
   */
  update(id: string, change: (current: T | undefined) => T | undefined): Promise<T | undefined>;
  /** Removes the record, except where `unless` is true of the newest value; resolves to the value it had. */
  remove(id: string, unless?: (current: T) => boolean): Promise<T | undefined>;
  /** The ids that changed, here at once or, after `load`, in another window. The folder is watched while anybody listens. */
  readonly onDidChange: Event<readonly string[]>;
}

/** The root of all durable records: a folder under `globalStorageUri`. */
export interface Storage extends IDisposable {
  /** The same path gives the same collection. */
  collection<T>(options: CollectionOptions<T>): Collection<T>;
  /** Resolves when all writes asked for so far are done. Writing goes on working after `dispose`; following does not. */
  settled(): Promise<void>;
}
