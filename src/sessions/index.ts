import type * as vscode from 'vscode';
import { isApiError } from '../api';
import { errorSentence, type Connection } from '../connection';
import type { CommandHandlers } from '../contributions';
import type { Logger } from '../log';
import type { Storage } from '../storage';
import type { DetailsDocuments } from '../util/detailsDocuments';
import { Disposable, type IDisposable } from '../util/disposable';

import type { Event, Observable } from '../util/event';
import type { Formatter } from '../util/format';
import { ChatSessionsSource, type SessionForChat } from './chatSessions';
import { SessionCommands } from './commands';
import { activityOf, isActive } from './model';
import { SessionMonitor } from './monitor';
import type { SessionRecord } from './record';
import { SessionIndex } from './sessionIndex';
import { SessionsTree, type SessionTreeNode } from './tree';
import { SessionsView } from './view';

export type { SessionForChat } from './chatSessions';
export type { SessionTreeNode } from './tree';

export interface SessionsDeps {
  readonly connection: Connection;
  readonly storage: Storage;
  readonly log: Logger;
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
  ensure(sessionId: string): Promise<void>;
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
          try {
            await this.ready();
          } catch {
            return 'failed';
          }
          return deps.connection.state.current.kind === 'signedOut' ? 'hide' : 'show';
        },
        records: () => index.records,
        statusOf: record => monitor.statusOf(record.sessionId),
        computerName: id => deps.computers.nameOf(id),
        format: deps.format,
      }),
    ));
    const sessionCommands = this.register(
      new SessionCommands({
        connection: deps.connection,
        index,
        monitor,
        format: deps.format,
        details: deps.details,
        ready: () => this.ready(),
        refresh: () => this.refresh(),
      }),
    );
    this.commands = sessionCommands.handlers;
    this.forChat = this.register(
      new ChatSessionsSource({
        index,
        monitor,
        computerName: id => deps.computers.nameOf(id),
        computersChanged: deps.computers.onDidChange,
        pick: placeHolder => sessionCommands.pick(placeHolder),
        ensure: sessionId => sessionCommands.ensure(sessionId),
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
    const follow = (): void => {
      this.ready().catch((error: unknown) => deps.log.error('The list of sessions cannot be read', error));
    };
    this.register(deps.connection.state.onDidChange(follow));
    this.register(deps.connection.onDidBecomeReady(() => monitor.reset()));
    follow();
  }

  get tree(): SessionsTree {
    return this.#tree;
  }

  async ready(): Promise<void> {
    const { service } = await this.#deps.connection.ready();
    await this.#index.use(service?.id);
  }

  /** Asks for the latest sessions, a few at a time. */
  async refresh(): Promise<void> {
    await this.ready();
    const records = [...this.#index.records.values()].sort((a, b) => activityOf(b) - activityOf(a));
    const active = (record: SessionRecord): boolean => isActive(this.#monitor.statusOf(record.sessionId));
    const waiting = [...records.filter(active), ...records.filter(record => !active(record)).slice(0, 20)];
    const askOn = async (): Promise<void> => {
      for (let record = waiting.shift(); record !== undefined; record = waiting.shift()) {
        await this.#monitor.check(record.sessionId).catch(() => undefined);
      }
    };
    await Promise.all(Array.from({ length: 4 }, askOn));
  }

  #sentence(error: unknown): string | undefined {
    if (isApiError(error) && error.kind === 'cancelled') return undefined;
    const state = this.#deps.connection.state.current;
    return errorSentence(error, state.kind === 'signedOut' ? {} : { host: state.service.host });
  }
}
