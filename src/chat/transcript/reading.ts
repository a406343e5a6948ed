import type { ApiClient } from '../../api';
import type { Logger } from '../../log';
import { Disposable } from '../../util/disposable';
import { Emitter } from '../../util/event';
import { MessageList } from './messageList';
import { toStored } from './messages';
import { Reader } from './reader';
import type { RowsInput } from './rows';
import type { ChatSession } from '../sessions';
import type { Transcript } from './transcript';

export interface ReadingOptions {
  readonly sessionId: string;
  readonly session: () => ChatSession | undefined;
  readonly transcript: Transcript;
  readonly api: () => ApiClient | undefined;
  /** Whether what only some services offer may be used. */
  readonly extras: () => boolean;
  readonly describe: (error: unknown) => string | undefined;
  readonly log: Logger;
  /** More is known now. */
  readonly onRead: () => Promise<void>;
}

/** Reads the messages of a session into its transcript: from the list some services offer, else by the documented walk. */
export class Reading extends Disposable {
  readonly #options: ReadingOptions;
  readonly #list: MessageList;
  readonly #walk: Reader;
  readonly #changed = this.register(new Emitter<void>());
  /** The list has served the last time. */
  #isListed = false;
  /** State of the session when its list was last read. */
  #seen = '';
  #running = 0;
  #watchers = 0;

  constructor(options: ReadingOptions) {
    super();
    this.#options = options;
    const { sessionId, transcript, api, extras, describe, log } = options;
    this.#list = this.register(
      new MessageList({
        transcript,
        page: () => {
          const client = extras() ? api() : undefined;
          if (client === undefined) return undefined;
          return (cursor, signal) => client.extras.messages(sessionId, cursor, { signal });
        },
        onFailure: error => log.warn(`The list of messages could not be read: ${describe(error) ?? ''}`),
      }),
    );
    const get = () => {
      const client = api();
      if (client === undefined) return undefined;
      return async (messageId: string, signal: AbortSignal) =>
        toStored(messageId, await client.messages.get(sessionId, messageId, { signal }));
    };
    this.#walk = this.register(new Reader({ transcript, get, describe }));
    for (const way of [this.#list, this.#walk]) this.register(way.onDidChange(() => this.#changed.fire()));
  }

  /** Fires when `state` may have changed. */
  readonly onDidChange = this.#changed.event;

  /** What is missing, and where. */
  get state(): Pick<RowsInput, 'messageCount' | 'breaks' | 'complete'> {
    const complete = this.#isListed && this.#list.isComplete;
    const isBehind = this.#running > 0 || this.#seen !== this.#stamp;
    return {
      // A list is read again after the count has moved: until then there is nothing to say about the difference.
      messageCount: complete && isBehind ? undefined : this.#options.session()?.messageCount,
      // The list has no holes: what is missing is missing at the service.
      breaks: this.#isListed ? new Map() : this.#walk.breaks(),
      complete,
    };
  }

  /** Reads earlier messages, with `retry` also where that failed or stopped before. */
  async read(retry: boolean): Promise<void> {
    const stamp = this.#stamp;
    this.#running++;
    try {
      this.#isListed = await this.#list.read();
      if (!this.#isListed) await this.#walk.read(retry);
    } finally {
      this.#running--;
    }
    // A list that failed is tried again when the session is next asked about, not at once.
    const { isFailing } = this.#list;
    if (!isFailing) this.#seen = stamp;
    this.#changed.fire();
    await this.#options.onRead();
    if (!isFailing) this.follow();
  }

  /** While there is somebody, a list is read again whenever the session says that there is more. */
  watch(by: 1 | -1): void {
    this.#watchers += by;
    if (by > 0) this.follow();
  }

  /** To be called when the session may have changed; the walk has nothing to gain from that. */
  follow(): void {
    if (this.#watchers === 0 || this.#running > 0) return;
    if (!this.state.complete && !this.#list.isFailing) return;
    if (this.#seen === this.#stamp) return;
    this.read(false).catch((error: unknown) => {
      if (!this.isDisposed) this.#options.log.error('Reading a session failed', error);
    });
  }

  /** Changes whenever the service has said something new about the session. */
  get #stamp(): string {
    const { messageCount, updatedAt } = this.#options.session() ?? {};
    return `${String(messageCount)} ${String(updatedAt)}`;
  }
}
