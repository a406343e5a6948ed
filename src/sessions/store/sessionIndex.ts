import * as z from 'zod/mini';
import { ifFits, into, openObject, recordSchema, taken, type Session } from '../../api';
import type { Collection, CollectionOptions, Lease, Storage, UnreadableRecord } from '../../storage';
import { Disposable, Slot, type IDisposable } from '../../util/disposable';
import { Emitter } from '../../util/event';
import { activityOf, isWaiting, statusOf, titleOf, type StatusProblem } from './model';
import type { Overlay } from './record';
import {
  sessionRecordSchema,
  failed,
  isOnlyAsked,
  migrateRecord,
  newRecord,
  observed,
  RECORD_VERSION,
  sent,
  type SessionOrigin,
  type SessionRecord,
  type Workspace,
} from './record';
import { latestSignal, type SessionSignal } from './signal';
import { mergeRecord } from './transfer';

/** A session whose status the service has told anew. Told once, in the window whose question or send brought it. */
export interface StateChange {
  readonly sessionId: string;
  readonly from: string;
  readonly to: string;
  /** Unix ms. */
  readonly at: number;
  /** A hook has told that the agent waits, and nothing has changed since. */
  readonly waiting?: boolean;
}

/**
 * The durable list of sessions of the current service. One record a session, shared live by all windows; nothing a session
 * has ever told is dropped by anything but `remove`.
 */
export class SessionIndex extends Disposable {
  readonly #storage: Storage;
  readonly #changed = this.register(new Emitter<readonly string[]>());
  readonly #stateChanged = this.register(new Emitter<StateChange>());
  readonly #subscription = this.register(new Slot<IDisposable>());
  readonly #removedSubscription = this.register(new Slot<IDisposable>());
  #serviceId: string | undefined;
  #collection: Collection<SessionRecord> | undefined;
  #switching: Promise<void> = Promise.resolve();
  #failure: unknown;

  constructor(storage: Storage) {
    super();
    this.#storage = storage;
  }

  readonly onDidChange = this.#changed.event;

  /** Statuses that answers to this window have changed. */
  readonly onDidChangeState = this.#stateChanged.event;

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
      /** Where the session was made or opened; a session keeps the first one. */
      readonly workspace?: Workspace | undefined;
      /** Of a session that is new here: what is known of it beside the service's answer. */
      readonly first?: Partial<Pick<SessionRecord, 'local' | 'signal'>>;
    },
  ): Promise<void> {
    const { session, origin, at, computerName, workspace, first } = learnt;
    const { sessionId } = session;
    const removed = await removedFrom(this.#storage, serviceId);
    const before = await removed.update(sessionId, current => current);
    // The service goes on listing what a person has taken out of the list.
    if (before !== undefined && origin === 'listed') return;
    await this.#follow(serviceId, sessionId, at, current => {
      const base = current ?? withKept({ ...newRecord(sessionId, origin, at, workspace), ...first }, before);
      const next = observed(base, session, at);
      const named = computerName ?? next.computerName;
      const placed = next.workspace ?? workspace;
      if (named === next.computerName && placed === next.workspace) return next;
      return { ...next, computerName: named, workspace: placed };
    });
    if (before !== undefined) await removed.remove(sessionId);
  }

  /** Records an answer of a service; does nothing for a session that is not in its index. */
  async observe(serviceId: string, session: Session, at: number): Promise<void> {
    await this.#follow(
      serviceId,
      session.sessionId,
      at,
      current => current && observed(current, session, at),
    );
  }

  /** Records why a question about a session has no answer. */
  async fail(serviceId: string, sessionId: string, problem: StatusProblem): Promise<void> {
    await this.#of(serviceId).update(sessionId, current => current && failed(current, problem));
  }

  /** Runs `work` in one window at a time, for each name and service. */
  tryRun<T>(name: string, ttlMs: number, work: (lease: Lease) => Promise<T>): Promise<T | undefined> {
    return this.#storage.tryRun(`services/${this.#serviceId ?? ''}/sessions ${name}`, ttlMs, work);
  }

  /** Records that a service accepted a message. */
  async noteSend(
    serviceId: string,
    sessionId: string,
    send: { readonly status: string | undefined; readonly at: number; readonly text: string },
  ): Promise<void> {
    await this.#follow(serviceId, sessionId, send.at, current => current && sent(current, send));
  }

  /** Records what a hook told; a session that is not known yet enters the index with it. */
  async signal(serviceId: string, signal: SessionSignal, workspace: Workspace | undefined): Promise<void> {
    const { sessionId, at } = signal;
    const removed = await removedFrom(this.#storage, serviceId);
    const before = await removed.update(sessionId, current => current);
    await this.#of(serviceId).update(sessionId, current => {
      const base = current ?? withKept(newRecord(sessionId, 'hook', at, workspace), before);
      const latest = latestSignal(base.signal, signal, base.session);
      if (current !== undefined && latest === base.signal) return current;
      return { ...base, signal: latest, workspace: base.workspace ?? workspace };
    });
    if (before !== undefined) await removed.remove(sessionId);
  }

  /** The agent does not wait any more, says the person. */
  async settle(serviceId: string, sessionId: string): Promise<void> {
    await this.#of(serviceId).update(
      sessionId,
      current => current?.signal && { ...current, signal: undefined },
    );
  }

  /** Changes what people keep about a session here; resolves to false for one that is not in the index. */
  async keep(serviceId: string, sessionId: string, change: (local: Overlay) => Overlay): Promise<boolean> {
    const kept = await this.#of(serviceId).update(sessionId, current => {
      if (current === undefined) return undefined;
      const local = change(current.local);
      return local === current.local ? current : { ...current, local };
    });
    return kept !== undefined;
  }

  /** Brings a record of a file in; tells what came of it. Nothing newer is overwritten. */
  async merge(serviceId: string, incoming: SessionRecord): Promise<'added' | 'updated' | 'kept'> {
    let outcome: 'added' | 'updated' | 'kept' = 'kept';
    await this.#of(serviceId).update(incoming.sessionId, current => {
      const merged = mergeRecord(current, incoming);
      outcome = current === undefined ? 'added' : merged === current ? 'kept' : 'updated';
      return merged;
    });
    await (await removedFrom(this.#storage, serviceId)).remove(incoming.sessionId);
    return outcome;
  }

  /** Takes a session out of the list. What can be put back is stored first: a crash in between loses nothing. */
  async remove(serviceId: string, sessionId: string): Promise<SessionRecord | undefined> {
    const [sessions, removed] = [this.#of(serviceId), await removedFrom(this.#storage, serviceId)];
    const at = Date.now();
    const known = await this.read(serviceId, sessionId);
    if (known === undefined) return undefined;
    await removed.put(sessionId, { at, record: known });
    const record = await sessions.remove(sessionId);
    if (record !== undefined && record !== known) await removed.put(sessionId, { at, record });
    return record;
  }

  /** What was taken out of the list and can be put back, the latest first. */
  async removed(
    serviceId: string,
  ): Promise<readonly { readonly at: number; readonly record: SessionRecord }[]> {
    const { values } = await removedFrom(this.#storage, serviceId);
    const listed = await this.#of(serviceId).load();
    return [...values]
      .flatMap(([id, { at, record }]) => (record === undefined || listed.has(id) ? [] : [{ at, record }]))
      .sort((a, b) => b.at - a.at);
  }

  async removedIds(serviceId: string): Promise<readonly string[]> {
    const { values } = await removedFrom(this.#storage, serviceId);
    const listed = await this.#of(serviceId).load();
    return [...values.keys()].filter(id => !listed.has(id));
  }

  /** Puts a removed record back as it was; one that has come back meanwhile gets what was kept about it. */
  async restore(serviceId: string, record: SessionRecord): Promise<void> {
    await this.#of(serviceId).update(record.sessionId, current => mergeRecord(current, record));
    await (await removedFrom(this.#storage, serviceId)).remove(record.sessionId);
  }

  /** The newest record of a session, of whichever service. */
  async read(serviceId: string, sessionId: string): Promise<SessionRecord | undefined> {
    return this.#of(serviceId).update(sessionId, current => current);
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
    let told: StateChange | undefined;
    await this.#of(serviceId).update(sessionId, current => {
      const next = change(current);
      const [from, to] = [current, next].map(record => record && statusOf(record, undefined).value);
      const isNews = from !== undefined && to !== undefined && from !== to && from !== 'unknown';
      const waiting = next !== undefined && isWaiting(next);
      told = isNews ? { sessionId, from, to, at, ...(waiting ? { waiting } : {}) } : undefined;
      return next;
    });
    if (told !== undefined && serviceId === this.#serviceId) this.#stateChanged.fire(told);
  }

  async #open(serviceId: string | undefined): Promise<void> {
    this.#subscription.set(undefined);
    this.#removedSubscription.set(undefined);
    this.#collection = undefined;
    if (serviceId !== undefined) {
      const collection = this.#of(serviceId);
      const [removed] = await Promise.all([removedFrom(this.#storage, serviceId), collection.load()]);
      if (this.#serviceId !== serviceId || this.isDisposed) return;
      this.#collection = collection;
      this.#subscription.set(collection.onDidChange(ids => this.#changed.fire(ids)));
      // While somebody listens, it knows what other windows have removed.
      this.#removedSubscription.set(removed.onDidChange(() => undefined));
    }
    this.#changed.fire([]);
  }
}

/** How the sessions of a service are kept, and found by their titles. */
export function sessionRecords(serviceId: string): CollectionOptions<SessionRecord> {
  return {
    path: `services/${serviceId}/sessions`,
    version: RECORD_VERSION,
    schema: sessionRecordSchema,
    isVolatile: isOnlyAsked,
    migrate: migrateRecord,
    text: record => {
      const title = titleOf(record);
      return title === undefined ? undefined : { text: title, at: activityOf(record) };
    },
  };
}

/** A session that comes back after a person removed it, with what that person kept about it. */
function withKept(record: SessionRecord, removed: Removed | undefined): SessionRecord {
  if (removed?.record === undefined) return record;
  const { local, workspace, firstText, computerName } = removed.record;
  return { ...record, local, firstText, computerName, workspace: workspace ?? record.workspace };
}

/** A session that a person took out of the list. */
interface Removed {
  /** Unix ms. */
  readonly at: number;
  /** As it was then; missing where an older version took it out, or where it cannot be read. */
  readonly record?: SessionRecord | undefined;
}

/** What people took out of the list of a service, so that its own list does not bring it back, and they themselves can. */
async function removedFrom(storage: Storage, serviceId: string): Promise<Collection<Removed>> {
  const removed = storage.collection<Removed>({
    path: `services/${serviceId}/removed`,
    version: 1,
    schema: removedSchema,
  });
  await removed.load();
  return removed;
}

const removedSchema = recordSchema(() =>
  openObject({
    at: z._default(z.number(), 0),
    record: ifFits(into(taken(), value => sessionRecordSchema.parse(value))),
  }),
);
