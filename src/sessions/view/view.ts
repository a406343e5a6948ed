import * as vscode from 'vscode';
import { errorSentence, type Connection, type Service } from '../../connection';
import { commands, setContext } from '../../contributions';
import { joined } from '../../ui/text';
import { retryNode, Tree, type Row, type TreeNode } from '../../ui/tree';
import { setMessage } from '../../ui/viewStatus';
import { Disposable, type IDisposable } from '../../util/disposable';
import type { Formatter } from '../../util/format';
import { oneLine, plain } from '../../util/text';
import { Ticker } from '../../util/ticker';
import { isActive, isWaiting } from '../store/model';
import type { SessionMonitor } from '../status/monitor';
import { isUnread } from '../store/record';
import type { SessionIndex } from '../store/sessionIndex';
import { isWorking } from '../store/record';
import type { GroupKind, SessionGroup } from './groups';
import type { Listing } from './listing';
import { sessionRow } from './row';
import type { ComputerFacts } from './words';

/** How often it is looked whether the machine has slept. */
const LOOK_MS = 15_000;
/** So many sessions that could not be asked about are asked again; once they answer, others take their place. */
const TRIED_AGAIN = 20;
/** Changes that come together are shown together. */
const TOGETHER_MS = 50;

export interface SessionsViewDeps {
  readonly view: vscode.TreeView<TreeNode>;
  readonly listing: Listing;
  readonly index: SessionIndex;
  readonly monitor: SessionMonitor;
  readonly connection: Pick<Connection, 'state'>;
  readonly computer: (computerId: string) => ComputerFacts | undefined;
  readonly format: Formatter;
  /** Resolves when the index has been read, or could not be; never rejects. */
  readonly ready: () => Promise<unknown>;
}

/** The Sessions view: its rows, what is asked about while it is visible, its badge, its counts, its message. */
export class SessionsView extends Disposable {
  readonly #deps: SessionsViewDeps;
  readonly tree: Tree;
  readonly #watches = new Map<string, IDisposable>();
  readonly #ticker: Ticker;
  #together: NodeJS.Timeout | undefined;

  constructor(deps: SessionsViewDeps) {
    super();
    this.#deps = deps;
    const { view, index, listing, connection, ready } = deps;
    this.tree = this.register(
      new Tree({ view, ready, roots: () => this.#roots(), onMinute: () => this.#showSoon() }),
    );
    // What was known before the machine slept is old: whatever is watched is asked about as if it had just come into view.
    const onWake = (): void => deps.monitor.wake();
    this.#ticker = this.register(new Ticker({ everyMs: LOOK_MS, onTick: () => undefined, onWake }));
    this.register(
      index.onDidChange(ids => {
        this.tree.update(ids.length === 0 ? undefined : new Set(ids.map(rowId)));
        this.#showSoon();
      }),
    );
    const all = (): void => this.update();
    this.register(listing.onDidChange(all));
    this.register(view.onDidChangeVisibility(() => this.#showSoon()));
    this.register(connection.state.onDidChange(all));
    this.#show();
  }

  /** Anything may have changed. */
  update(): void {
    this.tree.update();
    this.#showSoon();
  }

  override dispose(): void {
    clearTimeout(this.#together);
    for (const watch of this.#watches.values()) watch.dispose();
    this.#watches.clear();
    super.dispose();
  }

  #roots(): readonly TreeNode[] {
    const { index, connection, listing } = this.#deps;
    if (index.failure !== undefined) return [retryNode(commands.console.refresh)];
    if (!index.isOpen || connection.state.current.kind === 'signedOut') return [];
    return listing.groups().map(group => this.#groupNode(group));
  }

  #groupNode({ key, kind, name, sessionIds }: SessionGroup): TreeNode {
    const { format } = this.#deps;
    const label = groupLabel(kind, name);
    const description = format.number(sessionIds.length);
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
    const { index, monitor, computer, format } = this.#deps;
    const row = (): Row => {
      const record = index.get(sessionId);
      if (record === undefined) return { label: '' };
      return sessionRow(record, { status: monitor.statusOf(sessionId), computer, format, now: Date.now() });
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
    const { view, index, listing, connection } = this.#deps;
    const state = connection.state.current;
    setContext('agentConsole.sessions', this.#rows());
    // Nothing is listed while nobody is signed in.
    const counts = index.isOpen && state.kind !== 'signedOut' ? listing.countText() : undefined;
    view.description = joined([counts, state.kind === 'signedOut' ? undefined : serviceLabel(state.service)]);
    setMessage(view, this.#message());
    this.#watchActive();
    this.#showBadge();
    this.#ticker.want(view.visible);
  }

  #rows(): 'failed' | 'loading' | 'listed' | 'empty' {
    const { index } = this.#deps;
    if (index.failure !== undefined) return 'failed';
    if (!index.isOpen) return 'loading';
    return index.records.size > 0 ? 'listed' : 'empty';
  }

  /** A message hides the welcome, so there is one only beside rows, or where the rows could not be read. */
  #message(): string | undefined {
    const { index, connection, listing } = this.#deps;
    const state = connection.state.current;
    if (index.failure !== undefined) return errorSentence(index.failure);
    if (state.kind === 'signedOut' || index.records.size === 0) return this.#unreadable();
    if (state.kind === 'keyRejected') return plain(state.reason, 1_000);
    return this.#unreadable() ?? listing.hiddenText();
  }

  #unreadable(): string | undefined {
    const { unreadable } = this.#deps.index;
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
    const { view, index, monitor, connection } = this.#deps;
    let [waiting, unread] = [0, 0];
    if (connection.state.current.kind === 'signedIn') {
      for (const record of index.records.values()) {
        const { value } = monitor.statusOf(record.sessionId);
        if (record.local.archivedAt !== undefined) continue;
        if (isWaiting(record)) waiting++;
        else if (!isWorking(value) && isUnread(record.local, record.session?.messageCount)) unread++;
      }
    }
    const value = waiting + unread;
    view.badge = value === 0 ? undefined : { value, tooltip: badgeText(waiting, unread) };
  }

  /**
   * While the view is visible, every session with work to do or a person to wait for is checked, and until it answers what could not
   * be asked about; the rest keep their age.
   */
  #watchActive(): void {
    const wanted = new Set<string>();
    let again = 0;
    if (this.#deps.view.visible) {
      for (const [id, record] of this.#deps.index.records) {
        if (record.local.archivedAt !== undefined) continue;
        const status = this.#deps.monitor.statusOf(id);
        if (isWaiting(record) || isActive(status)) wanted.add(id);
        else if (status.problem !== undefined && status.problem.lasts !== true && again++ < TRIED_AGAIN)
          wanted.add(id);
      }
    }
    for (const [id, watch] of this.#watches) {
      if (wanted.has(id)) continue;
      watch.dispose();
      this.#watches.delete(id);
    }
    for (const id of wanted) {
      if (!this.#watches.has(id)) this.#watches.set(id, this.#deps.monitor.watch(id));
    }
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
  return [waiting > 0 ? waits : '', unread > 0 ? news : ''].filter(text => text !== '').join(', ');
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
