import * as vscode from 'vscode';
import { isApiError, type ApiClient } from '../api';
import { errorSentence, type Connection } from '../connection';
import type { Logger } from '../log';
import type { Storage } from '../storage';
import { Disposable, toDisposable, type IDisposable } from '../util/disposable';
import type { Attachments } from './attach/attachments';
import type { BuildBody } from './attach/body';
import { Conversation } from './conversation';
import type { KeptFiles } from './attach/keptFiles';
import { Outboxes } from './outbox/outbox';
import { ReadingPlaces } from './panel/readingPlaces';
import type { ChatSessions } from './sessions';

export interface ConversationsOptions {
  readonly connection: Connection;
  readonly storage: Storage;
  readonly sessions: ChatSessions;
  readonly attachments: Attachments;
  readonly kept: Pick<KeptFiles, 'sweep'>;
  readonly buildBody: BuildBody;
  readonly log: Logger;
  /** Whether what only some services offer may be used. */
  readonly extras: () => boolean;
}

interface OfService {
  readonly outboxes: Outboxes;
  readonly places: ReadingPlaces;
}

/** One conversation a session, shared by whoever uses it and let go after the last. */
export class Conversations extends Disposable {
  readonly #options: ConversationsOptions;
  readonly #services = new Map<string, OfService>();
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
  use(
    serviceId: string,
    sessionId: string,
  ): { readonly conversation: Conversation; readonly lease: IDisposable } {
    const key = `${serviceId}\n${sessionId}`;
    let open = this.#open.get(key);
    if (open === undefined) {
      open = { conversation: this.#make(serviceId, sessionId), users: 0 };
      this.#open.set(key, open);
    }
    const held = open;
    held.users++;
    const lease = toDisposable(() => {
      held.users--;
      if (held.users > 0) return;
      this.#open.delete(key);
      held.conversation.dispose();
    });
    return { conversation: held.conversation, lease };
  }

  /** Goes on sending what was queued for the service known now. */
  goOn(): void {
    if (this.serviceId !== undefined) this.#ofService(this.serviceId);
  }

  /** Resolves when all that is written is durable, or was tried in vain. */
  async flush(): Promise<void> {
    const kept = [...this.#services.values()].flatMap(({ outboxes, places }) => [outboxes, places]);
    await Promise.allSettled(kept.map(each => each.flush()));
  }

  override dispose(): void {
    for (const { conversation } of this.#open.values()) conversation.dispose();
    this.#open.clear();
    super.dispose();
  }

  #make(serviceId: string, sessionId: string): Conversation {
    const { storage, attachments, buildBody, sessions, log, extras } = this.#options;
    return new Conversation({
      ...this.#ofService(serviceId),
      serviceId,
      sessionId,
      storage,
      attachments,
      buildBody,
      sessions,
      api: () => this.#api(serviceId),
      describe: error =>
        isCancelled(error) ? undefined : errorSentence(error, { language: vscode.env.language }),
      log,
      extras,
    });
  }

  #ofService(serviceId: string): OfService {
    let known = this.#services.get(serviceId);
    if (known === undefined) {
      const { storage, log } = this.#options;
      known = {
        outboxes: this.register(
          new Outboxes(storage, serviceId, error => log.error('What is written could not be stored', error)),
        ),
        places: this.register(
          new ReadingPlaces(storage, serviceId, error => log.error('A place could not be stored', error)),
        ),
      };
      this.#services.set(serviceId, known);
      this.#goOn(serviceId, known);
    }
    return known;
  }

  /** Keeps the conversations of sessions with a queue alive until it is empty, and clears attachments nobody needs any more. */
  #goOn(serviceId: string, { outboxes }: OfService): void {
    const held = new Map<string, IDisposable>();
    const hold = (): void => {
      const waiting = this.isDisposed ? [] : outboxes.waiting;
      for (const sessionId of waiting) {
        if (held.has(sessionId)) continue;
        const { conversation, lease } = this.use(serviceId, sessionId);
        held.set(sessionId, lease);
        conversation.load().catch((error: unknown) => this.#options.log.error('A queue cannot go on', error));
      }
      for (const [sessionId, lease] of held) {
        if (waiting.includes(sessionId)) continue;
        held.delete(sessionId);
        lease.dispose();
      }
    };
    this.register(outboxes.onDidChange(hold));
    const begin = async (): Promise<void> => {
      await outboxes.load();
      hold();
      const { attachments } = outboxes;
      if (attachments !== undefined) await this.#options.kept.sweep(serviceId, attachments);
    };
    begin().catch((error: unknown) => this.#options.log.error('What was queued cannot be read', error));
  }

  #api(serviceId: string): ApiClient | undefined {
    const { connection } = this.#options;
    const state = connection.state.current;
    return state.kind === 'signedIn' && state.service.id === serviceId ? connection.api : undefined;
  }
}

function isCancelled(error: unknown): boolean {
  return isApiError(error) && error.kind === 'cancelled';
}
