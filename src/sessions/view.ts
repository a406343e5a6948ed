import * as vscode from 'vscode';
import { errorSentence, type Connection, type Service } from '../connection';
import { setContext } from '../contributions';
import { Disposable, type IDisposable } from '../util/disposable';
import type { Formatter } from '../util/format';
import { plain } from '../util/text';
import { setMessage } from '../ui/viewStatus';
import type { Listing } from './listing';
import { isActive, isWaiting } from './model';
import type { SessionMonitor } from './monitor';
import type { SessionIndex } from './sessionIndex';
import { Ticker } from '../util/ticker';
import type { SessionsTree, SessionTreeNode } from './tree';
import { isUnread } from './overlay';
import { isWorking } from './work';

/** How often the ages in the rows are drawn anew while the view is visible. */
const REDRAW_MS = 15_000;
/** So many sessions that could not be asked about are asked again; once they answer, others take their place. */
const TRIED_AGAIN = 20;
/** Changes that come together are shown together. */
const TOGETHER_MS = 50;

export interface SessionsViewDeps {
  readonly view: vscode.TreeView<SessionTreeNode>;
  readonly tree: SessionsTree;
  readonly listing: Listing;
  readonly index: SessionIndex;
  readonly monitor: SessionMonitor;
  readonly connection: Pick<Connection, 'state'>;
  readonly format: Formatter;
}

/** Ties the tree to its view: what to watch while it is visible, its badge, its counts, its message. */
export class SessionsView extends Disposable {
  readonly #deps: SessionsViewDeps;
  readonly #watches = new Map<string, IDisposable>();
  readonly #changed = new Set<string>();
  readonly #ticker: Ticker;
  #together: NodeJS.Timeout | undefined;
  #hadFailed = false;

  constructor(deps: SessionsViewDeps) {
    super();
    this.#deps = deps;
    // What was known before the machine slept is old: whatever is watched is asked about as if it had just come into view.
    const onWake = (): void => deps.monitor.wake();
    this.#ticker = this.register(new Ticker({ everyMs: REDRAW_MS, onTick: () => this.#tick(), onWake }));
    const soon = (ids: readonly string[]): void => this.#updateSoon(ids);
    this.register(deps.index.onDidChange(soon));
    this.register(deps.listing.onDidChange(() => soon([])));
    this.register(deps.view.onDidChangeVisibility(() => soon([])));
    this.register(
      deps.connection.state.onDidChange(() => {
        deps.tree.reset();
        this.#update();
      }),
    );
    this.#update();
  }

  override dispose(): void {
    clearTimeout(this.#together);
    for (const watch of this.#watches.values()) watch.dispose();
    this.#watches.clear();
    super.dispose();
  }

  #updateSoon(sessionIds: readonly string[]): void {
    for (const id of sessionIds) this.#changed.add(id);
    this.#together ??= setTimeout(() => this.#update(), TOGETHER_MS);
  }

  #update(): void {
    clearTimeout(this.#together);
    this.#together = undefined;
    if (this.isDisposed) return;
    const { view, index, tree, listing } = this.#deps;
    const state = this.#deps.connection.state.current;
    const hasFailed = index.failure !== undefined;
    // Rows that VS Code asks for by itself when they can be read are not drawn a second time.
    if (hasFailed || this.#hadFailed) tree.reset();
    else if (index.isOpen) tree.update(new Set(this.#changed));
    this.#changed.clear();
    this.#hadFailed = hasFailed;
    setContext('agentConsole.sessions', this.#rows());
    // Nothing is listed while nobody is signed in.
    const counts = index.isOpen && state.kind !== 'signedOut' ? listing.countText() : undefined;
    const place = state.kind === 'signedOut' ? undefined : serviceLabel(state.service);
    view.description = [counts, place].filter(part => part !== undefined).join(' · ');
    setMessage(view, this.#message());
    this.#watchActive();
    this.#showBadge();
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
    this.#keepTime(value > 0);
  }

  /** Ages move on while they are on the screen, and a badge may not outlive what it tells. */
  #keepTime(badge: boolean): void {
    this.#ticker.want(badge || this.#deps.view.visible);
  }

  #tick(): void {
    if (this.#deps.view.visible) this.#deps.tree.update();
    this.#showBadge();
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
