import type { Session } from '../api';
import type { Collection, Storage, UnreadableRecord } from '../storage';
import { Disposable, Slot, type IDisposable } from '../util/disposable';
import { Emitter } from '../util/event';
import {
  decodeRecord,
  observed,
  RECORD_VERSION,
  sent,
  type SessionOrigin,
  type SessionRecord,
} from './record';

/**
 * The durable list of sessions of the current service. One record a session, shared live by all windows; nothing a session
 * has ever told is dropped by anything but `remove`.
 */
export class SessionIndex extends Disposable {
  readonly #storage: Storage;
  readonly #changed = this.register(new Emitter<readonly string[]>());
  readonly #subscription = this.register(new Slot<IDisposable>());
  #serviceId: string | undefined;
  #collection: Collection<SessionRecord> | undefined;
  #switching: Promise<void> = Promise.resolve();
  #failure: unknown;

  constructor(storage: Storage) {
    super();
    this.#storage = storage;
  }

  readonly onDidChange = this.#changed.event;

  /** Whether the records of the current service have been read. */
  get isOpen(): boolean {
    return this.#collection !== undefined;
  }

  /** Why they could not be read. */
  get failure(): unknown {
    return this.#failure;
  }

  /** Records that could not be read; they are kept aside, never overwritten. */
  get unreadable(): readonly UnreadableRecord[] {
    return this.#collection?.unreadable ?? [];
  }

  get records(): ReadonlyMap<string, SessionRecord> {
    return this.#collection?.values ?? new Map<string, SessionRecord>();
  }

  get(sessionId: string): SessionRecord | undefined {
    return this.#collection?.get(sessionId);
  }

  /** Shows the sessions of another service; resolves when they are read. */
  use(serviceId: string | undefined): Promise<void> {
    if (serviceId === this.#serviceId) return this.#switching;
    this.#serviceId = serviceId;
    this.#failure = undefined;
    this.#switching = this.#open(serviceId).catch((error: unknown) => {
      // The next call tries again; until then the failure is told, never an empty list.
      if (this.#serviceId === serviceId) {
        this.#serviceId = undefined;
        this.#failure = error;
        this.#changed.fire([]);
      }
      throw error;
    });
    return this.#switching;
  }

  /** The service whose sessions are shown. */
  get serviceId(): string | undefined {
    return this.#serviceId;
  }

  /**
   * Adds a session, or brings one that is there up to date. The service is named, because a person may have gone to another one
   * since the question was asked; the session belongs to the one that answered.
   */
  async learn(
    serviceId: string,
    learnt: {
      readonly session: Session;
      readonly origin: SessionOrigin;
      readonly at: number;
      readonly computerName?: string;
    },
  ): Promise<void> {
    const { session, origin, at, computerName } = learnt;
    const { sessionId } = session;
    await this.#of(serviceId).update(sessionId, current => {
      const next = observed(current ?? { sessionId, origin, addedAt: at }, session, at);
      return computerName === undefined ? next : { ...next, computerName };
    });
  }

  /** Records an answer of a service; does nothing for a session that is not in its index. */
  async observe(serviceId: string, session: Session, at: number): Promise<void> {
    await this.#of(serviceId).update(session.sessionId, current => current && observed(current, session, at));
  }

  /** Records that a service accepted a message. */
  async noteSend(
    serviceId: string,
    sessionId: string,
    send: { readonly status: string; readonly at: number; readonly text: string },
  ): Promise<void> {
    await this.#of(serviceId).update(sessionId, current => current && sent(current, send));
  }

  remove(serviceId: string, sessionId: string): Promise<SessionRecord | undefined> {
    return this.#of(serviceId).remove(sessionId);
  }

  /** Puts a removed record back as it was. */
  async restore(serviceId: string, record: SessionRecord): Promise<void> {
    await this.#of(serviceId).update(record.sessionId, current => current ?? record);
  }

  #of(serviceId: string): Collection<SessionRecord> {
    return this.#storage.collection<SessionRecord>({
      path: `services/${serviceId}/sessions`,
      version: RECORD_VERSION,
      decode: decodeRecord,
    });
  }

  async #open(serviceId: string | undefined): Promise<void> {
    this.#subscription.set(undefined);
    this.#collection = undefined;
    if (serviceId !== undefined) {
      const collection = this.#of(serviceId);
      await collection.load();
      if (this.#serviceId !== serviceId || this.isDisposed) return;
      this.#collection = collection;
      this.#subscription.set(collection.onDidChange(ids => this.#changed.fire(ids)));
    }
    this.#changed.fire([]);
  }
}
