import * as vscode from 'vscode';
import { randomUUID } from 'node:crypto';
import type { ApiClient } from '../api';
import type { Logger } from '../log';
import type { Collection, Storage } from '../storage';
import { Disposable, Emitter, every, Slot, toDisposable, type IDisposable } from '../util/lifecycle';
import { once } from '../util/promises';
import type { Attachments } from './attach/attachments';
import { wasSentSince } from './transcript/messages';
import type { Unsaved } from './protocol';
import { Composition } from './composition';
import { Outbox } from './outbox/outbox';
import {
  inEntry,
  joined,
  nextOf,
  outboxRecords,
  withAdded,
  withoutEntry,
  withQueueHeld,
  withTaken,
  withTakenBack,
  type Change,
  type Entry,
  type Message,
  type OutboxRecord,
} from './outbox/record';
import { Sender, type SendOutcome } from './outbox/sender';
import { Reading } from './transcript/reading';
import type { RowsInput } from './transcript/rows';
import type { ChatSession, ChatSessions } from './sessions';
import { Transcript } from './transcript/transcript';

/** What is queued or being sent is looked at so often, ms: nobody tells when a window that has it in its hands is gone. */
const LOOK_EVERY_MS = 10_000;

export interface ConversationOptions {
  readonly serviceId: string;
  readonly sessionId: string;
  readonly storage: Storage;
  readonly attachments: Attachments;
  readonly sessions: ChatSessions;
  /** The client of this conversation's service; `undefined` while it cannot be asked. */
  readonly api: () => ApiClient | undefined;
  /** A sentence for a failed request. */
  readonly describe: (error: unknown) => string;
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
  readonly #outboxes: Collection<OutboxRecord>;
  readonly #outbox: Outbox;
  readonly #looking = this.register(new Slot<IDisposable>());
  readonly #changed = this.register(new Emitter<void>());
  readonly #settled = this.register(new Emitter<SendOutcome>());
  isLoaded = false;
  #refreshing: Promise<void> | undefined;

  constructor(options: ConversationOptions) {
    super();
    this.#options = options;
    const { sessionId, serviceId, storage, attachments, sessions, log } = options;
    this.sessionId = sessionId;
    this.serviceId = serviceId;
    this.transcript = new Transcript(storage, serviceId, sessionId);
    this.#outboxes = storage.collection(outboxRecords(serviceId));
    this.#outbox = this.register(
      new Outbox(this.#outboxes, sessionId, error => log.error('What is written could not be stored', error)),
    );
    this.composition = this.register(new Composition(this.#outbox, attachments, serviceId));
    const { transcript } = this;
    const onRead = (): Promise<void> => this.#sender.reconcile();
    this.#reading = this.register(
      new Reading({ ...options, transcript, session: () => this.session, onRead }),
    );
    this.#sender = this.register(
      new Sender({
        ...{ ...options, transcript, outbox: this.#outbox },
        onChange: () => this.#changed.fire(),
        onSettled: outcome => this.#onSettled(outcome),
      }),
    );
    const changed = (): void => this.#onChange();
    for (const part of [transcript, this.#outbox, this.composition, this.#reading])
      this.register(part.onDidChange(changed));
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

  get isStarting(): boolean {
    return this.#sender.isStarting;
  }

  get isSending(): boolean {
    return this.#sender.isSending;
  }

  /** What waits until the agent is idle, in order. */
  get queued(): readonly Entry[] {
    return this.#outbox.current.entries.filter(({ state }) => state === 'queued');
  }

  /** Queued messages wait for the person. */
  get isQueueStopped(): boolean {
    return this.queued.length > 0 && !this.isSending && nextOf(this.#outbox.current) === undefined;
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
    await this.#outbox.settle(withQueueHeld(true));
    try {
      await api()?.extras.interrupt(this.sessionId);
    } catch (error) {
      await this.#outbox.settle(withQueueHeld(false, others));
      throw new Error(vscode.l10n.t('The agent could not be stopped. {0}', describe(error)));
    } finally {
      this.#inBackground(() => this.refresh());
    }
  }

  /** What was sent from here and is not in the transcript: on its way or of unknown outcome. */
  get sends(): readonly Entry[] {
    const { entries } = this.#outbox.current;
    return entries.filter(({ id, state }) => state !== 'queued' && !this.transcript.hasSent(id));
  }

  get rows(): RowsInput {
    return {
      known: this.transcript.known,
      sends: this.sends,
      status: this.session?.status,
      statusAt: this.session?.statusAt,
      ...this.#reading.state,
    };
  }

  /** Reads what is stored, then goes on with what was interrupted, in the background. */
  readonly load = once(async () => {
    await Promise.all([this.#outboxes.load(), this.transcript.load()]);
    this.isLoaded = true;
    this.#changed.fire();
    this.#inBackground(() => this.#goOn().then(() => this.readOn(false)));
  });

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

  /** While held, somebody sees the session: its status is followed, and its messages with it where the service lists them. */
  watch(): IDisposable {
    const watch = this.#options.sessions.watch(this.sessionId, 'inFront');
    this.#reading.watch(1);
    return toDisposable(() => {
      this.#reading.watch(-1);
      watch.dispose();
    });
  }

  /**
   * Sends the text with the attachments of the draft, or queues it while the agent works. Resolves when it is recorded; rejects with a
   * sentence when it was not, and the draft stays. `shown` is what the composer holds; without it, the text becomes the draft first.
   */
  async submit(text: string, id: string = randomUUID(), shown?: string): Promise<void> {
    if (!this.isLoaded) await this.load();
    if (this.isRecorded(id)) throw new Error(vscode.l10n.t('This message was already recorded.'));
    if (text.trim() === '') throw new Error(vscode.l10n.t('Write a message first.'));
    if (shown === undefined) this.composition.setText(text);
    const message = { ...this.composition.message, text };
    const record = (entry: Entry): Change => withTaken(entry, shown ?? text);
    if (!this.queuesNow && (await this.#sender.send(id, message, record)) !== undefined) return;
    if (this.isRecorded(id)) return;
    const at = (this.#options.now ?? Date.now)();
    await this.#outbox.change(record({ ...message, id, state: 'queued', at }));
    if (!this.isRecorded(id))
      throw new Error(vscode.l10n.t('The text has changed meanwhile. Check it and send it again.'));
    this.#sender.look();
  }

  /** Takes up what a page held when its window was closed, unless it was sent or queued since: as the fuller draft, or more of it. */
  async takeUnsaved({ text, at = 0, sendId, next = '' }: Unsaved): Promise<void> {
    await this.load();
    const isSent =
      (sendId !== undefined && this.isRecorded(sendId)) ||
      this.#outbox.current.entries.some(entry => entry.text === text && entry.at >= at) ||
      wasSentSince(this.transcript.known.values(), text, at);
    const held = isSent ? next : joined(text, next);
    const stored = this.composition.draft.text;
    if (!stored.includes(held))
      this.composition.setText(held.startsWith(stored) ? held : joined(stored, held));
    await this.flush();
  }

  get isUnwritten(): boolean {
    return this.#outbox.isUnwritten;
  }

  /** Resolves when all that was written is durable; rejects when it is not. */
  flush(): Promise<void> {
    return this.#outbox.flush();
  }

  /** Whether a message with this id was recorded: sent, being sent, or queued. */
  isRecorded(id: string): boolean {
    return this.#outbox.current.entries.some(each => each.id === id) || this.transcript.hasSent(id);
  }

  /** Sends text and files without touching the draft; resolves to the outcome. Errors say `recorded: true` where the chat has the message. */
  async sendDirectly(text: string, uris: readonly string[]): Promise<SendOutcome> {
    const attachments = await Promise.all(uris.map(uri => this.#options.attachments.inspect(uri)));
    const id = randomUUID();
    try {
      const sending = await this.#sender.send(id, { text, attachments }, withAdded);
      if (sending !== undefined) return await sending.outcome;
      // It was recorded, but its window lost its turn before the request left.
      const queued = vscode.l10n.t('The message is queued. It will be sent when the agent is idle.');
      throw this.isRecorded(id) ? new Error(queued) : isBusy();
    } catch (error) {
      throw error instanceof Error && this.isRecorded(id) ? Object.assign(error, { recorded: true }) : error;
    }
  }

  /** Sends one of unknown outcome again in its place: only ever on the person's word. */
  async sendAgain(id: string): Promise<void> {
    const entry = this.#outbox.current.entries.find(each => each.id === id && each.state === 'unknown');
    if (entry === undefined) throw isSettled();
    const again = randomUUID();
    const sending = await this.#sender.send(again, entry, by => inEntry(id, ['unknown'], by));
    if (sending === undefined && !this.isRecorded(again)) throw this.isSending ? isBusy() : isSettled();
  }

  /** Forgets a message that is queued or of unknown outcome; resolves to what is nowhere else then. */
  discard = (id: string): Promise<Message> => this.#take(id, ['queued', 'unknown'], withoutEntry(id));

  /** Moves a queued message behind what the composer holds; not one that has left meanwhile and may have arrived. */
  takeBack = (id: string): Promise<Message> => this.#take(id, ['queued'], withTakenBack(id));

  async #take(id: string, states: readonly Entry['state'][], change: Change): Promise<Message> {
    let taken: Entry | undefined;
    await this.#outbox.change(before => {
      taken = before.entries.find(each => each.id === id && states.includes(each.state));
      return taken === undefined ? before : change(before);
    });
    if (taken === undefined) throw isSettled();
    return taken;
  }

  /** Goes on with what windows that are gone had in their hands. */
  async #goOn(): Promise<void> {
    await this.#sender.reconcile();
    if (!this.isDisposed) this.#onChange();
  }

  #onChange(): void {
    this.#changed.fire();
    if (this.isLoaded) this.#sender.look();
    const isUnderWay = this.#outbox.current.entries.some(({ state }) => state !== 'unknown');
    if (isUnderWay === (this.#looking.value !== undefined)) return;
    this.#looking.set(isUnderWay ? every(LOOK_EVERY_MS, () => void this.#goOn()) : undefined);
  }

  async #refresh(): Promise<void> {
    await this.load();
    await this.#sender.reconcile();
    await this.#options.sessions.refresh(this.sessionId);
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

const isBusy = (): Error => new Error(vscode.l10n.t('The message before this one is still being sent.'));
const isSettled = (): Error => new Error(vscode.l10n.t('This message has been dealt with meanwhile.'));
