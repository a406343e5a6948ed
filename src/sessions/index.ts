import * as vscode from 'vscode';
import { isApiError } from '../api';
import { errorSentence, type Connection, type Service } from '../connection';
import type { CommandHandlers } from '../contributions';
import type { Logger } from '../log';
import type { Storage } from '../storage';
import type { DetailsDocuments } from '../util/detailsDocuments';
import { Disposable, type IDisposable } from '../util/disposable';
import type { Event } from '../util/event';
import type { Formatter } from '../util/format';
import { once } from '../util/once';
import { unhandled } from '../util/unhandled';
import { WallTimer } from '../util/wallTimer';
import type { WindowFocus } from '../util/windowFocus';
import { SessionAccess } from './access';
import { ChatSessionsSource, type SessionForChat } from './chatSessions';
import { RememberedChoices } from './choices';
import { SessionCommands } from './commands';
import { ComputerSessions, type SessionsOfComputers } from './computerSessions';
import { CreateFlow } from './createFlow';
import { Listing } from './listing';
import { activityOf, isActive, type SessionStatus } from './model';
import { sessionsForHooks, type SessionsForHooks } from './forHooks';
import { SessionMonitor } from './monitor';
import type { SessionPolicy } from './policy';
import type { SessionRecord } from './record';
import type { ComputerFacts } from './row';
import type { ChatForNewSessions } from './sendFirst';
import { ServiceList } from './serviceList';
import { Seeds, type Seed } from './seeds';
import { SessionIndex } from './sessionIndex';
import type { SessionSignal } from './signal';
import { sessionTitle } from './text';
import { SessionsTree, type SessionTreeNode } from './tree';
import { SessionsView } from './view';
import { pickViewOptions } from './viewOptions';
import { workspaceOfCwd } from './workspaces';

/** The first rows wait for the names of computers for no longer. */
const NAMES_MS = 300;

export type { SessionForChat } from './chatSessions';
export type { SessionsOfComputers } from './computerSessions';
export type { SessionPolicy } from './policy';
export type { ChatForNewSessions } from './sendFirst';
export { sessionRecords, type StateChange } from './sessionIndex';
export type { SessionSignal } from './signal';
export type { SessionTreeNode } from './tree';

export interface SessionsDeps {
  readonly connection: Connection;
  readonly storage: Storage;
  readonly log: Logger;
  readonly view: vscode.TreeView<SessionTreeNode>;
  readonly focused: WindowFocus;
  readonly fastestSeconds: () => number;
  readonly computers: {
    /** What this window knows of a computer. */
    known(computerId: string): ComputerFacts | undefined;
    /** Resolves when the list has been asked for once. */
    listed(): Promise<unknown>;
    readonly onDidChange: Event<unknown>;
  };
  readonly format: Formatter;
  /** How the person wants this workspace's view. */
  readonly memory: Pick<vscode.Memento, 'get' | 'update'>;
  readonly details: Pick<DetailsDocuments, 'show'>;
  /** What the editor calls links to this extension. */
  readonly linkBase: Pick<vscode.Uri, 'scheme' | 'authority'>;
  /** What the organization has to say against a session that is about to be made. */
  readonly policy?: SessionPolicy | undefined;
  readonly chat: ChatForNewSessions;
  /** The sessions every index of a service begins with. */
  readonly seeds: (service: Service) => Promise<readonly Seed[]>;
  /** Whether what only some services offer may be used; asked each time. */
  readonly extras: () => boolean;
}

/** What the chat sees of the sessions. */
export interface SessionsForChat {
  /** The service whose list has been read. */
  readonly serviceId: string | undefined;
  get(sessionId: string): SessionForChat | undefined;
  readonly onDidChange: Event<readonly string[]>;
  refresh(sessionId: string, signal?: AbortSignal): Promise<SessionForChat>;
  watch(sessionId: string): IDisposable;
  noteSend(sessionId: string, sent: { status: string | undefined; at: number; text: string }): Promise<void>;
  pick(placeHolder: string, first?: 'known' | 'new'): Promise<string | undefined>;
  ensure(sessionId: string): Promise<void>;
}

export interface SessionsFeature extends IDisposable {
  readonly tree: vscode.TreeDataProvider<SessionTreeNode>;
  readonly commands: CommandHandlers<'sessions'>;
  readonly forChat: SessionsForChat;
  readonly forComputers: SessionsOfComputers;
  readonly forHooks: SessionsForHooks;
  /** Opens the session that a link names, after the person has agreed. */
  openLink(uri: vscode.Uri): Promise<void>;
  /** The titles of the sessions in the list by their ids. */
  titles(): Promise<ReadonlyMap<string, string>>;
  /** The ids of those that were taken out of it. */
  removed(): Promise<readonly string[]>;
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
  readonly #serviceList: ServiceList;
  readonly #seeds: Seeds;
  readonly #tree: SessionsTree;
  readonly #commands: SessionCommands;
  readonly commands: CommandHandlers<'sessions'>;
  readonly forChat: SessionsForChat;
  readonly forComputers: ComputerSessions;
  readonly forHooks: SessionsForHooks;

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
    this.#serviceList = this.register(
      new ServiceList({
        index,
        api: () => deps.connection.api,
        isWanted: deps.extras,
        statusOf: sessionId => monitor.statusOf(sessionId),
        focused: deps.focused,
        log: deps.log,
      }),
    );
    this.#seeds = new Seeds({ index, api: () => deps.connection.api, of: deps.seeds, log: deps.log });
    const computer = (id: string): ComputerFacts | undefined => deps.computers.known(id);
    const statusOf = (record: SessionRecord): SessionStatus => monitor.statusOf(record.sessionId);
    const { format } = deps;
    const listing = this.register(
      new Listing({
        memory: deps.memory,
        records: () => index.records,
        statusOf,
        computer,
        format,
        language: vscode.env.language,
      }),
    );
    // Rows whose computers get their names a moment later would all be drawn twice.
    const patience = this.register(new WallTimer());
    const named = once(async () => {
      const enough = new Promise(resolve => patience.start(NAMES_MS, resolve));
      await Promise.race([deps.computers.listed(), enough]).catch(unhandled);
      patience.dispose();
    });
    const tree = (this.#tree = this.register(
      new SessionsTree({
        ready: async () => {
          try {
            await this.ready();
          } catch {
            return 'failed';
          }
          await named();
          return deps.connection.state.current.kind === 'signedOut' ? 'hide' : 'show';
        },
        record: sessionId => index.get(sessionId),
        groups: () => listing.groups(),
        statusOf,
        computer,
        format,
      }),
    ));
    const access = new SessionAccess({
      connection: deps.connection,
      index,
      monitor,
      format,
      computer,
      selection: () => deps.view.selection,
      ready: () => this.ready(),
    });
    const choices = new RememberedChoices(deps.storage);
    const sessionCommands = (this.#commands = new SessionCommands({
      connection: deps.connection,
      index,
      monitor,
      access,
      flow: new CreateFlow({ index, access, choices, computer, policy: deps.policy, chat: deps.chat }),
      viewOptions: () => pickViewOptions(listing),
      format,
      log: deps.log,
      details: deps.details,
      computer,
      linkBase: deps.linkBase,
      stepAside: async (sessionId, leaving) => {
        const rows = tree.stepFrom(sessionId, leaving);
        // These move the focus of the list that has the keyboard.
        const step = rows < 0 ? 'list.focusUp' : 'list.focusDown';
        if (rows !== 0) await vscode.commands.executeCommand(step, Math.abs(rows));
      },
    }));
    this.commands = sessionCommands.handlers;
    this.forChat = this.register(
      new ChatSessionsSource({
        index,
        monitor,
        computer,
        computersChanged: deps.computers.onDidChange,
        log: deps.log,
        pick: (placeHolder, first) => sessionCommands.pick(placeHolder, first),
        ensure: sessionId => sessionCommands.ensure(sessionId),
      }),
    );
    this.forComputers = this.register(
      new ComputerSessions({
        index,
        monitor,
        computer,
        format,
      }),
    );
    this.forHooks = sessionsForHooks(
      index,
      id => monitor.watch(id),
      event => this.#signal(event),
    );
    this.register(
      new SessionsView({
        view: deps.view,
        tree,
        listing,
        index,
        monitor,
        connection: deps.connection,
        format,
      }),
    );
    this.register(deps.computers.onDidChange(() => tree.update()));
    const follow = (): void => {
      this.ready().then(
        () => void this.#serviceList.read(),
        (error: unknown) => deps.log.error('The list of sessions cannot be read', error),
      );
    };
    this.register(deps.connection.state.onDidChange(() => this.#serviceList.cancel()));
    this.register(deps.connection.state.onDidChange(follow));
    this.register(deps.connection.onDidBecomeReady(() => monitor.reset()));
    follow();
  }

  get tree(): SessionsTree {
    return this.#tree;
  }

  async ready(): Promise<void> {
    const { service, kind } = await this.#deps.connection.ready();
    await this.#index.use(service?.id);
    if (kind === 'signedIn') await this.#seeds.plant(service);
  }

  async titles(): Promise<ReadonlyMap<string, string>> {
    await this.ready();
    return new Map([...this.#index.records].map(([id, record]) => [id, sessionTitle(record)]));
  }

  async removed(): Promise<readonly string[]> {
    await this.ready();
    const { serviceId } = this.#index;
    return serviceId === undefined ? [] : this.#index.removedIds(serviceId);
  }

  openLink(uri: vscode.Uri): Promise<void> {
    return this.#commands.openLink(uri);
  }

  async #signal(event: SessionSignal): Promise<void> {
    await this.ready();
    const { serviceId } = this.#index;
    if (serviceId === undefined) return;
    await this.#index.signal(serviceId, event, workspaceOfCwd(event.cwd));
  }

  /** Asks for the list where the service has one, and for the latest sessions, a few at a time. */
  async refresh(): Promise<void> {
    await this.ready();
    await this.#serviceList.read();
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
