import { createHmac, randomBytes } from 'node:crypto';
import type { Collection, Storage, UnreadableRecord } from '../storage';
import { hasCome } from '../util/clock';
import type { Event } from '../util/event';
import type { Addresses } from './addresses';

/** The sample service: whether it is in use, and the two ports it has in every window. */
export interface SampleRecord {
  readonly kind: 'sample';
  readonly chosen: boolean;
  readonly port?: number;
  readonly appPort?: number;
}

/** A key that was refused. The mark tells whether another key is the same one; the key cannot be had from it. */
export interface RejectionRecord {
  readonly kind: 'rejection';
  readonly salt: string;
  readonly mark: string;
  /** Unix ms. */
  readonly at: number;
  readonly status?: number;
  readonly requestId?: string;
}

interface SignInRecord extends Addresses {
  readonly kind: 'signIn';
}

/** No request may leave for an origin before `until`; known since `at`. Unix ms. */
export interface Pause {
  readonly until: number;
  readonly at: number;
}

interface PauseRecord extends Pause {
  readonly kind: 'pause';
}

/** Something a person was told, so that one window alone tells it. */
interface NoticeRecord {
  readonly kind: 'notice';
  readonly about: string;
  readonly at: number;
}

interface MarksRecord {
  readonly kind: 'marks';
  readonly key: string;
}

type ConnectionRecord =
  SampleRecord | RejectionRecord | SignInRecord | PauseRecord | NoticeRecord | MarksRecord;

/** A notice told once is not told again by another window within this time. */
const NOTICE_MS = 30_000;

/** What windows share about the connection. Holds no key. */
export class ConnectionRecords {
  readonly #records: Collection<ConnectionRecord>;
  readonly #now: () => number;

  constructor(storage: Storage, now: () => number = Date.now) {
    this.#records = storage.collection({ path: 'connection', version: 1, decode });
    this.#now = now;
  }

  get onDidChange(): Event<readonly string[]> {
    return this.#records.onDidChange;
  }

  get unreadable(): readonly UnreadableRecord[] {
    return this.#records.unreadable;
  }

  async load(): Promise<void> {
    await this.#records.load();
  }

  get sample(): SampleRecord | undefined {
    return this.#get('sample', 'sample');
  }

  /** The newest record on disk, whatever this window has seen so far. */
  async readSample(): Promise<SampleRecord | undefined> {
    await this.#records.update('sample', current => current);
    return this.sample;
  }

  /** Resolves to the record as it is then. */
  async updateSample(change: (current: SampleRecord | undefined) => SampleRecord): Promise<SampleRecord> {
    let result = change(undefined);
    await this.#records.update('sample', current => {
      result = change(current?.kind === 'sample' ? current : undefined);
      return result;
    });
    return result;
  }

  /** The addresses of the last sign-in. */
  get lastSignIn(): Addresses | undefined {
    return this.#get('signIn', 'signIn');
  }

  async rememberSignIn({ baseUrl, appUrl }: Addresses): Promise<void> {
    await this.#records.put('signIn', { kind: 'signIn', baseUrl, appUrl });
  }

  /** The refusal of exactly this key at a service. */
  rejection(serviceId: string, key: string): RejectionRecord | undefined {
    const record = this.#get('rejection', `rejection ${serviceId}`);
    return record !== undefined && markOf(key, record.salt) === record.mark ? record : undefined;
  }

  /** Records that a service refused a key. Resolves to true in the one window that was first. */
  async reject(
    serviceId: string,
    key: string,
    facts: { status?: number; requestId?: string },
  ): Promise<boolean> {
    let first = false;
    await this.#records.update(`rejection ${serviceId}`, current => {
      first = current?.kind !== 'rejection' || markOf(key, current.salt) !== current.mark;
      if (!first) return current;
      const salt = randomBytes(16).toString('hex');
      return { kind: 'rejection', salt, mark: markOf(key, salt), at: this.#now(), ...facts };
    });
    return first;
  }

  /** Forgets that this key was refused. */
  async accept(serviceId: string, key: string): Promise<void> {
    if (this.rejection(serviceId, key) !== undefined) await this.#records.remove(`rejection ${serviceId}`);
  }

  /** Unix ms; 0 when there is no pause. */
  pausedUntil(origin: string): number {
    return endOfPause(this.#get('pause', `pause ${origin}`), this.#now());
  }

  async pause(origin: string, until: number): Promise<void> {
    await this.#records.update(`pause ${origin}`, current => {
      const at = this.#now();
      const known = current?.kind === 'pause' ? current : undefined;
      return endOfPause(known, at) >= until ? known : { kind: 'pause', until, at };
    });
  }

  /** True in the one window that may tell people about something. */
  async claimNotice(name: string, about: string): Promise<boolean> {
    let claimed = false;
    await this.#records.update(`notice ${name}`, current => {
      const at = this.#now();
      const told = current?.kind === 'notice' && current.about === about && current.at > at - NOTICE_MS;
      claimed = !told;
      return told ? current : { kind: 'notice', about, at };
    });
    return claimed;
  }

  /** The key of the marks that stand for secrets of the service's answers, the same in every window. */
  async marksKey(): Promise<string> {
    const record = await this.#records.update('marks', current =>
      current?.kind === 'marks' ? current : { kind: 'marks', key: randomBytes(32).toString('hex') },
    );
    return record?.kind === 'marks' ? record.key : '';
  }

  /** What the sample's keys are made from: the same in all windows, unknown to other users of this machine. */
  async sampleSecret(): Promise<string> {
    return createHmac('sha256', await this.marksKey())
      .update('sample keys')
      .digest('hex');
  }

  #get<K extends ConnectionRecord['kind']>(
    kind: K,
    id: string,
  ): Extract<ConnectionRecord, { kind: K }> | undefined {
    const record = this.#records.get(id);
    return record?.kind === kind ? (record as Extract<ConnectionRecord, { kind: K }>) : undefined;
  }
}

/** Unix ms; 0 without a pause, and for one that began when a clock was ahead. */
export function endOfPause(pause: Pause | undefined, now: number): number {
  return pause !== undefined && hasCome(pause.at, now) ? pause.until : 0;
}

function markOf(key: string, salt: string): string {
  return createHmac('sha256', salt).update(key).digest('hex').slice(0, 24);
}

const shapes: Readonly<Record<ConnectionRecord['kind'], Readonly<Record<string, string>>>> = {
  sample: { chosen: 'boolean', port: 'number?', appPort: 'number?' },
  rejection: { salt: 'string', mark: 'string', at: 'number', status: 'number?', requestId: 'string?' },
  signIn: { baseUrl: 'string', appUrl: 'string' },
  pause: { until: 'number', at: 'number' },
  notice: { about: 'string', at: 'number' },
  marks: { key: 'string' },
};

function decode(value: unknown): ConnectionRecord {
  if (typeof value !== 'object' || value === null) throw new Error('It is not an object.');
  const record = value as Readonly<Record<string, unknown>>;
  const kind = record['kind'];
  if (typeof kind !== 'string' || !Object.hasOwn(shapes, kind)) throw new Error('It is of no known kind.');
  for (const [name, type] of Object.entries(shapes[kind as ConnectionRecord['kind']])) {
    const optional = type.endsWith('?') && record[name] === undefined;
    if (!optional && typeof record[name] !== type.replace('?', '')) throw new Error(`Its ${name} is wrong.`);
  }
  return record as unknown as ConnectionRecord;
}
