import { randomUUID } from 'node:crypto';
import type { Collection, Storage } from '../../storage';
import { Disposable, Emitter } from '../../util/lifecycle';
import { transcriptRecords } from '../transcript/transcript';
import {
  EMPTY,
  outboxRecords,
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

  /** `onWriteError` hears of the first failure, not of each further try. */
  constructor(
    collection: Collection<OutboxRecord>,
    sessionId: string,
    onWriteError: (error: unknown) => void,
  ) {
    super();
    this.#collection = collection;
    this.#sessionId = sessionId;
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
  readonly onDidStore = this.#stored.event;

  get current(): OutboxRecord {
    const stored = this.#collection.get(this.#sessionId) ?? EMPTY;
    const kept = this.#kept;
    if (this.#seen.stored !== stored || this.#seen.kept !== kept)
      this.#seen = { stored, kept, current: apply(this.#missingIn(stored), stored) };
    return this.#seen.current;
  }

  get isUnwritten(): boolean {
    return this.#kept.length > 0;
  }

  /** What another process has stored by now, with what counts here. */
  async read(): Promise<OutboxRecord> {
    await this.#collection.read(this.#sessionId);
    return this.current;
  }

  type(edit: Edit): void {
    const last = this.#kept.at(-1);
    if (last?.edit === undefined || last.writes.length > 0 || last.edit.text !== edit.over) {
      this.edit(withText(edit), edit);
      return;
    }
    const both = { over: last.edit.over, text: edit.text };
    // What was typed and erased again is nothing to be written, and must not meet what others write later.
    const after = both.over === both.text ? [] : [{ change: withText(both), edit: both, writes: [] }];
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
    let included: readonly Kept[] = [];
    const work = this.#collection.update(this.#sessionId, stored => {
      const before = stored ?? EMPTY;
      included = this.#missingIn(before);
      const after = change(apply(included, before));
      if (after === before) return stored;
      for (const kept of included) kept.writes.push(write);
      return { ...after, writes: [...before.writes, write].slice(-MOST_WRITES) };
    });
    this.#writing = Promise.allSettled([this.#writing, work]);
    try {
      const after = (await work) ?? EMPTY;
      this.#forget(after, included);
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

  /** The same for what has happened already: it counts here at once, and is written as soon as that works. Never rejects. */
  async settle(change: Change): Promise<void> {
    this.edit(change);
    await this.change(same).catch(this.#report);
  }

  /** Resolves when all is durable; rejects when it is not. */
  async flush(): Promise<void> {
    if (this.isUnwritten) await this.change(same);
    await this.#writing;
  }

  /** What is not written yet still is. */
  override dispose(): void {
    this.flush().catch(this.#report);
    super.dispose();
  }

  readonly #report = (error: unknown): undefined => {
    if (!this.#isFailing) this.#onWriteError(error);
    this.#isFailing = true;
  };

  #keep(kept: readonly Kept[]): void {
    this.#kept = kept;
    // What is chosen or read for a chat may come after that has gone.
    if (this.isDisposed) this.flush().catch(this.#report);
    else this.#writeLater(WRITE_DELAY);
    this.#changed.fire();
  }

  #writeLater(delay: number): void {
    clearTimeout(this.#timer);
    // The last try is the one when this goes: nobody would end the next.
    if (!this.isUnwritten || this.isDisposed) return;
    this.#timer = setTimeout(() => void this.change(same).catch(this.#report), delay);
  }

  #missingIn({ writes }: OutboxRecord): readonly Kept[] {
    return this.#kept.filter(kept => !kept.writes.some(write => writes.includes(write)));
  }

  #forget(stored: OutboxRecord, written: readonly Kept[] = []): void {
    const open = this.#missingIn(stored).filter(kept => !written.includes(kept));
    if (open.length === this.#kept.length) return;
    this.#kept = open;
    this.#changed.fire();
  }
}

const same: Change = outbox => outbox;

function apply(kept: readonly Kept[], stored: OutboxRecord): OutboxRecord {
  return kept.reduce((outbox, { change }) => change(outbox), stored);
}

/** How far a text of the person has come; `refused`: it is in the composer again. */
type Standing = 'composer' | 'refused' | 'sent' | Exclude<Entry['state'], 'accepted'>;

/** Says how far texts have come, by a word that only they have, from what is stored. */
export function standings(storage: Pick<Storage, 'collection' | 'search'>, serviceId: string) {
  const outboxes = storage.collection(outboxRecords(serviceId));
  return {
    onDidChange: outboxes.onDidChange,
    /** `undefined`: it is in no message of the person, sent or not. */
    of: async (sessionId: string, word: string): Promise<Standing | undefined> => {
      const { draft, entries = [] } = (await outboxes.load()).get(sessionId) ?? {};
      const entry = entries.find(({ text }) => text.includes(word));
      if (entry !== undefined) return entry.state === 'accepted' ? 'sent' : entry.state;
      if (draft?.text.includes(word) === true) return draft.problem === undefined ? 'composer' : 'refused';
      // It leaves the outbox only after the transcript has it.
      const { path } = transcriptRecords(serviceId, sessionId);
      const terms = [{ text: word, isPrefix: false }];
      const { hits } = await storage.search({ terms, within: [path], by: 'me', limit: 1 });
      return hits.length === 0 ? undefined : 'sent';
    },
  };
}
