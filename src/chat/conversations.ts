import * as vscode from 'vscode';
import { isApiError, type ApiClient } from '../api';
import { errorSentence, type Connection } from '../connection';
import { Disposable, toDisposable, type IDisposable } from '../util/disposable';
import type { KeptFiles } from './attach/keptFiles';
import { Conversation, type ConversationOptions } from './conversation';
import { Outboxes } from './outbox/outbox';
import { keyOf } from './sessions';

export interface ConversationsOptions extends Pick<
  ConversationOptions,
  'storage' | 'sessions' | 'attachments' | 'buildBody' | 'log' | 'extras'
> {
  readonly connection: Connection;
  readonly kept: Pick<KeptFiles, 'sweep'>;
}

/** A conversation somebody uses. */
export interface Used {
  readonly conversation: Conversation;
  readonly lease: IDisposable;
}

/** One conversation a session, shared by whoever uses it and let go after the last. */
export class Conversations extends Disposable {
  readonly #options: ConversationsOptions;
  readonly #services = new Map<string, Outboxes>();
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
  use(serviceId: string, sessionId: string): Used {
    const key = keyOf({ serviceId, sessionId });
    const open = this.#open.get(key) ?? { conversation: this.#make(serviceId, sessionId), users: 0 };
    this.#open.set(key, open);
    open.users++;
    const lease = toDisposable(() => {
      open.users--;
      if (open.users > 0) return;
      this.#open.delete(key);
      open.conversation.dispose();
    });
    return { conversation: open.conversation, lease };
  }

  /** Goes on sending what was queued for the service known now. */
  goOn(): void {
    if (this.serviceId !== undefined) this.#outboxesOf(this.serviceId);
  }

  /** Resolves when all that is written is durable, or was tried in vain. */
  async flush(): Promise<void> {
    await Promise.allSettled([...this.#services.values()].map(outboxes => outboxes.flush()));
  }

  override dispose(): void {
    for (const { conversation } of this.#open.values()) conversation.dispose();
    this.#open.clear();
    super.dispose();
  }

  #make(serviceId: string, sessionId: string): Conversation {
    const { connection } = this.#options;
    return new Conversation({
      ...this.#options,
      outboxes: this.#outboxesOf(serviceId),
      serviceId,
      sessionId,
      api: (): ApiClient | undefined => {
        const state = connection.state.current;
        return state.kind === 'signedIn' && state.service.id === serviceId ? connection.api : undefined;
      },
      describe: error =>
        isApiError(error) && error.kind === 'cancelled'
          ? undefined
          : errorSentence(error, { language: vscode.env.language }),
    });
  }

  #outboxesOf(serviceId: string): Outboxes {
    let outboxes = this.#services.get(serviceId);
    if (outboxes === undefined) {
      const { storage, log } = this.#options;
      outboxes = this.register(
        new Outboxes(storage, serviceId, error => log.error('What is written could not be stored', error)),
      );
      this.#services.set(serviceId, outboxes);
      this.#goOn(serviceId, outboxes).catch((error: unknown) =>
        log.error('What was queued cannot be read', error),
      );
    }
    return outboxes;
  }

  /** Keeps the conversations of sessions with a queue alive until it is empty, and clears attachments nobody needs any more. */
  async #goOn(serviceId: string, outboxes: Outboxes): Promise<void> {
    const { log, kept } = this.#options;
    const held = new Map<string, IDisposable>();
    const hold = (): void => {
      const waiting = this.isDisposed ? [] : outboxes.waiting;
      for (const sessionId of waiting) {
        if (held.has(sessionId)) continue;
        const { conversation, lease } = this.use(serviceId, sessionId);
        held.set(sessionId, lease);
        conversation.load().catch((error: unknown) => log.error('A queue cannot go on', error));
      }
      for (const [sessionId, lease] of held) {
        if (waiting.includes(sessionId)) continue;
        held.delete(sessionId);
        lease.dispose();
      }
    };
    this.register(outboxes.onDidChange(hold));
    await outboxes.load();
    hold();
    const { attachments } = outboxes;
    if (attachments !== undefined) await kept.sweep(serviceId, attachments);
  }
}
