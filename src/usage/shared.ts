import * as z from 'zod/mini';
import { openObject, recordSchema, type RecordOf } from '../api';
import type { Collection, Storage } from '../storage';
import { hasCome } from '../util/clock';
import { Disposable } from '../util/disposable';
import { Emitter } from '../util/event';
import type { Endpoint } from './dayRecord';

const sharedSchema = recordSchema(() =>
  z.discriminatedUnion('kind', [
    /** The organization the days belong to. */
    openObject({ kind: z.literal('organization'), id: z.string() }),
    /** How many times days of an endpoint have been fetched. */
    openObject({ kind: z.literal('fetched'), times: z.number() }),
    /** The service refused (403, or a JWT); `sentence` is for people. */
    openObject({
      kind: z.literal('refusal'),
      at: z.number(),
      sentence: z.string(),
      told: z.boolean(),
    }),
    /** A failure that every window knows of, so that not all try again at once. */
    openObject({ kind: z.literal('failure'), at: z.number(), sentence: z.string() }),
    /** Which thresholds of a budget people have been told of. */
    openObject({ kind: z.literal('notice'), budget: z.number(), told: z.number() }),
    /** What made-up names are made from. */
    openObject({ kind: z.literal('names'), salt: z.string() }),
  ]),
);

/** What windows agree on about the usage of one service. */
export type SharedRecord = RecordOf<typeof sharedSchema>;
type Kind = SharedRecord['kind'];
type Of<K extends Kind> = Extract<SharedRecord, { kind: K }>;

/** Small records beside the days, followed in every window. */
export class SharedRecords extends Disposable {
  readonly #records: Collection<SharedRecord>;
  readonly #now: () => number;
  readonly #changed = this.register(new Emitter<readonly string[]>());
  readonly #fetched = new Map<string, number>();
  #loading: Promise<void> | undefined;

  constructor(storage: Storage, path: string, now: () => number) {
    super();
    this.#now = now;
    this.#records = storage.collection<SharedRecord>({ path, version: 1, schema: sharedSchema });
    this.register(this.#records.onDidChange(ids => this.#changed.fire(ids)));
  }

  /** Ids of records that changed, here or in another window. */
  readonly onDidChange = this.#changed.event;

  load(): Promise<void> {
    return (this.#loading ??= this.#records.load().then(() => void this.#noteFetched()));
  }

  get<K extends Kind>(kind: K, id: string = kind): Of<K> | undefined {
    const record = this.#records.get(id);
    return record?.kind === kind ? (record as Of<K>) : undefined;
  }

  async set(id: string, record: SharedRecord): Promise<void> {
    await this.#records.put(id, record);
  }

  async remove(id: string): Promise<void> {
    await this.#records.remove(id);
  }

  /** Changes a record, or leaves it when `change` returns `undefined` or what it was given. Resolves to the record as it is then. */
  async update<K extends Kind>(
    kind: K,
    change: (current: Of<K> | undefined) => Of<K> | undefined,
    id: string = kind,
  ): Promise<Of<K> | undefined> {
    const record = await this.#records.update(id, current =>
      change(current?.kind === kind ? (current as Of<K>) : undefined),
    );
    return record?.kind === kind ? (record as Of<K>) : undefined;
  }

  /** Tells the other windows that there are other days now. */
  async tellFetched(endpoint: Endpoint): Promise<void> {
    await this.update(
      'fetched',
      current => ({ kind: 'fetched', times: (current?.times ?? 0) + 1 }),
      `fetched ${endpoint}`,
    );
  }

  /** Why a request of any window failed at or after `time` (Unix ms), as the disk has it. */
  async refusedSince(time: number): Promise<string | undefined> {
    for (const kind of ['refusal', 'failure'] as const) {
      const record = await this.update<'refusal' | 'failure'>(kind, current => current, kind);
      if (record !== undefined && record.at >= time && hasCome(record.at, this.#now()))
        return record.sentence;
    }
    return undefined;
  }

  /** Whether another fetch has ended since this was last asked. */
  takeNews(ids: readonly string[]): boolean {
    return ids.some(id => id.startsWith('fetched ')) && this.#noteFetched();
  }

  #noteFetched(): boolean {
    let news = false;
    for (const [id, record] of this.#records.values) {
      if (record.kind !== 'fetched' || this.#fetched.get(id) === record.times) continue;
      this.#fetched.set(id, record.times);
      news = true;
    }
    return news;
  }
}
