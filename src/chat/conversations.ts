import type { ApiClient } from '../api';
import { errorSentence, type Connection } from '../connection';
import { Disposable, toDisposable } from '../util/lifecycle';
import { Conversation, type ConversationOptions } from './conversation';
import { outboxRecords } from './outbox/record';
import { keyOf } from './sessions';

export interface ConversationsOptions extends Pick<
  ConversationOptions,
  'storage' | 'sessions' | 'attachments' | 'log' | 'extras'
> {
  readonly connection: Connection;
}

/**
 * One conversation a session, shared by whoever uses it and let go after the last, as soon as all that was written or attached is
 * durable, what is sent has an outcome, and nothing is queued.
 */
export class Conversations extends Disposable {
  readonly #options: ConversationsOptions;
  readonly #going = new Set<string>();
  readonly #open = new Map<string, { readonly conversation: Conversation; users: number }>();

  constructor(options: ConversationsOptions) {
    super();
    this.#options = options;
  }

  /** The service known now, signed in or not; `undefined` when there is none. */
  get serviceId(): string | undefined {
    return this.#options.connection.state.current.service?.id;
  }

  /** The conversation of a session; dispose what comes with it when it is no longer used. */
  use(serviceId: string, sessionId: string) {
    const key = keyOf({ serviceId, sessionId });
    const known = this.#open.get(key);
    const open = known ?? { conversation: this.#make(serviceId, sessionId), users: 0 };
    const { conversation } = open;
    const end = (): void => {
      const { isUnwritten, isSending, queued, composition } = conversation;
      const isBusy = isUnwritten || isSending || queued.length > 0 || composition.isLooking;
      if (open.users > 0 || isBusy || this.#open.get(key) !== open) return;
      this.#open.delete(key);
      conversation.dispose();
      // What is still being written is needed till then, and so is all where somebody opens it again.
      void this.#options.storage.settled().then(() => {
        if (!this.#open.has(key)) conversation.transcript.forget();
      });
    };
    if (known === undefined) conversation.onDidChange(end);
    this.#open.set(key, open);
    open.users++;
    const lease = toDisposable(() => {
      open.users--;
      end();
    });
    return { conversation, lease };
  }

  /** Goes on sending what was queued for the service known now. */
  goOn(): void {
    if (this.serviceId !== undefined) this.#goOn(this.serviceId);
  }

  /** Resolves when all that is written is durable, or was tried in vain. */
  async flush(): Promise<void> {
    await Promise.allSettled([...this.#open.values()].map(({ conversation }) => conversation.flush()));
  }

  override dispose(): void {
    for (const { conversation } of this.#open.values()) conversation.dispose();
    this.#open.clear();
    super.dispose();
  }

  #make(serviceId: string, sessionId: string): Conversation {
    const { connection } = this.#options;
    this.#goOn(serviceId);
    return new Conversation({
      ...this.#options,
      serviceId,
      sessionId,
      api: (): ApiClient | undefined => {
        const state = connection.state.current;
        return state.kind === 'signedIn' && state.service.id === serviceId ? connection.api : undefined;
      },
      describe: error => errorSentence(error),
    });
  }

  /** Opens the conversations of sessions with a queue, and clears kept files nobody needs any more. */
  #goOn(serviceId: string): void {
    if (this.#going.has(serviceId)) return;
    this.#going.add(serviceId);
    const { log, storage, attachments } = this.#options;
    const outboxes = storage.collection(outboxRecords(serviceId));
    const open = (): void => {
      for (const [sessionId, { entries }] of this.isDisposed ? [] : outboxes.values) {
        if (!entries.some(({ state }) => state === 'queued')) continue;
        const { conversation, lease } = this.use(serviceId, sessionId);
        conversation.load().catch((error: unknown) => log.error('A queue cannot go on', error));
        lease.dispose();
      }
    };
    const begin = async (): Promise<void> => {
      await outboxes.load();
      this.register(outboxes.onDidChange(open));
      open();
      // In a record that cannot be read other files may be named.
      if (outboxes.unreadable.length > 0) return;
      const all = [...outboxes.values.values()].flatMap(({ draft, entries }) => [draft, ...entries]);
      const inUse = all.flatMap(each => each.attachments);
      await attachments
        .sweep(serviceId, inUse)
        .catch((error: unknown) => log.error('Kept files cannot be cleared', error));
    };
    begin().catch((error: unknown) => {
      // The next chat that is opened tries again.
      this.#going.delete(serviceId);
      log.error('What was queued cannot be read', error);
    });
  }
}
