import * as vscode from 'vscode';
import { errorSentence, type Service } from '../../connection';
import { commands, setContext } from '../../contributions';
import { joined } from '../../ui/text';
import { retryNode, Tree, type Row, type TreeNode } from '../../ui/tree';
import { listContext, setMessage } from '../../ui/viewStatus';
import { Disposable, type IDisposable } from '../../util/disposable';
import { oneLine, plain } from '../../util/text';
import { contextOf, type SessionsContext } from '../context';
import { isActive, isWaiting } from '../store/model';
import { isUnread, isWorking, type SessionRecord } from '../store/record';
import type { GroupKind, SessionGroup } from './groups';
import { Listing } from './listing';
import { sessionRow } from './row';

/** So many sessions that could not be asked about are asked again; once they answer, others take their place. */
const TRIED_AGAIN = 20;
/** Changes that come together are shown together. */
const TOGETHER_MS = 50;

export interface SessionsViewDeps {
  readonly view: vscode.TreeView<TreeNode>;
  /** How the person wants this workspace's view. */
  readonly memory: Pick<vscode.Memento, 'get' | 'update'>;
}

/** The Sessions view: its rows, what is asked about while it is visible, its badge, its counts, its message. */
export class SessionsView extends Disposable {
  readonly #context: SessionsContext;
  readonly #view: vscode.TreeView<TreeNode>;
  readonly #listing: Listing;
  readonly tree: Tree;
  readonly #watches = new Map<string, IDisposable>();
  #together: NodeJS.Timeout | undefined;

  constructor(context: SessionsContext, { view, memory }: SessionsViewDeps) {
    super();
    const { index, connection, ready } = context;
    this.#context = context;
    this.#view = view;
    this.#listing = new Listing(context, memory);
    this.tree = this.register(
      new Tree({
        view,
        // Where they cannot be read, the index knows why.
        ready: () => ready().catch(() => undefined),
        roots: () => this.#roots(),
        onMinute: () => this.#showSoon(),
      }),
    );
    this.register(
      index.onDidChange(ids => {
        this.tree.update(ids.length === 0 ? undefined : new Set(ids.map(rowId)));
        this.#showSoon();
      }),
    );
    this.register(vscode.workspace.onDidChangeWorkspaceFolders(() => this.update()));
    this.register(view.onDidChangeVisibility(() => this.#showSoon()));
    this.register(connection.state.onDidChange(() => this.update()));
    this.#show();
  }

  /** Anything may have changed. */
  update(): void {
    this.tree.update();
    this.#showSoon();
  }

  async pickOptions(): Promise<void> {
    if (await this.#listing.pickOptions()) this.update();
  }

  /** Takes the keyboard from a session's row to one that stays when these go: the next of its group, else the one before, else any. */
  async stepAside(sessionId: string, leaving: readonly SessionRecord[]): Promise<void> {
    const gone = new Set(leaving.map(record => record.sessionId));
    const groups = this.#listing.groups().map(({ sessionIds }) => sessionIds);
    const around = (ids: readonly string[]): readonly string[] => {
      const at = ids.indexOf(sessionId);
      return [...ids.slice(at), ...ids.slice(0, at).reverse()];
    };
    const own = groups.find(ids => ids.includes(sessionId)) ?? [];
    const next = [...around(own), ...around(groups.flat())].find(
      id => !gone.has(id) && this.tree.node(rowId(id)) !== undefined,
    );
    const node = next === undefined ? undefined : this.tree.node(rowId(next));
    if (node !== undefined) await this.#view.reveal(node, { select: false, focus: true });
  }

  override dispose(): void {
    clearTimeout(this.#together);
    for (const watch of this.#watches.values()) watch.dispose();
    this.#watches.clear();
    super.dispose();
  }

  #roots(): readonly TreeNode[] {
    const { index, connection } = this.#context;
    if (index.failure !== undefined) return [retryNode(commands.console.refresh)];
    if (!index.isOpen || connection.state.current.kind === 'signedOut') return [];
    return this.#listing.groups().map(group => this.#groupNode(group));
  }

  #groupNode({ key, kind, name, sessionIds }: SessionGroup): TreeNode {
    const label = groupLabel(kind, name);
    const description = this.#context.format.number(sessionIds.length);
    const row: Row = {
      label,
      description,
      open: kind !== 'archived',
      context: 'sessionGroup',
      spoken:
        sessionIds.length === 1
          ? vscode.l10n.t('Group {0}, 1 session', label)
          : vscode.l10n.t('Group {0}, {1} sessions', label, description),
    };
    const children = (): readonly TreeNode[] => sessionIds.map(id => this.#sessionNode(id));
    return { id: `group/${key}`, kind: 'group', row: () => row, children };
  }

  #sessionNode(sessionId: string): TreeNode {
    const row = (): Row => {
      const record = this.#context.index.get(sessionId);
      return record === undefined ? { label: '' } : sessionRow(record, contextOf(record, this.#context));
    };
    return { id: rowId(sessionId), kind: 'session', ...{ sessionId }, row };
  }

  #showSoon(): void {
    this.#together ??= setTimeout(() => this.#show(), TOGETHER_MS);
  }

  /** What stands around the rows. */
  #show(): void {
    clearTimeout(this.#together);
    this.#together = undefined;
    if (this.isDisposed) return;
    const { index, connection } = this.#context;
    const state = connection.state.current;
    const { failure, isOpen } = index;
    const list = { items: [...index.records.keys()], at: isOpen ? 0 : undefined };
    setContext('agentConsole.sessions', failure === undefined ? listContext(list) : 'failed');
    // Nothing is listed while nobody is signed in.
    const isSignedOut = state.kind === 'signedOut';
    const counts = isOpen && !isSignedOut ? this.#listing.countText() : undefined;
    this.#view.description = joined([counts, isSignedOut ? undefined : serviceLabel(state.service)]);
    setMessage(this.#view, this.#message());
    this.#watchActive();
    this.#showBadge();
  }

  /** A message hides the welcome, so there is one only beside rows, or where the rows could not be read. */
  #message(): string | undefined {
    const { index, connection } = this.#context;
    const state = connection.state.current;
    if (index.failure !== undefined) return errorSentence(index.failure);
    if (state.kind === 'signedOut' || index.records.size === 0) return this.#unreadable();
    if (state.kind === 'keyRejected') return plain(state.reason, 1_000);
    return this.#unreadable() ?? this.#listing.hiddenText();
  }

  #unreadable(): string | undefined {
    const { unreadable } = this.#context.index;
    const ids = plain(unreadable.map(({ id }) => id).join(', '), 500);
    if (unreadable.length === 0) return undefined;
    return unreadable.length === 1
      ? vscode.l10n.t('One stored session cannot be read and is left as it is: {0}', ids)
      : vscode.l10n.t(
          '{0} stored sessions cannot be read and are left as they are: {1}',
          unreadable.length,
          ids,
        );
  }

  /** Counts what waits for the person and what has come to rest unread, not what runs. */
  #showBadge(): void {
    const { index, monitor, connection } = this.#context;
    const isShown = connection.state.current.kind === 'signedIn';
    const listed = isShown
      ? [...index.records.values()].filter(({ local }) => local.archivedAt === undefined)
      : [];
    const waiting = listed.filter(isWaiting).length;
    const unread = listed.filter(
      record =>
        !isWaiting(record) && isUnread(record) && !isWorking(monitor.statusOf(record.sessionId).value),
    ).length;
    const value = waiting + unread;
    this.#view.badge = value === 0 ? undefined : { value, tooltip: badgeText(waiting, unread) };
  }

  /**
   * While the view is visible, every session with work to do or a person to wait for is checked, and until it answers what could not
   * be asked about; the rest keep their age.
   */
  #watchActive(): void {
    const { index, monitor } = this.#context;
    const wanted = new Set<string>();
    let again = 0;
    for (const [id, record] of this.#view.visible ? index.records : []) {
      if (record.local.archivedAt !== undefined) continue;
      const status = monitor.statusOf(id);
      const { problem } = status;
      const isLost = problem !== undefined && problem.lasts !== true;
      if (isWaiting(record) || isActive(status) || (isLost && again++ < TRIED_AGAIN)) wanted.add(id);
    }
    for (const [id, watch] of this.#watches) {
      if (wanted.has(id)) continue;
      watch.dispose();
      this.#watches.delete(id);
    }
    for (const id of wanted) if (!this.#watches.has(id)) this.#watches.set(id, monitor.watch(id));
  }
}

function badgeText(waiting: number, unread: number): string {
  const waits =
    waiting === 1
      ? vscode.l10n.t('1 session is waiting for you')
      : vscode.l10n.t('{0} sessions are waiting for you', waiting);
  const news =
    unread === 1
      ? vscode.l10n.t('1 session has unread messages')
      : vscode.l10n.t('{0} sessions have unread messages', unread);
  return joined([waiting > 0 ? waits : '', unread > 0 ? news : ''], ', ');
}

/** Which service the rows are of; the sample is never taken for the real one. */
function serviceLabel(service: Service): string {
  return service.source === 'sample' ? vscode.l10n.t('sample data') : service.host;
}

function rowId(sessionId: string): string {
  return `session/${sessionId}`;
}

function groupLabel(kind: GroupKind, name: string | undefined): string {
  switch (kind) {
    case 'waiting':
      return vscode.l10n.t('Waiting for input');
    case 'running':
      return vscode.l10n.t('Running');
    case 'pinned':
      return vscode.l10n.t('Pinned');
    case 'today':
      return vscode.l10n.t('Today');
    case 'week':
      return vscode.l10n.t('This week');
    case 'earlier':
      return vscode.l10n.t('Earlier');
    case 'archived':
      return vscode.l10n.t('Archived');
    case 'computer':
      return name === undefined ? vscode.l10n.t('No computer known') : oneLine(name, 80);
    case 'workspace':
      return name === undefined ? vscode.l10n.t('No workspace known') : oneLine(name, 80);
  }
}
