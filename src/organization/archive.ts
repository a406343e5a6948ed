import type { ItemProblem } from '../api';
import type { Collection, Storage } from '../storage';
import { isObject } from './stable';
import type { Kept } from './listing';

/** The beginning of a list: when it was read, and how many parts it has. */
interface HeadRecord {
  readonly kind: 'head';
  readonly at: number;
  readonly parts: number;
  readonly problems: readonly ItemProblem[];
}

/** Some items of a list; parts without a change are not written again. */
interface PartRecord {
  readonly kind: 'part';
  readonly items: readonly unknown[];
}

type ArchiveRecord = HeadRecord | PartRecord;

export interface ArchiveOptions<T> {
  readonly storage: Storage;
  /** `people`, `controls`: the folder below the service's. */
  readonly name: string;
  /** Items of one part. */
  readonly partSize: number;
  /** The order they are kept in: one in which a longer list changes the last part only. */
  readonly order: (items: readonly T[]) => readonly T[];
  /** Reads a stored item; `undefined` when it is none. */
  readonly decode: (value: unknown) => T | undefined;
}

/** Long lists on disk, in parts. What is stored has passed the redaction of `api`. */
export class Archive<T> {
  readonly #options: ArchiveOptions<T>;

  constructor(options: ArchiveOptions<T>) {
    this.#options = options;
  }

  /** The records of one service, for hearing of changes. */
  records(serviceId: string): Collection<ArchiveRecord> {
    const { storage, name } = this.#options;
    const path = `services/${serviceId}/${name}`;
    return storage.collection<ArchiveRecord>({ path, version: 1, decode: decodeRecord });
  }

  /** The whole list; `undefined` when none was kept. Items that cannot be read are named, the others are there. */
  async load(serviceId: string): Promise<Kept<T> | undefined> {
    const records = this.records(serviceId);
    await records.load();
    const head = records.get('head');
    if (head?.kind !== 'head') return undefined;
    const items: T[] = [];
    const problems = [...head.problems];
    for (let index = 0; index < head.parts; index++) {
      const part = records.get(`part ${index}`);
      let lost = 0;
      for (const value of part?.kind === 'part' ? part.items : []) {
        const item = this.#options.decode(value);
        if (item === undefined) lost++;
        else items.push(item);
      }
      if (part?.kind !== 'part') problems.push({ reason: `stored part ${index} cannot be read` });
      else if (lost > 0) problems.push({ reason: `${lost} stored entries of part ${index} cannot be read` });
    }
    return { at: head.at, items, problems };
  }

  /** Rejects with a `StorageError`. The head is written last: until then the list before counts. */
  async save(serviceId: string, { at, items, problems }: Kept<T>): Promise<void> {
    const records = this.records(serviceId);
    await records.load();
    const { partSize, order } = this.#options;
    const ordered = order(items);
    const parts = Math.ceil(ordered.length / partSize);
    const before = records.get('head');
    for (let index = 0; index < parts; index++) {
      const record: PartRecord = {
        kind: 'part',
        items: ordered.slice(index * partSize, (index + 1) * partSize),
      };
      const known = records.get(`part ${index}`);
      if (known === undefined || JSON.stringify(known) !== JSON.stringify(record)) {
        await records.put(`part ${index}`, record);
      }
    }
    await records.put('head', { kind: 'head', at, parts, problems });
    const last = before?.kind === 'head' ? before.parts : 0;
    for (let index = parts; index < last; index++) await records.remove(`part ${index}`);
  }
}

function decodeRecord(value: unknown): ArchiveRecord {
  if (!isObject(value)) throw new Error('It is not an object.');
  if (value['kind'] === 'part' && Array.isArray(value['items']))
    return { kind: 'part', items: value['items'] };
  const { kind, at, parts, problems } = value;
  if (kind !== 'head' || typeof at !== 'number' || typeof parts !== 'number' || !Array.isArray(problems)) {
    throw new Error('It is of no known kind.');
  }
  return { kind, at, parts, problems: problems.filter(isProblem) };
}

function isProblem(value: unknown): value is ItemProblem {
  return isObject(value) && typeof value['reason'] === 'string';
}
