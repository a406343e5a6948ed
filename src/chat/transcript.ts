import { folderName, type Collection, type Storage } from '../storage';
import { Disposable } from '../util/disposable';
import { Emitter } from '../util/event';
import {
  decodeKnown,
  merged,
  timeOf,
  type KnownMessage,
  type SentMessage,
  type StoredMessage,
} from './messages';

/** Some messages of a session, kept as one record: few enough to rewrite quickly, enough that long sessions open quickly. */
interface Chunk {
  readonly entries: readonly KnownMessage[];
}

const VERSION = 1;
const CHUNK_ENTRIES = 100;
const CHUNK_CHARACTERS = 64 * 1024;

/** The known messages of one session, durable, shared by all windows. No id is ever lost. */
export class Transcript extends Disposable {
  readonly #collection: Collection<Chunk>;
  readonly #changed = this.register(new Emitter<void>());
  readonly #known = new Map<string, KnownMessage>();
  readonly #chunkOf = new Map<string, string>();
  #writing: Promise<unknown> = Promise.resolve();

  constructor(storage: Storage, serviceId: string, sessionId: string) {
    super();
    this.#collection = storage.collection<Chunk>({
      path: `services/${serviceId}/transcripts/${folderName(sessionId)}`,
      version: VERSION,
      decode: decodeChunk,
    });
    this.register(
      this.#collection.onDidChange(chunkIds => {
        this.#index(chunkIds);
        this.#changed.fire();
      }),
    );
  }

  /** Fires after messages were added or changed, here or in another window. */
  readonly onDidChange = this.#changed.event;

  /** By message id. */
  get known(): ReadonlyMap<string, KnownMessage> {
    return this.#known;
  }

  /** Whether a send with this id is known to have arrived. */
  hasSent(sendId: string): boolean {
    return [...this.#known.values()].some(({ sent }) => sent?.sendId === sendId);
  }

  /** Parts of the transcript that cannot be read now; they are kept aside. */
  get unreadable(): number {
    return this.#collection.unreadable.length;
  }

  async load(): Promise<void> {
    const chunks = await this.#collection.load();
    this.#index([...chunks.keys()]);
  }

  /** Keeps messages that were read; resolves when they are durable. */
  keep(messages: readonly StoredMessage[]): Promise<void> {
    return this.#add(messages.map(message => ({ id: message.id, message })));
  }

  /** Keeps the id of an accepted message at once, with what was sent. `at` is moved after everything known. */
  keepSent(messageId: string, sent: SentMessage): Promise<void> {
    let latest = 0;
    for (const entry of this.#known.values()) latest = Math.max(latest, timeOf(entry));
    return this.#add([{ id: messageId, sent: { ...sent, at: Math.max(sent.at, latest + 1) } }]);
  }

  #add(entries: readonly KnownMessage[]): Promise<void> {
    const done = this.#writing.then(() => this.#write(entries));
    this.#writing = done.catch(() => undefined);
    return done;
  }

  async #write(entries: readonly KnownMessage[]): Promise<void> {
    let rest: KnownMessage[] = [];
    const changes = new Map<string, KnownMessage[]>();
    for (const entry of entries) {
      const chunkId = this.#chunkOf.get(entry.id);
      if (chunkId === undefined) rest.push(entry);
      else changes.set(chunkId, [...(changes.get(chunkId) ?? []), entry]);
    }
    for (const [chunkId, known] of changes) await this.#update(chunkId, known);
    for (let number = Math.max(1, this.#collection.values.size); rest.length > 0; number++) {
      rest = await this.#append(chunkName(number), rest);
    }
  }

  async #update(chunkId: string, known: readonly KnownMessage[]): Promise<void> {
    const byId = new Map(known.map(entry => [entry.id, entry]));
    await this.#collection.update(chunkId, chunk => {
      const entries = chunk?.entries ?? [];
      const next = entries.map(entry => {
        const change = byId.get(entry.id);
        return change === undefined ? entry : merged(entry, change);
      });
      const there = new Set(entries.map(entry => entry.id));
      return { entries: [...next, ...known.filter(entry => !there.has(entry.id))] };
    });
  }

  /** Adds what fits into this chunk; resolves to what did not. */
  async #append(chunkId: string, entries: readonly KnownMessage[]): Promise<KnownMessage[]> {
    let rest: KnownMessage[] = [];
    await this.#collection.update(chunkId, chunk => {
      const there = chunk?.entries ?? [];
      let room = CHUNK_CHARACTERS - (there.length === 0 ? 0 : JSON.stringify(there).length);
      let count = there.length;
      const fitting: KnownMessage[] = [];
      rest = [];
      for (const entry of entries) {
        if (rest.length > 0 || count >= CHUNK_ENTRIES || (count > 0 && room <= 0)) {
          rest.push(entry);
          continue;
        }
        fitting.push(entry);
        count++;
        room -= JSON.stringify(entry).length;
      }
      return fitting.length === 0 ? chunk : { entries: [...there, ...fitting] };
    });
    return rest;
  }

  /** Takes in chunks that changed. Entries that did not change stay the same objects. */
  #index(chunkIds: readonly string[]): void {
    for (const chunkId of chunkIds) {
      for (const entry of this.#collection.get(chunkId)?.entries ?? []) {
        const before = this.#known.get(entry.id);
        const now = merged(before, entry);
        if (before === undefined) this.#chunkOf.set(entry.id, chunkId);
        if (before === undefined || JSON.stringify(before) !== JSON.stringify(now))
          this.#known.set(entry.id, now);
      }
    }
  }
}

function chunkName(number: number): string {
  return `c${String(number).padStart(5, '0')}`;
}

function decodeChunk(value: unknown): Chunk {
  const entries = (value as Partial<Chunk> | null)?.entries;
  if (!Array.isArray(entries)) throw new Error('entries are missing');
  return { entries: entries.map(decodeKnown) };
}
