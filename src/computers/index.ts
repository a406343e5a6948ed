import * as vscode from 'vscode';
import { computerName, type Computer } from '../api';
import { readComputers } from '../api/records';
import { commands, type CommandHandlers } from '../contributions';
import type { SearchHit } from '../storage';
import { keyIn, listRecords, type ItemKind } from '../sync/stored';
import { ConnectedList, type ListViewDeps } from '../ui/connectedList';
import { notify } from '../ui/window';
import { pick } from '../ui/pick';
import { format, joined } from '../ui/text';
import { Tree, type TreeNode } from '../ui/tree';
import type { DetailsDocuments } from '../util/detailsDocuments';
import { Disposable, Emitter, unhandled, type Observable } from '../util/lifecycle';
import { once } from '../util/promises';
import { forNotification, oneLine } from '../util/text';
import {
  computerDocument,
  computerNode,
  errorOf,
  iconOf,
  paceOf,
  sortComputers,
  stateText,
  type ComputerRowContext,
  type SessionsOfComputers,
} from './rows';

const computerKind: ItemKind<Computer> = {
  schema: {
    parse: value => {
      const [computer] = readComputers([value]);
      if (computer === undefined) throw new Error('Not a computer.');
      return computer;
    },
  },
  text: computer => {
    const { hostname = '', providerType = '', remoteUser = '', id, provisioningSteps = [] } = computer;
    const steps = provisioningSteps.map(({ name = '', error = '' }) => `${name} ${error}`);
    const lines = [computerName(computer), `${hostname} ${providerType} ${remoteUser} ${id}`, ...steps];
    return { text: lines.map(line => oneLine(line)).join('\n'), at: computer.createdAt };
  },
};

function pathOf(serviceId: string): string {
  return `services/${serviceId}/lists/computers`;
}

export interface ComputersDeps extends ListViewDeps {
  /** Other views that name computers: while one of them is visible, the list is kept as fresh as for its own. */
  readonly shownIn?: readonly Pick<vscode.TreeView<unknown>, 'visible' | 'onDidChangeVisibility'>[];
  readonly refreshSeconds: () => number;
  readonly details: Pick<DetailsDocuments, 'show'>;
  /** The sessions of computers, loaded when the first computers are listed. */
  readonly sessions?: (() => Promise<SessionsOfComputers>) | undefined;
}

/** Computers of the organization (sections 2.10, 4.9, 4.10). */
export class Computers extends Disposable {
  readonly #deps: ComputersDeps;
  readonly #list: ConnectedList<Computer>;
  readonly #isSeen: Observable<boolean>;
  /** Ids of the computers that somebody has seen being set up in this window. */
  readonly #settingUp = new Set<string>();
  readonly #named = this.register(new Emitter<void>());
  #sorted: readonly Computer[] = [];
  #sessions: SessionsOfComputers | undefined;
  readonly tree: Tree;
  readonly commands: CommandHandlers<'computers'>;

  constructor(deps: ComputersDeps) {
    super();
    const { connection, view, focused } = deps;
    this.#deps = deps;
    this.#list = this.register(
      new ConnectedList<Computer>({
        ...deps,
        ...computerKind,
        keyOf: ({ id }) => id,
        pathOf: state => (state.kind === 'signedOut' ? undefined : pathOf(state.service.id)),
        pages: (api, signal) => api.pages('computers', { signal }),
      }),
    );
    this.tree = this.register(
      new Tree({
        view,
        ready: () => this.listed(),
        roots: () => this.#roots(),
        onDraw: () => this.#showStatus(),
      }),
    );
    this.commands = {
      showDetails: async node => {
        await this.listed();
        const { computerId } = (node ?? {}) as { readonly computerId?: unknown };
        const computer = this.#find(computerId) ?? (await this.pick(vscode.l10n.t('Choose a computer')));
        if (computer !== undefined) await this.#showDetails(computer);
      },
    };
    this.register(this.#list.state.onDidChange(() => this.#onList()));
    this.register(connection.state.onDidChange(() => void this.#list.open().then(() => this.tree.update())));
    const views = [view, ...(deps.shownIn ?? [])];
    this.#isSeen = this.#list.follow({
      usualMs: () => paceOf(this.#sorted, deps.refreshSeconds() * 1000),
      isSeen: () => views.some(({ visible }) => visible),
      onDidChangeSeen: views.map(each => each.onDidChangeVisibility),
      focused,
    });
    this.register(this.#isSeen.onDidChange(() => this.#look()));
  }

  /** There are others, or one is called something else. */
  readonly onDidChangeNames = this.#named.event;

  /** What this window has seen of a computer. */
  known(computerId: string) {
    const computer = this.#find(computerId);
    return computer && { ...computer, name: computerName(computer) };
  }

  /** Resolves when the list has been asked for once, whatever came of it. */
  listed(): Promise<void> {
    return this.#list.listed();
  }

  /** Reads the list now. Never rejects: a failure is told in the view. */
  refresh(): Promise<void> {
    return this.#list.refresh();
  }

  /** Asks for one while the list is read: the one that was used `last` first, then those that can be used. */
  pick(placeHolder: string, last?: string): Promise<Computer | undefined> {
    const rank = ({ id, status = 'active' }: Computer): number =>
      (id === last ? 0 : 2) + (status === 'active' ? 0 : 1);
    const asking = new AbortController();
    const choices = this.#list.refresh(asking.signal).then(() => {
      const { shown, unknownSince } = this.#list;
      if (this.#sorted.length === 0)
        throw new Error(shown.failure?.sentence ?? vscode.l10n.t('There are no computers yet.'));
      return this.#sorted
        .toSorted((a, b) => rank(a) - rank(b))
        .map(value => {
          const lastUsed = value.id === last && vscode.l10n.t('last used');
          return {
            label: computerName(value),
            icon: iconOf(value, unknownSince).id,
            description: joined([stateText(value, unknownSince), lastUsed, value.hostname]),
            value,
          };
        });
    });
    return pick(choices, placeHolder).finally(() => asking.abort());
  }

  #onList(): void {
    const { items, at } = this.#list.state.current;
    // Another service.
    if (items.length === 0 && at === undefined) this.#settingUp.clear();
    const before = namesOf(this.#sorted);
    this.#sorted = sortComputers(items, vscode.env.language);
    this.#look();
    this.tree.update();
    if (namesOf(this.#sorted) !== before) this.#named.fire();
  }

  /** Tells once how a set-up ended that somebody has looked at here. While nobody looks, the window that is looked at tells. */
  #look(): void {
    const isSeen = this.#isSeen.current;
    for (const computer of this.#sorted) {
      const { id, status } = computer;
      if (status === undefined) continue;
      if (status === 'provisioning') {
        if (isSeen) this.#settingUp.add(id);
      } else if (this.#settingUp.delete(id) && isSeen) this.#tell(computer, status);
    }
  }

  #tell(computer: Computer, status: string): void {
    const { log } = this.#deps;
    const { id: computerId } = computer;
    const name = oneLine(computerName(computer), 60);
    if (status === 'active') {
      const create = { kind: 'computer', computerId };
      notify(log, 'info', forNotification(vscode.l10n.t('{0} is ready.', name)), [
        vscode.l10n.t('New session here'),
        () => vscode.commands.executeCommand(commands.sessions.create, create),
      ]);
      return;
    }
    const reason = errorOf(computer) ?? vscode.l10n.t('no reason was given');
    const sentence =
      status === 'error'
        ? vscode.l10n.t('{0} could not be set up: {1}', name, oneLine(reason, 200))
        : vscode.l10n.t('{0} is no longer being set up: {1}.', name, oneLine(status, 60));
    notify(log, 'warning', forNotification(sentence, 400), [
      vscode.l10n.t('Show details'),
      () => this.#showDetails(computer),
    ]);
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
    return { unknownSince: this.#list.unknownSince, sessions: this.#sessions?.ofComputer(id) };
  }

  #showStatus(): void {
    const { view } = this.#deps;
    const count = this.#sorted.length;
    view.description = count > 0 ? format.number(count) : '';
    this.#list.showStatus('agentConsole.computers', view);
  }

  async #showDetails(computer: Computer): Promise<void> {
    const { id } = computer;
    const text = (): string => computerDocument(this.#find(id) ?? computer, this.#contextOf(id));
    await this.#deps.details.show(id, computerName(computer), text);
  }

  #find(id: unknown): Computer | undefined {
    return this.#sorted.find(computer => computer.id === id);
  }
}

function namesOf(computers: readonly Computer[]): string {
  return computers.map(({ id, name }) => `${id} ${name}`).join('\n');
}

export function computerRecords(serviceId: string) {
  return listRecords(pathOf(serviceId), computerKind);
}

/** A computer as other programs are told of it: no relay address is among it. */
export function publicComputer(computer: Computer) {
  const { id: computerId, status, providerType: provider, hostname: host } = computer;
  return { computerId, name: computerName(computer), status, provider, host, error: errorOf(computer) };
}

/** How the computers of a service can be found, and what opens them. */
export function searchedComputers(
  serviceId: string,
  open: () => Promise<{ readonly showDetails: (computer: { readonly computerId: string }) => unknown }>,
) {
  return {
    records: computerRecords(serviceId),
    found: ({ id, first: label }: SearchHit) => ({
      label,
      description: vscode.l10n.t('computer'),
      isUndated: true,
      open: async () => (await open()).showDetails({ computerId: keyIn(id) }),
    }),
  };
}
