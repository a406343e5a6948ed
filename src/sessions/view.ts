import * as vscode from 'vscode';
import type { Connection, Service } from '../connection';
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
  #redraw: NodeJS.Timeout | undefined;

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
    clearInterval(this.#redraw);
    for (const watch of this.#watches.values()) watch.dispose();
    this.#watches.clear();
    super.dispose();
  }

  #update(sessionIds: readonly string[]): void {
    this.#deps.tree.update(sessionIds);
    this.#watchActive();
    const { records, unreadable } = this.#deps.index;
    setContext('agentConsole.sessions', records.size > 0 ? 'listed' : 'empty');
    const state = this.#deps.connection.state.current;
    this.#deps.view.description = state.kind === 'signedOut' ? '' : serviceLabel(state.service);
    const working = [...records.keys()].filter(id => isActive(this.#deps.monitor.statusOf(id))).length;
    const running = state.kind === 'signedOut' ? 0 : working;
    this.#deps.view.badge =
      running === 0
        ? undefined
        : {
            value: running,
            tooltip:
              running === 1
                ? vscode.l10n.t('1 session is running')
                : vscode.l10n.t('{0} sessions are running', running),
          };
    setMessage(
      this.#deps.view,
      unreadable.length === 0
        ? undefined
        : vscode.l10n.t(
            '{0} stored sessions could not be read and were kept aside: {1}',
            unreadable.length,
            plain(unreadable.map(record => record.file).join(', '), 500),
          ),
    );
  }

  #onVisibility(): void {
    clearInterval(this.#redraw);
    if (this.#deps.view.visible) this.#redraw = setInterval(() => this.#deps.tree.redraw(), REDRAW_MS);
    this.#watchActive();
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
