import * as vscode from 'vscode';
import { errorSentence, type Connection, type Service } from '../connection';
import { setContext } from '../contributions';
import { Disposable, type IDisposable } from '../util/disposable';
import type { Observable } from '../util/event';
import { plain } from '../util/text';
import { setMessage } from '../util/viewMessage';
import { isActive } from './model';
import type { SessionMonitor } from './monitor';
import type { SessionIndex } from './sessionIndex';
import type { SessionsTree, SessionTreeNode } from './tree';

/** How often the ages in the rows are drawn anew while the view is visible. */
const REDRAW_MS = 15_000;
/** A running state older than this is no news any more. */
const FRESH_MS = 5 * 60_000;

export interface SessionsViewDeps {
  readonly view: vscode.TreeView<SessionTreeNode>;
  readonly tree: SessionsTree;
  readonly index: SessionIndex;
  readonly monitor: SessionMonitor;
  readonly connection: Connection;
  readonly focused: Observable<boolean>;
}

/** Ties the tree to its view: what to watch while it is visible, its badge, its message. */
export class SessionsView extends Disposable {
  readonly #deps: SessionsViewDeps;
  readonly #watches = new Map<string, IDisposable>();
  #clock: NodeJS.Timeout | undefined;

  constructor(deps: SessionsViewDeps) {
    super();
    this.#deps = deps;
    this.register(deps.index.onDidChange(ids => this.#update(ids)));
    this.register(deps.monitor.onDidChange(ids => this.#update(ids)));
    this.register(deps.view.onDidChangeVisibility(() => this.#onVisibility()));
    this.register(deps.connection.state.onDidChange(() => this.#update([])));
    this.#onVisibility();
  }

  override dispose(): void {
    clearInterval(this.#clock);
    for (const watch of this.#watches.values()) watch.dispose();
    this.#watches.clear();
    super.dispose();
  }

  #update(sessionIds: readonly string[]): void {
    this.#deps.tree.update(sessionIds);
    this.#watchActive();
    const { view, index } = this.#deps;
    const state = this.#deps.connection.state.current;
    setContext(
      'agentConsole.sessions',
      index.failure !== undefined
        ? 'failed'
        : !index.isOpen
          ? 'loading'
          : index.records.size > 0
            ? 'listed'
            : 'empty',
    );
    view.description = state.kind === 'signedOut' ? '' : serviceLabel(state.service);
    setMessage(view, this.#message());
    this.#showBadge();
  }

  /** A message hides the welcome, so there is one only beside rows, or where the rows could not be read. */
  #message(): string | undefined {
    const { index, connection } = this.#deps;
    const state = connection.state.current;
    if (index.failure !== undefined) return errorSentence(index.failure);
    if (state.kind === 'signedOut' || index.records.size === 0) return undefined;
    if (state.kind === 'keyRejected') return plain(state.reason, 1_000);
    const { unreadable } = index;
    const files = plain(unreadable.map(record => record.file).join(', '), 500);
    if (unreadable.length === 0) return undefined;
    return unreadable.length === 1
      ? vscode.l10n.t('One stored session cannot be read; its file is left as it is: {0}', files)
      : vscode.l10n.t(
          '{0} stored sessions cannot be read; their files are left as they are: {1}',
          unreadable.length,
          files,
        );
  }

  /** Counts what the service has lately said to be working; what is not known does not count. */
  #showBadge(): void {
    const { view, index, monitor, connection } = this.#deps;
    const since = Date.now() - FRESH_MS;
    const isWorking = (id: string): boolean => {
      const { value, at = 0 } = monitor.statusOf(id);
      return (value === 'running' || value === 'pending') && at >= since;
    };
    const working =
      connection.state.current.kind === 'signedIn' ? [...index.records.keys()].filter(isWorking).length : 0;
    const tooltip =
      working === 1
        ? vscode.l10n.t('1 session is running')
        : vscode.l10n.t('{0} sessions are running', working);
    view.badge = working === 0 ? undefined : { value: working, tooltip };
    this.#keepTime(working > 0);
  }

  #onVisibility(): void {
    this.#watchActive();
    this.#showBadge();
  }

  /** Ages move on while they are on the screen, and a badge may not outlive what it tells. */
  #keepTime(badge: boolean): void {
    const wanted = badge || this.#deps.view.visible;
    if (wanted === (this.#clock !== undefined)) return;
    clearInterval(this.#clock);
    this.#clock = wanted ? setInterval(() => this.#tick(), REDRAW_MS) : undefined;
  }

  #tick(): void {
    if (this.#deps.view.visible) this.#deps.tree.redraw();
    this.#showBadge();
  }

  /** While the view is visible, every session with work to do is checked; the rest keep their age. */
  #watchActive(): void {
    const wanted = new Set<string>();
    if (this.#deps.view.visible) {
      for (const id of this.#deps.index.records.keys()) {
        if (isActive(this.#deps.monitor.statusOf(id))) wanted.add(id);
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

/** Which service the rows are of; the sample is never taken for the real one. */
function serviceLabel(service: Service): string {
  return service.source === 'sample' ? vscode.l10n.t('sample data') : service.host;
}
