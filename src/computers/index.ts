import * as vscode from 'vscode';
import { computerName, type Computer } from '../api';
import type { Connection } from '../connection';
import type { CommandHandlers } from '../contributions';
import type { Logger } from '../log';
import type { Storage } from '../storage';
import type { Refresher } from '../sync/refresher';
import { ConnectedList } from '../ui/connectedList';
import { pickItem } from '../ui/pick';
import { Tree, type TreeNode } from '../ui/tree';
import type { DetailsDocuments } from '../util/detailsDocuments';
import { Disposable, unhandled } from '../util/disposable';
import type { Event } from '../util/event';
import type { Formatter } from '../util/format';
import { once } from '../util/promises';
import type { WindowFocus } from '../util/windowFocus';
import { isSettingUp, sortComputers } from './model';
import { computerDocument, computerNode, type ComputerRowContext, type SessionsOfComputers } from './rows';
import { computerKind, pathOf } from './searched';
import { SetUps } from './setUps';

export { searchedComputers } from './searched';
export type { TreeNode as ComputerTreeNode } from '../ui/tree';

/** While something is being set up the list is read so often, ms. */
const SET_UP_MS = 5_000;

export interface ComputersDeps {
  readonly log: Logger;
  readonly connection: Pick<Connection, 'state' | 'api' | 'ready' | 'onDidBecomeReady'>;
  readonly storage: Storage;
  readonly view: vscode.TreeView<TreeNode>;
  /** Other views that name computers: while one of them is visible, the list is kept as fresh as for its own. */
  readonly shownIn?: readonly Pick<vscode.TreeView<unknown>, 'visible' | 'onDidChangeVisibility'>[];
  readonly focused: WindowFocus;
  readonly refreshSeconds: () => number;
  readonly format: Formatter;
  readonly details: Pick<DetailsDocuments, 'show'>;
  /** The sessions of computers, loaded when the first computers are listed. */
  readonly sessions?: (() => Promise<SessionsOfComputers>) | undefined;
}

/** Computers of the organization (sections 2.10, 4.9, 4.10). */
export class Computers extends Disposable {
  readonly #deps: ComputersDeps;
  readonly #list: ConnectedList<Computer>;
  readonly #refresher: Refresher;
  readonly #setUps: SetUps;
  #sorted: readonly Computer[] = [];
  #sessions: SessionsOfComputers | undefined;
  readonly tree: Tree;
  readonly commands: CommandHandlers<'computers'>;

  constructor(deps: ComputersDeps) {
    super();
    const { connection, view, focused, storage, log } = deps;
    this.#deps = deps;
    this.#list = this.register(
      new ConnectedList<Computer>({
        connection,
        storage,
        log,
        keyOf: ({ id }) => id,
        ...computerKind,
        pathOf: state => (state.kind === 'signedOut' ? undefined : pathOf(state.service.id)),
        pages: (api, signal) => api.pages('computers', { signal }),
      }),
    );
    this.tree = this.register(
      new Tree({
        view,
        ready: () => this.listed(),
        roots: () => this.#roots(),
        onMinute: () => this.#showStatus(),
      }),
    );
    const showDetails = (id: string): Promise<void> => this.#showDetails(id);
    this.#setUps = new SetUps(log, showDetails);
    this.commands = {
      showDetails: async (node?: unknown) => {
        const id = await this.#computerOf(node);
        if (id !== undefined) await showDetails(id);
      },
    };
    this.register(this.#list.state.onDidChange(() => this.#onList()));
    this.register(connection.state.onDidChange(() => void this.#list.open().then(() => this.#draw())));
    const views = [view, ...(deps.shownIn ?? [])];
    this.#refresher = this.#list.follow({
      pace: () => ({
        usualMs: this.#sorted.some(isSettingUp) ? SET_UP_MS : deps.refreshSeconds() * 1000,
      }),
      isSeen: () => views.some(({ visible }) => visible),
      onDidChangeSeen: views.map(each => each.onDidChangeVisibility),
      focused,
    });
    const look = (): void => this.#setUps.see(this.#sorted, this.#refresher.isSeen.current);
    this.register(this.#refresher.isSeen.onDidChange(look));
  }

  get onDidChange(): Event<unknown> {
    return this.#list.state.onDidChange;
  }

  /** What this window has seen of a computer. */
  known(computerId: string) {
    const computer = this.#find(computerId);
    if (computer === undefined) return undefined;
    const { status, providerType } = computer;
    return { name: computerName(computer), status, providerType };
  }

  /** Resolves when the list has been asked for once, whatever came of it. */
  async listed(): Promise<void> {
    await this.#list.listed();
    this.#showStatus();
  }

  /** Reads the list now. Never rejects: a failure is told in the view. */
  refresh(): Promise<void> {
    return this.#list.refresh();
  }

  #onList(): void {
    const { items, at } = this.#list.state.current;
    if (items.length === 0 && at === undefined) this.#setUps.clear();
    this.#sorted = sortComputers(items, vscode.env.language);
    this.#setUps.see(this.#sorted, this.#refresher.isSeen.current);
    this.#draw();
  }

  #draw(): void {
    this.#showStatus();
    this.tree.update();
  }

  #roots(): readonly TreeNode[] {
    if (this.#sorted.length === 0) return this.#list.retryRows;
    // Rows stand before the sessions are there: these come as children when they are.
    this.#loadSessions().catch(unhandled);
    return this.#sorted.map(computer => computerNode(computer, this.#contextOf(computer.id)));
  }

  /** Once; again after a failure, of which the Sessions view tells. */
  readonly #loadSessions = once(async () => {
    const sessions = await this.#deps.sessions?.();
    if (sessions === undefined || this.isDisposed) return;
    this.#sessions = sessions;
    this.register(sessions.onDidChange(() => this.tree.update()));
    this.tree.update();
  });

  #contextOf(id: string): ComputerRowContext {
    const { format } = this.#deps;
    return { format, unknownSince: this.#list.unknownSince, sessions: this.#sessions?.ofComputer(id) };
  }

  #showStatus(): void {
    const { view, format } = this.#deps;
    const count = this.#sorted.length;
    view.description = count > 0 ? format.number(count) : '';
    this.#list.showStatus('agentConsole.computers', view, format);
  }

  async #showDetails(id: string): Promise<void> {
    const computer = this.#find(id);
    if (computer === undefined) return;
    const text = (): string => computerDocument(this.#find(id) ?? computer, this.#contextOf(id));
    await this.#deps.details.show(id, computerName(computer), text);
  }

  /** The computer of a row, or else one that the person chooses. */
  async #computerOf(node: unknown): Promise<string | undefined> {
    if (node !== undefined && node !== null) return computerIdOf(node);
    await this.listed();
    const choices = this.#sorted.map(computer => ({
      label: computerName(computer),
      description: computer.status ?? '',
      value: computer.id,
    }));
    return pickItem(this.#list.state.current, choices, {
      placeHolder: vscode.l10n.t('Choose a computer'),
      none: vscode.l10n.t('There are no computers yet.'),
    });
  }

  #find(id: string): Computer | undefined {
    return this.#sorted.find(computer => computer.id === id);
  }
}

function computerIdOf(node: unknown): string {
  const { computerId } = (node ?? {}) as { readonly computerId?: unknown };
  if (typeof computerId === 'string') return computerId;
  throw new Error(vscode.l10n.t('Choose a computer in the Computers view first.'));
}
