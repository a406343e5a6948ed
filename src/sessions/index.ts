import * as vscode from 'vscode';
import { isApiError } from '../api';
import { errorSentence, type Connection, type Service } from '../connection';
import type { CommandHandlers } from '../contributions';
import type { Logger } from '../log';
import type { Storage } from '../storage';
import type { TreeNode } from '../ui/tree';
import type { DetailsDocuments } from '../util/detailsDocuments';
import { Disposable, type IDisposable } from '../util/disposable';
import type { Event } from '../util/event';
import type { Formatter } from '../util/format';
import type { WindowFocus } from '../util/windowFocus';
import { SessionAccess } from './access';
import { ChatSessionsSource, type SessionForChat } from './chatSessions';
import { SessionCommands } from './commands';
import { ComputerSessions } from './computerSessions';
import { NewSessions } from './create/newSessions';
import { activityOf, isActive, type SessionStatus } from './store/model';
import { sessionsForHooks, type SessionsForHooks } from './forHooks';
import { SessionMonitor } from './status/monitor';
import type { SessionPolicy } from './create/newSessions';
import type { SessionRecord } from './store/record';
import { ServiceList } from './status/serviceList';
import { Seeds, type Seed } from './store/seeds';
import { SessionIndex } from './store/sessionIndex';
import type { SessionSignal } from './store/signal';
import { stepFrom } from './view/groups';
import { Listing, pickViewOptions } from './view/listing';
import { SessionsView } from './view/view';
import { sessionTitle, type ComputerFacts } from './view/words';
import { workspaceOfCwd } from './store/workspaces';

export type { SessionForChat } from './chatSessions';
export type { SessionPolicy } from './create/newSessions';
export { sessionRecords, type StateChange } from './store/sessionIndex';
export type { SessionSignal } from './store/signal';
export type { TreeNode as SessionTreeNode } from '../ui/tree';

export interface SessionsDeps {
  readonly connection: Pick<Connection, 'state' | 'api' | 'ready' | 'onDidBecomeReady'>;
  readonly storage: Storage;
  readonly log: Logger;
  readonly view: vscode.TreeView<TreeNode>;
  readonly focused: WindowFocus;
  readonly fastestSeconds: () => number;
  readonly computers: {
    /** What this window knows of a computer. */
    known(computerId: string): ComputerFacts | undefined;
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
  /** Named settings for new sessions, as the person wrote them. */
  readonly presets: () => unknown;
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
  readonly tree: vscode.TreeDataProvider<TreeNode>;
  readonly commands: CommandHandlers<'sessions'>;
  readonly forChat: SessionsForChat;
  readonly forComputers: Pick<ComputerSessions, 'ofComputer' | 'onDidChange'>;
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
  readonly #commands: SessionCommands;
  readonly tree: vscode.TreeDataProvider<TreeNode>;
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
    const view = this.register(
      new SessionsView({
        view: deps.view,
        listing,
        index,
        monitor,
        connection: deps.connection,
        computer,
        format,
        // Where they cannot be read, the index knows why.
        ready: () => this.ready().catch(() => undefined),
      }),
    );
    this.tree = view.tree;
    this.register(deps.computers.onDidChange(() => view.update()));
    const access = new SessionAccess({
      connection: deps.connection,
      index,
      monitor,
      format,
      computer,
      selection: () => deps.view.selection,
      ready: () => this.ready(),
    });
    const sessionCommands = (this.#commands = new SessionCommands({
      connection: deps.connection,
      index,
      monitor,
      access,
      newSessions: new NewSessions({ index, access, computer, policy: deps.policy, presets: deps.presets }),
      viewOptions: () => pickViewOptions(listing),
      format,
      log: deps.log,
      details: deps.details,
      computer,
      linkBase: deps.linkBase,
      stepAside: async (sessionId, leaving) => {
        const rows = stepFrom(listing.groups(), sessionId, leaving);
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
    const follow = (): void => {
      this.ready().then(
        () => void this.#serviceList.read(),
        (error: unknown) => deps.log.error('The list of sessions cannot be read', error),
      );
    };
    this.register(deps.connection.state.onDidChange(() => this.#serviceList.cancel()));
    this.register(deps.connection.state.onDidChange(follow));
    this.register(
      deps.connection.onDidBecomeReady(() => {
        monitor.reset();
        view.update();
      }),
    );
    follow();
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
