import * as vscode from 'vscode';
import { isApiError, type ApiClient } from '../api';
import { errorSentence, type Connection } from '../connection';
import { commands, setContext, type CommandHandlers } from '../contributions';
import type { Storage } from '../storage';
import { withSignal } from '../util/cancellation';
import { outline } from '../util/details';
import type { DetailsDocuments } from '../util/detailsDocuments';
import { Disposable, type IDisposable } from '../util/disposable';

import type { Event, Observable } from '../util/event';
import type { Formatter } from '../util/format';
import { forNotification, oneLine } from '../util/text';
import { ChatSessionsSource, type SessionForChat } from './chatSessions';
import { createSession, readCreateRequest } from './create';
import { isActive, statusOf } from './model';
import { SessionMonitor } from './monitor';
import { askSessionId, isSessionId, pickSession } from './pickers';
import type { SessionRecord } from './record';
import { SessionIndex } from './sessionIndex';
import { sessionTitle } from './text';
import { SessionsTree, type SessionTreeNode } from './tree';
import { SessionsView } from './view';

export type { SessionForChat } from './chatSessions';
export type { SessionTreeNode } from './tree';

export interface SessionsDeps {
  readonly connection: Connection;
  readonly storage: Storage;
  readonly view: vscode.TreeView<SessionTreeNode>;
  readonly focused: Observable<boolean>;
  readonly fastestSeconds: () => number;
  readonly computers: {
    nameOf(computerId: string): string | undefined;
    readonly onDidChange: Event<unknown>;
  };
  readonly format: Formatter;
  readonly details: Pick<DetailsDocuments, 'show'>;
}

/** What the chat sees of the sessions. */
export interface SessionsForChat {
  get(sessionId: string): SessionForChat | undefined;
  readonly onDidChange: Event<readonly string[]>;
  refresh(sessionId: string, signal?: AbortSignal): Promise<SessionForChat>;
  watch(sessionId: string): IDisposable;
  noteSend(sessionId: string, sent: { status: string; at: number; text: string }): Promise<void>;
  pick(placeHolder: string): Promise<string | undefined>;
}

export interface SessionsFeature extends IDisposable {
  readonly tree: vscode.TreeDataProvider<SessionTreeNode>;
  readonly commands: CommandHandlers<'sessions'>;
  readonly forChat: SessionsForChat;
  /** Resolves when the index of the current service has been read. */
  ready(): Promise<void>;
  refresh(): Promise<void>;
}

/** Sessions: the durable index, its tree, and the truth about their status (sections 2.8, 4.5, 4.6). */
export function registerSessions(deps: SessionsDeps): SessionsFeature {
  return new Sessions(deps);
}

class Sessions extends Disposable implements SessionsFeature {
  readonly #deps: SessionsDeps;
  readonly #index: SessionIndex;
  readonly #monitor: SessionMonitor;
  readonly #tree: SessionsTree;
  readonly commands: CommandHandlers<'sessions'>;
  readonly forChat: SessionsForChat;
  #lastComputerId: string | undefined;

  constructor(deps: SessionsDeps) {
    super();
    this.#deps = deps;
    const index = (this.#index = this.register(new SessionIndex(deps.storage)));
    const monitor = (this.#monitor = this.register(
      new SessionMonitor({
        index,
        api: () => deps.connection.api,
        focused: deps.focused,
        fastestMs: () => deps.fastestSeconds() * 1000,
        sentence: error => this.#sentence(error),
      }),
    ));
    const tree = (this.#tree = this.register(
      new SessionsTree({
        ready: async () => {
          await this.ready();
          return deps.connection.state.current.kind !== 'signedOut';
        },
        records: () => index.records,
        statusOf: record => monitor.statusOf(record.sessionId),
        computerName: id => deps.computers.nameOf(id),
        format: deps.format,
      }),
    ));
    this.commands = {
      refresh: () => this.refresh(),
      create: (argument?: unknown) => this.#create(argument),
      add: (argument?: unknown) => this.#add(argument),
      remove: (node?: unknown, nodes?: unknown) => this.#remove(node, nodes),
      copyId: async (node?: unknown) => {
        const record = await this.#recordOf(node);
        if (record !== undefined) await vscode.env.clipboard.writeText(record.sessionId);
      },
      showDetails: (node?: unknown) => this.#showDetails(node),
    };
    this.forChat = this.register(
      new ChatSessionsSource({
        index,
        monitor,
        computerName: id => deps.computers.nameOf(id),
        computersChanged: deps.computers.onDidChange,
        pick: placeHolder => this.#pick(placeHolder),
      }),
    );
    this.register(
      new SessionsView({
        view: deps.view,
        tree,
        index,
        monitor,
        connection: deps.connection,
        focused: deps.focused,
      }),
    );
    this.register(
      deps.connection.state.onDidChange(() => {
        void this.#useService();
      }),
    );
    this.register(deps.connection.onDidBecomeReady(() => monitor.reset()));
  }

  get tree(): SessionsTree {
    return this.#tree;
  }

  async ready(): Promise<void> {
    await this.#deps.connection.ready();
    await this.#useService();
  }

  async refresh(): Promise<void> {
    await this.ready();
    const records = [...this.#index.records.values()];
    const worth = records.filter(
      record =>
        isActive(this.#monitor.statusOf(record.sessionId)) || statusOf(record, undefined).value === 'unknown',
    );
    const rest = records.filter(record => !worth.includes(record)).slice(0, 20);
    await Promise.all(
      [...worth.slice(0, 30), ...rest].map(record =>
        this.#monitor.check(record.sessionId).catch(() => undefined),
      ),
    );
  }

  async #useService(): Promise<void> {
    const state = this.#deps.connection.state.current;
    await this.#index.use(state.service?.id);
    setContext('agentConsole.sessions', this.#index.records.size > 0 ? 'listed' : 'empty');
  }

  async #create(argument: unknown): Promise<string | undefined> {
    const request = readCreateRequest(argument);
    const api = this.#api();
    const state = this.#deps.connection.state.current;
    const created = await createSession(api, request, {
      lastComputerId: this.#lastComputerId,
      ...(state.kind === 'signedOut' ? {} : { host: state.service.host }),
    });
    if (created === undefined) return undefined;
    const { session, computer } = created;
    this.#lastComputerId = session.computerId ?? computer?.id ?? request.computerId;
    await this.ready();
    await this.#index.add(session.sessionId, 'created', Date.now());
    await this.#index.observe(session, Date.now(), computer?.name);
    // Another extension that names everything gets the id; a person gets the session, opened.
    const byPerson =
      argument === undefined || (typeof argument === 'object' && argument !== null && 'kind' in argument);
    if (byPerson) await vscode.commands.executeCommand(commands.chat.open, session.sessionId);
    return session.sessionId;
  }

  async #add(argument: unknown): Promise<string | undefined> {
    const api = this.#api();
    const byPerson = argument === undefined;
    const sessionId = byPerson ? await askSessionId() : argument;
    if (sessionId === undefined) return undefined;
    if (typeof sessionId !== 'string' || !isSessionId(sessionId)) {
      throw new Error(vscode.l10n.t('“{0}” is not a session id.', oneLine(JSON.stringify(sessionId), 60)));
    }
    await this.ready();
    const session = await vscode.window.withProgress(
      {
        location: vscode.ProgressLocation.Notification,
        title: vscode.l10n.t('Looking for the session…'),
        cancellable: true,
      },
      (_, token) =>
        withSignal(token, signal => api.sessions.get(sessionId, { signal })).catch((error: unknown) => {
          if (isApiError(error) && error.kind === 'cancelled') return undefined;
          throw error;
        }),
    );
    if (session === undefined) return undefined;
    await this.#index.add(session.sessionId, 'added', Date.now());
    await this.#index.observe(session, Date.now());
    if (byPerson) await vscode.commands.executeCommand(commands.chat.open, session.sessionId);
    return session.sessionId;
  }

  async #remove(node: unknown, nodes: unknown): Promise<void> {
    const chosen = Array.isArray(nodes) && nodes.length > 0 ? (nodes as unknown[]) : [node];
    const removed: SessionRecord[] = [];
    for (const each of chosen) {
      const record = await this.#recordOf(each);
      if (record !== undefined && (await this.#index.remove(record.sessionId)) !== undefined)
        removed.push(record);
    }
    const [first] = removed;
    if (first === undefined) return;
    const undo = vscode.l10n.t('Undo');
    const sentence =
      removed.length === 1
        ? vscode.l10n.t(
            'Removed “{0}” from this list. The session itself stays with the service.',
            sessionTitle(first),
          )
        : vscode.l10n.t(
            'Removed {0} sessions from this list. The sessions themselves stay with the service.',
            removed.length,
          );
    void vscode.window.showInformationMessage(forNotification(sentence), undo).then(async answer => {
      if (answer === undo) for (const record of removed) await this.#index.restore(record);
    });
  }

  async #showDetails(node: unknown): Promise<void> {
    const record = await this.#recordOf(node);
    if (record === undefined) return;
    await this.#deps.details.show(`session ${sessionTitle(record).slice(0, 60)}.yaml`, () =>
      outline({ ...record, status: this.#monitor.statusOf(record.sessionId) }, this.#deps.format),
    );
  }

  async #pick(placeHolder: string): Promise<string | undefined> {
    await this.ready();
    const choice = await pickSession(
      [...this.#index.records.values()],
      record => this.#monitor.statusOf(record.sessionId),
      this.#deps.format,
      placeHolder,
    );
    if (choice === undefined) return undefined;
    switch (choice.kind) {
      case 'known':
        return choice.sessionId;
      case 'new':
        return this.#createForPick();
      case 'add': {
        const sessionId = await askSessionId();
        return sessionId === undefined ? undefined : this.#add(sessionId);
      }
    }
  }

  async #createForPick(): Promise<string | undefined> {
    const api = this.#api();
    const computer = await createSession(api, {}, { lastComputerId: this.#lastComputerId });
    if (computer === undefined) return undefined;
    await this.#index.add(computer.session.sessionId, 'created', Date.now());
    await this.#index.observe(computer.session, Date.now(), computer.computer?.name);
    return computer.session.sessionId;
  }

  /** The record of a row, of an id, or of what the person picks. */
  async #recordOf(node: unknown): Promise<SessionRecord | undefined> {
    await this.ready();
    const sessionId =
      typeof node === 'string'
        ? node
        : typeof node === 'object' &&
            node !== null &&
            'sessionId' in node &&
            typeof node.sessionId === 'string'
          ? node.sessionId
          : await this.#pick(vscode.l10n.t('Choose a session'));
    return sessionId === undefined ? undefined : this.#index.get(sessionId);
  }

  #api(): ApiClient {
    const api = this.#deps.connection.api;
    if (api === undefined)
      throw new Error(vscode.l10n.t('Sign in first: Agent Console is not connected to a service.'));
    return api;
  }

  #sentence(error: unknown): string | undefined {
    if (isApiError(error) && error.kind === 'cancelled') return undefined;
    const state = this.#deps.connection.state.current;
    return errorSentence(error, state.kind === 'signedOut' ? {} : { host: state.service.host });
  }
}
