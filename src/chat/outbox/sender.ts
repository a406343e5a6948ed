import * as vscode from 'vscode';
import { randomUUID } from 'node:crypto';
import { isApiError, QueryError, type ApiClient } from '../../api';
import type { Logger } from '../../log';
import type { Lease, Storage } from '../../storage';
import { oneLine } from '../../util/text';
import type { Attachments } from '../attach/attachments';
import type { BuildBody } from '../attach/body';
import type { SentMessage } from '../transcript/messages';
import { arrivedAs } from '../transcript/model';
import type { ChatSession, ChatSessions } from '../sessions';
import type { Transcript } from '../transcript/transcript';
import type { Outbox } from './outbox';
import {
  inEntry,
  undecided,
  withoutEntry,
  withRefused,
  type Change,
  type Entry,
  type Message,
  type SessionCounts,
} from './record';

/** How a send ended. A refused or unknown one stays until the person decides. */
export type SendOutcome =
  | { readonly state: 'accepted'; readonly messageId: string; readonly status: string | undefined }
  | { readonly state: 'refused' | 'unknown'; readonly sentence: string };

/** A message whose request is under way. */
export interface Sending {
  readonly entry: Entry;
  readonly outcome: Promise<SendOutcome>;
}

export interface SenderOptions {
  readonly serviceId: string;
  readonly sessionId: string;
  readonly storage: Pick<Storage, 'tryRun'>;
  readonly outbox: Outbox;
  readonly api: () => ApiClient | undefined;
  readonly attachments: Attachments;
  readonly buildBody: BuildBody;
  readonly transcript: Transcript;
  readonly sessions: Pick<ChatSessions, 'get' | 'refresh' | 'noteSend'>;
  readonly describe: (error: unknown) => string;
  readonly log: Logger;
  readonly now: () => number;
}

/** Others take it that whoever was sending is gone after this long, ms. */
const LEASE_MS = 15_000;

/**
 * Carries the messages of one session to the service, at most once each (interface-notes 4, trust.md 22 and 23). Whoever sends holds
 * the session's lease from before the message is recorded as `sending` until its outcome is; what is `sending` while nobody
 * holds it was left by a process that is gone.
 */
export class Sender {
  readonly #options: SenderOptions;
  readonly #lease: string;
  /** What this process is sending. */
  readonly #own = new Set<string>();
  #running: Promise<unknown> = Promise.resolve();

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#lease = `services/${options.serviceId}/outbox/${options.sessionId}`;
  }

  /**
   * Sends a message that `record` puts among the entries as `sending`. Resolves when that is durable and the request has left; to
   * `undefined` where another window is sending, or has sent or changed what was to be sent. Rejects with a sentence
   * (`AttachmentsRefused` when files are the reason); then nothing was sent.
   */
  send(id: string, message: Message, record: (entry: Entry) => Change): Promise<Sending | undefined> {
    return this.#leased((lease, left) => this.#carry(lease, left, id, message, record));
  }

  /** Sends the first of the queue, if the agent is idle; otherwise as `send`. One that cannot be sent stays, with the reason. */
  sendNext(): Promise<Sending | undefined> {
    return this.#leased(async (lease, left) => {
      const { outbox, sessions, sessionId, describe } = this.#options;
      // Another window may know more of the agent than this one.
      const status = await sessions.refresh(sessionId).then(
        session => session.status,
        () => 'unknown',
      );
      const next = (await outbox.read()).entries.find(({ state }) => state === 'queued');
      if (status !== 'idle' || next === undefined) return;
      try {
        await this.#carry(lease, left, next.id, next, asSent);
      } catch (error) {
        const sentence = error instanceof Error ? error.message : describe(error);
        await outbox.settle(inEntry(next.id, ['queued'], { sentence }));
        throw error;
      }
    });
  }

  /** Takes up what a process that is gone was sending; what cannot be written now is left to the next look. */
  async recover(): Promise<void> {
    const { outbox, transcript, log } = this.#options;
    try {
      for (const { id } of outbox.current.entries)
        if (!this.#own.has(id) && transcript.hasSent(id)) await outbox.change(withoutEntry(id));
      for (const entry of outbox.current.entries)
        if (entry.state === 'accepted' && !this.#own.has(entry.id)) await this.#keep(entry);
      const isLost = ({ id, state }: Entry): boolean => state === 'sending' && !this.#own.has(id);
      const sentence = vscode.l10n.t('The window was closed before the service answered.');
      let lost: readonly Entry[] = [];
      const settleLost = async (): Promise<void> => {
        lost = (await outbox.read()).entries.filter(isLost);
        await outbox.change(before =>
          lost.reduce(
            (changed, { id }) => inEntry(id, ['sending'], { state: 'unknown', sentence })(changed),
            before,
          ),
        );
      };
      if (outbox.current.entries.some(isLost)) await this.#alone(settleLost);
      if (lost.length > 0) await this.#lookAfter(lost.map(({ id }) => id));
      await this.reconcile();
    } catch (error) {
      log.error('What an earlier window was sending could not be taken up', error);
    }
  }

  /** Notes how the session stands for sends whose outcome is unknown. */
  async noteAfter(ids: readonly string[]): Promise<void> {
    const { outbox, sessions, sessionId } = this.#options;
    const after = countsOf(sessions.get(sessionId));
    if (after === undefined) return;
    for (const id of ids) await outbox.settle(inEntry(id, ['unknown'], { after }));
  }

  /** Settles sends without an answer that turn out to have arrived, once the transcript shows their message. */
  async reconcile(): Promise<void> {
    const { outbox, transcript } = this.#options;
    for (const entry of outbox.current.entries) {
      const { id, state, messageId } = entry;
      if (state === 'accepted') await this.#tryFor(messageId ?? '', () => this.#keep(entry));
      const arrived = state === 'unknown' ? arrivedAs(entry, transcript.known.values()) : undefined;
      if (arrived === undefined) continue;
      await transcript.keepSent(arrived, sentFrom(entry));
      await outbox.settle(withoutEntry(id));
    }
  }

  /** Runs `work` while no other window sends. Resolves as soon as it tells what has left, or is done. */
  #leased(
    work: (lease: Lease, left: (sending: Sending) => void) => Promise<void>,
  ): Promise<Sending | undefined> {
    return new Promise((resolve, reject) => {
      this.#alone(lease => work(lease, resolve))
        .then(() => resolve(undefined))
        .catch(reject);
    });
  }

  /** Runs `work` after what this window does already, unless another one sends. */
  #alone(work: (lease: Lease) => Promise<void>): Promise<void> {
    const { storage } = this.#options;
    const run = this.#running.then(() => storage.tryRun(this.#lease, LEASE_MS, work));
    this.#running = Promise.allSettled([run]);
    return run;
  }

  async #carry(
    lease: Lease,
    left: (sending: Sending) => void,
    id: string,
    message: Message,
    record: (entry: Entry) => Change,
  ): Promise<void> {
    const { outbox, sessionId, sessions, now } = this.#options;
    const { text, attachments, target } = message;
    this.#client();
    const body = await this.#build(message);
    // It may have been another service's by now.
    const client = this.#client();
    const before = countsOf(sessions.get(sessionId));
    const own = { id, state: 'sending', lease: randomUUID(), at: now(), before } as const;
    const entry: Entry = { ...own, text, attachments, target };
    this.#own.add(id);
    try {
      const isRecorded = (await outbox.change(record(entry))).entries.some(
        each => each.state === 'sending' && each.lease === entry.lease,
      );
      if (!isRecorded) return;
      if (!lease.isHeld()) {
        // The machine slept: it was not sent, and goes out in its turn unless somebody has decided about it meanwhile.
        await outbox.settle(inEntry(id, ['sending'], { state: 'queued' }));
        return;
      }
      const outcome = this.#finish(entry, client.messages.sendBody(sessionId, body));
      left({ entry, outcome });
      await outcome;
    } finally {
      this.#own.delete(id);
    }
  }

  #client(): ApiClient {
    const client = this.#options.api();
    if (client === undefined) throw new Error(vscode.l10n.t('Sign in to send messages.'));
    return client;
  }

  async #build({ text, attachments: sent, target }: Message): ReturnType<BuildBody> {
    const { attachments, buildBody } = this.#options;
    const parts = await attachments.parts(sent.map(({ uri }) => uri));
    const tooMuch = attachments.tooMuch(parts.reduce((sum, { bytes }) => sum + bytes.length, 0));
    if (tooMuch !== undefined) throw new Error(tooMuch);
    return buildBody({ text, computerId: target?.computerId, parts });
  }

  async #finish(entry: Entry, request: ReturnType<ApiClient['messages']['sendBody']>): Promise<SendOutcome> {
    const { outbox, sessions, sessionId, describe, log, now } = this.#options;
    const { id, text } = entry;
    try {
      const { messageId, status } = await request;
      // The id is the only way back to this message: each place that can keep it is tried, whatever became of the others.
      const isKept = await this.#tryFor(messageId, () => this.#keep({ ...entry, messageId }));
      if (!isKept)
        await this.#tryFor(messageId, () =>
          outbox.settle(inEntry(id, ['sending', 'unknown'], { state: 'accepted', messageId })),
        );
      await this.#tryFor(messageId, () => sessions.noteSend(sessionId, { status, at: now(), text }));
      return { state: 'accepted', messageId, status };
    } catch (error) {
      const state = certainlyNotProcessed(error) ? 'refused' : 'unknown';
      const sentence = describe(error);
      const settled =
        state === 'refused' ? withRefused(id, sentence) : inEntry(id, ['sending'], { state, sentence });
      await outbox.settle(settled).catch((failure: unknown) => {
        log.error('The outcome of a send could not be recorded', failure);
      });
      if (state === 'unknown') await this.#lookAfter([id]);
      return { state, sentence };
    }
  }

  async #lookAfter(ids: readonly string[]): Promise<void> {
    const { api, sessions, sessionId, log } = this.#options;
    if (api() === undefined) return;
    try {
      await sessions.refresh(sessionId);
      await this.noteAfter(ids);
    } catch (error) {
      log.warn('How the session stands after a send without an answer could not be asked');
      log.debug(error instanceof Error ? error.message : 'unknown');
    }
  }

  async #tryFor(messageId: string, record: () => Promise<unknown>): Promise<boolean> {
    try {
      await record();
      return true;
    } catch (error) {
      const id = oneLine(messageId, 200);
      this.#options.log.error(`The accepted message ${id} could not be recorded everywhere`, error);
      return false;
    }
  }

  /** Hands an accepted message over to the transcript. */
  async #keep(entry: Entry): Promise<void> {
    const { outbox, transcript } = this.#options;
    if (entry.messageId !== undefined) await transcript.keepSent(entry.messageId, sentFrom(entry));
    await outbox.settle(withoutEntry(entry.id));
  }
}

/** The first of the queue becomes `sending`, where it still is that and nothing waits for the person. */
export function asSent(entry: Entry): Change {
  return outbox => {
    const first = outbox.entries.find(({ state }) => state !== 'accepted');
    const isNext = first?.id === entry.id && first.state === 'queued' && undecided(outbox).length === 0;
    if (!isNext) return outbox;
    return { ...outbox, entries: outbox.entries.map(each => (each === first ? entry : each)) };
  };
}

/** The service said no, or the request never left: only then there is certainly no message. */
function certainlyNotProcessed(error: unknown): boolean {
  return isApiError(error) ? error.kind !== 'outcomeUnknown' : error instanceof QueryError;
}

function countsOf(session: ChatSession | undefined): SessionCounts | undefined {
  return session?.messageCount === undefined || session.updatedAt === undefined
    ? undefined
    : {
        messageCount: session.messageCount,
        updatedAt: session.updatedAt,
        at: session.statusAt,
        working: session.status === 'idle' ? undefined : true,
      };
}

function sentFrom({ id, at, text, attachments }: Entry): SentMessage {
  return {
    sendId: id,
    at,
    text,
    attachments: attachments.map(({ name, kind, size }) => ({ name, kind, size })),
  };
}
