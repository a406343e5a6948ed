import type { Collection, Storage } from '../storage';
import { Disposable } from '../util/disposable';
import { Emitter } from '../util/event';
import type { Route } from './drafts';
import type { SentAttachment } from './messages';
import { Ownership, TakenElsewhere, type OwnershipOptions, type SendOwner } from './owner';

/** interface-notes 4. `accepted` is kept only until the transcript holds the message. */
export type SendState = 'sending' | 'accepted' | 'refused' | 'unknown';

/** An attachment by its address; its bytes are read when it is sent. */
export interface AttachmentReference extends SentAttachment {
  /** `file:`, `vscode-remote:` and so on. */
  readonly uri: string;
}

/** What the service said of the session at some time. */
export interface SessionCounts {
  readonly messageCount: number;
  /** The service's clock, Unix ms. */
  readonly updatedAt: number;
  /** When the service said so, by this machine's clock, Unix ms. */
  readonly at?: number;
  /** The agent had work, so the counts may change by its own messages. */
  readonly working?: boolean;
}

/** A send from the moment before its request leaves until it is settled. */
export interface SendRecord extends Route {
  readonly sendId: string;
  readonly sessionId: string;
  readonly text: string;
  readonly attachments: readonly AttachmentReference[];
  readonly state: SendState;
  /** Unix ms of this machine. */
  readonly startedAt: number;
  readonly owner: SendOwner;
  /** The session as known before the send, and as asked for after its outcome stayed unknown. */
  readonly before?: SessionCounts;
  readonly after?: SessionCounts;
  /** When accepted. */
  readonly messageId?: string;
  readonly status?: string;
  /** Why it was refused or is unknown, for a person. */
  readonly sentence?: string;
}

/** What may become known of a send. */
type Outcome = Partial<Pick<SendRecord, 'state' | 'after' | 'messageId' | 'status' | 'sentence'>>;

const VERSION = 1;

export interface JournalOptions extends OwnershipOptions {
  readonly storage: Storage;
  readonly serviceId: string;
}

/** The durable record of what is being sent, so that no message is forgotten or sent twice (trust.md 22, 23). */
export class SendJournal extends Disposable {
  readonly #collection: Collection<SendRecord>;
  readonly #changed = this.register(new Emitter<readonly string[]>());
  /** What this process knows of its sends and could not write: it counts here, whatever the records say. */
  readonly #unwritten = new Map<string, Outcome>();
  /** Sends of this process whose request never left and whose record may still be there, with their sessions: they are none. */
  readonly #undone = new Map<string, string>();
  readonly #ownership: Ownership;

  constructor(options: JournalOptions) {
    super();
    this.#ownership = new Ownership(options);
    this.#collection = options.storage.collection<SendRecord>({
      path: `services/${options.serviceId}/sends`,
      version: VERSION,
      decode: decodeSend,
    });
    this.register(this.#collection.onDidChange(ids => this.#changed.fire(ids)));
  }

  /** The send ids that changed, here or in another window. */
  readonly onDidChange = this.#changed.event;

  async load(): Promise<void> {
    await this.#collection.load();
  }

  /** All attachments of all sends. */
  get attachments(): readonly string[] {
    return [...this.#collection.values.values()].flatMap(send => send.attachments.map(({ uri }) => uri));
  }

  /** Some records cannot be read now, so what they hold is not known. */
  get isPartial(): boolean {
    return this.#collection.unreadable.length > 0;
  }

  get(sendId: string): SendRecord | undefined {
    const record = this.#collection.get(sendId);
    return record === undefined || this.#isUndone(record) ? undefined : this.#asKnown(record);
  }

  /** The sends of a session, the oldest first. */
  ofSession(sessionId: string): SendRecord[] {
    return [...this.#collection.values.values()]
      .filter(send => send.sessionId === sessionId && !this.#isUndone(send))
      .map(send => this.#asKnown(send))
      .sort((a, b) => a.startedAt - b.startedAt || (a.sendId < b.sendId ? -1 : 1));
  }

  /** Something is left to be done for a send of a session, by this process or by another one that may be gone. */
  isOpen(sessionId: string): boolean {
    if ([...this.#undone.values()].includes(sessionId)) return true;
    return this.ofSession(sessionId).some(({ state }) => state === 'sending' || state === 'accepted');
  }

  /**
   * Records a send as `sending`; when this resolves the request may leave. Otherwise there is no such send, also where it cannot be
   * told whether it was written; rejects with `TakenElsewhere` where a record with this id is there already.
   */
  async begin(
    send: Pick<SendRecord, 'sendId' | 'sessionId' | 'text' | 'attachments' | keyof Route | 'before'>,
  ): Promise<SendRecord> {
    const { now, self } = this.#ownership;
    const record: SendRecord = { ...send, state: 'sending', startedAt: now(), owner: self };
    const found = { isTaken: false };
    try {
      await this.#collection.update(send.sendId, current => {
        found.isTaken = current !== undefined && !this.#isUndone(current);
        if (found.isTaken) return current;
        this.#undone.delete(send.sendId);
        return record;
      });
    } catch (error) {
      await this.undo(record);
      throw error;
    }
    if (found.isTaken) throw new TakenElsewhere();
    return record;
  }

  /**
   * Takes back what `begin` recorded: its request will not leave. What another window has made of it since stays. Where the record
   * cannot be removed, it counts as none in this process all the same, and `recover` tries again.
   */
  async undo({ sendId, sessionId }: Pick<SendRecord, 'sendId' | 'sessionId'>): Promise<void> {
    this.#undone.set(sendId, sessionId);
    try {
      await this.#collection.remove(sendId, current => !this.#isUndone(current));
      this.#undone.delete(sendId);
    } catch {
      this.#changed.fire([sendId]);
    }
  }

  /**
   * Changes what is known of a send; a send removed meanwhile stays removed. Where that cannot be written it rejects, but counts
   * in this process all the same, and is written with the next change.
   */
  async settle(sendId: string, outcome: Outcome): Promise<SendRecord | undefined> {
    const known = { ...this.#unwritten.get(sendId), ...outcome };
    try {
      const settled = await this.#collection.update(sendId, current => current && { ...current, ...known });
      this.#unwritten.delete(sendId);
      return settled;
    } catch (error) {
      this.#unwritten.set(sendId, known);
      this.#changed.fire([sendId]);
      throw error;
    }
  }

  /** Forgets a send that is in the transcript, or that the person discarded. */
  async remove(sendId: string): Promise<SendRecord | undefined> {
    const removed = await this.#collection.remove(sendId);
    this.#unwritten.delete(sendId);
    return removed;
  }

  /** Tries again to take back what was never sent, and turns sends whose process is gone from `sending` into `unknown`; resolves to them. */
  async recover(sessionId: string, sentence: string): Promise<SendRecord[]> {
    for (const [sendId, of] of this.#undone) if (of === sessionId) await this.undo({ sendId, sessionId });
    const lost = this.ofSession(sessionId).filter(
      send => send.state === 'sending' && this.#ownership.isLost(send.owner, send.startedAt),
    );
    const settled = await Promise.all(
      lost.map(send =>
        this.#collection.update(send.sendId, current =>
          current?.state === 'sending' ? { ...current, state: 'unknown', sentence } : current,
        ),
      ),
    );
    return settled.flatMap(send => (send?.state === 'unknown' ? [send] : []));
  }

  #isUndone({ sendId, state, owner }: SendRecord): boolean {
    const { host, pid, startedAt } = this.#ownership.self;
    const isOwn = owner.host === host && owner.pid === pid && owner.startedAt === startedAt;
    return isOwn && state === 'sending' && this.#undone.has(sendId);
  }

  #asKnown(record: SendRecord): SendRecord {
    const outcome = this.#unwritten.get(record.sendId);
    return outcome === undefined ? record : { ...record, ...outcome };
  }
}

const STATES: readonly string[] = ['sending', 'accepted', 'refused', 'unknown'] satisfies SendState[];

function decodeSend(value: unknown): SendRecord {
  const send = value as Partial<SendRecord> | null;
  if (typeof send?.sendId !== 'string' || typeof send.sessionId !== 'string')
    throw new Error('an id is missing');
  if (typeof send.text !== 'string') throw new Error('the text is missing');
  if (typeof send.startedAt !== 'number') throw new Error('the time is missing');
  if (!STATES.includes(send.state ?? '')) throw new Error('the state is unknown');
  if (typeof send.owner?.pid !== 'number') throw new Error('the owner is missing');
  decodeAttachments(send.attachments);
  return send as SendRecord;
}

/** Reads stored attachments; throws when they are none. */
export function decodeAttachments(value: unknown): readonly AttachmentReference[] {
  if (!Array.isArray(value)) throw new Error('the attachments are missing');
  for (const item of value as Partial<AttachmentReference | null>[]) {
    if (typeof item?.uri !== 'string' || typeof item.name !== 'string')
      throw new Error('an attachment has no address');
  }
  return value as AttachmentReference[];
}
