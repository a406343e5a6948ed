import * as vscode from 'vscode';
import type { Connection } from '../connection';
import type { CommandHandlers } from '../contributions';
import type { Logger } from '../log';
import type { Storage } from '../storage';
import { Disposable, type IDisposable } from '../util/disposable';
import { Attachments } from './attachments';
import { Conversations } from './conversations';
import { ChatPanel, createPanel } from './panel';
import { readPageState, readSendRequest, readSessionId, readUris } from './requests';
import type { ChatSessions } from './sessions';
import { workspaceFiles } from './workspaceFiles';

export type { ChatSession, ChatSessions } from './sessions';

export interface ChatDeps {
  readonly extensionUri: vscode.Uri;
  readonly connection: Connection;
  readonly storage: Storage;
  readonly sessions: ChatSessions;
  readonly log: Logger;
  /** Largest file accepted as an attachment, bytes; asked before each file. */
  readonly maxAttachmentBytes: () => number;
}

export interface Prefill {
  readonly sessionId?: string | undefined;
  readonly text: string;
  readonly title?: string | undefined;
}

export interface ChatFeature extends IDisposable {
  readonly commands: CommandHandlers<'chat'>;
  /**
   * Puts text into the composer of a session, after what is written there, and sends nothing. Without a session the person
   * chooses one; resolves to false when they cancel. `title` is the question they are asked.
   */
  prefill(message: Prefill): Promise<boolean>;
  /** Gives a panel found after a reload its conversation again; `state` is what its page kept, old or hostile. */
  restorePanel(panel: vscode.WebviewPanel, state: unknown): Promise<void>;
  /** Resolves when all drafts are durable. */
  flush(): Promise<void>;
}

/** The chat: one panel a session (sections 2.9, 4.7, 4.8). */
export function registerChat(deps: ChatDeps): ChatFeature {
  return new Chat(deps);
}

class Chat extends Disposable implements ChatFeature {
  readonly #deps: ChatDeps;
  readonly #conversations: Conversations;
  readonly #panels = new Map<string, ChatPanel>();

  readonly commands: CommandHandlers<'chat'> = {
    open: async target => this.#openCommand(target),
    send: async request => this.#sendCommand(request),
    attachFiles: async (uri, uris) => this.#attachCommand(uri, uris),
  };

  constructor(deps: ChatDeps) {
    super();
    this.#deps = deps;
    const { connection, storage, sessions, log, maxAttachmentBytes } = deps;
    const attachments = new Attachments(workspaceFiles, maxAttachmentBytes, vscode.env.language);
    this.#conversations = this.register(
      new Conversations({ connection, storage, sessions, attachments, log }),
    );
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

  async prefill({ sessionId, text, title }: Prefill): Promise<boolean> {
    const { connection, sessions } = this.#deps;
    await connection.ready();
    const chosen = sessionId ?? (await sessions.pick(title ?? vscode.l10n.t('Write to which session?')));
    if (chosen === undefined) return false;
    await sessions.ensure(chosen);
    const panel = this.#show(chosen);
    panel.reveal();
    const { conversation } = panel;
    await conversation.load();
    const written = conversation.composition.draft.text.trimEnd();
    conversation.composition.setText(written === '' ? text : `${written}\n\n${text}`);
    panel.showDraft();
    return true;
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
    await this.#deps.connection.ready();
    const panel = this.#panelInFront() ?? (await this.#pickPanel(files.length));
    if (panel === undefined) return;
    panel.reveal();
    await panel.conversation.load();
    await panel.conversation.composition.attach(files.map(file => file.toString()));
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
