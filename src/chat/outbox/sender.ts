import * as vscode from 'vscode';
import { randomUUID } from 'node:crypto';
import { isApiError, type SentMessage } from '../../api';
import type { Lease } from '../../storage';
import { Disposable, Slot, type IDisposable } from '../../util/lifecycle';
import { oneLine } from '../../util/text';
import { messageBody } from '../attach/body';
import type { ConversationOptions } from '../conversation';
import { arrivedAs } from '../transcript/messages';
import type { Transcript } from '../transcript/transcript';
import type { Outbox } from './outbox';
import {
  inEntry,
  nextOf,
  withNext,
  withoutEntry,
  withTakenBack,
  type Change,
  type Entry,
  type Message,
} from './record';

/** How a send ended. A refused one is in the composer again; an unknown one stays until the person decides. */
export type SendOutcome =
  | { readonly state: 'accepted'; readonly messageId: string; readonly status: string | undefined }
  | { readonly state: 'refused' | 'unknown'; readonly sentence: string };

export interface Sending {
  readonly outcome: Promise<SendOutcome>;
}

export interface SenderOptions extends ConversationOptions {
  readonly outbox: Outbox;
  readonly transcript: Transcript;
  readonly onChange: () => void;
  readonly onSettled: (outcome: SendOutcome) => void;
}

/** What is done under the session's lease; `left` is told as soon as a request has left. */
type Work = (lease: Lease, left: (sending: Sending) => void) => Promise<void>;

/** Others take it that whoever was sending is gone after this long, ms. */
const LEASE_MS = 15_000;

/**
 * Carries the messages of one session to the service, at most once each (interface-notes 4, trust.md 22 and 23). Whoever sends holds
 * the session's lease from before the message is recorded as `sending` until its outcome is; what is `sending` while nobody
 * holds it was left by a process that is gone.
 */
export class Sender extends Disposable {
  readonly #options: SenderOptions;
  readonly #lease: string;
  /** Held while something is queued. */
  readonly #watch = this.register(new Slot<IDisposable>());
  readonly #own = new Set<string>();
  #running: Promise<unknown> = Promise.resolve();
  /** A message of the person is being made ready; the next one has to wait that long. */
  isStarting = false;
  /** One of the queue is being made ready. */
  #isLooking = false;

  constructor(options: SenderOptions) {
    super();
    this.#options = options;
    this.#lease = `services/${options.serviceId}/outbox/${options.sessionId}`;
  }

  /** A message is being made ready or on its way, here or in another window. */
  get isSending(): boolean {
    return this.isStarting || this.#options.outbox.current.entries.some(({ state }) => state === 'sending');
  }

  /**
   * Sends a message that `record` puts among the entries as `sending`. Resolves when that is durable and the request has left; to
   * `undefined` where another message is being sent, or this one was sent or changed elsewhere. Rejects with a sentence; then
   * nothing was sent.
   */
  async send(id: string, message: Message, record: (entry: Entry) => Change): Promise<Sending | undefined> {
    if (this.isSending) return undefined;
    this.isStarting = true;
    this.#options.onChange();
    try {
      return await this.#alone((lease, left) => this.#carry(lease, left, id, message, record));
    } finally {
      this.isStarting = false;
      this.#options.onChange();
    }
  }

  /** Sends the first of the queue if it can go. To be called whenever something changed that the queue may have waited for. */
  look(): void {
    const { outbox, sessionId, sessions, log } = this.#options;
    if (this.isDisposed || !outbox.current.entries.some(({ state }) => state === 'queued')) {
      this.#watch.set(undefined);
      return;
    }
    if (this.#watch.value === undefined) this.#watch.set(sessions.watch(sessionId));
    if (this.#isLooking || this.isSending || !this.#isFree || nextOf(outbox.current) === undefined) return;
    this.#isLooking = true;
    this.#alone((lease, left) => this.#carryNext(lease, left))
      .catch((error: unknown) => log.error('A queued message could not be sent', error))
      .finally(() => {
        this.#isLooking = false;
      });
  }

  /**
   * Takes up what a process that is gone was sending, and what turns out to have arrived without an answer. What cannot be written
   * now is left to the next look.
   */
  async reconcile(): Promise<void> {
    const { outbox, transcript, log } = this.#options;
    try {
      for (const entry of outbox.current.entries) {
        const arrived = entry.state === 'unknown' ? arrivedAs(entry, transcript.known.values()) : undefined;
        const messageId = arrived ?? entry.messageId;
        if (messageId !== undefined || transcript.hasSent(entry.id))
          await this.#keep({ ...entry, messageId });
      }
      const lost = ({ id, state }: Entry): boolean => state === 'sending' && !this.#own.has(id);
      if (!outbox.current.entries.some(lost)) return;
      const sentence = vscode.l10n.t('The window was closed before the service answered.');
      await this.#alone(async () => {
        for (const { id } of (await outbox.read()).entries.filter(lost))
          await outbox.change(inEntry(id, ['sending'], { state: 'unknown', sentence }));
      });
      if (!outbox.current.entries.some(lost)) await this.#lookAfter();
    } catch (error) {
      log.error('What an earlier window was sending could not be taken up', error);
    }
  }

  /** The service can be asked, and the agent rests as far as anybody knows. */
  get #isFree(): boolean {
    const { api, sessions, sessionId } = this.#options;
    return api() !== undefined && sessions.get(sessionId)?.status === 'idle';
  }

  /**
   * Runs `work` after what this window does already, unless another one sends. Resolves as soon as a request has left, or there is
   * nothing to be sent.
   */
  #alone(work: Work): Promise<Sending | undefined> {
    const { storage } = this.#options;
    return new Promise((resolve, reject) => {
      const run = this.#running.then(() =>
        storage.tryRun(this.#lease, LEASE_MS, lease => work(lease, resolve)),
      );
      this.#running = Promise.allSettled([run]);
      run.then(() => resolve(undefined), reject);
    });
  }

  /** One of the queue that cannot be sent stays, with the reason. */
  async #carryNext(lease: Lease, left: (sending: Sending) => void): Promise<void> {
    const { outbox, sessions, sessionId } = this.#options;
    // Another window may have set the agent to work just now.
    await sessions.read(sessionId);
    const next = nextOf(await outbox.read());
    if (next === undefined || !this.#isFree) return;
    try {
      await this.#carry(lease, left, next.id, next, withNext);
    } catch (error) {
      await outbox.settle(inEntry(next.id, ['queued'], { sentence: (error as Error).message }));
      throw error;
    }
  }

  async #carry(
    lease: Lease,
    left: (sending: Sending) => void,
    id: string,
    message: Message,
    record: (entry: Entry) => Change,
  ): Promise<void> {
    const { outbox, sessions, sessionId, now = Date.now, onSettled } = this.#options;
    const { text, attachments, target } = message;
    const body = await this.#bodyOf(message);
    const client = this.#options.api();
    if (client === undefined) throw new Error(vscode.l10n.t('Sign in to send messages.'));
    const { messageCount, updatedAt } = sessions.get(sessionId) ?? {};
    const before =
      messageCount === undefined || updatedAt === undefined ? undefined : { messageCount, updatedAt };
    const own = { id, state: 'sending', lease: randomUUID(), at: now(), before } as const;
    const entry: Entry = { ...own, text, attachments, target, sentence: undefined };
    this.#own.add(id);
    try {
      const { entries } = await outbox.change(record(entry));
      if (!entries.some(each => each.state === 'sending' && each.lease === entry.lease)) return;
      if (!lease.isHeld()) {
        // The machine slept: it was not sent, and goes out in its turn unless somebody has decided about it meanwhile.
        await outbox.settle(inEntry(id, ['sending'], { state: 'queued' }));
        return;
      }
      const outcome = this.#finish(entry, client.one('sendMessage', { ids: { sessionId }, body }));
      left({ outcome });
      onSettled(await outcome);
    } finally {
      this.#own.delete(id);
    }
  }

  /** By itself, so that what was read of the files is let go before the body leaves, which is larger still. */
  async #bodyOf({ text, attachments, target }: Message) {
    const files = this.#options.attachments;
    const parts = await files.parts(attachments);
    const tooMuch = files.tooMuch(parts.reduce((sum, { bytes }) => sum + bytes.length, 0));
    if (tooMuch !== undefined) throw new Error(tooMuch);
    return messageBody({ text, computerId: target?.computerId, parts });
  }

  async #finish(entry: Entry, request: Promise<SentMessage>): Promise<SendOutcome> {
    const { outbox, describe, now = Date.now } = this.#options;
    const { id } = entry;
    try {
      const { messageId, status } = await request;
      await this.#accepted({ ...entry, messageId }, status);
      return { state: 'accepted', messageId, status };
    } catch (error) {
      const sentence = describe(error);
      // The service said no, or the request never left: only then there is certainly no message.
      const isRefused = isApiError(error) && error.kind !== 'outcomeUnknown';
      const state = isRefused ? 'refused' : 'unknown';
      const unknown = inEntry(id, ['sending'], { state: 'unknown', sentence, at: now() });
      await outbox.settle(isRefused ? withTakenBack(id, sentence) : unknown);
      if (state === 'unknown') await this.#lookAfter();
      return { state, sentence };
    }
  }

  /** The id is the only way back to this message: each place that can keep it is tried. Never rejects. */
  async #accepted(entry: Entry, status: string | undefined): Promise<void> {
    const { outbox, sessions, serviceId, sessionId, log, now = Date.now } = this.#options;
    const { id, messageId, text } = entry;
    outbox.edit(inEntry(id, ['sending', 'unknown'], { state: 'accepted', messageId }));
    const written = await Promise.allSettled([
      this.#keep(entry),
      sessions.noteSend(serviceId, sessionId, { status, at: now(), text }),
    ]);
    const shown = oneLine(messageId ?? '', 200);
    for (const each of written)
      if (each.status === 'rejected')
        log.error(`The accepted message ${shown} could not be recorded everywhere`, each.reason);
  }

  /** Hands an accepted message over to the transcript. */
  async #keep({ id, messageId, at, text, attachments: sent }: Entry): Promise<void> {
    const { outbox, transcript } = this.#options;
    const attachments = sent.map(({ name, kind, size }) => ({ name, kind, size }));
    if (messageId !== undefined) await transcript.keepSent(messageId, { sendId: id, at, text, attachments });
    await outbox.settle(withoutEntry(id));
  }

  /** Asks once how the session stands after a send without an answer. */
  async #lookAfter(): Promise<void> {
    const { api, sessions, sessionId, describe, log } = this.#options;
    if (api() === undefined) return;
    await sessions.refresh(sessionId).catch((error: unknown) => {
      log.warn(`How the session stands after a send without an answer is not known: ${describe(error)}`);
    });
  }
}
