import * as vscode from 'vscode';
import type { Computer, ProvisioningStep } from '../api';
import { commands } from '../contributions';
import { Disposable } from '../util/disposable';
import type { Formatter } from '../util/format';
import { oneLine } from '../util/text';
import { factsTooltip, retryItem, themeIcon } from '../util/treeItems';
import type { ComputerList } from './computerList';
import { computerFacts, stepFacts } from './facts';
import { LateSessions } from './lateSessions';
import { iconOf, isUntouched, stepIconOf } from './model';
import { computerRow, stepRow } from './row';
import type { SessionOfComputer, SessionsOfComputers } from './sessions';

export interface ComputerNode {
  readonly kind: 'computer';
  readonly computerId: string;
}
interface StepNode {
  readonly kind: 'step';
  readonly computerId: string;
  readonly index: number;
}
/** A session below its computer; commands of sessions take it as they take a row of their own view. */
interface SessionNode {
  readonly kind: 'session';
  readonly computerId: string;
  readonly sessionId: string;
}
interface RetryNode {
  readonly kind: 'retry';
}
export type ComputerTreeNode = ComputerNode | StepNode | SessionNode | RetryNode;

const RETRY: RetryNode = { kind: 'retry' };
const UNKNOWN_ICON = { id: 'question', color: 'charts.yellow' };
const TOGETHER_MS = 100;

export interface ComputersTreeDeps {
  readonly list: ComputerList;
  readonly format: Formatter;
  /**
   * Resolves when the list has been asked for once, so that the view shows its progress until then; to whether asking again can
   * help.
   */
  readonly ready: () => Promise<boolean>;
  readonly sessions: (() => Promise<SessionsOfComputers>) | undefined;
}

/**
 * Computers, and below each one its provisioning steps and sessions. Nodes are made once, so selection survives refreshes, and
 * only computers whose rows say something else are drawn again.
 */
export class ComputersTree extends Disposable implements vscode.TreeDataProvider<ComputerTreeNode> {
  readonly #deps: ComputersTreeDeps;
  readonly #nodes = new Map<string, ComputerTreeNode>();
  readonly #drawn = new Map<string, string>();
  readonly #changed = this.register(new vscode.EventEmitter<ComputerTreeNode[] | undefined>());
  #order = '';
  readonly #sessions: LateSessions;
  #soon: NodeJS.Timeout | undefined;

  constructor(deps: ComputersTreeDeps) {
    super();
    this.#deps = deps;
    this.#sessions = this.register(new LateSessions(deps.sessions));
    this.register(this.#sessions.onDidChange(() => this.#updateSoon()));
    this.register(deps.list.state.onDidChange(() => this.update()));
  }

  readonly onDidChangeTreeData = this.#changed.event;

  /** Draws what has changed. */
  update(): void {
    const { computers } = this.#deps.list.state.current;
    if (computers.length === 0 || computers.map(({ id }) => id).join('\n') !== this.#order) {
      this.redraw();
      return;
    }
    const changed = computers.filter(computer => {
      const drawn = this.#drawn.get(computer.id);
      return drawn !== undefined && drawn !== this.#signature(computer);
    });
    if (changed.length > 0) this.#changed.fire(changed.map(({ id }) => this.node(id)));
  }

  /** Draws all rows again. */
  redraw(): void {
    this.#changed.fire(undefined);
  }

  override dispose(): void {
    clearTimeout(this.#soon);
    super.dispose();
  }

  /** Sessions change one by one; their computers are looked at once for all that come together. */
  #updateSoon(): void {
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      this.update();
    }, TOGETHER_MS);
  }

  /** The sessions of a computer as far as they have been loaded. */
  sessionsOf(computerId: string): readonly SessionOfComputer[] {
    return this.#sessions.of(computerId);
  }

  node(computerId: string): ComputerNode {
    return this.#node(computerId, () => ({ kind: 'computer', computerId }));
  }

  async getChildren(node?: ComputerTreeNode): Promise<ComputerTreeNode[]> {
    if (node === undefined) {
      const connected = await this.#deps.ready();
      const { computers, failure } = this.#deps.list.state.current;
      this.#order = computers.map(({ id }) => id).join('\n');
      if (computers.length === 0 && failure !== undefined) return connected ? [RETRY] : [];
      // Rows stand before the sessions are there: these come as children when they are.
      if (computers.length > 0) void this.#sessions.load();
      return computers.map(computer => this.node(computer.id));
    }
    if (node.kind !== 'computer') return [];
    const { computerId } = node;
    const computer = this.#deps.list.find(computerId);
    const sessions = this.sessionsOf(computerId).map(({ sessionId }) =>
      this.#node(`${computerId}\n${sessionId}`, () => ({ kind: 'session', computerId, sessionId })),
    );
    const steps = (computer?.provisioningSteps ?? []).map((_, index) =>
      this.#node(`${computerId}/${index}`, () => ({ kind: 'step', computerId, index })),
    );
    // What has been set up long ago is of less interest than what runs there.
    return computer?.status === 'active' ? [...sessions, ...steps] : [...steps, ...sessions];
  }

  getParent(node: ComputerTreeNode): ComputerTreeNode | undefined {
    return node.kind === 'step' || node.kind === 'session' ? this.node(node.computerId) : undefined;
  }

  getTreeItem(node: ComputerTreeNode): vscode.TreeItem {
    if (node.kind === 'retry') return retryItem(commands.computers.refresh);
    const computer = this.#deps.list.find(node.computerId);
    if (computer === undefined) return new vscode.TreeItem('');
    switch (node.kind) {
      case 'computer':
        return this.#computerItem(computer);
      case 'step':
        return this.#stepItem(node, computer, computer.provisioningSteps?.[node.index]);
      case 'session':
        return sessionItem(
          node,
          this.sessionsOf(node.computerId).find(({ sessionId }) => sessionId === node.sessionId),
        );
    }
  }

  #computerItem(computer: Computer): vscode.TreeItem {
    this.#drawn.set(computer.id, this.#signature(computer));
    const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;
    const steps = computer.provisioningSteps ?? [];
    const isOpen = steps.length > 0 && (computer.status === 'provisioning' || computer.status === 'error');
    const hasChildren = steps.length > 0 || this.sessionsOf(computer.id).length > 0;
    const unknownSince = this.#deps.list.unknownSince(computer.id);
    const { label, description } = computerRow(computer, this.#deps.format, unknownSince);
    const item = new vscode.TreeItem(label, hasChildren ? (isOpen ? Expanded : Collapsed) : None);
    item.id = `computer/${computer.id}`;
    item.contextValue = computer.status === 'provisioning' ? 'computer provisioning' : 'computer';
    item.iconPath = themeIcon(unknownSince === undefined ? iconOf(computer) : UNKNOWN_ICON);
    item.description = description;
    item.tooltip = factsTooltip(computerFacts(computer, this.#deps.format, unknownSince));
    item.accessibilityInformation = { label: vscode.l10n.t('Computer {0}, {1}', label, description) };
    return item;
  }

  #stepItem(node: StepNode, computer: Computer, step: ProvisioningStep | undefined): vscode.TreeItem {
    if (step === undefined) return new vscode.TreeItem('');
    const isOver = isUntouched(computer, step);
    const { label, description } = stepRow(step, node.index, isOver, this.#deps.format);
    const item = new vscode.TreeItem(label);
    item.id = `step/${node.computerId}/${node.index}`;
    item.contextValue = 'step';
    item.iconPath = themeIcon(isOver ? { id: 'circle-slash' } : stepIconOf(step));
    item.description = description;
    item.accessibilityInformation = { label: vscode.l10n.t('Step {0}, {1}', label, description) };
    item.tooltip = factsTooltip(stepFacts(step, isOver, this.#deps.format));
    return item;
  }

  #node<N extends ComputerTreeNode>(key: string, make: () => N): N {
    let node = this.#nodes.get(key);
    if (node === undefined) this.#nodes.set(key, (node = make()));
    return node as N;
  }

  /** All that the rows of a computer say. Running steps count on while they are on the screen. */
  #signature(computer: Computer): string {
    const { format } = this.#deps;
    const steps = computer.provisioningSteps ?? [];
    return [
      computerRow(computer, format, this.#deps.list.unknownSince(computer.id)).description,
      JSON.stringify(computer),
      ...steps.map((step, index) => stepRow(step, index, isUntouched(computer, step), format).description),
      ...this.sessionsOf(computer.id).map(
        row => `${row.sessionId} ${row.label} ${row.description} ${row.icon.id}`,
      ),
    ].join('\n');
  }
}

function sessionItem(node: SessionNode, session: SessionOfComputer | undefined): vscode.TreeItem {
  if (session === undefined) return new vscode.TreeItem('');
  const item = new vscode.TreeItem(oneLine(session.label));
  item.id = `session/${node.computerId}/${node.sessionId}`;
  item.contextValue = session.context;
  item.iconPath = themeIcon(session.icon);
  item.description = session.description;
  item.accessibilityInformation = { label: session.spoken };
  item.tooltip = session.spoken;
  item.command = { command: commands.chat.open, title: vscode.l10n.t('Open session'), arguments: [node] };
  return item;
}
