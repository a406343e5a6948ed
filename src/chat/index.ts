import * as vscode from 'vscode';
import * as path from 'node:path';
import type { Connection } from '../connection';
import type { CommandHandlers } from '../contributions';
import type { Logger } from '../log';
import type { Storage } from '../storage';
import { Disposable, type IDisposable } from '../util/disposable';
import type { Event } from '../util/event';
import { Attachments } from './attachments';
import { bodyBuilder } from './bodyBuilder';
import type { Composing, ComposingDeps } from './composing';
import type { ComposerSettings } from './composerState';
import type { Conversation } from './conversation';
import { Conversations } from './conversations';
import { droppedFiles, selectedTexts } from './given';
import { KeptFiles } from './keptFiles';
import { ChatPanel, createPanel } from './panel';
import { readPageState, readSendRequest, readSessionId, readUris } from './requests';
import type { ChatSessions } from './sessions';
import { workspaceFiles } from './workspaceFiles';

export type { ChatSession, ChatSessions } from './sessions';

export interface ChatDeps {
  readonly extensionUri: vscode.Uri;
  /** Where files without a place of their own are kept. */
  readonly storageUri: vscode.Uri;
  readonly connection: Connection;
  readonly storage: Storage;
  readonly sessions: ChatSessions;
  readonly log: Logger;
  readonly composer: ComposerSettings & { readonly onDidChange: Event<unknown> };
}

export interface ChatFeature extends IDisposable {
  readonly commands: CommandHandlers<'chat'>;
  /** Gives a panel found after a reload its conversation again; `state` is what its page kept, old or hostile. */
  restorePanel(panel: vscode.WebviewPanel, state: unknown): Promise<void>;
  /** Attaches files dropped on a row of a tree to that session's draft; elsewhere asks for the session. */
  dropOn(target: unknown, data: vscode.DataTransfer): Promise<void>;
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
  readonly #panels = new Map<string, ChatPanel>();
  readonly #composing: ComposingDeps;

  readonly commands: CommandHandlers<'chat'> = {
    open: async target => this.#openCommand(target),
    send: async request => this.#sendCommand(request),
    attachFiles: async (uri, uris) => this.#attachCommand(uri, uris),
    attachSelection: async () => this.#attachSelection(),
  };

  constructor(deps: ChatDeps) {
    super();
    this.#deps = deps;
    const { connection, storage, sessions, log, composer, storageUri } = deps;
    const kept = new KeptFiles(storageUri.fsPath, workspaceFiles);
    const attachments = new Attachments(kept, composer.limits, vscode.env.language);
    const buildBody = bodyBuilder(path.join(__dirname, 'bodyWorker.js'));
    this.#conversations = this.register(
      new Conversations({ connection, storage, sessions, attachments, kept, buildBody, log }),
    );
    const { onDidChange: onDidChangeSettings } = composer;
    this.#composing = { ...composer, kept, attachments, onDidChangeSettings, api: () => connection.api };
  }

  async restorePanel(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const kept = readPageState(state);
    if (kept === undefined) {
      panel.dispose();
      return;
    }
    this.#attach(panel, kept.serviceId, kept.sessionId, kept.title);
    await this.#deps.connection.ready();
  }

  flush(): Promise<void> {
    return this.#conversations.flush();
  }

  override dispose(): void {
    for (const panel of this.#panels.values()) panel.release();
    this.#panels.clear();
    void this.flush();
    super.dispose();
  }

  async #openCommand(target: unknown): Promise<void> {
    const sessionId =
      readSessionId(target) ?? (await this.#deps.sessions.pick(vscode.l10n.t('Open a session')));
    if (sessionId === undefined) return;
    await this.#deps.connection.ready();
    await this.#deps.sessions.ensure(sessionId);
    this.#show(sessionId).reveal();
  }

  async #sendCommand(request: unknown): Promise<{ readonly messageId: string; readonly status: string }> {
    const { sessionId, text, attachments } = readSendRequest(request);
    await this.#deps.connection.ready();
    await this.#deps.sessions.ensure(sessionId);
    const { conversation, lease } = this.#conversations.use(this.#needService(), sessionId);
    try {
      await conversation.load();
      const outcome = await conversation.sendDirectly(text, attachments);
      if (outcome.state !== 'accepted') throw new Error(outcome.sentence);
      return { messageId: outcome.messageId, status: outcome.status };
    } finally {
      lease.dispose();
    }
  }

  async #attachCommand(uri: unknown, uris: unknown): Promise<void> {
    const files = readUris(uri, uris) ?? (await pickFiles());
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
      for (const file of files) await composing.attach(file);
    };
    const sessionId = readSessionId(target);
    if (sessionId === undefined) return this.#attachTo(count, attach);
    await this.#deps.connection.ready();
    await this.#attachIn(this.#show(sessionId), attach);
  }

  async #attachTo(count: number, attach: Attach): Promise<void> {
    await this.#deps.connection.ready();
    const panel = this.#panelInFront() ?? (await this.#pickPanel(count));
    if (panel !== undefined) await this.#attachIn(panel, attach);
  }

  async #attachIn(panel: ChatPanel, attach: Attach): Promise<void> {
    panel.reveal();
    await panel.conversation.load();
    await attach(panel.conversation, panel.composing);
  }

  async #pickPanel(count: number): Promise<ChatPanel | undefined> {
    const { t } = vscode.l10n;
    const question =
      count === 1 ? t('Send 1 file to which session?') : t('Send {0} files to which session?', count);
    const sessionId = await this.#deps.sessions.pick(question);
    return sessionId === undefined ? undefined : this.#show(sessionId);
  }

  /** The panel the person works in, or the only one there is. */
  #panelInFront(): ChatPanel | undefined {
    const open = [...this.#panels.values()].filter(
      panel => panel.conversation.serviceId === this.#conversations.serviceId,
    );
    return open.find(panel => panel.isActive) ?? (open.length === 1 ? open[0] : undefined);
  }

  #show(sessionId: string): ChatPanel {
    const serviceId = this.#needService();
    const existing = this.#panels.get(panelKey(serviceId, sessionId));
    if (existing !== undefined) return existing;
    const title = this.#deps.sessions.get(sessionId)?.title ?? vscode.l10n.t('Session');
    return this.#attach(createPanel(title, this.#deps.extensionUri), serviceId, sessionId, title);
  }

  #attach(webviewPanel: vscode.WebviewPanel, serviceId: string, sessionId: string, title: string): ChatPanel {
    const key = panelKey(serviceId, sessionId);
    this.#panels.get(key)?.dispose();
    const { extensionUri, connection, sessions, log } = this.#deps;
    const { conversation, lease } = this.#conversations.use(serviceId, sessionId);
    const panel = new ChatPanel(webviewPanel, {
      extensionUri,
      connection,
      sessions,
      log,
      title,
      conversation,
      composing: this.#composing,
    });
    this.#panels.set(key, panel);
    panel.onDidDispose(() => {
      if (this.#panels.get(key) === panel) this.#panels.delete(key);
      lease.dispose();
    });
    return panel;
  }

  #needService(): string {
    const { serviceId } = this.#conversations;
    if (serviceId === undefined) throw new Error(vscode.l10n.t('Sign in first.'));
    return serviceId;
  }
}

function panelKey(serviceId: string, sessionId: string): string {
  return `${serviceId}\n${sessionId}`;
}

async function pickFiles(): Promise<readonly vscode.Uri[] | undefined> {
  return vscode.window.showOpenDialog({ canSelectMany: true, openLabel: vscode.l10n.t('Attach') });
}
