import { randomUUID } from 'node:crypto';
import type { Collection, Storage } from '../../storage';
import { Disposable } from '../../util/disposable';
import { Emitter, type Event } from '../../util/event';
import {
  EMPTY,
  outboxSchema,
  withText,
  type Change,
  type Edit,
  type Entry,
  type OutboxRecord,
} from './record';

/** What is typed is durable so much after the last key, and tried again so much after a failure, ms. */
const WRITE_DELAY = 300;
const RETRY_DELAY = 5_000;
/** Writes that are remembered in a record. */
const MOST_WRITES = 10;

/** A change that counts here whether it could be written or not. */
interface Kept {
  readonly change: Change;
  /** Of the composer's text: what is typed next takes its place until that is first written. */
  readonly edit?: Edit | undefined;
  /** The writes it was part of, of which one may have happened. */
  readonly writes: string[];
}

/**
 * What a person writes for one session, shared by all windows. Every step is one compare-and-swap of one record; what could not be
 * written counts in this process and goes with the next step.
 */
export class Outbox extends Disposable {
  readonly #sessionId: string;
  readonly #collection: Collection<OutboxRecord>;
  readonly #onWriteError: (error: unknown) => void;
  readonly #changed = this.register(new Emitter<void>());
  readonly #stored = this.register(new Emitter<void>());
  #kept: readonly Kept[] = [];
  #timer: NodeJS.Timeout | undefined;
  #isFailing = false;
  #writing: Promise<unknown> = Promise.resolve();
  #seen = { stored: EMPTY, kept: this.#kept, current: EMPTY };

  constructor(
    sessionId: string,
    collection: Collection<OutboxRecord>,
    onWriteError: (error: unknown) => void,
  ) {
    super();
    this.#sessionId = sessionId;
    this.#collection = collection;
    this.#onWriteError = onWriteError;
    this.register(
      collection.onDidChange(ids => {
        if (ids.includes(sessionId)) this.#changed.fire();
      }),
    );
  }

  /** Fires when `current` may have changed, here or in another window. */
  readonly onDidChange = this.#changed.event;
  /** Fires when all that was typed here is durable. */
  readonly onDidStore: Event<void> = this.#stored.event;

  get current(): OutboxRecord {
    const stored = this.#collection.get(this.#sessionId) ?? EMPTY;
    const kept = this.#kept;
    if (this.#seen.stored !== stored || this.#seen.kept !== kept)
      this.#seen = { stored, kept, current: apply(this.#missingIn(stored), stored) };
    return this.#seen.current;
  }

  /** Something is not written yet. */
  get isUnwritten(): boolean {
    return this.#kept.length > 0;
  }

  /** What another process has stored by now, with what counts here. */
  async read(): Promise<OutboxRecord> {
    await this.#collection.read(this.#sessionId);
    return this.current;
  }

  /** Changes the composer's text. */
  type(edit: Edit): void {
    const { edit: before, writes = [] } = this.#kept.at(-1) ?? {};
    const isNext = before?.text === edit.over.text && before.stash === edit.over.stash;
    if (!isNext || writes.length > 0) {
      this.edit(withText(edit), edit);
      return;
    }
    const { over } = before;
    const both = { ...edit, over };
    // What was typed and erased again is nothing to be written, and must not meet what others write later.
    const isNothing = edit.text === over.text && edit.stash === over.stash;
    const after = isNothing ? [] : [{ change: withText(both), edit: both, writes: [] }];
    this.#keep([...this.#kept.slice(0, -1), ...after]);
    if (!this.isUnwritten) this.#stored.fire();
  }

  /** Changes what is composed: at once here, durable soon. */
  edit(change: Change, edit?: Edit): void {
    if (change(this.current) !== this.current) this.#keep([...this.#kept, { change, edit, writes: [] }]);
  }

  /**
   * Changes the record, in one write with all that counts here already; resolves to it when that is durable. Where it rejects
   * `change` was not applied, unless nothing can be read either.
   */
  async change(change: Change): Promise<OutboxRecord> {
    clearTimeout(this.#timer);
    const write = randomUUID();
    let settled: readonly Kept[] = [];
    const work = this.#collection.update(this.#sessionId, stored => {
      const before = stored ?? EMPTY;
      const open = this.#missingIn(before);
      const after = change(apply(open, before));
      // What changes nothing is there already.
      settled = after === before ? open : [];
      if (after === before) return stored;
      for (const each of open) each.writes.push(write);
      return { ...after, writes: [...before.writes, write].slice(-MOST_WRITES) };
    });
    this.#writing = Promise.allSettled([this.#writing, work]);
    try {
      const after = (await work) ?? EMPTY;
      this.#forget(after, settled);
      this.#isFailing = false;
      if (!this.isUnwritten) this.#stored.fire();
      return after;
    } catch (error) {
      const stored = await this.#collection.read(this.#sessionId).catch(this.#report);
      if (stored !== undefined) this.#forget(stored);
      this.#writeLater(RETRY_DELAY);
      if (stored?.writes.includes(write) === true) return this.current;
      this.#report(error);
      throw error;
    }
  }

  /** The same for what has happened already: it counts here also where this rejects, and is written as soon as that works. */
  settle(change: Change): Promise<OutboxRecord> {
    this.edit(change);
    return this.change(same);
  }

  /**
   * Changes the record where an entry is in one of these states, which `change` takes out; resolves to it, or to `undefined` where
   * another window was first.
   */
  async take(id: string, states: readonly Entry['state'][], change: Change): Promise<Entry | undefined> {
    const taken: { entry?: Entry | undefined } = {};
    await this.change(before => {
      taken.entry = before.entries.find(each => each.id === id && states.includes(each.state));
      return taken.entry === undefined ? before : change(before);
    });
    return taken.entry;
  }

  /** Resolves when all is durable; rejects when it is not. */
  async flush(): Promise<void> {
    if (this.isUnwritten) await this.change(same);
    await this.#writing;
  }

  override dispose(): void {
    this.flush().catch(this.#onWriteError);
    clearTimeout(this.#timer);
    super.dispose();
  }

  /** Says the first failure, not each further try. */
  readonly #report = (error: unknown): undefined => {
    if (!this.#isFailing) this.#onWriteError(error);
    this.#isFailing = true;
  };

  #keep(kept: readonly Kept[]): void {
    this.#kept = kept;
    this.#writeLater(WRITE_DELAY);
    this.#changed.fire();
  }

  #writeLater(delay: number): void {
    clearTimeout(this.#timer);
    if (this.isDisposed || !this.isUnwritten) return;
    this.#timer = setTimeout(() => void this.change(same).catch(this.#report), delay);
  }

  #missingIn({ writes }: OutboxRecord): readonly Kept[] {
    return this.#kept.filter(kept => !kept.writes.some(write => writes.includes(write)));
  }

  #forget(stored: OutboxRecord, settled: readonly Kept[] = []): void {
    const open = this.#missingIn(stored).filter(kept => !settled.includes(kept));
    if (open.length === this.#kept.length) return;
    this.#kept = open;
    this.#changed.fire();
  }
}

/** The outboxes of one service. */
export class Outboxes extends Disposable {
  readonly #collection: Collection<OutboxRecord>;
  readonly #onWriteError: (error: unknown) => void;
  readonly #outboxes = new Map<string, Outbox>();

  /** `onWriteError` hears of the first failure, not of each further try. */
  constructor(storage: Storage, serviceId: string, onWriteError: (error: unknown) => void) {
    super();
    this.#onWriteError = onWriteError;
    const path = `services/${serviceId}/outbox`;
    this.#collection = storage.collection({ path, version: 1, schema: outboxSchema });
    this.onDidChange = listener => this.#collection.onDidChange(() => listener());
  }

  /** Fires when any of them changed. */
  readonly onDidChange: Event<void>;

  async load(): Promise<void> {
    await this.#collection.load();
  }

  of(sessionId: string): Outbox {
    const known = this.#outboxes.get(sessionId);
    const outbox = known ?? this.register(new Outbox(sessionId, this.#collection, this.#onWriteError));
    this.#outboxes.set(sessionId, outbox);
    return outbox;
  }

  /** Sessions with messages that are to go out. */
  get waiting(): readonly string[] {
    return [...this.#collection.values].flatMap(([id, { entries }]) =>
      entries.some(({ state }) => state === 'queued') ? [id] : [],
    );
  }

  /** The addresses of all attachments; `undefined` while some records cannot be read. */
  get attachments(): readonly string[] | undefined {
    if (this.#collection.unreadable.length > 0) return undefined;
    const unwritten = [...this.#outboxes.values()].map(({ current }) => current);
    return [...this.#collection.values.values(), ...unwritten].flatMap(({ draft, entries }) => [
      ...draft.attachments,
      ...entries.flatMap(({ attachments }) => attachments.map(({ uri }) => uri)),
    ]);
  }

  /** Resolves when all is durable; rejects when some is not. */
  async flush(): Promise<void> {
    await Promise.all([...this.#outboxes.values()].map(outbox => outbox.flush()));
  }
}

const same: Change = outbox => outbox;

function apply(kept: readonly Kept[], stored: OutboxRecord): OutboxRecord {
  return kept.reduce((outbox, { change }) => change(outbox), stored);
}
