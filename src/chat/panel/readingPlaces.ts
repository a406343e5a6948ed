import * as z from 'zod/mini';
import { openObject, recordSchema } from '../../api';
import type { Collection, Storage } from '../../storage';
import { Disposable } from '../../util/disposable';
import type { Kept } from '../protocol';

interface StoredPlace extends Kept {
  /** Unix ms. */
  readonly at: number;
}

/** Sessions whose place is stored, the latest, and opened parts of each. */
const MOST = 200;
const MOST_OPENED = 100;
/** A place is written so much after the last move, ms. */
const WRITE_DELAY = 300;

/**
 * Where the sessions of one service were read and what was opened there, also after a reload: what the editor keeps of a page, a
 * browser may not let it store in time.
 */
export class ReadingPlaces extends Disposable {
  readonly #collection: Collection<StoredPlace>;
  /** Of this window: what is read elsewhere at the same time does not move it. */
  readonly #own = new Map<string, StoredPlace>();
  readonly #unwritten = new Set<string>();
  readonly #onError: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(storage: Storage, serviceId: string, onWriteError: (error: unknown) => void) {
    super();
    this.#onError = onWriteError;
    this.#collection = storage.collection({
      path: `services/${serviceId}/places`,
      version: 1,
      schema: placeSchema,
    });
  }

  /** Never rejects: nobody waits for a place. */
  async load(): Promise<void> {
    try {
      const stored = [...(await this.#collection.load())];
      stored.sort(([, a], [, b]) => b.at - a.at);
      await Promise.all(stored.slice(MOST).map(([sessionId]) => this.#collection.remove(sessionId)));
    } catch (error) {
      this.#onError(error);
    }
  }

  get(sessionId: string): Kept {
    const { scroll, opened } = this.#own.get(sessionId) ?? this.#collection.get(sessionId) ?? {};
    return { scroll, opened };
  }

  keep(sessionId: string, { scroll, opened }: Kept): void {
    this.#own.set(sessionId, { scroll, opened: opened?.slice(-MOST_OPENED), at: Date.now() });
    this.#unwritten.add(sessionId);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.flush(), WRITE_DELAY);
  }

  /** Resolves when all is durable, or was tried in vain. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    const sessionIds = [...this.#unwritten];
    this.#unwritten.clear();
    await Promise.all(sessionIds.map(id => this.#write(id))).catch(this.#onError);
  }

  override dispose(): void {
    void this.flush();
    super.dispose();
  }

  async #write(sessionId: string): Promise<void> {
    const place = this.#own.get(sessionId);
    if (place === undefined || isEmpty(place)) await this.#collection.remove(sessionId);
    else await this.#collection.put(sessionId, place);
  }
}

const placeSchema = recordSchema(() =>
  openObject({
    scroll: z.optional(openObject({ key: z.string(), offset: z.number() })),
    opened: z.optional(z.array(z.string())),
    at: z.number(),
  }),
);

function isEmpty({ scroll, opened = [] }: StoredPlace): boolean {
  return scroll === undefined && opened.length === 0;
}
