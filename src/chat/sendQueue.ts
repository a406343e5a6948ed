import { randomUUID } from 'node:crypto';
import type { Collection, Storage } from '../storage';
import { Disposable } from '../util/disposable';
import { Emitter } from '../util/event';
import { without } from '../util/without';
import type { Route } from './drafts';
import { Ownership, TakenElsewhere, type OwnershipOptions, type SendOwner } from './owner';
import { decodeAttachments, type AttachmentReference } from './sendJournal';

/** A message that waits until the agent is idle. */
export interface QueuedMessage extends Route {
  /** Becomes the id of its send. */
  readonly id: string;
  readonly text: string;
  readonly attachments: readonly AttachmentReference[];
  /** Unix ms. */
  readonly queuedAt: number;
  /** The window that is about to send it. */
  readonly claim?: Claim;
  /** The window in which somebody changes it: neither it nor what follows goes out meanwhile. `at`: Unix ms. */
  readonly changing?: { readonly window: string; readonly owner: SendOwner; readonly at: number };
  /** Why it could not be sent; nothing after it goes out before that is settled. */
  readonly problem?: string;
}

/** One try to send a message. It may lapse meanwhile, so its `nonce` is asked for again before the request leaves. */
interface Claim {
  readonly nonce: string;
  readonly window: string;
  readonly owner: SendOwner;
  /** Unix ms. */
  readonly at: number;
}

/** The queue of one session, in order. One record, so that order and contents change together. */
interface Line {
  readonly items: readonly QueuedMessage[];
}

const VERSION = 1;

export interface QueueOptions extends OwnershipOptions {
  readonly storage: Storage;
  readonly serviceId: string;
}

/** The queued messages of one service: durable, shared by all windows; each is claimed by one of them before it is sent. */
export class SendQueue extends Disposable {
  readonly #collection: Collection<Line>;
  readonly #ownership: Ownership;
  readonly #window = randomUUID();
  /** Claims given back where that could not be written, with the reason: they count here, and are written with the next change. */
  readonly #released = new Map<string, string | undefined>();
  readonly #changed = this.register(new Emitter<readonly string[]>());

  constructor(options: QueueOptions) {
    super();
    this.#ownership = new Ownership(options);
    this.#collection = options.storage.collection<Line>({
      path: `services/${options.serviceId}/queue`,
      version: VERSION,
      decode: decodeLine,
    });
    this.register(this.#collection.onDidChange(ids => this.#changed.fire(ids)));
  }

  /** The session ids whose queue changed, here or in another window. */
  readonly onDidChange = this.#changed.event;

  async load(): Promise<void> {
    await this.#collection.load();
  }

  of(sessionId: string): readonly QueuedMessage[] {
    return this.#known(this.#collection.get(sessionId)?.items ?? []);
  }

  /** Sessions that have something queued. */
  get sessionIds(): readonly string[] {
    return [...this.#collection.values].flatMap(([id, { items }]) => (items.length > 0 ? [id] : []));
  }

  /** All attachments of all queued messages. */
  get attachments(): readonly string[] {
    return this.sessionIds.flatMap(id => this.of(id).flatMap(item => item.attachments.map(({ uri }) => uri)));
  }

  /** Some records cannot be read now, so what they hold is not known. */
  get isPartial(): boolean {
    return this.#collection.unreadable.length > 0;
  }

  /** Puts a message at the end; resolves when it is durable. */
  async add(
    sessionId: string,
    message: Omit<QueuedMessage, 'queuedAt' | 'claim' | 'problem'>,
  ): Promise<void> {
    const item = { ...message, queuedAt: this.#ownership.now() };
    await this.#change(sessionId, items => [...items.filter(({ id }) => id !== item.id), item]);
  }

  /** Replaces the text of a message nobody is sending; whether it was there. */
  edit(sessionId: string, id: string, text: string): Promise<boolean> {
    return this.#changeOne(sessionId, id, (items, item) =>
      items.map(other => (other.id === id ? { ...without(item, 'problem'), text } : other)),
    );
  }

  /** Puts a message nobody is sending at another place, counted from 0; whether it was there. */
  move(sessionId: string, id: string, to: number): Promise<boolean> {
    return this.#changeOne(sessionId, id, (items, item) => {
      const others = items.filter(other => other.id !== id);
      return [...others.slice(0, to), item, ...others.slice(to)];
    });
  }

  /** Takes a message that nobody is sending out of the queue; whether it was there. */
  remove(sessionId: string, id: string): Promise<boolean> {
    return this.#changeOne(sessionId, id, items => items.filter(other => other.id !== id));
  }

  /** Says which message is being changed in this window; with `undefined` that none is. */
  async setChanging(sessionId: string, id: string | undefined): Promise<void> {
    const here = { window: this.#window, owner: this.#ownership.self, at: this.#ownership.now() };
    await this.#change(sessionId, items =>
      items.some(item => item.id === id || item.changing?.window === this.#window)
        ? items.map(item =>
            item.id === id
              ? { ...item, changing: here }
              : item.changing?.window === this.#window
                ? without(item, 'changing')
                : item,
          )
        : items,
    );
  }

  /** Whether somebody changes a message in another window. */
  isChangedElsewhere(message: QueuedMessage): boolean {
    return message.changing?.window !== this.#window && this.#isChanging(message);
  }

  /**
   * Claims the first message for this window, which gives up an earlier claim of its own; `undefined` when there is none, another
   * window has it, or somebody is changing it.
   */
  async claim(sessionId: string): Promise<QueuedMessage | undefined> {
    let claimed: QueuedMessage | undefined;
    await this.#change(sessionId, items => {
      claimed = undefined;
      const [first] = items;
      if (first === undefined || this.#isChanging(first)) return items;
      if (this.#isClaimed(first) && first.claim?.window !== this.#window) return items;
      const { self: owner, now } = this.#ownership;
      claimed = {
        ...without(first, 'problem'),
        claim: { nonce: randomUUID(), window: this.#window, owner, at: now() },
      };
      return [claimed, ...items.slice(1)];
    });
    return claimed;
  }

  /** Gives a claim up, with the reason if the message could not be sent; one that has been taken over stays as it is. */
  async release(sessionId: string, { claim }: QueuedMessage, problem?: string): Promise<void> {
    if (claim === undefined) return;
    this.#released.set(claim.nonce, problem);
    try {
      await this.#change(sessionId, items => items);
      this.#released.delete(claim.nonce);
    } catch (error) {
      if (problem !== undefined) this.#changed.fire([sessionId]);
      throw error;
    }
  }

  /**
   * A claimed message is in the journal of sends now and leaves the queue. Rejects when it stays, with `TakenElsewhere` when it is
   * not there any more with this claim or somebody is changing it.
   */
  async done(sessionId: string, { id, claim }: QueuedMessage): Promise<void> {
    const found = { isMine: false, isThere: true };
    const isIn = (items: readonly QueuedMessage[]): boolean =>
      items.some(item => item.id === id && item.claim?.nonce === claim?.nonce && !this.#isChanging(item));
    try {
      await this.#change(sessionId, items => {
        found.isMine = isIn(items);
        return found.isMine ? items.filter(item => item.id !== id) : items;
      });
    } catch (error) {
      // It may have left before the writing failed.
      await this.#change(sessionId, items => {
        found.isThere = items.some(item => item.id === id);
        return items;
      }).catch(() => undefined);
      if (!found.isMine || found.isThere) throw error;
    }
    if (!found.isMine) throw new TakenElsewhere();
  }

  /** Takes out a message that stands among the sends, whoever has claimed it. */
  async drop(sessionId: string, id: string): Promise<void> {
    await this.#change(sessionId, items =>
      items.some(item => item.id === id) ? items.filter(item => item.id !== id) : items,
    );
  }

  async #changeOne(
    sessionId: string,
    id: string,
    change: (items: readonly QueuedMessage[], item: QueuedMessage) => readonly QueuedMessage[],
  ): Promise<boolean> {
    let found = false;
    await this.#change(sessionId, items => {
      const item = items.find(other => other.id === id);
      found = item !== undefined && !this.#isClaimed(item);
      // A claim that has lapsed is none for what the message becomes.
      return item === undefined || !found ? items : change(items, without(item, 'claim'));
    });
    return found;
  }

  async #change(
    sessionId: string,
    change: (items: readonly QueuedMessage[]) => readonly QueuedMessage[],
  ): Promise<void> {
    await this.#collection.update(sessionId, line => {
      const stored = line?.items ?? [];
      const next = change(this.#known(stored));
      return next === stored ? line : { items: next };
    });
  }

  #known(items: readonly QueuedMessage[]): readonly QueuedMessage[] {
    if (!items.some(({ claim }) => claim !== undefined && this.#released.has(claim.nonce))) return items;
    return items.map(item => {
      if (item.claim === undefined || !this.#released.has(item.claim.nonce)) return item;
      const problem = this.#released.get(item.claim.nonce);
      return { ...without(item, 'claim'), ...(problem === undefined ? {} : { problem }) };
    });
  }

  #isChanging({ changing }: QueuedMessage): boolean {
    return changing !== undefined && !this.#ownership.isLost(changing.owner, changing.at);
  }

  #isClaimed({ claim }: QueuedMessage): boolean {
    return claim !== undefined && !this.#ownership.isLost(claim.owner, claim.at);
  }
}

function decodeLine(value: unknown): Line {
  const items = (value as Partial<Line> | null)?.items;
  if (!Array.isArray(items)) throw new Error('the messages are missing');
  for (const item of items as Partial<QueuedMessage | null>[]) {
    if (typeof item?.id !== 'string' || typeof item.text !== 'string' || typeof item.queuedAt !== 'number')
      throw new Error('a message has no id, text or time');
    decodeAttachments(item.attachments);
    const { changing } = item;
    if (
      changing !== undefined &&
      (typeof changing.window !== 'string' || typeof changing.owner.pid !== 'number')
    )
      throw new Error('a change has no window');
    if (item.claim !== undefined && typeof item.claim.owner.pid !== 'number')
      throw new Error('a claim has no owner');
  }
  return value as Line;
}
