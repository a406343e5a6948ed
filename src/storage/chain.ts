import * as path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Disk, type Stamp } from './disk';
import { errorCode, StorageError } from './errors';
import { SharedRun } from './limit';
import { encodeId, parseRecordName, recordName } from './names';
import {
  descendsFrom,
  extendLineage,
  formatRecord,
  parseRecord,
  type Lineage,
  type StoredRecord,
} from './record';

/** What a stored record means to its collection. */
export type Content<T> =
  | { readonly kind: 'value'; readonly value: T }
  | { readonly kind: 'deleted'; readonly at: number }
  | { readonly kind: 'newer'; readonly version: number };

/** One readable revision of a record. */
export interface Revision<T> {
  readonly revision: number;
  readonly stamp: Stamp;
  readonly id: string;
  readonly writers: Lineage;
  readonly content: Content<T>;
}

/** The state of one record on disk. `revisions` are those seen there, highest first. */
export type Newest<T> =
  | { readonly kind: 'absent'; readonly revisions: readonly number[] }
  | { readonly kind: 'readable'; readonly revisions: readonly number[]; readonly newest: Revision<T> }
  | {
      readonly kind: 'unreadable';
      readonly revisions: readonly number[];
      readonly top: number;
      readonly reason: string;
      /** Whether the content is broken (it will not get better), not just out of reach. */
      readonly broken: boolean;
      /** The highest revision below it that can be read. */
      readonly fallback: Revision<T> | undefined;
    };

export type Draft =
  | { readonly kind: 'value'; readonly id: string; readonly version: number; readonly value: unknown }
  | { readonly kind: 'deleted'; readonly id: string; readonly at: number };

interface Unreadable {
  readonly reason: string;
  readonly broken: boolean;
}

const REREAD_MS = [20, 60, 150];
const ATTEMPTS = 100;
/** A folder above this many names is listed in several steps by the system, and may miss one that changes meanwhile. */
const LISTED_IN_ONE_STEP = 400;

/**
 * The revisions of records as files `<id>.<revision>.json`, changed by compare-and-swap: a writer makes the file after the one
 * it has read, which only one writer can, and then removes the older ones, lowest first. A writer that was held up may
 * make a file whose number had come and gone; so after making it, each checks that what it has read was still there, or
 * else that what is the highest now descends from its write.
 */
export class RecordChain<T> {
  readonly #disk: Disk;
  readonly #folder: string;
  readonly #writer: string;
  readonly #interpret: (record: StoredRecord) => Content<T>;
  readonly #listing = new SharedRun(async () => group(await this.#disk.list(this.#folder)));
  #count = 0;

  /** `writer` names this process and is never used by another; `interpret` throws when a record makes no sense. */
  constructor(options: {
    readonly disk: Disk;
    readonly folder: string;
    readonly writer: string;
    readonly interpret: (record: StoredRecord) => Content<T>;
  }) {
    this.#disk = options.disk;
    this.#folder = options.folder;
    this.#writer = options.writer;
    this.#interpret = options.interpret;
  }

  file(stem: string, revision: number): string {
    return path.join(this.#folder, recordName(stem, revision));
  }

  /** Every record there is with its revisions, highest first, and the names of all other files. */
  async list(): Promise<{ readonly records: Map<string, number[]>; readonly others: readonly string[] }> {
    let listing = await this.#listing.run();
    for (let attempt = 0; attempt < 3 && listing.size > LISTED_IN_ONE_STEP; attempt++) {
      const again = await this.#listing.run();
      const complete = [...listing.records.keys()].every(stem => again.records.has(stem));
      listing = again;
      if (complete) break;
    }
    return { records: new Map(listing.records), others: listing.others };
  }

  /** Whether a revision read before is still the highest, told without listing the folder. */
  async isNewest(stem: string, revision: Revision<T>): Promise<boolean> {
    const next = await this.#disk.stamp(this.file(stem, revision.revision + 1));
    return next === undefined && (await this.#isThere(stem, revision));
  }

  /** Reads the highest revision; `seen` saves listing the folder when the caller has just done so. */
  async newest(stem: string, seen?: readonly number[]): Promise<Newest<T>> {
    let revisions = seen ?? (await this.#revisionsOf(stem));
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const [top] = revisions;
      if (top === undefined) return { kind: 'absent', revisions };
      const result = await this.#readDown(stem, revisions);
      if (result !== undefined) return result;
      revisions = await this.#revisionsOf(stem);
    }
    throw busy(this.#folder);
  }

  /**
   * Adds a revision on top of `base` and removes those below. `undefined` when another process was faster: nothing has been
   * written then. Durable when it resolves.
   */
  async append(
    stem: string,
    base: Newest<T>,
    draft: Draft,
    content: Content<T>,
  ): Promise<Revision<T> | undefined> {
    const revision = (base.revisions[0] ?? 0) + 1;
    const count = ++this.#count;
    const record: StoredRecord = { ...draft, writers: extendLineage(lineageOf(base), this.#writer, count) };
    const stamp = await this.#disk.create(this.#folder, recordName(stem, revision), formatRecord(record));
    if (stamp === undefined) return undefined;
    const followsBase = base.kind === 'readable' && (await this.#isThere(stem, base.newest));
    if (!followsBase && !(await this.#counts(stem, revision, count))) {
      await this.#disk.remove(this.file(stem, revision));
      return undefined;
    }
    await this.#disk.syncFolder(this.#folder);
    await this.removeRevisions(stem, base.revisions);
    return { revision, stamp, id: record.id, writers: record.writers, content };
  }

  /** Lowest first, and none after one that would not go: `append` relies on the order. */
  async removeRevisions(stem: string, revisions: readonly number[]): Promise<void> {
    try {
      for (const revision of revisions.toSorted((a, b) => a - b)) {
        await this.#disk.remove(this.file(stem, revision));
      }
    } catch {
      // A leftover below the highest revision is never read; the next load removes it.
    }
  }

  /** Copies a file that cannot be read to where nothing overwrites it; resolves to its new place. */
  async keepAside(stem: string, revision: number): Promise<string> {
    const file = this.file(stem, revision);
    const stamp = (await this.#disk.stamp(file)) ?? '';
    const name = `${stem}.${revision}.${stamp.replace(':', '-')}.json`;
    return this.#disk.keepAside(file, path.join(this.#folder, '.unreadable'), name);
  }

  async #isThere(stem: string, revision: Revision<T>): Promise<boolean> {
    return (await this.#disk.stamp(this.file(stem, revision.revision))) === revision.stamp;
  }

  /** Whether a revision just written is the highest or was built on. */
  async #counts(stem: string, revision: number, count: number): Promise<boolean> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const [top] = await this.#revisionsOf(stem);
      if (top === undefined) return false;
      if (top === revision) return true;
      const result = top < revision ? undefined : await this.#readOne(stem, top);
      if (result === undefined) continue;
      return 'reason' in result || descendsFrom(result.writers, this.#writer, count);
    }
    throw busy(this.#folder);
  }

  async #revisionsOf(stem: string): Promise<readonly number[]> {
    let before: readonly number[] | undefined;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const { records, size } = await this.#listing.run();
      const revisions = records.get(stem) ?? [];
      if (size <= LISTED_IN_ONE_STEP) return revisions;
      if (before !== undefined && before[0] === revisions[0]) return revisions;
      before = revisions;
    }
    throw busy(this.#folder);
  }

  async #readDown(stem: string, revisions: readonly number[]): Promise<Newest<T> | undefined> {
    const [top, ...older] = revisions;
    if (top === undefined) return undefined;
    const newest = await this.#readOne(stem, top);
    if (newest === undefined) return undefined;
    if (!('reason' in newest)) return { kind: 'readable', revisions, newest };
    let fallback: Revision<T> | undefined;
    for (const revision of newest.broken ? older : []) {
      const result = await this.#readOne(stem, revision);
      if (result === undefined || 'reason' in result || result.content.kind === 'newer') continue;
      fallback = result;
      break;
    }
    const { reason, broken } = newest;
    return { kind: 'unreadable', revisions, top, reason, broken, fallback };
  }

  /** `undefined` when the file is gone. A file that makes no sense is read again: it may just be being written. */
  async #readOne(stem: string, revision: number): Promise<Revision<T> | Unreadable | undefined> {
    const file = this.file(stem, revision);
    for (let attempt = 0; ; attempt++) {
      const result = await this.#attemptRead(stem, revision, file);
      const wait = REREAD_MS[attempt];
      if (result === undefined || !('reason' in result) || result.final || wait === undefined) return result;
      await delay(wait);
    }
  }

  async #attemptRead(
    stem: string,
    revision: number,
    file: string,
  ): Promise<Revision<T> | (Unreadable & { readonly final: boolean }) | undefined> {
    let broken = false;
    let final = false;
    try {
      const found = await this.#disk.read(file);
      if (found === undefined) return undefined;
      broken = true;
      const record = parseRecord(found.text);
      final = true;
      // Of a broken record with a hashed name only the hash is known.
      const named = encodeId(record.id) === stem || (record.kind === 'deleted' && record.id === stem);
      if (!named) throw new Error('It belongs to another id.');
      const { id, writers } = record;
      return { revision, stamp: found.stamp, id, writers, content: this.#interpret(record) };
    } catch (error) {
      const reason = errorCode(error) ?? (error instanceof Error ? error.message : String(error));
      return { broken, reason, final };
    }
  }
}

export function busy(folder: string): StorageError {
  return new StorageError(
    'busy',
    `Other windows keep writing the same record in ${folder}. Try again.`,
    folder,
  );
}

function lineageOf<T>(base: Newest<T>): Lineage {
  if (base.kind === 'readable') return base.newest.writers;
  return base.kind === 'unreadable' ? (base.fallback?.writers ?? []) : [];
}

function group(names: readonly string[]): {
  readonly records: ReadonlyMap<string, number[]>;
  readonly others: readonly string[];
  readonly size: number;
} {
  const records = new Map<string, number[]>();
  const others: string[] = [];
  for (const name of names) {
    const parsed = parseRecordName(name);
    if (parsed === undefined) {
      others.push(name);
      continue;
    }
    const revisions = records.get(parsed.stem);
    if (revisions === undefined) records.set(parsed.stem, [parsed.revision]);
    else revisions.push(parsed.revision);
  }
  for (const revisions of records.values()) revisions.sort((a, b) => b - a);
  return { records, others, size: names.length };
}
