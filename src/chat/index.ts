import * as vscode from 'vscode';
import type { CommandHandlers } from '../contributions';
import type { Storage } from '../storage';
import { Disposable, type Event } from '../util/lifecycle';
import { Attachments } from './attach/attachments';
import type { Conversation } from './conversation';
import { Conversations } from './conversations';
import {
  droppedFiles,
  givenBy,
  readSendRequest,
  selectedTexts,
  type DiffOf,
  type Given,
} from './attach/given';
import { joined } from './outbox/record';
import type { SendOutcome } from './outbox/sender';
import { showTranscript } from './transcript/markdownDocument';
import { ChatPanel, type PanelDeps } from './panel/panel';
import { Places, type PlacesOptions } from './panel/places';
import { rowKeyOf } from './transcript/rows';
import type { Kept } from './protocol';
import { readSessionId } from '../ui/pick';

export { standings } from './outbox/outbox';
export type { ChatSessions } from './sessions';
export { publicMessages, transcriptRecords } from './transcript/transcript';

export interface ChatDeps extends PanelDeps, Pick<PlacesOptions, 'location' | 'memory'> {
  readonly storage: Storage;
  /** Where files without a place of their own are kept. */
  readonly storageUri: vscode.Uri;
  /** Whether what only some services offer may be used; asked each time. */
  readonly extras: () => boolean;
  readonly diffOf: DiffOf;
  readonly onDidSelect: Event<readonly unknown[]>;
}

export interface Prefill {
  readonly sessionId?: string | undefined;
  readonly text: string;
  readonly files?: readonly vscode.Uri[] | undefined;
  /** What is in no file of the person, to be attached too. */
  readonly made?: Given['files'] | undefined;
  /** Without a session: that of the chat in front. */
  readonly isForFront?: boolean;
  /** The question, where the person has to choose a session. */
  readonly title?: string | undefined;
}

/** The chat: one panel a session (sections 2.9, 4.7, 4.8). */
export class Chat extends Disposable {
  readonly #deps: ChatDeps;
  readonly #conversations: Conversations;
  readonly #places: Places;

  readonly commands: CommandHandlers<'chat'> = {
    open: async target => {
      const question = vscode.l10n.t('Open a session');
      const sessionId = readSessionId(target) ?? (await this.#deps.sessions.pick(question));
      if (sessionId !== undefined) await this.#open(sessionId);
    },
    send: async request => {
      const outcome = await this.send(request);
      if (outcome.state !== 'accepted') throw Object.assign(new Error(outcome.sentence), { recorded: true });
      return { messageId: outcome.messageId, status: outcome.status };
    },
    attachFiles: async (...args) => this.#attach(await givenBy(args, this.#deps.diffOf)),
    attachSelection: async () => {
      const files = selectedTexts();
      if (files.length === 0) throw new Error(vscode.l10n.t('Select some text in an editor first.'));
      await this.#attach({ uris: [], files });
    },
    /** Stops what is queued with it, too. */
    stop: async target => {
      const sessionId = readSessionId(target);
      await this.#deps.connection.ready();
      if (sessionId !== undefined) await this.#with(sessionId, conversation => conversation.stop());
    },
    find: () => this.#places.active?.find(),
    /** Of the session given, else the one in front, else one that is picked. */
    export: async target => {
      const { connection, sessions, details } = this.#deps;
      await connection.ready();
      const named = readSessionId(target);
      const shown = named === undefined ? this.#places.active?.conversation : undefined;
      if (shown !== undefined) return showTranscript(shown, details);
      const sessionId = named ?? (await sessions.pick(vscode.l10n.t('Export which session?')));
      if (sessionId !== undefined) await this.#with(sessionId, each => showTranscript(each, details));
    },
  };

  constructor(deps: ChatDeps) {
    super();
    this.#deps = deps;
    const { fsPath } = deps.storageUri;
    const attachments = new Attachments(fsPath, deps.composer.limits);
    const reading = new Map<string, Kept>();
    const conversations = this.register(new Conversations({ ...deps, attachments }));
    this.#conversations = conversations;
    this.#places = this.register(
      new Places({
        ...deps,
        serviceId: () => conversations.serviceId,
        makePanel: (place, { serviceId, sessionId, title }) =>
          new ChatPanel(place, { ...deps, ...conversations.use(serviceId, sessionId), reading, title }),
      }),
    );
    this.register(
      deps.onDidSelect(([row]) => {
        const sessionId = readSessionId(row);
        if (sessionId !== undefined) this.#places.follow(sessionId);
      }),
    );
  }

  /** Gives a panel found after a reload its conversation again; `state` is what its page kept, old or hostile. */
  async restorePanel(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    this.#places.restorePanel(panel, state);
    await this.#deps.connection.ready();
  }

  async resolveView(view: vscode.WebviewView): Promise<void> {
    this.#places.resolveView(view);
    await this.#deps.connection.ready();
  }

  /**
   * Puts text and files into the composer of a session, after what is there, and sends nothing. Without a session the person
   * chooses one; resolves to false when they cancel.
   */
  async prefill(message: Prefill): Promise<boolean> {
    const { text, files = [], made = [], isForFront = false, title } = message;
    const question = title ?? vscode.l10n.t('Write to which session?');
    const sessionId = await this.#chosen(message.sessionId, isForFront, question, 'new');
    if (sessionId === undefined) return false;
    await this.#deps.sessions.ensure(sessionId);
    await this.#give(sessionId, { uris: files.map(String), files: made }, text);
    return true;
  }

  /** Opens a session with these words marked, in one of its messages if that is named. */
  async openAt(at: { sessionId: string; messageId?: string | undefined; words: string }): Promise<void> {
    const panel = await this.#open(at.sessionId);
    if (at.messageId === undefined) return;
    await panel.conversation.load();
    panel.find({ words: at.words, key: rowKeyOf(panel.conversation.transcript.known, at.messageId) });
  }

  /** Sends `{ sessionId, text, attachments? }` without touching the draft; rejects where that never came to an outcome. */
  async send(request: unknown): Promise<SendOutcome> {
    const { sessionId, text, attachments } = readSendRequest(request);
    await this.#deps.connection.ready();
    await this.#deps.sessions.ensure(sessionId);
    return this.#with(sessionId, each => each.sendDirectly(text, attachments));
  }

  isShown(sessionId: string): boolean {
    return this.#places.isShown(sessionId);
  }

  /** Goes on sending what an earlier window has queued. */
  goOn(): void {
    this.#conversations.goOn();
  }

  /** Resolves when all drafts are durable. */
  async flush(): Promise<void> {
    await this.#conversations.flush();
  }

  override dispose(): void {
    void this.flush();
    super.dispose();
  }

  /** Attaches files dropped on a row of a tree to that session's draft; elsewhere asks for the session. */
  async dropOn(target: unknown, data: vscode.DataTransfer): Promise<void> {
    await this.#attach(await droppedFiles(data), readSessionId(target));
  }

  async #open(sessionId: string): Promise<ChatPanel> {
    await this.#deps.connection.ready();
    await this.#deps.sessions.ensure(sessionId);
    return this.#places.show(sessionId);
  }

  /** Attaches what is given to the draft of a session: of this one, else the one in front, else one that is picked. */
  async #attach(given: Given, target?: string): Promise<void> {
    if (given.uris.length + given.files.length === 0) return;
    const question = vscode.l10n.t('Send to which session?');
    const sessionId = await this.#chosen(target, true, question);
    if (sessionId !== undefined) await this.#give(sessionId, given);
  }

  async #chosen(
    named: string | undefined,
    isForFront: boolean,
    question: string,
    first?: 'new',
  ): Promise<string | undefined> {
    await this.#deps.connection.ready();
    // What was asked for a moment ago is what the person means.
    if (isForFront) await this.#places.settled();
    const inFront = isForFront ? this.#places.inFront?.conversation.sessionId : undefined;
    return named ?? inFront ?? this.#deps.sessions.pick(question, first);
  }

  async #give(sessionId: string, { uris, files }: Given, text?: string): Promise<void> {
    const { inFront } = this.#places;
    const isInFront = inFront?.conversation.sessionId === sessionId;
    const panel = isInFront ? inFront : await this.#places.show(sessionId);
    panel.reveal();
    await this.#with(sessionId, async ({ composition }) => {
      await composition.attach(uris);
      await composition.attachFiles(files);
      if (text === undefined) return;
      composition.setText(joined(composition.draft.text, text));
      panel.showDraft();
    });
  }

  /** Does something with the conversation of a session, shown or not. */
  async #with<T>(sessionId: string, work: (conversation: Conversation) => Promise<T> | T): Promise<T> {
    const { serviceId } = this.#conversations;
    if (serviceId === undefined) throw new Error(vscode.l10n.t('Sign in first.'));
    const { conversation, lease } = this.#conversations.use(serviceId, sessionId);
    try {
      await conversation.load();
      return await work(conversation);
    } finally {
      lease.dispose();
    }
  }
}
