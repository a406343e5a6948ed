import * as vscode from 'vscode';
import { randomUUID } from 'node:crypto';
import type { ApiClient } from '../api';
import type { Logger } from '../log';
import type { Storage } from '../storage';
import { Disposable, every, Slot, toDisposable, type IDisposable } from '../util/disposable';
import { Emitter } from '../util/event';
import { AttachmentsRefused, type Attachments } from './attach/attachments';
import type { BuildBody } from './attach/body';
import { wasSentSince } from './transcript/messages';
import type { Unsaved } from './protocol';
import { Composition } from './outbox/composition';
import type { Outbox, Outboxes } from './outbox/outbox';
import {
  type Change,
  type Entry,
  entryOf,
  isBusy,
  isChanged,
  isQueued,
  isSettled,
  type Message,
  type Shown,
  UNDECIDED,
  undecided,
  withAdded,
  withoutEntry,
  withQueueHeld,
  withReplaced,
  withTaken,
} from './outbox/record';
import { Sender, type SendOutcome } from './outbox/sender';
import { Reading } from './transcript/reading';
import type { RowsInput } from './transcript/rows';
import type { ChatSession, ChatSessions } from './sessions';
import { Transcript } from './transcript/transcript';

/** What is queued or being sent is looked at so often, ms: nobody tells when another window that has it in its hands is gone. */
const LOOK_EVERY_MS = 10_000;

/** What a conversation is made from. */
export interface ConversationOptions {
  readonly serviceId: string;
  readonly sessionId: string;
  readonly storage: Storage;
  readonly outboxes: Outboxes;
  readonly attachments: Attachments;
  readonly buildBody: BuildBody;
  readonly sessions: ChatSessions;
  /** The client of this conversation's service; `undefined` while it cannot be asked. */
  readonly api: () => ApiClient | undefined;
  /** A sentence for a failed request; `undefined` when it was cancelled. */
  readonly describe: (error: unknown) => string | undefined;
  readonly log: Logger;
  readonly now?: () => number;
  /** Whether what only some services offer may be used. */
  readonly extras: () => boolean;
}

/** Everything the chat knows and does about one session, without a view. */
export class Conversation extends Disposable {
  readonly sessionId: string;
  readonly serviceId: string;
  readonly composition: Composition;
  readonly transcript: Transcript;
  readonly #options: ConversationOptions;
  readonly #reading: Reading;
  readonly #sender: Sender;
  readonly #outbox: Outbox;
  readonly #looking = this.register(new Slot<IDisposable>());
  readonly #changed = this.register(new Emitter<void>());
  readonly #settled = this.register(new Emitter<SendOutcome>());
  #loading: Promise<void> | undefined;
  isLoaded = false;
  #refreshing: Promise<void> | undefined;

  constructor(options: ConversationOptions) {
    super();
    this.#options = options;
    const { sessionId, serviceId, storage, outboxes, attachments, sessions } = options;
    this.sessionId = sessionId;
    this.serviceId = serviceId;
    this.transcript = new Transcript(storage, serviceId, sessionId);
    this.#outbox = outboxes.of(sessionId);
    this.composition = this.register(new Composition(this.#outbox, attachments));
    const { transcript } = this;
    this.#reading = this.register(
      new Reading({
        ...options,
        transcript,
        session: () => this.session,
        onRead: () => this.#sender.reconcile(),
      }),
    );
    this.#sender = this.register(
      new Sender({
        ...options,
        outbox: this.#outbox,
        transcript,
        onChange: () => this.#changed.fire(),
        onSettled: outcome => this.#onSettled(outcome),
      }),
    );
    const changed = (): void => this.#onChange();
    this.register(transcript.onDidChange(changed));
    this.register(this.composition.onDidChange(changed));
    this.register(this.#reading.onDidChange(changed));
    this.register(
      sessions.onDidChange(ids => {
        if (ids.length > 0 && !ids.includes(sessionId)) return;
        changed();
        this.#reading.follow();
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

  get isRefreshing(): boolean {
    return this.#refreshing !== undefined;
  }

  /** A message of the composer is being made ready. */
  get isStarting(): boolean {
    return this.#sender.isStarting;
  }

  /** A message of the composer is on its way. */
  get isSending(): boolean {
    return this.#sender.isSending;
  }

  /** What waits until the agent is idle, in order. */
  get queued(): readonly Entry[] {
    return this.#outbox.current.entries.filter(({ state }) => state === 'queued');
  }

  /** Queued messages wait for the person. */
  get isQueueStopped(): boolean {
    const [first] = this.queued;
    return (
      first !== undefined && (first.sentence !== undefined || undecided(this.#outbox.current).length > 0)
    );
  }

  /** A message of the person is queued rather than sent. */
  get queuesNow(): boolean {
    return this.isSending || this.isAgentWorking || (this.queued.length > 0 && !this.isQueueStopped);
  }

  /** The agent works, and this service can stop it. */
  get canStop(): boolean {
    const { api, extras } = this.#options;
    return this.isAgentWorking && extras() && api()?.extras.canInterrupt === true;
  }

  get isAgentWorking(): boolean {
    return ['running', 'pending'].includes(this.session?.status ?? '');
  }

  /** Stops the agent, and what is queued with it; rejects with a sentence. How the session stands is asked afterwards in any case. */
  async stop(): Promise<void> {
    const { api, describe } = this.#options;
    if (!this.canStop) return;
    const others = this.queued.filter(({ sentence }) => sentence !== undefined).map(({ id }) => id);
    await this.#hold(withQueueHeld(true));
    try {
      await api()?.extras.interrupt(this.sessionId);
    } catch (error) {
      await this.#hold(withQueueHeld(false, others));
      throw new Error(vscode.l10n.t('The agent could not be stopped. {0}', describe(error) ?? ''));
    } finally {
      this.#inBackground(() => this.refresh());
    }
  }

  /** It counts here also where it cannot be written, and is no reason not to stop the agent. */
  async #hold(change: Change): Promise<void> {
    await this.#outbox
      .settle(change)
      .catch((error: unknown) => this.#options.log.error('What is queued could not be held', error));
  }

  /** What was sent from here and is not in the transcript: on its way, refused or of unknown outcome. */
  get sends(): readonly Entry[] {
    const { draft, entries } = this.#outbox.current;
    const sent = entries.filter(({ id, state }) => state !== 'queued' && !this.transcript.hasSent(id));
    return draft.refused === undefined ? sent : [...sent, draft.refused];
  }

  /** What the rows of the transcript are made from. */
  get rows(): RowsInput {
    return {
      known: this.transcript.known,
      sends: this.sends,
      status: this.session?.status,
      ...this.#reading.state,
      inComposer: this.composition.draft.refused?.id,
    };
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
  readOn = (retry = true): Promise<void> => this.#reading.read(retry);

  /** While held, the session's status is followed, and its messages with it where the service lists them. */
  watch(): IDisposable {
    const watch = this.#options.sessions.watch(this.sessionId);
    this.#reading.watch(1);
    return toDisposable(() => {
      this.#reading.watch(-1);
      watch.dispose();
    });
  }

  /**
   * Sends the text with the attachments of the draft, or queues it while the agent works. Resolves to its id when it is recorded;
   * rejects with a sentence when it was not; the draft stays. `over`: what the page showed before this text.
   */
  async submit(text: string, id: string = randomUUID(), over?: Shown): Promise<void> {
    if (!this.isLoaded) await this.load();
    if (this.isRecorded(id)) throw new Error(vscode.l10n.t('This message was already recorded.'));
    if (text.trim() === '') throw new Error(vscode.l10n.t('Write a message first.'));
    this.composition.setText(text, (over ?? this.composition.draft).stash, over);
    const { message } = this.composition;
    if (message.text !== text) throw isChanged();
    const isSent = !this.queuesNow && (await this.#send(id, message, withTaken));
    if (!isSent && !this.isRecorded(id)) await this.#enqueue(id, message);
  }

  /** Takes up what a page still held when its window was closed, unless it was sent or queued since. Resolves when that is durable. */
  async takeUnsaved({ text, at = 0, sendId }: Unsaved): Promise<void> {
    await this.load();
    if (sendId !== undefined && this.isRecorded(sendId)) return;
    const isSent = [...this.sends, ...this.queued].some(entry => entry.text === text && entry.at >= at);
    if (isSent || wasSentSince(this.transcript.known.values(), text, at)) return;
    this.composition.takeUnsaved(text, at);
    await this.#outbox.flush();
  }

  /** Whether a message with this id was recorded: sent, being sent, or queued. */
  isRecorded(id: string): boolean {
    return entryOf(this.#outbox.current, id) !== undefined || this.transcript.hasSent(id);
  }

  /** Sends text and files without touching the draft; resolves to the outcome. Errors say `recorded: true` where the chat has the message. */
  async sendDirectly(text: string, uris: readonly string[]): Promise<SendOutcome> {
    const attachments = await this.#options.attachments.references(uris);
    const id = randomUUID();
    try {
      const sending = await this.#sender.send(id, { text, attachments }, withAdded);
      if (sending === undefined) throw this.isRecorded(id) ? isQueued() : isBusy();
      return await sending.outcome;
    } catch (error) {
      throw error instanceof Error && this.isRecorded(id) ? Object.assign(error, { recorded: true }) : error;
    }
  }

  /** Sends the same again in its place: only ever on the person's word. */
  async sendAgain(id: string): Promise<void> {
    const entry = this.#outbox.current.entries.find(each => each.id === id && UNDECIDED.includes(each.state));
    if (entry === undefined) throw isSettled();
    const again = randomUUID();
    const isSent = await this.#send(again, entry, by => withReplaced(id, by));
    if (!isSent && !this.isRecorded(again)) throw this.isSending ? isBusy() : isSettled();
  }

  /** Forgets a send that was refused or whose outcome is unknown; resolves to what is nowhere else then. */
  async discard(id: string): Promise<Entry | undefined> {
    if (this.composition.draft.refused?.id === id) {
      await this.#outbox.change(withoutEntry(id));
      return undefined;
    }
    const entry = await this.#outbox.take(id, UNDECIDED, withoutEntry(id));
    if (entry === undefined) throw isSettled();
    return entry;
  }

  /** Takes out a queued message that nobody is sending; resolves to it, if it was there. */
  removeQueued(id: string): Promise<Entry | undefined> {
    return this.#outbox.take(id, ['queued'], withoutEntry(id));
  }

  /** Whether it was sent by this window. */
  async #send(id: string, message: Message, record: (entry: Entry) => Change): Promise<boolean> {
    try {
      return (await this.#sender.send(id, message, record)) !== undefined;
    } catch (error) {
      if (error instanceof AttachmentsRefused) this.composition.setProblems(error.problems);
      throw error;
    }
  }

  async #enqueue(id: string, { text, attachments, target }: Message): Promise<void> {
    const at = (this.#options.now ?? Date.now)();
    const after = await this.#outbox.change(
      withTaken({ id, text, attachments, target, state: 'queued', at }),
    );
    if (entryOf(after, id) === undefined) throw isChanged();
    this.#sender.look();
  }

  async #load(): Promise<void> {
    await Promise.all([this.#options.outboxes.load(), this.transcript.load()]);
    await this.composition.load();
    this.isLoaded = true;
    this.#changed.fire();
    this.#inBackground(() => this.#goOn().then(() => this.readOn(false)));
  }

  /** Goes on with what windows that are gone had in their hands. */
  async #goOn(): Promise<void> {
    await this.#sender.reconcile();
    if (!this.isDisposed) this.#onChange();
  }

  #onChange(): void {
    this.#changed.fire();
    if (this.isLoaded) this.#sender.look();
    const isUnderWay = this.#outbox.current.entries.some(({ state }) => !UNDECIDED.includes(state));
    if (isUnderWay === (this.#looking.value !== undefined)) return;
    this.#looking.set(isUnderWay ? every(LOOK_EVERY_MS, () => void this.#goOn()) : undefined);
  }

  async #refresh(): Promise<void> {
    await this.#sender.reconcile();
    await this.#options.sessions.refresh(this.sessionId);
    await this.#sender.noteAfter();
    await this.readOn();
  }

  #onSettled(outcome: SendOutcome): void {
    this.#settled.fire(outcome);
    this.#changed.fire();
    this.#sender.look();
    if (outcome.state === 'accepted') this.#inBackground(() => this.readOn());
  }

  #inBackground(work: () => Promise<unknown>): void {
    work().catch((error: unknown) => {
      if (!this.isDisposed) this.#options.log.error('Work on a session failed', error);
    });
  }
}
