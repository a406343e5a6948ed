import * as vscode from 'vscode';
import type { Computer, ProvisioningStep } from '../api';
import { commands } from '../contributions';
import { Disposable } from '../util/disposable';
import type { Formatter } from '../util/format';
import { oneLine } from '../util/text';
import { factsTooltip, retryItem, themeIcon } from '../util/treeItems';
import type { ComputerList } from './computerList';
import { durationOf, errorOf, iconOf, progressOf, stepIconOf } from './model';

export interface ComputerNode {
  readonly kind: 'computer';
  readonly computerId: string;
}
interface StepNode {
  readonly kind: 'step';
  readonly computerId: string;
  readonly index: number;
}
interface RetryNode {
  readonly kind: 'retry';
}
export type ComputerTreeNode = ComputerNode | StepNode | RetryNode;

const RETRY: RetryNode = { kind: 'retry' };

/** Computers, and below each one its provisioning steps. Nodes are made once a computer, so selection survives refreshes. */
export class ComputersTree extends Disposable implements vscode.TreeDataProvider<ComputerTreeNode> {
  readonly #list: ComputerList;
  readonly #format: Formatter;
  readonly #ready: () => Promise<boolean>;
  readonly #nodes = new Map<string, ComputerNode>();
  readonly #steps = new Map<string, StepNode>();
  readonly #changed = this.register(new vscode.EventEmitter<ComputerTreeNode | undefined>());

  /**
   * `ready` resolves when the list has been asked for once, so that the view shows its progress until then; to whether asking
   * again can help.
   */
  constructor(list: ComputerList, format: Formatter, ready: () => Promise<boolean>) {
    super();
    this.#list = list;
    this.#format = format;
    this.#ready = ready;
    this.register(list.state.onDidChange(() => this.#changed.fire(undefined)));
  }

  readonly onDidChangeTreeData = this.#changed.event;

  /** Draws all rows again. */
  redraw(): void {
    this.#changed.fire(undefined);
  }

  async getChildren(node?: ComputerTreeNode): Promise<ComputerTreeNode[]> {
    if (node === undefined) {
      const connected = await this.#ready();
      const { computers, failure } = this.#list.state.current;
      if (computers.length === 0 && failure !== undefined) return connected ? [RETRY] : [];
      return computers.map(computer => this.#node(computer.id));
    }
    if (node.kind !== 'computer') return [];
    const steps = this.#find(node.computerId)?.provisioningSteps ?? [];
    return steps.map((_, index) => this.#step(node.computerId, index));
  }

  getParent(node: ComputerTreeNode): ComputerTreeNode | undefined {
    return node.kind === 'step' ? this.#node(node.computerId) : undefined;
  }

  getTreeItem(node: ComputerTreeNode): vscode.TreeItem {
    switch (node.kind) {
      case 'retry':
        return retryItem(commands.computers.refresh);
      case 'computer': {
        const computer = this.#find(node.computerId);
        return computer === undefined ? new vscode.TreeItem('') : this.#computerItem(computer);
      }
      case 'step': {
        const step = this.#find(node.computerId)?.provisioningSteps?.[node.index];
        return step === undefined ? new vscode.TreeItem('') : this.#stepItem(node, step);
      }
    }
  }

  #computerItem(computer: Computer): vscode.TreeItem {
    const steps = computer.provisioningSteps ?? [];
    const open = computer.status === 'provisioning' || computer.status === 'error';
    const item = new vscode.TreeItem(
      oneLine(computer.name) || oneLine(computer.id),
      steps.length === 0
        ? vscode.TreeItemCollapsibleState.None
        : open
          ? vscode.TreeItemCollapsibleState.Expanded
          : vscode.TreeItemCollapsibleState.Collapsed,
    );
    item.id = `computer/${computer.id}`;
    item.contextValue = 'computer';
    item.iconPath = themeIcon(iconOf(computer));
    item.description = this.#description(computer);
    item.tooltip = this.#tooltip(computer);
    item.accessibilityInformation = {
      label: vscode.l10n.t('Computer {0}, {1}', oneLine(computer.name), item.description),
    };
    return item;
  }

  #description(computer: Computer): string {
    const provider = providerLabel(computer.providerType);
    const status = oneLine(computer.status ?? '');
    const progress = progressOf(computer);
    if (computer.status === 'provisioning' && progress !== undefined) {
      return vscode.l10n.t('provisioning {0}/{1}', progress.done, progress.all);
    }
    const error = computer.status === 'error' ? errorOf(computer) : undefined;
    return [status, error === undefined ? provider : oneLine(error)].filter(part => part !== '').join(' · ');
  }

  #tooltip(computer: Computer): vscode.MarkdownString {
    const facts: [string, string | undefined][] = [
      [vscode.l10n.t('Name'), computer.name],
      [vscode.l10n.t('Status'), computer.status ?? vscode.l10n.t('not told by the service')],
      [vscode.l10n.t('Error'), errorOf(computer)],
      [vscode.l10n.t('Provider'), providerLabel(computer.providerType)],
      [vscode.l10n.t('Host'), computer.hostname],
      [vscode.l10n.t('Remote user'), computer.remoteUser],
      [vscode.l10n.t('Created'), this.#format.exact(computer.createdAt)],
      [vscode.l10n.t('Id'), computer.id],
    ];
    return factsTooltip(facts);
  }

  #stepItem(node: StepNode, step: ProvisioningStep): vscode.TreeItem {
    const item = new vscode.TreeItem(
      oneLine(step.name ?? step.id ?? vscode.l10n.t('Step {0}', node.index + 1)),
    );
    item.id = `step/${node.computerId}/${node.index}`;
    item.contextValue = 'step';
    item.iconPath = themeIcon(stepIconOf(step));
    const duration = durationOf(step, Date.now());
    const error = step.error === undefined ? undefined : oneLine(step.error);
    item.description = [
      duration === undefined ? oneLine(step.status ?? '') : this.#format.span(duration),
      error,
    ]
      .filter(part => part !== undefined && part !== '')
      .join(' · ');
    item.tooltip = factsTooltip([
      [vscode.l10n.t('Step'), step.name ?? step.id],
      [vscode.l10n.t('Status'), step.status],
      [vscode.l10n.t('Error'), step.error],
      [
        vscode.l10n.t('Started'),
        step.startedAt === undefined ? undefined : this.#format.exact(step.startedAt),
      ],
      [
        vscode.l10n.t('Completed'),
        step.completedAt === undefined ? undefined : this.#format.exact(step.completedAt),
      ],
    ]);
    return item;
  }

  #find(id: string): Computer | undefined {
    return this.#list.state.current.computers.find(computer => computer.id === id);
  }

  #node(computerId: string): ComputerNode {
    let node = this.#nodes.get(computerId);
    if (node === undefined) this.#nodes.set(computerId, (node = { kind: 'computer', computerId }));
    return node;
  }

  #step(computerId: string, index: number): StepNode {
    const key = `${computerId}/${index}`;
    let node = this.#steps.get(key);
    if (node === undefined) this.#steps.set(key, (node = { kind: 'step', computerId, index }));
    return node;
  }
}

function providerLabel(providerType: string): string {
  return providerType === 'byom' ? vscode.l10n.t('own machine') : oneLine(providerType);
}
