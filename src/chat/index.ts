import * as vscode from 'vscode';
import * as path from 'node:path';
import type { Connection } from '../connection';
import type { CommandHandlers } from '../contributions';
import type { Logger } from '../log';
import type { Storage } from '../storage';
import type { DetailsDocuments } from '../util/detailsDocuments';
import { Disposable, type IDisposable } from '../util/disposable';
import type { Event } from '../util/event';
import { Formatter, supportedLanguage } from '../util/format';
import { Attachments } from './attach/attachments';
import { bodyBuilder } from './attach/body';
import type { Composing } from './panel/composing';
import type { ComposerSettings } from './panel/composerState';
import type { Conversation } from './conversation';
import { Conversations } from './conversations';
import { droppedFiles, selectedTexts } from './attach/given';
import { KeptFiles } from './attach/keptFiles';
import { transcriptDocument } from './transcript/markdownDocument';
import { ChatPanel } from './panel/panel';
import { headerOf } from './panel/panelState';
import { Places } from './panel/places';
import { messageKey, RowBuilder } from './transcript/rows';
import { readSendRequest, readSessionId, readUris } from './requests';
import type { ChatSessions } from './sessions';
import { workspaceFiles } from './attach/workspaceFiles';

export type { ChatSessions } from './sessions';
export { transcriptRecords } from './transcript/transcript';

export interface ChatDeps {
  readonly extensionUri: vscode.Uri;
  readonly connection: Connection;
  readonly storage: Storage;
  readonly sessions: ChatSessions;
  readonly log: Logger;
  /** Where files without a place of their own are kept. */
  readonly storageUri: vscode.Uri;
  readonly composer: ComposerSettings & { readonly onDidChange: Event<unknown> };
  /** Where a session is opened; asked each time. */
  readonly location: () => 'panel' | 'view';
  /** Whether what only some services offer may be used; asked each time. */
  readonly extras: () => boolean;
  /** Of this window and folder alone. */
  readonly memory: Pick<vscode.Memento, 'get' | 'update'>;
  readonly details: Pick<DetailsDocuments, 'show'>;
  /** Fires with the rows that were selected. */
  readonly onDidSelect: Event<readonly unknown[]>;
}

export interface Prefill {
  readonly sessionId?: string | undefined;
  readonly text: string;
  /** To be attached. */
  readonly files?: readonly vscode.Uri[] | undefined;
  readonly title?: string | undefined;
}

export interface PlaceOfWords {
  readonly sessionId: string;
  readonly messageId?: string | undefined;
  readonly words: string;
}

export interface ChatFeature extends IDisposable {
  readonly commands: CommandHandlers<'chat'>;
  /**
   * Puts text and files into the composer of a session, after what is there, and sends nothing. Without a session the person
   * chooses one; resolves to false when they cancel. `title` is the question they are asked.
   */
  prefill(message: Prefill): Promise<boolean>;
  /** Opens a session with these words marked, in one of its messages if that is named. */
  openAt(place: PlaceOfWords): Promise<void>;
  /** Gives a panel found after a reload its conversation again; `state` is what its page kept, old or hostile. */
  restorePanel(panel: vscode.WebviewPanel, state: unknown): Promise<void>;
  /** Fills the view, with what its page kept. */
  resolveView(view: vscode.WebviewView, state: unknown): Promise<void>;
  /** Attaches files dropped on a row of a tree to that session's draft; elsewhere asks for the session. */
  dropOn(target: unknown, data: vscode.DataTransfer): Promise<void>;
  /** Whether a session is shown in this window. */
  isShown(sessionId: string): boolean;
  /** Goes on sending what an earlier window has queued. */
  goOn(): void;
  /** Resolves when all drafts are durable. */
  flush(): Promise<void>;
}

type Attach = (conversation: Conversation, composing: Composing) => Promise<void>;

/** The chat: one panel a session (sections 2.9, 4.7, 4.8). */
export function registerChat(deps: ChatDeps): ChatFeature {
  return new Chat(deps);
}

class Chat extends Disposable implements ChatFeature {
  readonly #deps: ChatDeps;
  readonly #conversations: Conversations;
  readonly #places: Places;

  readonly commands: CommandHandlers<'chat'> = {
    open: async target => this.#openCommand(target),
    send: async request => this.#sendCommand(request),
    attachFiles: async (uri, uris) => this.#attachCommand(readUris(uri, uris) ?? (await pickFiles())),
    attachSelection: async () => this.#attachSelection(),
    find: () => this.#places.inFront?.find(),
    export: async (target, key) => this.#openDocument(target, key),
  };

  constructor(deps: ChatDeps) {
    super();
    this.#deps = deps;
    const { connection, storage, sessions, log, extensionUri, extras, composer } = deps;
    const kept = new KeptFiles(deps.storageUri.fsPath, workspaceFiles);
    const attachments = new Attachments(kept, composer.limits, vscode.env.language);
    const buildBody = bodyBuilder(path.join(__dirname, 'bodyWorker.mjs'));
    const { onDidChange: onDidChangeSettings } = composer;
    const composing = { ...composer, kept, attachments, onDidChangeSettings, api: () => connection.api };
    this.#conversations = this.register(
      new Conversations({ connection, storage, sessions, attachments, kept, buildBody, log, extras }),
    );
    this.#places = this.register(
      new Places({
        extensionUri,
        sessions,
        location: deps.location,
        memory: deps.memory,
        serviceId: () => this.#conversations.serviceId,
        makePanel: (place, { serviceId, sessionId, ...rest }) => {
          const { conversation, lease } = this.#conversations.use(serviceId, sessionId);
          const options = { extensionUri, connection, sessions, log, ...rest, conversation, composing };
          const panel = new ChatPanel(place, options);
          panel.onDidDispose(() => lease.dispose());
          return panel;
        },
      }),
    );
    this.register(
      deps.onDidSelect(([row]) => {
        const sessionId = readSessionId(row);
        if (sessionId !== undefined) this.#places.follow(sessionId);
      }),
    );
  }

  async restorePanel(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    this.#places.restorePanel(panel, state);
    await this.#deps.connection.ready();
  }

  async resolveView(view: vscode.WebviewView, state: unknown): Promise<void> {
    this.#places.resolveView(view, state);
    await this.#deps.connection.ready();
  }

  async prefill({ sessionId, text, files = [], title }: Prefill): Promise<boolean> {
    const { connection, sessions } = this.#deps;
    await connection.ready();
    const chosen =
      sessionId ?? (await sessions.pick(title ?? vscode.l10n.t('Write to which session?'), 'new'));
    if (chosen === undefined) return false;
    await sessions.ensure(chosen);
    const panel = await this.#places.show(chosen);
    panel.reveal();
    const { conversation } = panel;
    await conversation.load();
    const { draft } = conversation.composition;
    const written = draft.text.trimEnd();
    conversation.composition.setText(written === '' ? text : `${written}\n\n${text}`, draft.stash);
    panel.showDraft();
    await conversation.composition.attach(files.map(file => file.toString()));
    return true;
  }

  async openAt({ sessionId, messageId, words }: PlaceOfWords): Promise<void> {
    await this.#deps.connection.ready();
    await this.#deps.sessions.ensure(sessionId);
    const panel = await this.#places.show(sessionId);
    if (messageId !== undefined) panel.find({ words, key: messageKey(messageId) });
  }

  isShown(sessionId: string): boolean {
    return this.#places.isShown(sessionId);
  }

  goOn(): void {
    this.#conversations.goOn();
  }

  flush(): Promise<void> {
    return this.#conversations.flush();
  }

  override dispose(): void {
    void this.flush();
    super.dispose();
  }

  async #openCommand(target: unknown): Promise<void> {
    const sessionId =
      readSessionId(target) ?? (await this.#deps.sessions.pick(vscode.l10n.t('Open a session')));
    if (sessionId === undefined) return;
    await this.#deps.connection.ready();
    await this.#deps.sessions.ensure(sessionId);
    await this.#places.show(sessionId);
  }

  async #sendCommand(
    request: unknown,
  ): Promise<{ readonly messageId: string; readonly status: string | undefined }> {
    const { sessionId, text, attachments } = readSendRequest(request);
    await this.#deps.connection.ready();
    await this.#deps.sessions.ensure(sessionId);
    const { conversation, lease } = this.#conversations.use(this.#needService(), sessionId);
    try {
      await conversation.load();
      const outcome = await conversation.sendDirectly(text, attachments);
      if (outcome.state !== 'accepted') throw Object.assign(new Error(outcome.sentence), { recorded: true });
      return { messageId: outcome.messageId, status: outcome.status };
    } finally {
      lease.dispose();
    }
  }

  async #attachCommand(files: readonly vscode.Uri[] | undefined): Promise<void> {
    if (files === undefined || files.length === 0) return;
    await this.#attachTo(files.length, ({ composition }) =>
      composition.attach(files.map(file => file.toString())),
    );
  }

  async #attachSelection(): Promise<void> {
    const selected = selectedTexts();
    if (selected.length === 0) throw new Error(vscode.l10n.t('Select some text in an editor first.'));
    await this.#attachTo(selected.length, async (_conversation, composing) => {
      for (const file of selected) await composing.attach(file);
    });
  }

  async dropOn(target: unknown, data: vscode.DataTransfer): Promise<void> {
    const { uris, files } = await droppedFiles(data);
    const count = uris.length + files.length;
    if (count === 0) return;
    const attach: Attach = async ({ composition }, composing) => {
      await composition.attach(uris);
      await composing.attachAway(files);
    };
    const sessionId = readSessionId(target);
    if (sessionId === undefined) return this.#attachTo(count, attach);
    await this.#deps.connection.ready();
    await this.#attachIn(await this.#places.show(sessionId), attach);
  }

  async #attachTo(count: number, attach: Attach): Promise<void> {
    await this.#deps.connection.ready();
    // What was asked for a moment ago is what the person means.
    await this.#places.settled();
    const panel = this.#places.inFront ?? (await this.#pickPanel(count));
    if (panel !== undefined) await this.#attachIn(panel, attach);
  }

  async #attachIn(panel: ChatPanel, attach: Attach): Promise<void> {
    panel.reveal();
    await panel.conversation.load();
    await attach(panel.conversation, panel.composing);
  }

  async #pickPanel(count: number): Promise<ChatPanel | undefined> {
    const question =
      count === 1
        ? vscode.l10n.t('Send 1 file to which session?')
        : vscode.l10n.t('Send {0} files to which session?', count);
    const sessionId = await this.#deps.sessions.pick(question);
    return sessionId === undefined ? undefined : this.#places.show(sessionId);
  }

  /** With the key of a row, only that message. */
  async #openDocument(target: unknown, key: unknown): Promise<void> {
    const row = typeof key === 'string' ? key : undefined;
    const written = await this.#write(target, row);
    if (written === undefined) return;
    const { sessionId, title, content } = written;
    await this.#deps.details.show(`${sessionId}${row ?? ''}`, title, content);
  }

  /** The transcript of a session as Markdown: the one given, else the one in front, else one that is picked. */
  async #write(target: unknown, key?: string) {
    await this.#deps.connection.ready();
    const sessionId =
      readSessionId(target) ??
      this.#places.inFront?.conversation.sessionId ??
      (await this.#deps.sessions.pick(vscode.l10n.t('The transcript of which session?')));
    if (sessionId === undefined) return undefined;
    const { conversation, lease } = this.#conversations.use(this.#needService(), sessionId);
    const format = new Formatter(vscode.env.language);
    const content = (): string => {
      const header = headerOf(conversation.session, sessionId, false, Date.now(), format);
      const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
      const builder = new RowBuilder(format, true);
      const input = { ...conversation.rows, timeZone };
      const rows = key === undefined ? builder.build(input) : [builder.one(input, key) ?? []].flat();
      return transcriptDocument({ header, rows, language: supportedLanguage(vscode.env.language) });
    };
    try {
      await conversation.load();
      const text = content();
      const title = conversation.session?.title ?? sessionId;
      return { sessionId, title, content: () => (conversation.isDisposed ? text : content()) };
    } finally {
      lease.dispose();
    }
  }

  #needService(): string {
    const { serviceId } = this.#conversations;
    if (serviceId === undefined) throw new Error(vscode.l10n.t('Sign in first.'));
    return serviceId;
  }
}

async function pickFiles(): Promise<readonly vscode.Uri[] | undefined> {
  return vscode.window.showOpenDialog({ canSelectMany: true, openLabel: vscode.l10n.t('Attach') });
}
