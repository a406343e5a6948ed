import type * as vscode from 'vscode';
import { isApiError } from '../api';
import { errorSentence, type Connection, type Service } from '../connection';
import type { CommandHandlers } from '../contributions';
import type { Logger } from '../log';
import type { Storage } from '../storage';
import type { TreeNode } from '../ui/tree';
import type { DetailsDocuments } from '../util/detailsDocuments';
import { Disposable } from '../util/disposable';
import type { Event } from '../util/event';
import type { Formatter } from '../util/format';
import type { WindowFocus } from '../util/windowFocus';
import { SessionAccess } from './access';
import { SessionCommands } from './commands';
import type { SessionsContext } from './context';
import { NewSessions, type SessionPolicy } from './create/newSessions';
import { SessionMonitor } from './status/monitor';
import { ServiceList } from './status/serviceList';
import { activityOf, isActive } from './store/model';
import type { SessionRecord, SessionSignal } from './store/record';
import { plant, type Seed } from './store/seeds';
import { SessionIndex } from './store/sessionIndex';
import { workspaceOfCwd } from './store/workspaces';
import { sessionsForComputers, SessionsForChat, sessionsForHooks } from './surfaces';
import { SessionsView } from './view/view';
import { sessionTitle, type ComputerFacts } from './view/words';

export type { SessionPolicy } from './create/newSessions';
export { sessionRecords } from './store/sessionIndex';
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
  /** The sessions every index of a service begins with; none but for the sample. */
  readonly seeds: (service: Service) => Promise<readonly Seed[]>;
  /** Whether what only some services offer may be used; asked each time. */
  readonly extras: () => boolean;
}

/** Sessions: the durable index, its tree, and the truth about their status (sections 2.8, 4.5, 4.6). */
export class Sessions extends Disposable {
  readonly #deps: SessionsDeps;
  readonly #index: SessionIndex;
  readonly #monitor: SessionMonitor;
  readonly #serviceList: ServiceList;
  readonly #planted = new Map<string, Promise<void>>();
  readonly #commands: SessionCommands;
  readonly tree: vscode.TreeDataProvider<TreeNode>;
  readonly commands: CommandHandlers<'sessions'>;
  readonly forChat: SessionsForChat;
  readonly forComputers: ReturnType<typeof sessionsForComputers>;
  readonly forHooks: ReturnType<typeof sessionsForHooks>;

  constructor(deps: SessionsDeps) {
    super();
    this.#deps = deps;
    const { connection, computers, format, log, focused, extras } = deps;
    const api = () => connection.api;
    const computer = (id: string): ComputerFacts | undefined => computers.known(id);
    const index = (this.#index = this.register(new SessionIndex(deps.storage)));
    const monitor = (this.#monitor = this.register(
      new SessionMonitor({
        index,
        api,
        focused,
        fastestMs: () => deps.fastestSeconds() * 1000,
        sentence: error => this.#sentence(error),
      }),
    ));
    const list = this.register(new ServiceList({ index, api, isWanted: extras, focused, log }));
    this.#serviceList = list;
    const context: SessionsContext = {
      connection,
      index,
      monitor,
      computer,
      format,
      log,
      ready: () => this.ready(),
      canStop: () => extras() && api()?.extras.canInterrupt === true,
    };
    const view = this.register(new SessionsView(context, deps));
    this.tree = view.tree;
    const access = new SessionAccess(context, () => deps.view.selection);
    const newSessions = new NewSessions({ ...deps, index, access, computer });
    const commands = (this.#commands = new SessionCommands(context, { ...deps, access, newSessions, view }));
    this.commands = commands.handlers;
    this.forChat = this.register(
      new SessionsForChat(context, computers.onDidChange, {
        pick: (placeHolder, first) => commands.pick(placeHolder, first),
        ensure: sessionId => access.ensure(sessionId),
      }),
    );
    this.forComputers = sessionsForComputers(context);
    this.forHooks = sessionsForHooks(context, event => this.#signal(event));
    const follow = (): void => {
      list.cancel();
      this.ready().then(
        () => list.read(),
        (error: unknown) => log.error('The list of sessions cannot be read', error),
      );
    };
    this.register(computers.onDidChange(() => view.update()));
    this.register(connection.state.onDidChange(follow));
    this.register(
      connection.onDidBecomeReady(() => {
        monitor.reset();
        view.update();
      }),
    );
    follow();
  }

  /** Resolves when the index of the current service has been read. */
  async ready(): Promise<void> {
    const { service, kind } = await this.#deps.connection.ready();
    await this.#index.use(service?.id);
    if (kind !== 'signedIn') return;
    const planted = this.#planted.get(service.id) ?? this.#plant(service);
    this.#planted.set(service.id, planted);
    await planted;
  }

  /** The titles of the sessions in the list by their ids. */
  async titles(): Promise<ReadonlyMap<string, string>> {
    await this.ready();
    return new Map([...this.#index.records].map(([id, record]) => [id, sessionTitle(record)]));
  }

  /** The ids of those that were taken out of it. */
  async removed(): Promise<readonly string[]> {
    await this.ready();
    return this.#index.removed.map(({ sessionId }) => sessionId);
  }

  /** Opens the session that a link names, after the person has agreed. */
  openLink(uri: vscode.Uri): Promise<void> {
    return this.#commands.openLink(uri);
  }

  /** Asks for the list where the service has one, and for the latest sessions, a few at a time. */
  async refresh(): Promise<void> {
    await this.ready();
    await this.#serviceList.read();
    const records = [...this.#index.records.values()].sort((a, b) => activityOf(b) - activityOf(a));
    const active = (record: SessionRecord): boolean => isActive(this.#monitor.statusOf(record.sessionId));
    const waiting = [...records.filter(active), ...records.filter(record => !active(record)).slice(0, 20)];
    const askOn = async (): Promise<void> => {
      for (let record = waiting.shift(); record !== undefined; record = waiting.shift())
        await this.#monitor.check(record.sessionId).catch(() => undefined);
    };
    await Promise.all(Array.from({ length: 4 }, askOn));
  }

  async #signal(event: SessionSignal): Promise<void> {
    await this.ready();
    const { serviceId } = this.#index;
    if (serviceId === undefined) return;
    await this.#index.signal(serviceId, event, workspaceOfCwd(event.cwd));
  }

  async #plant(service: Service): Promise<void> {
    const { seeds, connection, log } = this.#deps;
    await seeds(service)
      .then(known => plant(known, service.id, this.#index, connection.api))
      .catch((error: unknown) => log.error('The first sessions could not be added', error));
  }

  #sentence(error: unknown): string | undefined {
    if (isApiError(error) && error.kind === 'cancelled') return undefined;
    const state = this.#deps.connection.state.current;
    return errorSentence(error, state.kind === 'signedOut' ? {} : { host: state.service.host });
  }
}
