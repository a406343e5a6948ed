import type { Session } from '../api';
import type { SessionSignal, StateChange } from '../shared';
import type { Collection, CollectionOptions, Lease, Storage, UnreadableRecord } from '../storage';
import { Disposable, Emitter, Slot, type IDisposable } from '../util/lifecycle';
import {
  activityOf,
  isWaiting,
  lastStatus,
  titleOf,
  failed,
  isOnlyAsked,
  migrateRecord,
  observed,
  RECORD_VERSION,
  sent,
  sessionRecordSchema,
  signalled,
  type Overlay,
  type SessionRecord,
  type StatusProblem,
  type Workspace,
} from './record';

/** A session as a service told it, and how it came here; of the places where it was made or opened it keeps the first. */
interface Learnt extends Pick<SessionRecord, 'origin' | 'computerName' | 'workspace'> {
  readonly session: Session;
  readonly at: number;
}

/**
 * The durable list of sessions of the current service. One record a session, shared live by all windows; nothing a session has ever
 * told is dropped. What comes from a service names that service, because a person may have gone to another one since it was asked.
 */
export class SessionIndex extends Disposable {
  readonly #storage: Storage;
  readonly #changed = this.register(new Emitter<readonly string[]>());
  readonly #stateChanged = this.register(new Emitter<StateChange>());
  readonly #subscription = this.register(new Slot<IDisposable>());
  #serviceId: string | undefined;
  #collection: Collection<SessionRecord> | undefined;
  #listed: ReadonlyMap<string, SessionRecord> | undefined;
  #switching: Promise<void> = Promise.resolve();
  #failure: unknown;

  constructor(storage: Storage) {
    super();
    this.#storage = storage;
  }

  readonly onDidChange = this.#changed.event;

  /** Statuses that the service has told anew: once, in the window whose question or send brought it. */
  readonly onDidChangeState = this.#stateChanged.event;

  get serviceId(): string | undefined {
    return this.#serviceId;
  }

  /** Whether the records of the current service have been read. */
  get isOpen(): boolean {
    return this.#collection !== undefined;
  }

  get failure(): unknown {
    return this.#failure;
  }

  /** Records that could not be read; they are kept aside, never overwritten. */
  get unreadable(): readonly UnreadableRecord[] {
    return this.#collection?.unreadable ?? [];
  }

  get records(): ReadonlyMap<string, SessionRecord> {
    const all = this.#collection?.values ?? new Map<string, SessionRecord>();
    return (this.#listed ??= new Map([...all].filter(([, record]) => !isRemoved(record))));
  }

  get(sessionId: string): SessionRecord | undefined {
    return listed(this.#collection?.get(sessionId));
  }

  /** What was taken out of the list and can be put back, the latest first. */
  get removed(): readonly SessionRecord[] {
    const all = [...(this.#collection?.values.values() ?? [])].filter(isRemoved);
    return all.sort((a, b) => (b.local.removedAt ?? 0) - (a.local.removedAt ?? 0));
  }

  /** Shows the sessions of another service; resolves when they are read. */
  use(serviceId: string | undefined): Promise<void> {
    if (serviceId === this.#serviceId && this.#failure === undefined) return this.#switching;
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

  /** Adds a session, or brings one that is there up to date. */
  async learn(serviceId: string, { session, origin, at, computerName, workspace }: Learnt): Promise<void> {
    const { sessionId } = session;
    await this.#follow(serviceId, sessionId, at, current => {
      // The service goes on listing what a person has taken out of the list.
      if (current !== undefined && isRemoved(current) && origin === 'listed') return current;
      const base = current ?? { sessionId, origin, addedAt: at, local: {} };
      const next = observed(back(base), session, at);
      return {
        ...next,
        computerName: computerName ?? next.computerName,
        workspace: next.workspace ?? workspace,
      };
    });
  }

  /** Records an answer of a service; does nothing for a session that is not in its index. */
  async observe(serviceId: string, session: Session, at: number): Promise<void> {
    await this.#follow(serviceId, session.sessionId, at, current =>
      current === undefined || isRemoved(current) ? current : observed(current, session, at),
    );
  }

  async fail(serviceId: string, sessionId: string, problem: StatusProblem): Promise<void> {
    await this.#of(serviceId).update(sessionId, current => current && failed(current, problem));
  }

  tryRun<T>(name: string, ttlMs: number, work: (lease: Lease) => Promise<T>): Promise<T | undefined> {
    return this.#storage.tryRun(`services/${this.#serviceId ?? ''}/sessions ${name}`, ttlMs, work);
  }

  async noteSend(serviceId: string, sessionId: string, send: Parameters<typeof sent>[1]): Promise<void> {
    await this.#follow(serviceId, sessionId, send.at, current => current && sent(current, send));
  }

  /** Records what a hook told; a session that is not listed enters the index with it. */
  async signal(serviceId: string, signal: SessionSignal, workspace: Workspace | undefined): Promise<void> {
    const { sessionId, at } = signal;
    await this.#of(serviceId).update(sessionId, current => {
      const base = back(current ?? { sessionId, origin: 'hook', addedAt: at, local: {} });
      const next = signalled(base, signal);
      if (current === next) return current;
      return { ...next, workspace: base.workspace ?? workspace };
    });
  }

  async settle(sessionId: string): Promise<void> {
    await this.#collection?.update(
      sessionId,
      current => current?.signal && { ...current, signal: undefined },
    );
  }

  async keep(
    sessionId: string,
    change: (local: Overlay) => Overlay,
    serviceId = this.#serviceId,
  ): Promise<void> {
    if (serviceId === undefined) return;
    await this.#of(serviceId).update(sessionId, current => {
      if (current === undefined) return undefined;
      const local = change(current.local);
      return local === current.local ? current : { ...current, local };
    });
  }

  /** Adds a record of a file, or what it knows besides of a session; brings back what was removed. False for one that is listed already. */
  async add(serviceId: string, record: SessionRecord): Promise<boolean> {
    let isNew = false;
    await this.#of(serviceId).update(record.sessionId, current => {
      isNew = listed(current) === undefined;
      return current ? back({ ...record, ...current, local: { ...record.local, ...current.local } }) : record;
    });
    return isNew;
  }

  async read(sessionId: string): Promise<SessionRecord | undefined> {
    return listed(await this.#collection?.read(sessionId));
  }

  #of(serviceId: string): Collection<SessionRecord> {
    return this.#storage.collection(sessionRecords(serviceId));
  }

  /** As `update` of the record; tells a change of the status that this very write has made. */
  async #follow(
    serviceId: string,
    sessionId: string,
    at: number,
    change: (current: SessionRecord | undefined) => SessionRecord | undefined,
  ): Promise<void> {
    let news: StateChange | undefined;
    await this.#of(serviceId).update(sessionId, current => {
      const next = change(current);
      const [from, to] = [current, next].map(record => record && lastStatus(record));
      const isNews = from !== undefined && to !== undefined && from !== to;
      const waiting = next !== undefined && isWaiting(next);
      news = isNews ? { sessionId, from, to, at, ...(waiting ? { waiting } : {}) } : undefined;
      return next;
    });
    if (news !== undefined && serviceId === this.#serviceId) this.#stateChanged.fire(news);
  }

  async #open(serviceId: string | undefined): Promise<void> {
    this.#subscription.set(undefined);
    this.#collection = this.#listed = undefined;
    if (serviceId !== undefined) {
      const collection = this.#of(serviceId);
      await collection.load();
      if (this.#serviceId !== serviceId || this.isDisposed) return;
      this.#collection = collection;
      this.#listed = undefined;
      this.#subscription.set(
        collection.onDidChange(ids => {
          this.#listed = undefined;
          this.#changed.fire(ids);
        }),
      );
    }
    this.#changed.fire([]);
  }
}

export function sessionRecords(serviceId: string): CollectionOptions<SessionRecord> {
  return {
    path: `services/${serviceId}/sessions`,
    version: RECORD_VERSION,
    schema: sessionRecordSchema,
    isVolatile: isOnlyAsked,
    migrate: migrateRecord,
    text: record => {
      const title = isRemoved(record) ? undefined : titleOf(record);
      return title === undefined ? undefined : { text: title, at: activityOf(record) };
    },
  };
}

function isRemoved({ local }: SessionRecord): boolean {
  return local.removedAt !== undefined;
}

function listed(record: SessionRecord | undefined): SessionRecord | undefined {
  return record !== undefined && isRemoved(record) ? undefined : record;
}

/** The record in the list again, if it was taken out, with what people kept about it. */
function back(record: SessionRecord): SessionRecord {
  return isRemoved(record) ? { ...record, local: { ...record.local, removedAt: undefined } } : record;
}
