import { randomBytes } from 'node:crypto';
import type { Collection, Storage } from '../storage';
import { hasCome } from '../util/clock';
import { Disposable } from '../util/disposable';
import { Emitter } from '../util/event';
import type { Endpoint } from './dayRecord';

/** What windows agree on about the usage of one service. */
export type SharedRecord =
  /** The organization the days belong to. */
  | { readonly kind: 'organization'; readonly id: string }
  /** `holder` fetches until `until` (Unix ms); `done` counts what has been fetched. */
  | { readonly kind: 'claim'; readonly holder: string; readonly until: number; readonly done: number }
  /** The service refused (403, or a JWT); `sentence` is for people. */
  | { readonly kind: 'refusal'; readonly at: number; readonly sentence: string; readonly told: boolean }
  /** A failure that every window knows of, so that not all try again at once. */
  | { readonly kind: 'failure'; readonly at: number; readonly sentence: string }
  /** Which thresholds of a budget people have been told of. */
  | { readonly kind: 'notice'; readonly budget: number; readonly told: number }
  /** What made-up names are made from. */
  | { readonly kind: 'names'; readonly salt: string };

type Kind = SharedRecord['kind'];
type Of<K extends Kind> = Extract<SharedRecord, { kind: K }>;

/** A window that says nothing for this long is gone, ms. */
const CLAIM_MS = 30_000;
const RENEW_MS = 10_000;

export interface Claim {
  /** Lets go; `fetched` tells the other windows that there are other days now. */
  release(fetched: boolean): Promise<void>;
}

/** Small records beside the days, followed in every window. */
export class SharedRecords extends Disposable {
  readonly #records: Collection<SharedRecord>;
  readonly #me = randomBytes(9).toString('base64url');
  readonly #now: () => number;
  readonly #changed = this.register(new Emitter<readonly string[]>());
  readonly #done = new Map<string, number>();
  #loading: Promise<void> | undefined;

  constructor(storage: Storage, path: string, now: () => number) {
    super();
    this.#now = now;
    this.#records = storage.collection<SharedRecord>({ path, version: 1, decode });
    this.register(this.#records.onDidChange(ids => this.#changed.fire(ids)));
  }

  /** Ids of records that changed, here or in another window. */
  readonly onDidChange = this.#changed.event;

  load(): Promise<void> {
    return (this.#loading ??= this.#records.load().then(() => void this.#noteDone()));
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

  /** The right to fetch, or the time (Unix ms) until which another window has it. */
  async claim(endpoint: Endpoint): Promise<Claim | { readonly busyUntil: number }> {
    const id = claimId(endpoint);
    const extend = async (): Promise<number | undefined> => {
      const now = this.#now();
      const current = await this.update(
        'claim',
        current =>
          current === undefined || current.holder === this.#me || !isHeld(current, now)
            ? { kind: 'claim', holder: this.#me, until: now + CLAIM_MS, done: current?.done ?? 0 }
            : current,
        id,
      );
      return current === undefined || current.holder === this.#me ? undefined : current.until;
    };
    const busyUntil = await extend();
    if (busyUntil !== undefined) return { busyUntil };
    const timer = setInterval(() => void extend().catch(() => undefined), RENEW_MS);
    timer.unref();
    return {
      release: async fetched => {
        clearInterval(timer);
        await this.update(
          'claim',
          current =>
            current !== undefined && current.holder !== this.#me
              ? current
              : { kind: 'claim', holder: '', until: 0, done: (current?.done ?? 0) + (fetched ? 1 : 0) },
          id,
        );
      },
    };
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

  /** Resolves when a claim may be free: it changed, or its time has come. */
  released(endpoint: Endpoint, busyUntil: number, signal: AbortSignal): Promise<void> {
    return new Promise(resolve => {
      const end = (): void => {
        clearTimeout(timer);
        subscription.dispose();
        signal.removeEventListener('abort', end);
        resolve();
      };
      const subscription = this.onDidChange(ids => {
        if (ids.includes(claimId(endpoint)) && this.#isFree(endpoint)) end();
      });
      const timer = setTimeout(end, Math.max(20, busyUntil - this.#now()));
      signal.addEventListener('abort', end, { once: true });
      if (signal.aborted || this.#isFree(endpoint)) end();
    });
  }

  /** Whether another fetch has ended since this was last asked. */
  takeNews(ids: readonly string[]): boolean {
    return ids.some(id => id.startsWith('claim ')) && this.#noteDone();
  }

  #isFree(endpoint: Endpoint): boolean {
    return !isHeld(this.get('claim', claimId(endpoint)), this.#now());
  }

  #noteDone(): boolean {
    let news = false;
    for (const [id, record] of this.#records.values) {
      if (record.kind !== 'claim' || this.#done.get(id) === record.done) continue;
      this.#done.set(id, record.done);
      news = true;
    }
    return news;
  }
}

/** A claim of a clock that was ahead is free. */
function isHeld(claim: { readonly until: number } | undefined, now: number): boolean {
  return claim !== undefined && claim.until > now && hasCome(claim.until - CLAIM_MS, now);
}

function claimId(endpoint: Endpoint): string {
  return `claim ${endpoint}`;
}

const fields: Readonly<Record<Kind, Readonly<Record<string, 'string' | 'number' | 'boolean'>>>> = {
  organization: { id: 'string' },
  claim: { holder: 'string', until: 'number', done: 'number' },
  refusal: { at: 'number', sentence: 'string', told: 'boolean' },
  failure: { at: 'number', sentence: 'string' },
  notice: { budget: 'number', told: 'number' },
  names: { salt: 'string' },
};

function decode(value: unknown): SharedRecord {
  if (typeof value !== 'object' || value === null) throw new Error('It is not an object.');
  const record = value as Readonly<Record<string, unknown>>;
  const kind = record['kind'];
  if (typeof kind !== 'string' || !Object.hasOwn(fields, kind)) throw new Error('It is of no known kind.');
  for (const [name, type] of Object.entries(fields[kind as Kind])) {
    if (typeof record[name] !== type) throw new Error(`Its ${name} is wrong.`);
  }
  return record as unknown as SharedRecord;
}
