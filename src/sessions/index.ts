import type * as vscode from 'vscode';
import type { Service } from '../connection';
import type { CommandHandlers } from '../contributions';
import type { TreeNode } from '../ui/tree';
import { Disposable } from '../util/disposable';
import { SessionAccess } from './access';
import { SessionCommands } from './commands';
import { type Seed, type SessionsContext, type SessionsDeps, workspaceOfCwd } from './context';
import { SessionMonitor } from './status/monitor';
import { ServiceList } from './status/serviceList';
import { activityOf, isActive, type SessionSignal } from './store/record';
import { SessionIndex } from './store/sessionIndex';
import { sessionsForChanges, sessionsForChat, sessionsForComputers, sessionsForHooks } from './surfaces';
import { SessionsView } from './view/view';
import { sessionTitle } from './view/words';

export type { SessionsDeps } from './context';
export { toldSession } from './surfaces';
export { sessionRecords } from './store/sessionIndex';

/** Sessions: the durable index, its tree, and the truth about their status (sections 2.8, 4.5, 4.6). */
export class Sessions extends Disposable {
  readonly #context: SessionsContext;
  readonly #serviceList: ServiceList;
  readonly #planted = new Map<string, Promise<void>>();
  readonly #commands: SessionCommands;
  readonly tree: vscode.TreeDataProvider<TreeNode>;
  readonly commands: CommandHandlers<'sessions'>;
  readonly forChat: ReturnType<typeof sessionsForChat>;
  readonly forComputers: ReturnType<typeof sessionsForComputers>;
  readonly forChanges: ReturnType<typeof sessionsForChanges>;
  readonly forHooks: ReturnType<typeof sessionsForHooks>;

  constructor(deps: SessionsDeps) {
    super();
    const { connection, computers, log } = deps;
    const index = this.register(new SessionIndex(deps.storage));
    const monitor = this.register(new SessionMonitor({ ...deps, index }));
    const context = (this.#context = { ...deps, index, monitor, ready: () => this.ready() });
    const list = (this.#serviceList = this.register(new ServiceList(context)));
    const view = this.register(new SessionsView(context));
    this.tree = view.tree;
    const access = new SessionAccess(context);
    const commands = (this.#commands = new SessionCommands(context, access, view));
    this.commands = commands.handlers;
    this.forChat = this.register(
      sessionsForChat(context, {
        pick: (placeHolder, first) => commands.pick(placeHolder, first),
        ensure: sessionId => access.ensure(sessionId),
      }),
    );
    this.forComputers = sessionsForComputers(context);
    this.forChanges = sessionsForChanges(context, placeHolder => commands.pick(placeHolder));
    this.forHooks = sessionsForHooks(context, event => this.#signal(event));
    const follow = (): void => {
      list.cancel();
      this.ready().then(
        () => list.read(),
        (error: unknown) => log.error('The list of sessions cannot be read', error),
      );
    };
    this.register(computers.onDidChange(() => view.update()));
    this.register(deps.changes.onDidChange(ids => view.update(ids)));
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
    const { service, kind } = await this.#context.connection.ready();
    await this.#context.index.use(service?.id);
    if (kind !== 'signedIn') return;
    const planted = this.#planted.get(service.id) ?? this.#plant(service);
    this.#planted.set(service.id, planted);
    await planted;
  }

  /** The titles of the sessions in the list by their ids. */
  async titles(): Promise<ReadonlyMap<string, string>> {
    await this.ready();
    return new Map([...this.#context.index.records].map(([id, record]) => [id, sessionTitle(record)]));
  }

  /** The ids of those that were taken out of it. */
  async removed(): Promise<readonly string[]> {
    await this.ready();
    return this.#context.index.removed.map(({ sessionId }) => sessionId);
  }

  /** Opens the session that a link names, after the person has agreed. */
  openLink(uri: vscode.Uri): Promise<void> {
    return this.#commands.openLink(uri);
  }

  /** Asks for the list where the service has one, and about the sessions at work and the latest others, a few at a time. */
  async refresh(): Promise<void> {
    await this.ready();
    await this.#serviceList.read();
    const { index, monitor } = this.#context;
    const latest = [...index.records.values()].sort((a, b) => activityOf(b) - activityOf(a));
    const [active = [], others = []] = [true, false].map(isIt =>
      latest.filter(({ sessionId }) => isActive(monitor.statusOf(sessionId)) === isIt),
    );
    const waiting = [...active, ...others.slice(0, 20)].values();
    const askOn = async (): Promise<void> => {
      for (const { sessionId } of waiting) await monitor.check(sessionId).catch(() => undefined);
    };
    await Promise.all([askOn(), askOn(), askOn(), askOn()]);
  }

  async #signal(event: SessionSignal): Promise<void> {
    await this.ready();
    const { index } = this.#context;
    if (index.serviceId !== undefined) await index.signal(index.serviceId, event, workspaceOfCwd(event.cwd));
  }

  /** Adds what the index begins with. A session that was there is left as people have made it since, or stays out. */
  async #plant(service: Service): Promise<void> {
    const { seeds, index, connection, log } = this.#context;
    const add = async ({ sessionId, pinned, archived, read, signal }: Seed): Promise<void> => {
      const session = await connection.api?.one('session', { ids: { sessionId } });
      if (session === undefined) return;
      const { updatedAt: at = Date.now() } = session;
      await index.learn(service.id, { session, origin: 'listed', at: Date.now() });
      const archivedAt = archived === true ? at : undefined;
      await index.keep(sessionId, () => ({ pinned, archivedAt, readCount: read }));
      if (signal !== undefined) await index.signal(service.id, { sessionId, ...signal, at }, undefined);
    };
    try {
      const known = new Set([...index.records.values(), ...index.removed].map(({ sessionId }) => sessionId));
      await Promise.all((await seeds(service)).filter(({ sessionId }) => !known.has(sessionId)).map(add));
    } catch (error) {
      log.error('The first sessions could not be added', error);
    }
  }
}
