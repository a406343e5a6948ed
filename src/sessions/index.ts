import * as vscode from 'vscode';
import type { Connection, Service } from '../connection';
import type { CommandHandlers } from '../contributions';
import type { Logger } from '../log';
import type { SessionSignal, ShownChanges, WaitingSession } from '../shared';
import type { Storage } from '../storage';
import type { Row, Tree, TreeNode } from '../ui/tree';
import type { DetailsDocuments } from '../util/detailsDocuments';
import {
  Disposable,
  Emitter,
  every,
  Slot,
  toDisposable,
  type Event,
  type IDisposable,
} from '../util/lifecycle';
import type { WindowFocus } from '../util/windowFocus';
import { contextOf, learnSession, workspaceOfCwd } from './access';
import { openLink, pickSession, sessionCommands } from './commands';
import type { SessionPolicy } from './create';
import { ServiceList, SessionMonitor } from './monitor';
import { activityOf, isWaiting, statusOf, type SessionRecord } from './record';
import { SessionIndex } from './sessionIndex';
import { SessionsView } from './view';
import { computerName, sessionRow, sessionTitle, wordsOf, type ComputerFacts } from './words';

export { sessionRecords } from './sessionIndex';

/** What the index is to hold of a session besides what the service says, when it enters; `read` messages are no news. */
export interface Seed {
  readonly sessionId: string;
  readonly pinned?: boolean;
  readonly archived?: boolean;
  readonly read?: number;
  readonly signal?: Pick<SessionSignal, 'kind' | 'message' | 'reason'>;
}

export interface SessionsDeps {
  readonly connection: Pick<Connection, 'state' | 'api' | 'ready' | 'onDidBecomeReady'>;
  readonly storage: Storage;
  readonly log: Logger;
  readonly view: vscode.TreeView<TreeNode>;
  readonly focused: WindowFocus;
  readonly fastestSeconds: () => number;
  readonly computers: {
    known(computerId: string): ComputerFacts | undefined;
    readonly onDidChangeNames: Event<unknown>;
    /** Asks the person for one, the one that was used `last` first. */
    pick(placeHolder: string, last?: string): Promise<{ readonly id: string } | undefined>;
  };
  readonly changes: ShownChanges;
  readonly memory: Pick<vscode.Memento, 'get' | 'update'>;
  readonly details: Pick<DetailsDocuments, 'show'>;
  readonly linkBase: Pick<vscode.Uri, 'scheme' | 'authority'>;
  readonly policy?: SessionPolicy | undefined;
  /** Named settings for new sessions, as the person wrote them. */
  readonly presets: () => unknown;
  readonly seeds: (service: Service) => Promise<readonly Seed[]>;
  /** Whether what only some services offer may be used; asked each time. */
  readonly extras: () => boolean;
}

export interface SessionsContext extends SessionsDeps {
  readonly index: SessionIndex;
  readonly monitor: SessionMonitor;
  /** Resolves when the index of the current service has been read. */
  readonly ready: () => Promise<void>;
}

/** Twenty sessions have had their turns by then, also where other windows ask. */
const REFRESH_MS = 20_000;

/** Sessions: the durable index, its tree, and the truth about their status (sections 2.8, 4.5, 4.6), for all other features too. */
export class Sessions extends Disposable {
  readonly #context: SessionsContext;
  readonly #serviceList: ServiceList;
  readonly #planted = new Map<string, Promise<void>>();
  readonly #changed = this.register(new Emitter<readonly string[]>());
  readonly #refreshing = this.register(new Slot<IDisposable>());
  readonly tree: Tree;
  readonly commands: CommandHandlers<'sessions'>;
  /** A session's status has changed; told in one window only. */
  readonly onDidChangeState: SessionIndex['onDidChangeState'];

  constructor(deps: SessionsDeps) {
    super();
    const { connection, computers, log } = deps;
    const index = this.register(new SessionIndex(deps.storage));
    const monitor = this.register(new SessionMonitor({ ...deps, index }));
    const context = (this.#context = { ...deps, index, monitor, ready: () => this.ready() });
    const list = (this.#serviceList = this.register(new ServiceList(context)));
    const view = this.register(new SessionsView(context));
    this.tree = view.tree;
    this.commands = sessionCommands(context, view);
    this.onDidChangeState = index.onDidChangeState;
    const follow = (): void => {
      this.ready().then(
        () => list.read(),
        (error: unknown) => log.error('The list of sessions cannot be read', error),
      );
    };
    this.register(index.onDidChange(ids => this.#changed.fire(ids)));
    this.register(
      computers.onDidChangeNames(() => {
        view.update();
        this.#changed.fire([]);
      }),
    );
    this.register(deps.changes.onDidChange(ids => view.update(ids)));
    this.register(connection.state.onDidChange(follow));
    this.register(
      connection.onDidBecomeReady(() => {
        monitor.poke();
        view.update();
        follow();
      }),
    );
    follow();
  }

  /** Ids of sessions that say something else, in this window or in another; none means any of them. */
  readonly onDidChange = this.#changed.event;

  /** Resolves when the index of the current service has been read. */
  async ready(): Promise<void> {
    const { service, kind } = await this.#context.connection.ready();
    await this.#context.index.use(service?.id);
    if (kind !== 'signedIn') return;
    const planted = this.#planted.get(service.id) ?? this.#plant(service);
    this.#planted.set(service.id, planted);
    await planted;
  }

  /** The service whose list has been read. */
  get serviceId(): string | undefined {
    const { index } = this.#context;
    return index.isOpen ? index.serviceId : undefined;
  }

  /** A session as it is now; its state in words and as a codicon as every other place shows it. */
  get(sessionId: string) {
    const record = this.#context.index.get(sessionId);
    if (record === undefined) return undefined;
    const { session, local } = record;
    // What its agent changed is not asked for: that would begin to look for it.
    const now = { computer: (id: string) => this.#context.computers.known(id), now: Date.now() };
    const { status, state, icon, computer } = wordsOf(record, now);
    const [id = '', spin] = icon.id.split('~');
    return {
      ...inBrief(record),
      computerId: session?.computerId,
      computerName: computer,
      status: status.value,
      shown: { word: state, icon: id, spin: spin !== undefined },
      statusAt: status.at,
      statusProblem: status.problem?.sentence,
      updatedAt: session?.updatedAt,
      settings: session?.sessionSettings,
      isPinned: local.pinned === true,
    };
  }

  all() {
    return [...this.#context.index.records.values()].map(inBrief);
  }

  async titles(): Promise<ReadonlyMap<string, string>> {
    await this.ready();
    return new Map(this.all().map(({ sessionId, title }) => [sessionId, title]));
  }

  async removed(): Promise<readonly string[]> {
    await this.ready();
    return this.#context.index.removed.map(({ sessionId }) => sessionId);
  }

  /** The sessions of a computer that are not archived, the latest activity first. */
  ofComputer(computerId: string): readonly { readonly sessionId: string; readonly row: () => Row }[] {
    return [...this.#context.index.records.values()]
      .filter(({ session, local }) => session?.computerId === computerId && local.archivedAt === undefined)
      .sort((a, b) => activityOf(b) - activityOf(a))
      .map(record => ({
        sessionId: record.sessionId,
        row: () => sessionRow(record, contextOf(record, this.#context)),
      }));
  }

  /** Asks the person for one, or for a new one, which may come `first`; `undefined` when they think better of it. */
  pick(placeHolder: string, first?: 'known' | 'new'): Promise<string | undefined> {
    return pickSession(this.#context, placeHolder, first);
  }

  /** Puts a session into the index that may not be there yet; rejects when the service does not know it. */
  async ensure(sessionId: string): Promise<void> {
    await this.ready();
    if (this.#context.index.get(sessionId) === undefined) await learnSession(this.#context, sessionId, false);
  }

  openLink(uri: vscode.Uri): Promise<void> {
    return openLink(this.#context, uri);
  }

  /** Takes in what other windows have stored of it. */
  read(sessionId: string): Promise<unknown> {
    return this.#context.index.read(sessionId);
  }

  /** Asks the service about a session now; resolves to what is known afterwards. */
  async refresh(sessionId: string, signal?: AbortSignal) {
    await this.#context.monitor.check(sessionId, signal);
    const session = this.get(sessionId);
    if (session === undefined)
      throw new Error(vscode.l10n.t('The session has since been removed from the list.'));
    return session;
  }

  /**
   * Asks for the list where the service has one; then, in turn with all other questions, about the sessions of the latest activity
   * that it has not told. The view asks about those at work.
   */
  async refreshAll(): Promise<void> {
    await this.ready();
    await this.#serviceList.read();
    const { index, monitor } = this.#context;
    const { told } = this.#serviceList;
    const latest = [...index.records.values()]
      .filter(({ sessionId, local }) => local.archivedAt === undefined && !told.has(sessionId))
      .sort((a, b) => activityOf(b) - activityOf(a))
      .slice(0, 20)
      .map(({ sessionId }) => sessionId);
    const done = every(REFRESH_MS, () => this.#refreshing.set(undefined));
    const held = [monitor.watch(latest, 'inFront'), done];
    this.#refreshing.set(toDisposable(() => held.forEach(each => each.dispose())));
    monitor.poke();
  }

  /**
   * While held, the session is asked about now and then. Who has it in front sees the transcript: what it holds by then counts as read.
   */
  watch(sessionId: string, why?: 'inFront'): IDisposable {
    const { index, monitor, focused } = this.#context;
    if (why === undefined) return monitor.watch([sessionId]);
    const read = (): void => this.#markRead(sessionId);
    const held = [monitor.watch([sessionId], why), index.onDidChange(read), focused.onDidChange(read)];
    read();
    return toDisposable(() => held.forEach(each => each.dispose()));
  }

  /** The sessions of a list that changes: they are asked about until others are set. */
  watches() {
    const held = new Slot<IDisposable>();
    const set = (ids: readonly string[]): void => held.set(this.#context.monitor.watch(ids));
    return { set, dispose: () => held.dispose() };
  }

  /** A service has answered a send with a status; its text gives a session without a title one. */
  async noteSend(...sent: Parameters<SessionIndex['noteSend']>): Promise<void> {
    const { index, monitor } = this.#context;
    const [, sessionId] = sent;
    await index.noteSend(...sent);
    monitor.poke(sessionId);
  }

  /** Notes what a hook told; nothing while nobody is signed in, since nobody knows then whose session it is. */
  async signal(event: SessionSignal): Promise<void> {
    await this.ready();
    const { index, connection } = this.#context;
    // The client works for no sample: a session of its own is no session of that.
    const isForeign = connection.state.current.service?.source === 'sample' && !index.get(event.sessionId);
    if (index.serviceId !== undefined && !isForeign)
      await index.signal(index.serviceId, event, workspaceOfCwd(event.cwd));
  }

  /**
   * Whose agents wait, the longest waiting first, and after them whom a person wants to hear nothing of: known from the records alone,
   * for rows, badge and bell.
   */
  waiting(): readonly WaitingSession[] {
    const records = [...this.#context.index.records.values()];
    const listed = (record: SessionRecord) => ({
      ...{ sessionId: record.sessionId, title: sessionTitle(record), isMuted: isMuted(record) },
      ...(record.signal ?? { kind: 'waiting' as const, at: activityOf(record) }),
    });
    const waiting = records
      .filter(each => isWaiting(each) && each.local.archivedAt === undefined)
      .map(listed);
    return [...waiting.sort((a, b) => a.at - b.at), ...records.filter(isMuted).map(listed)];
  }

  /** The agent does not wait any more, says the person. */
  settle(sessionId: string): Promise<void> {
    return this.#context.index.settle(sessionId);
  }

  setMuted(sessionId: string, muted: boolean): Promise<void> {
    return this.#context.index.keep(sessionId, local => ({ ...local, muted: muted || undefined }));
  }

  #markRead(sessionId: string): void {
    const { index, focused, log } = this.#context;
    const { session, local } = index.get(sessionId) ?? {};
    const count = session?.messageCount;
    if (!focused.current || count === undefined || (local?.readCount ?? -1) >= count) return;
    index
      .keep(sessionId, kept => ({ ...kept, readCount: count }))
      .catch((error: unknown) =>
        log.warn(`What was read of a session could not be stored: ${String(error)}`),
      );
  }

  /** Adds what the index begins with. A session that was there is left as people have made it since, or stays out. */
  async #plant(service: Service): Promise<void> {
    const { seeds, index, connection, log } = this.#context;
    const known = new Set([...index.records.values(), ...index.removed].map(({ sessionId }) => sessionId));
    try {
      for (const { sessionId, pinned, archived, read, signal } of await seeds(service)) {
        if (known.has(sessionId) || connection.api === undefined) continue;
        const session = await connection.api.one('session', { ids: { sessionId } });
        const { updatedAt: at = Date.now() } = session;
        await index.learn(service.id, { session, origin: 'listed', at: Date.now() });
        const archivedAt = archived === true ? at : undefined;
        await index.keep(sessionId, () => ({ pinned, archivedAt, readCount: read }));
        if (signal !== undefined) await index.signal(service.id, { sessionId, ...signal, at }, undefined);
      }
    } catch (error) {
      log.error('The first sessions could not be added', error);
    }
  }
}

function inBrief(record: SessionRecord) {
  const { sessionId, session, signal, local, work } = record;
  return {
    sessionId,
    title: sessionTitle(record),
    createdAt: session?.createdAt,
    lastAt: activityOf(record),
    messageCount: session?.messageCount,
    isArchived: local.archivedAt !== undefined,
    isMuted: isMuted(record),
    /** When its agent was last known to work, Unix ms. */
    workedAt: work?.at,
    finished:
      signal?.kind === 'finished' && signal.cwd !== undefined
        ? { at: signal.at, cwd: signal.cwd }
        : undefined,
  };
}

function isMuted({ local }: SessionRecord): boolean {
  return local.muted === true;
}

/**
 * A session as other programs are told of it, from its record alone; `undefined` for one that was taken out of the list. `now`, Unix ms,
 * lets an old word about work count as unknown.
 */
export function publicSession(record: SessionRecord, now?: number) {
  const { sessionId, session, local, signal, workspace } = record;
  if (local.removedAt !== undefined) return undefined;
  const { value: status, at: statusAt, last, problem } = statusOf(record, now);
  return {
    sessionId,
    title: sessionTitle(record),
    status,
    statusAt,
    lastStatus: status === 'unknown' ? last : undefined,
    statusProblem: problem?.sentence,
    isWaiting: isWaiting(record),
    says: signal?.message,
    computerId: session?.computerId,
    computer: computerName(record, () => undefined),
    workspace: workspace?.name,
    model: session?.sessionSettings?.model,
    messageCount: session?.messageCount,
    lastActivityAt: activityOf(record),
    isPinned: local.pinned === true,
    isArchived: local.archivedAt !== undefined,
  };
}
