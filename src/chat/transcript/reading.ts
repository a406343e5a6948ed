import { isDeepStrictEqual } from 'node:util';
import type { ApiClient } from '../../api';
import { Disposable, Emitter } from '../../util/lifecycle';
import type { ConversationOptions } from '../conversation';
import type { ChatSession } from '../sessions';
import { toStored, unread, type StoredMessage } from './messages';
import type { RowsInput } from './rows';
import type { Transcript } from './transcript';

interface ReadingOptions extends Pick<ConversationOptions, 'sessionId' | 'extras' | 'describe' | 'log'> {
  readonly session: () => Pick<ChatSession, 'messageCount' | 'updatedAt'> | undefined;
  readonly transcript: Pick<Transcript, 'known' | 'keep'>;
  readonly api: () => Pick<ApiClient, 'one' | 'extras'> | undefined;
  readonly onRead: () => Promise<void>;
}

/** Questions of one walk, and pages of one reading of a list. */
const CAP = 200;

/** Reads the messages of a session into its transcript: from the list some services offer, else by the documented walk. */
export class Reading extends Disposable {
  readonly #options: ReadingOptions;
  readonly #changed = this.register(new Emitter<void>());
  readonly #abort = new AbortController();
  #running: Promise<void> | undefined;
  #again = false;
  #watchers = 0;
  /** State of the session when it was last read. */
  #seen = '';
  /** The list serves; when it has been read whole, all it shows is known. */
  #isListed = false;
  #isComplete = false;
  /** There is a list, but it could not be read the last time, for this reason. */
  #failure: string | undefined;
  #newestFirst = false;
  /** Where the last page of a list with the oldest first begins. */
  #resume: string | undefined;
  /** Failures of the walk as sentences, by the id that was asked for. */
  readonly #failed = new Map<string, string>();

  constructor(options: ReadingOptions) {
    super();
    this.#options = options;
  }

  override dispose(): void {
    this.#abort.abort();
    super.dispose();
  }

  readonly onDidChange = this.#changed.event;

  get state(): Pick<RowsInput, 'messageCount' | 'walk' | 'complete' | 'failure'> {
    const complete = this.#isListed && this.#isComplete;
    const isBehind = this.#running !== undefined || this.#seen !== this.#stamp;
    return {
      // While a list is read, and until it is read again after the count has moved, there is nothing to say about the difference.
      messageCount: this.#isListed && isBehind ? undefined : this.#options.session()?.messageCount,
      // A list that was read has no holes: what is missing is missing at the service.
      walk: complete ? undefined : { failed: this.#failed, isOn: this.#running !== undefined },
      complete,
      failure: this.#failure,
    };
  }

  /**
   * Reads what is not known yet, with `retry` also where that failed or stopped before; joins a reading that goes on already, which
   * begins again then. Rejects only when what was read cannot be kept.
   */
  read(retry: boolean): Promise<void> {
    this.#again = this.#running !== undefined;
    if (retry) this.#failed.clear();
    if (this.#running === undefined) {
      this.#running = this.#run().finally(() => {
        this.#running = undefined;
        this.#changed.fire();
        // A list that failed is tried again when the session is next asked about, not at once.
        if (this.#failure === undefined) this.follow();
      });
      this.#changed.fire();
    }
    return this.#running;
  }

  /** While there is somebody, a list is read again whenever the session says that there is more. */
  watch(by: 1 | -1): void {
    this.#watchers += by;
    if (by > 0) this.follow();
  }

  /** To be called when the session may have changed; the walk has nothing to gain from that. */
  follow(): void {
    if (this.#watchers === 0 || this.#running !== undefined || this.#seen === this.#stamp) return;
    if (!this.state.complete && this.#failure === undefined) return;
    this.read(false).catch((error: unknown) => {
      if (!this.isDisposed) this.#options.log.error('Reading a session failed', error);
    });
  }

  async #run(): Promise<void> {
    do {
      this.#again = false;
      const stamp = this.#stamp;
      this.#isListed = await this.#readList();
      if (!this.#isListed) await this.#walk();
      if (this.#failure === undefined) this.#seen = stamp;
      this.#changed.fire();
      await this.#options.onRead();
      // What was asked for meanwhile.
    } while ((this.#again as boolean) && !this.isDisposed);
  }

  /**
   * The service's own list, where there is one (interface-notes, extras): whether it served. Which end it begins with is seen from the
   * times: with the oldest first it is read on from its last page, with the newest first as far as something is new.
   */
  async #readList(): Promise<boolean> {
    const { api, extras, sessionId, transcript, log, describe } = this.#options;
    const { signal } = this.#abort;
    let cursor = this.#resume;
    for (const met = new Set<string | undefined>(); met.size < CAP && !met.has(cursor);) {
      met.add(cursor);
      const client = extras() ? api() : undefined;
      let page;
      try {
        page = await client?.extras.messages(sessionId, cursor, { signal });
        this.#failure = undefined;
      } catch (error) {
        this.#failure = describe(error);
        if (!signal.aborted) log.warn(`The list of messages could not be read: ${this.#failure}`);
      }
      if (page === undefined || page === 'missing') {
        // What comes until it is there again is not in what was read of it.
        this.#resume = undefined;
        this.#isComplete = false;
        return false;
      }
      this.#isListed = true;
      const messages = page.items.map(message => toStored(message.id, message));
      const fresh = messages.filter(each => !isDeepStrictEqual(each, transcript.known.get(each.id)?.message));
      if (fresh.length > 0) await transcript.keep(fresh);
      this.#newestFirst ||= (messages.at(0)?.createdAt ?? NaN) > (messages.at(-1)?.createdAt ?? NaN);
      if (page.cursor === undefined || (this.#newestFirst && fresh.length === 0 && this.#isComplete)) {
        this.#isComplete = true;
        this.#resume = this.#newestFirst ? undefined : cursor;
        break;
      }
      cursor = page.cursor;
    }
    return true;
  }

  /**
   * The ancestor walk (interface-notes 2): reads a message, then its parent, up to a known one, a loop, a failure or the cap; then on
   * from wherever else something is missing. What is read is kept at once.
   */
  async #walk(): Promise<void> {
    const { api, sessionId, transcript, describe } = this.#options;
    const { signal } = this.#abort;
    const asked = new Set<string>();
    const isWanted = (id: string): boolean =>
      !asked.has(id) && !this.#failed.has(id) && transcript.known.get(id)?.message === undefined;
    let next: string | undefined;
    while (asked.size < CAP && !signal.aborted) {
      next ??= unread(transcript.known).find(isWanted);
      const client = api();
      if (client === undefined || next === undefined) return;
      asked.add(next);
      let message: StoredMessage;
      try {
        const ids = { sessionId, messageId: next };
        message = toStored(next, await client.one('message', { ids, signal }));
      } catch (error) {
        this.#failed.set(next, describe(error));
        next = undefined;
        continue;
      }
      await transcript.keep([message]);
      next = message.parentId !== undefined && isWanted(message.parentId) ? message.parentId : undefined;
    }
  }

  /** Changes whenever the service has said something new about the session. */
  get #stamp(): string {
    const { messageCount, updatedAt } = this.#options.session() ?? {};
    return `${String(messageCount)} ${String(updatedAt)}`;
  }
}
