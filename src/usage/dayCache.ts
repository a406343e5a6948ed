import type { Logger } from '../log';
import { RECORD_VERSION, readDay, type DayRecord, type Endpoint } from './dayRecord';
import type { Collection, Storage } from '../storage';
import type { Day } from './report';

const AT_ONCE = 8;
/** From here on reading the whole folder is quicker than looking for each day. */
const MANY = 45;

interface Shelf<E extends Endpoint> {
  readonly records: Collection<DayRecord<E>>;
  /** Days known to be as on disk. */
  readonly fresh: Set<Day>;
  /** Days known not to be on disk, until somebody fetches. */
  readonly absent: Set<Day>;
  /** Counts when the disk may have changed. */
  changes: number;
  /** What could not be stored lives as long as this window. */
  readonly unsaved: Map<Day, DayRecord<E>>;
  loading: Promise<unknown> | undefined;
}

/** The finished days of one organization, one record a day and endpoint, shared by all windows. */
export class DayCache {
  readonly #storage: Storage;
  readonly #path: string;
  readonly #log: Logger;
  readonly #shelves = new Map<Endpoint, Shelf<Endpoint>>();
  readonly #texts = new Map<string, string>();

  /** `path` as the storage takes it. */
  constructor(storage: Storage, path: string, log: Logger) {
    this.#storage = storage;
    this.#path = path;
    this.#log = log;
  }

  /** The known ones of these days. Never rejects: what cannot be read is not known. */
  async read<E extends Endpoint>(endpoint: E, days: readonly Day[]): Promise<ReadonlyMap<Day, DayRecord<E>>> {
    const shelf = this.#shelf(endpoint);
    if (shelf.loading !== undefined) await shelf.loading;
    const unknown = days.filter(day => !shelf.fresh.has(day) && !shelf.absent.has(day));
    const { changes } = shelf;
    const look = (day: Day, isThere: boolean): void => {
      if (changes === shelf.changes) (isThere ? shelf.fresh : shelf.absent).add(day);
    };
    if (unknown.length > MANY && shelf.loading === undefined) {
      const loading = shelf.records.load().then(
        values => {
          for (const day of values.keys()) look(day, true);
          for (const day of unknown) if (!values.has(day)) look(day, false);
        },
        (error: unknown) => this.#failed(error),
      );
      shelf.loading = loading;
      await loading;
    } else {
      await inParallel(unknown, AT_ONCE, async day => {
        try {
          look(day, (await shelf.records.update(day, current => current)) !== undefined);
        } catch (error) {
          this.#failed(error);
        }
      });
    }
    const found = new Map<Day, DayRecord<E>>();
    for (const day of days) {
      const record = newest(shelf.records.get(day), shelf.unsaved.get(day));
      if (record !== undefined) found.set(day, record);
    }
    return found;
  }

  /** Keeps days; one that cannot be stored is kept until this window closes. */
  async put<E extends Endpoint>(endpoint: E, records: ReadonlyMap<Day, DayRecord<E>>): Promise<void> {
    const shelf = this.#shelf(endpoint);
    await inParallel([...records], AT_ONCE, async ([day, record]) => {
      try {
        await shelf.records.put(day, record);
        shelf.fresh.add(day);
        shelf.absent.delete(day);
        shelf.unsaved.delete(day);
      } catch (error) {
        this.#failed(error);
        shelf.unsaved.set(day, record);
      }
    });
  }

  /** Another window may have stored days: the disk is looked at again. */
  recheck(): void {
    for (const [endpoint, shelf] of this.#shelves) {
      shelf.fresh.clear();
      this.lookAgain(endpoint);
    }
  }

  /** Days that were not there are looked for again. */
  lookAgain(endpoint: Endpoint): void {
    const shelf = this.#shelf(endpoint);
    shelf.absent.clear();
    shelf.changes++;
  }

  #failed(error: unknown): void {
    this.#log.error('Days of usage could not be read or stored', error);
  }

  #shelf<E extends Endpoint>(endpoint: E): Shelf<E> {
    let shelf = this.#shelves.get(endpoint);
    if (shelf === undefined) {
      const records = this.#storage.collection<DayRecord>({
        path: `${this.#path}/${endpoint}`,
        version: RECORD_VERSION,
        schema: { parse: value => readDay(endpoint, value, text => this.#share(text)) },
      });
      shelf = {
        records,
        fresh: new Set(),
        absent: new Set(),
        changes: 0,
        unsaved: new Map(),
        loading: undefined,
      };
      this.#shelves.set(endpoint, shelf);
    }
    // The endpoint decides what its records are.
    return shelf as unknown as Shelf<E>;
  }

  /** Ids and names come back on every day: one copy of each is enough. */
  #share(text: string): string {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    this.#texts.set(text, text);
    return text;
  }
}

function newest<T extends { readonly at: number }>(a: T | undefined, b: T | undefined): T | undefined {
  return a === undefined || (b !== undefined && b.at > a.at) ? b : a;
}

async function inParallel<T>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  const worker = async (): Promise<void> => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
}
