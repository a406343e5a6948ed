import type { Collection, Storage } from '../storage';
import { Disposable } from '../util/disposable';
import { Emitter } from '../util/event';

/** What a person has written for a session and not sent yet. */
export interface Draft {
  readonly text: string;
  /** Addresses of attachments, in order. */
  readonly attachments: readonly string[];
  /** The send this draft went into: until it is accepted the draft stays, so nothing is lost. */
  readonly sendId?: string;
}

export const EMPTY_DRAFT: Draft = { text: '', attachments: [] };

const VERSION = 1;
const WRITE_DELAY = 300;

/** The drafts of one service: kept in memory at once, durable 300 ms after the last change. */
export class Drafts extends Disposable {
  readonly #collection: Collection<Draft>;
  readonly #pending = new Map<string, { readonly draft: Draft; readonly timer: NodeJS.Timeout }>();
  readonly #changed = this.register(new Emitter<readonly string[]>());
  readonly #onWriteError: (error: unknown) => void;
  #writing: Promise<unknown> = Promise.resolve();

  constructor(storage: Storage, serviceId: string, onWriteError: (error: unknown) => void) {
    super();
    this.#onWriteError = onWriteError;
    this.#collection = storage.collection<Draft>({
      path: `services/${serviceId}/drafts`,
      version: VERSION,
      decode: decodeDraft,
    });
    this.register(this.#collection.onDidChange(ids => this.#changed.fire(ids)));
  }

  /** The session ids whose stored draft changed, here or in another window. */
  readonly onDidChange = this.#changed.event;

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

  /** Resolves when all drafts are durable. */
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
      .catch(this.#onWriteError)
      .then(() => {
        if (this.#pending.get(sessionId) === pending) this.#pending.delete(sessionId);
      });
    this.#writing = Promise.all([this.#writing, done]);
    return done;
  }

  async #store(sessionId: string, draft: Draft): Promise<void> {
    if (draft.text === '' && draft.attachments.length === 0) await this.#collection.remove(sessionId);
    else await this.#collection.put(sessionId, draft);
  }
}

function decodeDraft(value: unknown): Draft {
  const draft = value as Partial<Draft> | null;
  if (typeof draft?.text !== 'string') throw new Error('the text is missing');
  if (!Array.isArray(draft.attachments) || !draft.attachments.every(uri => typeof uri === 'string')) {
    throw new Error('the attachments are missing');
  }
  if (draft.sendId !== undefined && typeof draft.sendId !== 'string')
    throw new Error('the send id is not text');
  return draft as Draft;
}
