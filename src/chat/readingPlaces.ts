import type { Storage } from '../storage';
import { number, object } from '../webview/guards';
import { DelayedRecords } from './delayedRecords';
import { keptShape, type Kept } from './protocol';

interface StoredPlace extends Kept {
  /** Unix ms. */
  readonly at: number;
}

/** Sessions whose place is stored, the latest, and opened parts of each. */
const MOST = 200;
const MOST_OPENED = 100;

/**
 * Where the sessions of one service were read and what was opened there, also after a reload: what the editor keeps of a page, a
 * browser may not let it store in time.
 */
export class ReadingPlaces extends DelayedRecords<StoredPlace> {
  /** Of this window: what is read elsewhere at the same time does not move it. */
  readonly #own = new Map<string, Kept>();
  readonly #onError: (error: unknown) => void;

  constructor(storage: Storage, serviceId: string, onWriteError: (error: unknown) => void) {
    super({ storage, path: `services/${serviceId}/places`, decode, isEmpty, onWriteError });
    this.#onError = onWriteError;
  }

  /** Never rejects: nobody waits for a place. */
  override async load(): Promise<void> {
    try {
      await super.load();
      const stored = [...this.collection.values];
      stored.sort(([, a], [, b]) => b.at - a.at);
      await Promise.all(stored.slice(MOST).map(([sessionId]) => this.collection.remove(sessionId)));
    } catch (error) {
      this.#onError(error);
    }
  }

  get(sessionId: string): Kept {
    const { scroll, opened } = this.#own.get(sessionId) ?? this.known(sessionId) ?? {};
    return { scroll, opened };
  }

  keep(sessionId: string, { scroll, opened }: Kept): void {
    const kept = { scroll, opened: opened?.slice(-MOST_OPENED) };
    this.#own.set(sessionId, kept);
    this.set(sessionId, { ...kept, at: Date.now() });
  }
}

const isStored = object({ ...keptShape, at: number(0, Number.MAX_SAFE_INTEGER) });

function decode(value: unknown): StoredPlace {
  if (!isStored(value)) throw new Error('it is no place');
  return value;
}

function isEmpty({ scroll, opened = [] }: StoredPlace): boolean {
  return scroll === undefined && opened.length === 0;
}
