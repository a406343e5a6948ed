import { createHmac, randomBytes } from 'node:crypto';
import * as z from 'zod/mini';
import type { RequestGate } from '../api';
import { openObject, recordSchema, type RecordOf } from '../api/records';
import type { Collection, Storage } from '../storage';
import { hasCome } from '../util/compare';
import type { Logger } from '../log';

const recordsSchema = recordSchema(() =>
  z.discriminatedUnion('kind', [
    openObject({ kind: z.literal('sample'), chosen: z.boolean() }),
    /** A key that was refused: a mark in its id tells which, and the key cannot be had from that. */
    openObject({
      kind: z.literal('rejection'),
      at: z.number(),
      status: z.optional(z.number()),
      requestId: z.optional(z.string()),
    }),
    /** Written by earlier versions. */
    openObject({ kind: z.literal('signIn') }),
    /** No request may leave for an origin before `until`; known since `at`. Unix ms. */
    openObject({ kind: z.literal('pause'), until: z.number(), at: z.number() }),
    openObject({ kind: z.literal('marks'), key: z.string() }),
  ]),
);

type ConnectionRecord = RecordOf<typeof recordsSchema>;
type Of<K extends ConnectionRecord['kind']> = Extract<ConnectionRecord, { readonly kind: K }>;

/** What a service answered when it refused a key. Foreign text. */
interface Rejection {
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
}

/**
 * What windows share about the connection. Holds no key on disk. Pauses and refusals hold in this window even where the store
 * cannot be written.
 */
export class ConnectionRecords implements RequestGate {
  readonly stored: Collection<ConnectionRecord>;
  readonly #log: Logger;
  readonly #now: () => number;
  readonly #unsaved = new Map<string, ConnectionRecord>();

  constructor(storage: Storage, log: Logger, now: () => number = Date.now) {
    this.stored = storage.collection({ path: 'connection', version: 1, schema: recordsSchema });
    this.#log = log;
    this.#now = now;
  }

  get isSampleChosen(): boolean {
    return this.#get('sample', 'sample')?.chosen === true;
  }

  async chooseSample(chosen: boolean): Promise<void> {
    await this.stored.put('sample', { kind: 'sample', chosen });
  }

  /** The refusal of exactly this key at a service. */
  rejection(serviceId: string, key: string): Rejection | undefined {
    return this.#get('rejection', rejectionId(serviceId, key));
  }

  /** Records that a service refused a key. Resolves to true in the one window that was first. */
  async reject(serviceId: string, key: string, { status, requestId }: Rejection): Promise<boolean> {
    let first = true;
    await this.#change(rejectionId(serviceId, key), current => {
      first = current === undefined;
      return current ?? { kind: 'rejection', at: this.#now(), status, requestId };
    });
    return first;
  }

  async accept(serviceId: string, key: string): Promise<void> {
    if (this.rejection(serviceId, key) === undefined) return;
    this.#unsaved.delete(rejectionId(serviceId, key));
    await this.stored.remove(rejectionId(serviceId, key)).catch(this.#notShared);
  }

  /** Unix ms; 0 when there is no pause. */
  pausedUntil(origin: string): number {
    const now = this.#now();
    const known = [this.#unsaved, this.stored].map(records => records.get(`pause ${origin}`));
    return Math.max(...known.map(record => (record?.kind === 'pause' ? endOfPause(record, now) : 0)));
  }

  pause(origin: string, until: number): void {
    const at = this.#now();
    void this.#change(`pause ${origin}`, current =>
      current?.kind === 'pause' && endOfPause(current, at) >= until ? current : { kind: 'pause', until, at },
    );
  }

  /** The key of the marks that stand for secrets of the service's answers, the same in every window. */
  async marksKey(): Promise<string | undefined> {
    const record = await this.stored.update('marks', current =>
      current?.kind === 'marks' ? current : { kind: 'marks', key: randomBytes(32).toString('hex') },
    );
    return record?.kind === 'marks' ? record.key : undefined;
  }

  /** Holds in this window at once, and in all when it is stored. */
  async #change(
    id: string,
    change: (current: ConnectionRecord | undefined) => ConnectionRecord,
  ): Promise<void> {
    const own = change(this.#unsaved.get(id) ?? this.stored.get(id));
    this.#unsaved.set(id, own);
    try {
      await this.stored.update(id, change);
      if (this.#unsaved.get(id) === own) this.#unsaved.delete(id);
    } catch (error) {
      this.#notShared(error);
    }
  }

  readonly #notShared = (error: unknown): void => this.#log.error('Other windows cannot be told', error);

  #get<K extends ConnectionRecord['kind']>(kind: K, id: string): Of<K> | undefined {
    const record = this.#unsaved.get(id) ?? this.stored.get(id);
    return record?.kind === kind ? (record as Of<K>) : undefined;
  }
}

/** Unix ms; 0 without a pause, and for one that began when a clock was ahead. */
function endOfPause(pause: Of<'pause'> | undefined, now: number): number {
  return pause !== undefined && hasCome(pause.at, now) ? pause.until : 0;
}

/** Windows may have different keys: none takes the place of another's refusal. */
const rejectionId = (serviceId: string, key: string): string =>
  `rejection ${serviceId} ${markOf(key, serviceId)}`;

export function markOf(key: string, salt: string): string {
  return createHmac('sha256', salt).update(key).digest('hex').slice(0, 24);
}
