import { createHmac, randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import * as z from 'zod/mini';
import type { RequestGate } from '../api';
import { openObject, recordSchema, type RecordOf } from '../api/records';
import type { Collection, Storage } from '../storage';
import { hasCome } from '../util/compare';
import type { Logger } from '../log';
import type { IDisposable } from '../util/lifecycle';
import type { Addresses } from './decide';

const recordsSchema = recordSchema(() =>
  z.discriminatedUnion('kind', [
    openObject({ kind: z.literal('sample'), chosen: z.boolean() }),
    /** A key that was refused. The mark tells whether another key is the same one; the key cannot be had from it. */
    openObject({
      kind: z.literal('rejection'),
      salt: z.string(),
      mark: z.string(),
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
    const record = this.#get('rejection', `rejection ${serviceId}`);
    return isRefusalOf(record, key) ? record : undefined;
  }

  /** Records that a service refused a key. Resolves to true in the one window that was first. */
  async reject(serviceId: string, key: string, { status, requestId }: Rejection): Promise<boolean> {
    let first = true;
    await this.#change(`rejection ${serviceId}`, current => {
      first = !isRefusalOf(current, key);
      if (!first && current !== undefined) return current;
      const salt = randomBytes(16).toString('hex');
      return { kind: 'rejection', salt, mark: markOf(key, salt), at: this.#now(), status, requestId };
    });
    return first;
  }

  async accept(serviceId: string, key: string): Promise<void> {
    if (this.rejection(serviceId, key) === undefined) return;
    this.#unsaved.delete(`rejection ${serviceId}`);
    await this.stored.remove(`rejection ${serviceId}`).catch(this.#notShared);
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

function isRefusalOf(record: ConnectionRecord | undefined, key: string): boolean {
  return record?.kind === 'rejection' && markOf(key, record.salt) === record.mark;
}

export function markOf(key: string, salt: string): string {
  return createHmac('sha256', salt).update(key).digest('hex').slice(0, 24);
}

/** What is wrong with a key as a person pasted it, white space around it aside; quotes none of it. */
export function keyProblem(text: string): string | undefined {
  const key = text.trim();
  if (key === '')
    return vscode.l10n.t('Enter the key. Administrators create keys in the settings of the web application.');
  // More than a header can carry, or than any key has.
  return /^[\x21-\x7e]{1,8000}$/.test(key)
    ? undefined
    : vscode.l10n.t(
        'This is not a key: it is too long, or contains a space, a line break or a character no key has. Copy only the key.',
      );
}

export type Secrets = Pick<vscode.SecretStorage, 'get' | 'store' | 'delete' | 'keys' | 'onDidChange'>;

const PREFIX = 'agentConsole.key:';
const nameOf = ({ baseUrl, appUrl }: Addresses): string => `${PREFIX}${baseUrl} ${appUrl}`;

/**
 * Keys, each bound to the two addresses it was entered for, so that none is ever sent elsewhere. They live in SecretStorage; where
 * that does not keep one, in the memory of this window.
 */
export class KeyStore {
  readonly #secrets: Secrets;
  readonly #log: Logger;
  readonly #untilClosed = new Map<string, string>();

  constructor(secrets: Secrets, log: Logger) {
    this.#secrets = secrets;
    this.#log = log;
  }

  /** Reads the key anew; another window may have stored one. */
  async read(addresses: Addresses): Promise<string | undefined> {
    const name = nameOf(addresses);
    return this.#untilClosed.get(name) ?? (await this.#stored(name));
  }

  /** Stores a key and reads it back. Resolves to false when it was not kept and is held in memory instead. */
  async store(addresses: Addresses, key: string): Promise<boolean> {
    const name = nameOf(addresses);
    this.#untilClosed.delete(name);
    try {
      await this.#secrets.store(name, key);
    } catch (error) {
      this.#log.error('The secret storage did not keep the key', error);
    }
    const isKept = (await this.#stored(name)) === key;
    if (!isKept) this.#untilClosed.set(name, key);
    return isKept;
  }

  /** Forgets every key of a service, whatever its web application. Rejects when the secret storage does not let go of one. */
  async remove(addresses: Addresses): Promise<void> {
    const names = [
      nameOf(addresses),
      ...this.#untilClosed.keys(),
      ...((await this.#ask(() => this.#secrets.keys())) ?? []),
    ];
    for (const name of new Set(names)) {
      if (!name.startsWith(nameOf({ ...addresses, appUrl: '' }))) continue;
      this.#untilClosed.delete(name);
      await this.#secrets.delete(name);
    }
  }

  /** Calls `listener` when any window that shares the storage changed a key, where VS Code tells of it. */
  onDidChange(listener: () => unknown): IDisposable {
    return this.#secrets.onDidChange(({ key }) => key.startsWith(PREFIX) && listener());
  }

  async #stored(name: string): Promise<string | undefined> {
    return (await this.#ask(() => this.#secrets.get(name))) || undefined;
  }

  async #ask<T>(question: () => Thenable<T>): Promise<T | undefined> {
    try {
      return await question();
    } catch (error) {
      this.#log.error('The secret storage cannot be read', error);
      return undefined;
    }
  }
}
