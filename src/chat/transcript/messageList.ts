import type { Extra, Message, Page } from '../../api';
import { Disposable } from '../../util/disposable';
import { Emitter } from '../../util/event';
import { toStored, type StoredMessage } from './messages';
import type { Transcript } from './transcript';

export interface MessageListOptions {
  readonly transcript: Pick<Transcript, 'known' | 'keep'>;
  /** Asks for a page; `undefined` while the service cannot be asked or extras are off. */
  readonly page: () =>
    ((cursor: string | undefined, signal: AbortSignal) => Promise<Extra<Page<Message>>>) | undefined;
  /** Hears why a list could not be read, the first of several times. */
  readonly onFailure: (error: unknown) => void;
}

/** Pages of one reading. */
const MOST_PAGES = 200;

/**
 * Reads the messages of a session from the service's own list, where there is one (interface-notes, extras). Which end of a session
 * the list begins with is not documented, so it is seen from the times: a list with the oldest first is read on from its last
 * page, one with the newest first only as far as something is new.
 */
export class MessageList extends Disposable {
  readonly #options: MessageListOptions;
  readonly #changed = this.register(new Emitter<void>());
  readonly #abort = new AbortController();
  /** Where the last page of a list with the oldest first begins. */
  #resume: string | undefined;
  #newestFirst = false;
  #complete = false;
  #failing = false;
  #running: Promise<boolean> | undefined;
  #again = false;

  constructor(options: MessageListOptions) {
    super();
    this.#options = options;
  }

  readonly onDidChange = this.#changed.event;

  /** The transcript holds what the service shows: what is still missing then is not shown to anybody. */
  get isComplete(): boolean {
    return this.#complete;
  }

  /** There is such a list, but it could not be read the last time. */
  get isFailing(): boolean {
    return this.#failing;
  }

  /**
   * Reads what is not known yet; joins a reading that goes on already. Resolves to false where there is no such list, so that
   * another way may be tried; rejects only when what was read cannot be kept.
   */
  read(): Promise<boolean> {
    // What changes while a page is under way may be missing from it.
    if (this.#running !== undefined) this.#again = true;
    this.#running ??= this.#repeat().finally(() => (this.#running = undefined));
    return this.#running;
  }

  override dispose(): void {
    this.#abort.abort();
    super.dispose();
  }

  async #repeat(): Promise<boolean> {
    this.#again = false;
    let done = await this.#read();
    while (done && this.#wantsMore()) done = await this.#read();
    this.#changed.fire();
    return done;
  }

  #wantsMore(): boolean {
    const again = this.#again && !this.isDisposed;
    this.#again = false;
    return again;
  }

  async #read(): Promise<boolean> {
    const { transcript, page, onFailure } = this.#options;
    const ask = page();
    if (ask === undefined) return this.#closed();
    let cursor = this.#resume;
    const met = new Set<string | undefined>();
    for (let count = 0; count < MOST_PAGES && !met.has(cursor); count++) {
      met.add(cursor);
      let answer: Extra<Page<Message>>;
      try {
        answer = await ask(cursor, this.#abort.signal);
      } catch (error) {
        this.#resume = undefined;
        if (!this.#abort.signal.aborted && !this.#failing) onFailure(error);
        this.#failing = true;
        return this.#closed();
      }
      this.#failing = false;
      if (answer === 'missing') return this.#closed();
      const messages = answer.items.map(message => toStored(message.id, message));
      const fresh = messages.filter(message => this.#isFresh(message));
      if (fresh.length > 0) await transcript.keep(fresh);
      this.#newestFirst ||= isNewestFirst(messages);
      if (!answer.hasMore || (this.#newestFirst && fresh.length === 0 && this.#complete)) {
        this.#resume = this.#newestFirst ? undefined : cursor;
        this.#complete = true;
        return true;
      }
      cursor = answer.cursor;
    }
    return true;
  }

  #isFresh(message: StoredMessage): boolean {
    const known = this.#options.transcript.known.get(message.id)?.message;
    if (known?.updatedAt === undefined || message.updatedAt === undefined)
      return JSON.stringify(known) !== JSON.stringify(message);
    return known.updatedAt < message.updatedAt;
  }

  #closed(): false {
    this.#complete = false;
    return false;
  }
}

function isNewestFirst(messages: readonly StoredMessage[]): boolean {
  const [first, last] = [messages.at(0), messages.at(-1)];
  return (first?.createdAt ?? NaN) > (last?.createdAt ?? NaN);
}
