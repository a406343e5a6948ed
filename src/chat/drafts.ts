import type { Collection, Storage } from '../storage';
import { Disposable } from '../util/disposable';
import { Emitter } from '../util/event';

/** What a person has written for a session and not sent yet. */
export interface Draft {
  readonly text: string;
  /** When the text was written, Unix ms. */
  readonly at?: number;
  /** Addresses of attachments, in order. */
  readonly attachments: readonly string[];
  /** What was written before an earlier message was called up and changed. */
  readonly stash?: string;
  /** Where to route it, when not to the session's own computer. */
  readonly target?: Target;
  /** The send this draft went into: until it is accepted the draft stays, so nothing is lost. */
  readonly sendId?: string;
}

/** A computer chosen for a message. */
export interface Target {
  readonly computerId: string;
  readonly name: string;
}

export const EMPTY_DRAFT: Draft = { text: '', attachments: [] };

const VERSION = 1;
const WRITE_DELAY = 300;
const RETRY_DELAY = 5_000;

/** A draft that is not stored yet, and when that is tried next. */
interface Pending {
  readonly draft: Draft;
  timer: NodeJS.Timeout;
}

/**
 * The drafts of one service: kept in memory at once, durable 300 ms after the last change. One that cannot be written stays in
 * memory and is tried again.
 */
export class Drafts extends Disposable {
  readonly #collection: Collection<Draft>;
  readonly #pending = new Map<string, Pending>();
  readonly #failing = new Set<string>();
  readonly #changed = this.register(new Emitter<readonly string[]>());
  readonly #stored = this.register(new Emitter<string>());
  readonly #onWriteError: (error: unknown) => void;
  readonly #retryDelay: number;
  #writing: Promise<unknown> = Promise.resolve();

  /** `onWriteError` hears of the first failure of a draft, not of each further try. `retryDelay`: ms. */
  constructor(
    storage: Storage,
    serviceId: string,
    onWriteError: (error: unknown) => void,
    retryDelay = RETRY_DELAY,
  ) {
    super();
    this.#onWriteError = onWriteError;
    this.#retryDelay = retryDelay;
    this.#collection = storage.collection<Draft>({
      path: `services/${serviceId}/drafts`,
      version: VERSION,
      decode: decodeDraft,
    });
    this.register(this.#collection.onDidChange(ids => this.#changed.fire(ids)));
  }

  /** The session ids whose stored draft changed, here or in another window. */
  readonly onDidChange = this.#changed.event;

  /** The session id of a draft whose last change is durable now. */
  readonly onDidStore = this.#stored.event;

  /** All attachments of all drafts. */
  get attachments(): readonly string[] {
    const drafts = [
      ...this.#collection.values.values(),
      ...[...this.#pending.values()].map(({ draft }) => draft),
    ];
    return drafts.flatMap(draft => draft.attachments);
  }

  /** Some records cannot be read now, so what they hold is not known. */
  get isPartial(): boolean {
    return this.#collection.unreadable.length > 0;
  }

  async load(): Promise<void> {
    await this.#collection.load();
  }

  get(sessionId: string): Draft {
    return this.#pending.get(sessionId)?.draft ?? this.#collection.get(sessionId) ?? EMPTY_DRAFT;
  }

  set(sessionId: string, draft: Draft): void {
    clearTimeout(this.#pending.get(sessionId)?.timer);
    const timer = setTimeout(() => void this.#write(sessionId), WRITE_DELAY);
    this.#pending.set(sessionId, { draft, timer });
  }

  /** Resolves when all drafts are durable, or were tried in vain. */
  async flush(): Promise<void> {
    await Promise.all([...this.#pending.keys()].map(sessionId => this.#write(sessionId)));
    await this.#writing;
  }

  override dispose(): void {
    void this.flush();
    super.dispose();
  }

  #write(sessionId: string): Promise<void> {
    const pending = this.#pending.get(sessionId);
    if (pending === undefined) return Promise.resolve();
    clearTimeout(pending.timer);
    const done = this.#store(sessionId, pending.draft)
      .then(() => {
        this.#failing.delete(sessionId);
        if (this.#pending.get(sessionId) !== pending) return;
        this.#pending.delete(sessionId);
        this.#stored.fire(sessionId);
      })
      .catch((error: unknown) => this.#onFailure(sessionId, pending, error));
    this.#writing = Promise.all([this.#writing, done]);
    return done;
  }

  #onFailure(sessionId: string, pending: Pending, error: unknown): void {
    if (!this.isDisposed && this.#pending.get(sessionId) === pending) {
      clearTimeout(pending.timer);
      pending.timer = setTimeout(() => void this.#write(sessionId), this.#retryDelay);
    }
    if (this.#failing.has(sessionId)) return;
    this.#failing.add(sessionId);
    this.#onWriteError(error);
  }

  async #store(sessionId: string, draft: Draft): Promise<void> {
    const { text, attachments, target, stash = '' } = draft;
    if (text + stash === '' && attachments.length === 0 && target === undefined)
      await this.#collection.remove(sessionId);
    else await this.#collection.put(sessionId, draft);
  }
}

function decodeDraft(value: unknown): Draft {
  const draft = value as Partial<Draft> | null;
  if (typeof draft?.text !== 'string') throw new Error('the text is missing');
  if (!Array.isArray(draft.attachments) || !draft.attachments.every(uri => typeof uri === 'string')) {
    throw new Error('the attachments are missing');
  }
  for (const text of [draft.sendId, draft.stash, draft.target?.computerId, draft.target?.name])
    if (text !== undefined && typeof text !== 'string') throw new Error('a field is not text');
  if (draft.at !== undefined && typeof draft.at !== 'number') throw new Error('the time is none');
  return draft as Draft;
}
