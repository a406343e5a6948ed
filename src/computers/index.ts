import * as vscode from 'vscode';
import { isApiError, type Computer } from '../api';
import { errorSentence, type Connection } from '../connection';
import { setContext, type CommandHandlers } from '../contributions';
import { outline } from '../util/details';
import type { DetailsDocuments } from '../util/detailsDocuments';
import { Disposable, type IDisposable } from '../util/disposable';
import type { Formatter } from '../util/format';
import { forQuickPick, oneLine } from '../util/text';
import { setMessage, viewMessage } from '../util/viewMessage';
import type { WindowFocus } from '../util/windowFocus';
import { ComputerList } from './computerList';
import { computerDetails } from './facts';
import { FollowCommand } from './followCommand';
import { followLooking, type Visible } from './looking';
import { errorOf } from './model';
import type { Storage } from '../storage';
import type { SessionsOfComputers } from './sessions';
import { SharedList } from './sharedList';
import { ComputersTree, type ComputerTreeNode } from './tree';

export type { SessionOfComputer, SessionsOfComputers } from './sessions';
export type { ComputerTreeNode } from './tree';

/** A computer as other features see it. */
export interface KnownComputer {
  readonly name: string;
  readonly providerType: string;
  readonly status: string | undefined;
  /** The first error among its provisioning steps. */
  readonly error: string | undefined;
}

export interface ComputersDeps {
  readonly connection: Connection;
  readonly storage: Storage;
  readonly view: vscode.TreeView<ComputerTreeNode>;
  /** Other views that show how computers stand: while one of them is visible, the list is kept as fresh as for its own. */
  readonly shownIn?: readonly Visible[];
  /** Whether this window has the focus. */
  readonly focused: WindowFocus;
  readonly refreshSeconds: () => number;
  readonly format: Formatter;
  readonly details: Pick<DetailsDocuments, 'show'>;
  /** The sessions of computers, loaded when the first computers are listed. */
  readonly sessions?: (() => Promise<SessionsOfComputers>) | undefined;
}

export interface ComputersFeature extends IDisposable {
  readonly tree: vscode.TreeDataProvider<ComputerTreeNode>;
  readonly commands: CommandHandlers<'computers'>;
  /** What this window has seen of a computer. */
  known(computerId: string): KnownComputer | undefined;
  /** Resolves when the list has been asked for once, whatever came of it. */
  listed(): Promise<unknown>;
  readonly onDidChange: ComputerList['state']['onDidChange'];
  refresh(): Promise<void>;
}

/** Computers of the organization (sections 2.10, 4.9, 4.10). */
export function registerComputers(deps: ComputersDeps): ComputersFeature {
  return new Computers(deps);
}

class Computers extends Disposable implements ComputersFeature {
  readonly #deps: ComputersDeps;
  readonly #list: ComputerList;
  readonly #shared: SharedList;
  #serviceId: string | undefined;
  #sharing: Promise<void>;
  readonly tree: ComputersTree;
  readonly commands: CommandHandlers<'computers'>;

  constructor(deps: ComputersDeps) {
    super();
    const { connection, view, focused } = deps;
    this.#deps = deps;
    this.#shared = this.register(new SharedList(deps.storage));
    this.#list = this.register(
      new ComputerList({
        api: () => connection.api,
        usualMs: () => deps.refreshSeconds() * 1000,
        sentence: error => this.#sentence(error),
        language: vscode.env.language,
        shared: this.#shared,
        isShown: focused.isShown,
      }),
    );
    this.tree = this.register(
      new ComputersTree({
        list: this.#list,
        format: deps.format,
        ready: () => this.#firstRead(),
        sessions: deps.sessions,
      }),
    );
    const follow = new FollowCommand({
      list: this.#list,
      format: deps.format,
      sentence: error => this.#sentence(error),
      showDetails: id => this.#showDetails(id),
    });
    this.commands = {
      refresh: (node?: unknown) => this.#refreshCommand(node),
      follow: async (node?: unknown) => {
        await connection.ready();
        const computerId = await this.#computerOf(node, {
          among: ({ status }) => status === 'provisioning',
          none: vscode.l10n.t('No computer is being set up, as far as the list says.'),
          question: vscode.l10n.t('Follow which computer until it is ready?'),
        });
        if (computerId !== undefined) await follow.run(computerId);
      },
      copyId: async (node?: unknown) => {
        const computerId = await this.#computerOf(node);
        if (computerId !== undefined) await vscode.env.clipboard.writeText(computerId);
      },
      showDetails: async (node?: unknown) => {
        const computerId = await this.#computerOf(node);
        if (computerId !== undefined) await this.#showDetails(computerId);
      },
    };
    this.register(connection.state.onDidChange(() => this.#onConnection()));
    this.register(connection.onDidBecomeReady(() => this.#list.wake()));
    this.register(this.#list.state.onDidChange(() => this.#showState()));
    this.#serviceId = serviceIdOf(connection);
    this.#sharing = this.#share();
    const views = [view, ...(deps.shownIn ?? [])];
    this.register(followLooking(views, focused, looking => this.#list.setVisible(looking)));
  }

  get onDidChange(): ComputerList['state']['onDidChange'] {
    return this.#list.state.onDidChange;
  }

  known(computerId: string): KnownComputer | undefined {
    const computer = this.#list.find(computerId);
    if (computer === undefined) return undefined;
    const { name, status, providerType } = computer;
    return { name: oneLine(name) || oneLine(computerId), status, providerType, error: errorOf(computer) };
  }

  listed(): Promise<unknown> {
    return this.#firstRead();
  }

  refresh(): Promise<void> {
    return this.#list.refresh();
  }

  async #firstRead(): Promise<boolean> {
    const { connection } = this.#deps;
    const { kind } = await connection.ready();
    await this.#sharing;
    const { at, failure } = this.#list.state.current;
    if (kind === 'signedIn' && at === undefined && failure === undefined) await this.#list.readFirst();
    return connection.state.current.kind === 'signedIn';
  }

  /** Where what windows share cannot be read, each asks for itself. */
  #share(): Promise<void> {
    return this.#shared.use(this.#serviceId).catch(() => undefined);
  }

  #onConnection(): void {
    const serviceId = serviceIdOf(this.#deps.connection);
    if (serviceId !== this.#serviceId) {
      this.#serviceId = serviceId;
      this.#list.clear();
      this.#sharing = this.#share();
    }
    this.#showState();
    this.tree.redraw();
  }

  #showState(): void {
    const { computers, problems, at, failure } = this.#list.state.current;
    const state = this.#deps.connection.state.current;
    const unread = {
      count: problems.length,
      names: problems
        .map(({ id, field, reason }) => oneLine([id, field, reason].filter(Boolean).join(' ')))
        .join('; '),
    };
    // A message hides the welcome: without rows only what can be mended here is said, the rest is the welcome's.
    const rejected =
      state.kind === 'keyRejected' && computers.length > 0 ? { sentence: state.reason } : undefined;
    const told = state.kind === 'signedIn' ? { at, failure, unread } : { at, failure: rejected };
    this.#deps.view.description = computers.length > 0 ? this.#deps.format.number(computers.length) : '';
    setMessage(this.#deps.view, viewMessage(told, this.#deps.format, Date.now()));
    setContext(
      'agentConsole.computers',
      computers.length > 0
        ? 'listed'
        : failure !== undefined
          ? 'failed'
          : at === undefined
            ? 'loading'
            : 'empty',
    );
  }

  async #refreshCommand(node: unknown): Promise<void> {
    await this.#deps.connection.ready();
    if (node === undefined) return this.#list.refresh();
    await this.#list.refreshOne(computerIdOf(node));
  }

  async #showDetails(computerId: string): Promise<void> {
    const computer = this.#list.find(computerId);
    if (computer === undefined) return;
    const { details, format } = this.#deps;
    await details.show(computerId, computer.name, () =>
      outline(
        computerDetails(
          this.#list.find(computerId) ?? computer,
          this.tree.sessionsOf(computerId),
          format,
          this.#list.unknownSince(computerId),
        ),
        format,
      ),
    );
  }

  /** The computer of a row, or else one that the person chooses `among` those of the list. */
  async #computerOf(
    node: unknown,
    { among, none, question }: Choice = anyComputer(),
  ): Promise<string | undefined> {
    if (node !== undefined && node !== null) return computerIdOf(node);
    await this.#firstRead();
    const computers = this.#list.state.current.computers.filter(among);
    if (computers.length === 0) throw new Error(none);
    return pick(computers, question);
  }

  #sentence(error: unknown): string | undefined {
    return isApiError(error) && error.kind === 'cancelled'
      ? undefined
      : errorSentence(error, this.#context());
  }

  #context(): { host?: string } {
    const state = this.#deps.connection.state.current;
    return state.kind === 'signedOut' ? {} : { host: state.service.host };
  }
}

function serviceIdOf(connection: Connection): string | undefined {
  const state = connection.state.current;
  return state.kind === 'signedOut' ? undefined : state.service.id;
}

interface Choice {
  readonly among: (computer: Computer) => boolean;
  /** Said when there is none of these. */
  readonly none: string;
  readonly question: string;
}

function anyComputer(): Choice {
  return {
    among: () => true,
    none: vscode.l10n.t('No computer is known here.'),
    question: vscode.l10n.t('Choose a computer'),
  };
}

async function pick(computers: readonly Computer[], placeHolder: string): Promise<string | undefined> {
  const items = computers.map(({ id, name, status }) => ({
    label: forQuickPick(name) || forQuickPick(id),
    description: forQuickPick(status ?? ''),
    id,
  }));
  return (await vscode.window.showQuickPick(items, { placeHolder }))?.id;
}

function computerIdOf(node: unknown): string {
  if (
    typeof node === 'object' &&
    node !== null &&
    'computerId' in node &&
    typeof node.computerId === 'string'
  ) {
    return node.computerId;
  }
  throw new Error(vscode.l10n.t('Choose a computer in the Computers view first.'));
}
