import * as vscode from 'vscode';
import { randomUUID } from 'node:crypto';
import { isApiError, QueryError, type ApiClient } from '../api';
import type { Logger } from '../log';
import { oneLine } from '../util/text';
import type { Attachments } from './attachments';
import type { BuildBody } from './bodyBuilder';
import { routeOf, type Route } from './drafts';
import type { SentMessage } from './messages';
import { arrivedAs } from './model';
import type { AttachmentReference, SendJournal, SendRecord, SessionCounts } from './sendJournal';
import type { ChatSession, ChatSessions } from './sessions';
import type { Transcript } from './transcript';

export interface Outgoing extends Route {
  readonly text: string;
  readonly attachments: readonly AttachmentReference[];
  /** Given where it is known already, as for a queued message. */
  readonly sendId?: string | undefined;
}

/** How a send ended. A refused or unknown one stays in the journal until the person decides. */
export type SendOutcome =
  | { readonly state: 'accepted'; readonly messageId: string; readonly status: string }
  | { readonly state: 'refused' | 'unknown'; readonly sentence: string };

export interface SenderOptions {
  readonly sessionId: string;
  readonly api: () => ApiClient | undefined;
  readonly attachments: Attachments;
  readonly buildBody: BuildBody;
  readonly journal: SendJournal;
  readonly transcript: Transcript;
  readonly sessions: Pick<ChatSessions, 'get' | 'refresh' | 'noteSend'>;
  readonly describe: (error: unknown) => string;
  readonly log: Logger;
  readonly now: () => number;
}

/** A look at the session this young counts as one at the time of a send, ms. */
const FRESH = 1_000;
/** A send does not wait longer than this for a look at the session, ms. */
const LOOK_WITHIN = 1_500;

/** Carries messages of one session to the service, exactly once each, and records what became of them (interface-notes 4). */
export class Sender {
  readonly #options: SenderOptions;

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  /**
   * Resolves when the send is recorded durably and its request is about to leave. Rejects before that with a sentence
   * (`AttachmentsRefused` when files are the reason); then nothing was sent. `recorded` is awaited between the two.
   */
  async start(
    message: Outgoing,
    recorded?: () => Promise<void>,
  ): Promise<{ readonly send: SendRecord; readonly outcome: Promise<SendOutcome> }> {
    const { sessionId, api, journal } = this.#options;
    const { text } = message;
    if (api() === undefined) throw new Error(vscode.l10n.t('Sign in to send messages.'));
    const [body, before] = await Promise.all([this.#build(message), this.#countsNow()]);
    // It may have been another service's by now.
    const client = api();
    if (client === undefined) throw new Error(vscode.l10n.t('Sign in to send messages.'));
    const send = await journal.begin({
      sendId: message.sendId ?? randomUUID(),
      sessionId,
      text,
      attachments: message.attachments,
      ...routeOf(message),
      ...(before === undefined ? {} : { before }),
    });
    try {
      await recorded?.();
    } catch (error) {
      await journal.undo(send);
      throw error;
    }
    const request = client.messages.sendBody(sessionId, body);
    return { send, outcome: this.#finish(send, request) };
  }

  /** Takes up what a process that is gone left behind. What cannot be written now is left to the next look. */
  async recover(): Promise<void> {
    const { journal, transcript, sessionId, log } = this.#options;
    const sentence = vscode.l10n.t('The window was closed before the service answered.');
    try {
      const lost = await journal.recover(sessionId, sentence);
      for (const send of journal.ofSession(sessionId)) {
        if (send.state === 'accepted') await this.#keep(send);
        else if (send.state !== 'sending' && transcript.hasSent(send.sendId))
          await journal.remove(send.sendId);
      }
      await this.lookAfter(lost.filter(({ sendId }) => !transcript.hasSent(sendId)));
    } catch (error) {
      log.error('What an earlier window was sending could not be taken up', error);
    }
  }

  /** Asks how the session stands, for sends whose outcome is unknown. */
  async lookAfter(sends: readonly SendRecord[]): Promise<void> {
    const { api, journal, sessions, sessionId, log } = this.#options;
    if (sends.length === 0 || api() === undefined) return;
    try {
      const after = countsOf(await sessions.refresh(sessionId));
      if (after === undefined) return;
      for (const send of sends) await journal.settle(send.sendId, { after });
    } catch (error) {
      log.warn('How the session stands after a send without an answer could not be asked');
      log.debug(error instanceof Error ? error.message : 'unknown');
    }
  }

  /**
   * Settles sends without an answer that turn out to have arrived, once the transcript shows their message, and keeps accepted
   * ones the transcript could not take before.
   */
  async reconcile(): Promise<void> {
    const { journal, transcript, sessionId } = this.#options;
    for (const send of journal.ofSession(sessionId)) {
      if (send.state === 'accepted') await this.#tryFor(send.messageId ?? '', () => this.#keep(send));
    }
    const open = journal.ofSession(sessionId).filter(send => send.state === 'unknown');
    for (const send of open) {
      const messageId = arrivedAs(send, transcript.known.values());
      if (messageId === undefined) continue;
      await transcript.keepSent(messageId, sentFrom(send));
      await journal.remove(send.sendId);
    }
  }

  async #build({ text, attachments: sent, computerId }: Outgoing): ReturnType<BuildBody> {
    const { attachments, buildBody } = this.#options;
    const parts = await attachments.parts(sent.map(({ uri }) => uri));
    const tooMuch = attachments.tooMuch(parts.reduce((sum, { bytes }) => sum + bytes.length, 0));
    if (tooMuch !== undefined) throw new Error(tooMuch);
    return buildBody({ text, computerId, parts });
  }

  /** The session as it stands before the message leaves, so that later a difference means something; the last known if that takes long. */
  async #countsNow(): Promise<SessionCounts | undefined> {
    const { sessions, sessionId, now } = this.#options;
    const known = sessions.get(sessionId);
    if (
      known?.statusAt === undefined ||
      known.statusProblem !== undefined ||
      now() - known.statusAt > FRESH
    ) {
      try {
        return countsOf(await sessions.refresh(sessionId, AbortSignal.timeout(LOOK_WITHIN)));
      } catch {
        // What is known serves as well as nothing; how old it is stands beside it.
      }
    }
    return countsOf(known);
  }

  async #finish(send: SendRecord, request: ReturnType<ApiClient['messages']['send']>): Promise<SendOutcome> {
    const { journal, sessions, sessionId, now } = this.#options;
    let answer: Awaited<typeof request>;
    try {
      answer = await request;
    } catch (error) {
      return this.#failed(send, error);
    }
    const { messageId, status } = answer;
    // The id is the only way back to this message: each place that can keep it is tried, whatever became of the others.
    await this.#tryFor(messageId, () =>
      journal.settle(send.sendId, { state: 'accepted', messageId, status }),
    );
    await this.#tryFor(messageId, () => this.#keep({ ...send, state: 'accepted', messageId }));
    await this.#tryFor(messageId, () => sessions.noteSend(sessionId, { status, at: now(), text: send.text }));
    return { state: 'accepted', messageId, status };
  }

  async #tryFor(messageId: string, record: () => Promise<unknown>): Promise<void> {
    try {
      await record();
    } catch (error) {
      const id = oneLine(messageId, 200);
      this.#options.log.error(`The accepted message ${id} could not be recorded everywhere`, error);
    }
  }

  async #keep(send: SendRecord): Promise<void> {
    const { journal, transcript } = this.#options;
    if (send.messageId !== undefined) await transcript.keepSent(send.messageId, sentFrom(send));
    await journal.remove(send.sendId);
  }

  async #failed(send: SendRecord, error: unknown): Promise<SendOutcome> {
    const { journal, describe, log } = this.#options;
    const state = certainlyNotProcessed(error) ? 'refused' : 'unknown';
    const sentence = describe(error);
    const settled = await journal.settle(send.sendId, { state, sentence }).catch((failure: unknown) => {
      log.error('The outcome of a send could not be recorded', failure);
      return journal.get(send.sendId);
    });
    if (state === 'unknown' && settled !== undefined) await this.lookAfter([settled]);
    return { state, sentence };
  }
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
        ...(session.statusAt === undefined ? {} : { at: session.statusAt }),
        ...(session.status === 'idle' ? {} : { working: true }),
      };
}

function sentFrom(send: SendRecord): SentMessage {
  return {
    sendId: send.sendId,
    at: send.startedAt,
    text: send.text,
    attachments: send.attachments.map(({ name, kind, size }) => ({ name, kind, size })),
  };
}
