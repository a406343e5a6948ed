import * as vscode from 'vscode';
import { Disposable, toDisposable, type IDisposable } from '../util/disposable';
import { Emitter } from '../util/event';
import { Ticker } from '../util/ticker';
import { AttachmentsRefused } from './attachments';
import { Composition } from './composition';
import { LOOK_EVERY_MS, type ConversationOptions } from './conversationOptions';
import { routeOf } from './drafts';
import type { MessageList } from './messageList';
import type { MessageSource } from './messageSource';
import { messageSources } from './messageSources';
import { wasSentSince } from './model';
import type { Kept, Unsaved } from './protocol';
import { QueueRunner } from './queueRunner';
import type { RowsInput } from './rows';
import { Sender, type Outgoing, type SendOutcome } from './sender';
import type { SendRecord } from './sendJournal';
import type { QueuedMessage } from './sendQueue';
import type { ChatSession } from './sessions';
import { Transcript } from './transcript';

/** Everything the chat knows and does about one session, without a view. */
export class Conversation extends Disposable {
  readonly sessionId: string;
  readonly serviceId: string;
  readonly composition: Composition;
  readonly transcript: Transcript;
  readonly #options: ConversationOptions;
  /** Ways to read messages, the best first; the one that served last. */
  readonly #sources: readonly MessageSource[];
  #source: MessageSource;
  readonly #list: MessageList;
  readonly #sender: Sender;
  /** Sends what is queued, and changes it. */
  readonly queue: QueueRunner;
  readonly #looking: Ticker;
  readonly #changed = this.register(new Emitter<void>());
  readonly #settled = this.register(new Emitter<SendOutcome>());
  #loading: Promise<void> | undefined;
  #loaded = false;
  #refreshing: Promise<void> | undefined;
  #starting = false;
  #watchers = 0;
  /** State of the session when its list was last read. */
  #seen = '';
  #reading = 0;

  constructor(options: ConversationOptions) {
    super();
    this.#options = options;
    const { sessionId, serviceId, storage, drafts, journal, queue, attachments, sessions, api, log } =
      options;
    this.sessionId = sessionId;
    this.serviceId = serviceId;
    this.transcript = this.register(new Transcript(storage, serviceId, sessionId));
    this.composition = this.register(new Composition(sessionId, drafts, journal, attachments));
    const { list, walk } = messageSources(options, this.transcript);
    this.#list = this.register(list);
    this.#sources = [list, this.register(walk)];
    this.#source = walk;
    this.#sender = new Sender({
      ...options,
      transcript: this.transcript,
      describe: error => options.describe(error) ?? vscode.l10n.t('The request was cancelled.'),
      now: options.now ?? Date.now,
    });
    this.queue = this.register(
      new QueueRunner({
        sessionId,
        queue,
        sessions,
        isFree: force =>
          this.#loaded && api() !== undefined && !this.isSending && (force || this.#undecided.length === 0),
        isSent: id => this.isRecorded(id, false) && journal.get(id)?.state !== 'sending',
        begun: () => this.composition.draft.changing,
        keep: begun => this.composition.setChanging(begun),
        send: (message, recorded) => this.#sendQueued(message, recorded),
        onError: error => log.error('A queued message could not be sent', error),
      }),
    );
    this.#looking = this.register(new Ticker({ everyMs: LOOK_EVERY_MS, onTick: () => void this.#goOn() }));
    const changed = (): void => this.#onChange();
    this.register(this.transcript.onDidChange(changed));
    this.register(this.composition.onDidChange(changed));
    for (const source of this.#sources) this.register(source.onDidChange(changed));
    this.register(
      journal.onDidChange(ids => {
        if (ids.some(id => (journal.get(id)?.sessionId ?? sessionId) === sessionId)) changed();
      }),
    );
    this.register(
      queue.onDidChange(ids => {
        if (ids.includes(sessionId)) changed();
      }),
    );
    this.register(
      sessions.onDidChange(ids => {
        if (ids.length > 0 && !ids.includes(sessionId)) return;
        changed();
        this.#readAlong();
      }),
    );
  }

  /** Fires when anything a view shows may have changed. */
  readonly onDidChange = this.#changed.event;
  /** Fires when a send of this window is settled. */
  readonly onDidSettle = this.#settled.event;

  get session(): ChatSession | undefined {
    return this.#options.sessions.get(this.sessionId);
  }

  get isLoaded(): boolean {
    return this.#loaded;
  }

  get isRefreshing(): boolean {
    return this.#refreshing !== undefined;
  }

  /** A message of the composer is on its way. */
  get isSending(): boolean {
    return this.#starting || this.sends.some(send => send.state === 'sending');
  }

  /** What waits until the agent is idle, in order. */
  get queued(): readonly QueuedMessage[] {
    return this.#options.queue.of(this.sessionId);
  }

  /** Sends the person has to decide about. Nothing queued goes out before. */
  get #undecided(): readonly SendRecord[] {
    return this.sends.filter(({ state }) => state === 'refused' || state === 'unknown');
  }

  /** Queued messages wait for the person. */
  get isQueueStopped(): boolean {
    return this.queued.length > 0 && (this.#undecided.length > 0 || this.queued[0]?.problem !== undefined);
  }

  /** A message of the person is queued rather than sent. */
  get queuesNow(): boolean {
    const status = this.session?.status;
    const isWorking = status === 'running' || status === 'pending';
    return this.isSending || isWorking || (this.queued.length > 0 && !this.isQueueStopped);
  }

  /** A message is being made ready; the next one has to wait that long. */
  get isStarting(): boolean {
    return this.#starting;
  }

  get sends(): readonly SendRecord[] {
    return this.#options.journal.ofSession(this.sessionId);
  }

  /** What the rows of the transcript are made from. */
  get rows(): Omit<RowsInput, 'timeZone'> {
    return {
      known: this.transcript.known,
      sends: this.sends,
      // A list is read again after the count has moved: until then there is nothing to say about the difference.
      messageCount:
        this.#source.isComplete && (this.#reading > 0 || this.#seen !== this.#state)
          ? undefined
          : this.session?.messageCount,
      breaks: this.#source.breaks(),
      complete: this.#source.isComplete,
      inComposer: this.composition.draft.sendId,
    };
  }

  /** Where the session was read; known once it is loaded. */
  get place(): Kept {
    return this.#options.places.get(this.sessionId);
  }

  set place(kept: Kept) {
    this.#options.places.keep(this.sessionId, kept);
  }

  /** Reads what is stored, then goes on with what was interrupted, in the background. */
  load(): Promise<void> {
    this.#loading ??= this.#load();
    return this.#loading;
  }

  /** Asks how the session stands and reads on; rejects when the session could not be asked. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined;
      this.#changed.fire();
    });
    this.#changed.fire();
    return this.#refreshing;
  }

  /** Reads earlier messages, also where that failed or stopped before. */
  async readOn(retry = true): Promise<void> {
    const state = this.#state;
    this.#reading++;
    try {
      for (const source of this.#sources) {
        if (!(await source.read({ retry }))) continue;
        this.#source = source;
        break;
      }
    } finally {
      this.#reading--;
    }
    // A list that failed is tried again when the session is next asked about, not at once.
    const isFailing = this.#list.isFailing;
    if (!isFailing) this.#seen = state;
    this.#changed.fire();
    await this.#sender.reconcile();
    if (!isFailing) this.#readAlong();
  }

  /** While held, the session's status is followed, and its messages with it where the service lists them. */
  watch(): IDisposable {
    const watch = this.#options.sessions.watch(this.sessionId);
    this.#watchers++;
    this.#readAlong();
    return toDisposable(() => {
      this.#watchers--;
      watch.dispose();
    });
  }

  /**
   * Sends the text with the attachments of the draft, or queues it while the agent works. Resolves to its id when it is recorded;
   * rejects with a sentence when it was not; the draft stays.
   */
  async submit(text: string, id: string): Promise<void> {
    await this.load();
    if (this.isRecorded(id)) throw new Error(vscode.l10n.t('This message has been recorded already.'));
    if (!this.queuesNow) {
      await this.sendDraft(text, id);
      return;
    }
    const message = await this.composition.message(text);
    await this.#options.queue.add(this.sessionId, { ...message, id });
    await this.composition.putAside(message);
    this.queue.look();
  }

  /** Sends the text with the attachments of the draft. Resolves when that is recorded; `onDidSettle` tells the rest. */
  async sendDraft(text: string, sendId?: string): Promise<SendRecord> {
    const { log } = this.#options;
    try {
      const { send, outcome } = await this.#begin({ ...(await this.composition.message(text)), sendId });
      // The request is under way: from here on nothing may look as if it were not.
      await this.composition
        .putIn(send)
        .catch((error: unknown) => log.error('A draft could not be stored', error));
      void this.#settle(send, outcome);
      return send;
    } catch (error) {
      if (error instanceof AttachmentsRefused) this.composition.setProblems(error.problems);
      throw error;
    }
  }

  /** Takes up what a page still held when its window was closed, unless it was sent or queued since. Resolves when that is durable. */
  async takeUnsaved({ text, at = 0, sendId }: Unsaved): Promise<void> {
    await this.load();
    if (sendId !== undefined && this.isRecorded(sendId)) return;
    if (wasSentSince(this.transcript.known.values(), text, at)) return;
    this.composition.takeUnsaved(text, at);
    await this.#options.drafts.flush();
  }

  /** Whether a message with this id was recorded: sent, being sent, or queued. */
  isRecorded(id: string, orQueued = true): boolean {
    if (this.#options.journal.get(id) !== undefined || this.transcript.hasSent(id)) return true;
    return orQueued && this.queued.some(item => item.id === id);
  }

  /** Sends text and files without touching the draft; resolves to the outcome. */
  async sendDirectly(text: string, uris: readonly string[]): Promise<SendOutcome> {
    const attachments = await this.#options.attachments.references(uris);
    const { send, outcome } = await this.#sender.start({ text, attachments });
    return this.#settle(send, outcome);
  }

  /** Sends the same again: only ever on the person's word. The send before is forgotten once the new one is recorded. */
  async sendAgain(sendId: string): Promise<void> {
    const { text, attachments, ...rest } = await this.#settledSend(sendId);
    const { send, outcome } = await this.#begin({ text, attachments, ...routeOf(rest) });
    this.composition.keepWithout(sendId);
    await this.#options.journal.remove(sendId);
    void this.#settle(send, outcome);
  }

  /** Forgets a send that was refused or whose outcome is unknown; resolves to what is nowhere else then. */
  async discard(sendId: string): Promise<SendRecord | undefined> {
    const send = await this.#settledSend(sendId);
    const isInComposer = this.composition.draft.sendId === sendId;
    this.composition.keepWithout(sendId);
    await this.#options.journal.remove(sendId);
    return isInComposer ? undefined : send;
  }

  /** Moves a refused message back into the composer. */
  async editAgain(sendId: string): Promise<void> {
    const send = await this.#settledSend(sendId);
    await this.composition.takeBack(send);
    if (this.composition.draft.sendId !== sendId) await this.#options.journal.remove(sendId);
  }

  async #sendQueued(message: QueuedMessage, recorded: () => Promise<void>): Promise<void> {
    const { id: sendId, text, attachments, ...rest } = message;
    const { send, outcome } = await this.#begin({ sendId, text, attachments, ...routeOf(rest) }, recorded);
    await this.#settle(send, outcome);
  }

  /** One message at a time. */
  async #begin(message: Outgoing, recorded?: () => Promise<void>): ReturnType<Sender['start']> {
    if (this.isSending) throw new Error(vscode.l10n.t('The message before this one is still being sent.'));
    this.#starting = true;
    this.#changed.fire();
    try {
      return await this.#sender.start(message, recorded);
    } finally {
      this.#starting = false;
      this.#changed.fire();
    }
  }

  async #load(): Promise<void> {
    const { drafts, places, journal, queue } = this.#options;
    const stored = [drafts, places, journal, queue, this.transcript];
    await Promise.all(stored.map(each => each.load()));
    await this.composition.load();
    this.#loaded = true;
    this.#changed.fire();
    this.#inBackground(() => this.#goOn().then(() => this.readOn(false)));
  }

  /** Goes on with what windows that are gone had in their hands. */
  async #goOn(): Promise<void> {
    await this.#sender.recover();
    if (!this.isDisposed) this.#onChange();
  }

  #onChange(): void {
    this.#changed.fire();
    this.queue.look();
    this.#looking.want(this.queued.length > 0 || this.#options.journal.isOpen(this.sessionId));
  }

  async #refresh(): Promise<void> {
    await this.#sender.recover();
    const unknown = this.sends.filter(send => send.state === 'unknown');
    if (unknown.length > 0) await this.#sender.lookAfter(unknown);
    await this.#options.sessions.refresh(this.sessionId);
    await this.readOn();
  }

  async #settle(send: SendRecord, outcome: Promise<SendOutcome>): Promise<SendOutcome> {
    const settled = await outcome;
    if (settled.state !== 'refused') this.composition.release(send.sendId);
    this.#settled.fire(settled);
    this.#changed.fire();
    this.queue.look();
    if (settled.state === 'accepted') this.#inBackground(() => this.readOn());
    return settled;
  }

  /** A send that is the person's to decide about; what stands in the queue of it goes. */
  async #settledSend(sendId: string): Promise<SendRecord> {
    const send = this.#options.journal.get(sendId);
    if (send?.sessionId !== this.sessionId || send.state === 'sending' || send.state === 'accepted') {
      throw new Error(vscode.l10n.t('This message has been settled meanwhile.'));
    }
    await this.#options.queue.drop(this.sessionId, sendId);
    return send;
  }

  /** Reads a list again when the session says that there is more; the walk has nothing to gain from that. */
  #readAlong(): void {
    if (this.#watchers === 0 || this.#reading > 0) return;
    if (!this.#source.isComplete && !this.#list.isFailing) return;
    if (this.#seen !== this.#state) this.#inBackground(() => this.readOn(false));
  }

  /** Changes whenever the service has said something new about the session. */
  get #state(): string {
    const { messageCount, updatedAt } = this.session ?? {};
    return `${String(messageCount)} ${String(updatedAt)}`;
  }

  #inBackground(work: () => Promise<void>): void {
    work().catch((error: unknown) => {
      if (!this.isDisposed) this.#options.log.error('Reading a session failed', error);
    });
  }
}
