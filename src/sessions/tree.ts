import * as vscode from 'vscode';
import { commands } from '../contributions';
import { Disposable } from '../util/disposable';
import type { Formatter } from '../util/format';
import { breakable, linesTooltip, retryItem, themeIcon } from '../ui/text';
import { tooltipOf } from './facts';
import type { SessionGroup } from './groups';
import type { SessionStatus } from './model';
import type { SessionRecord } from './record';
import { rowOf, type ComputerFacts, type Row } from './row';
import { groupLabel } from './text';

/** What stands for a session. */
export interface SessionNode {
  readonly kind: 'session';
  readonly sessionId: string;
}
interface GroupNode {
  readonly kind: 'group';
  readonly key: string;
}
interface RetryNode {
  readonly kind: 'retry';
}
export type SessionTreeNode = SessionNode | GroupNode | RetryNode;

const RETRY: RetryNode = { kind: 'retry' };

export interface SessionsTreeDeps {
  /** Resolves when the index has been read, or could not be; never rejects. */
  readonly ready: () => Promise<'show' | 'hide' | 'failed'>;
  readonly record: (sessionId: string) => SessionRecord | undefined;
  /** The sessions to show, in their groups. */
  readonly groups: () => readonly SessionGroup[];
  readonly statusOf: (record: SessionRecord) => SessionStatus;
  readonly computer: (computerId: string) => ComputerFacts | undefined;
  readonly format: Formatter;
  readonly now?: () => number;
}

/** The sessions of the index in their groups. Nodes are made once a session, so selection and focus survive changes. */
export class SessionsTree extends Disposable implements vscode.TreeDataProvider<SessionTreeNode> {
  readonly #deps: SessionsTreeDeps;
  readonly #now: () => number;
  readonly #sessions = new Map<string, SessionNode>();
  readonly #groups = new Map<string, GroupNode>();
  readonly #changed = this.register(new vscode.EventEmitter<SessionTreeNode[] | undefined>());
  /** What stands on the screen: the groups, which of them each session is in, and each row that was asked for. */
  #shown: readonly SessionGroup[] = [];
  #groupOf = new Map<string, string>();
  readonly #drawn = new Map<string, string>();

  constructor(deps: SessionsTreeDeps) {
    super();
    this.#deps = deps;
    this.#now = deps.now ?? Date.now;
  }

  readonly onDidChangeTreeData = this.#changed.event;

  /**
   * Shows what has changed and no more: rows that say something else, groups with other rows, or all where groups came or went.
   * Looks at the rows of `sessionIds`, or at all of them, whose ages have moved on.
   */
  update(sessionIds?: ReadonlySet<string>): void {
    const before = this.#shown;
    const after = this.#deps.groups();
    this.#remember(after);
    if (before.length !== after.length || before.some((group, index) => group.key !== after[index]?.key)) {
      this.#changed.fire(undefined);
      return;
    }
    const nodes: SessionTreeNode[] = [];
    const redrawn = new Set<string>();
    after.forEach((group, index) => {
      if (sameRows(before[index]?.sessionIds ?? [], group.sessionIds) && before[index]?.name === group.name)
        return;
      nodes.push(this.#groupNode(group.key));
      redrawn.add(group.key);
    });
    for (const sessionId of sessionIds ?? this.#drawn.keys()) {
      const drawn = this.#drawn.get(sessionId);
      if (drawn === undefined) continue;
      const key = this.#groupOf.get(sessionId);
      const record = this.#deps.record(sessionId);
      if (key === undefined || record === undefined) this.#drawn.delete(sessionId);
      else if (!redrawn.has(key) && signature(this.#row(record)) !== drawn) nodes.push(this.node(sessionId));
    }
    if (nodes.length > 0) this.#changed.fire(nodes);
  }

  /** Draws everything again: the rows are of another service, or cannot be read. */
  reset(): void {
    this.#drawn.clear();
    this.#changed.fire(undefined);
  }

  node(sessionId: string): SessionNode {
    let node = this.#sessions.get(sessionId);
    if (node === undefined) this.#sessions.set(sessionId, (node = { kind: 'session', sessionId }));
    return node;
  }

  /**
   * How many rows the focus has to go down (up where negative) from a session's row to one that stays when `leaving` go: the next
   * of its group, else the one before, else what is beside the group.
   */
  stepFrom(sessionId: string, leaving: ReadonlySet<string>): number {
    const group = this.#shown.findIndex(({ key }) => key === this.#groupOf.get(sessionId));
    const ids = this.#shown[group]?.sessionIds ?? [];
    const at = ids.indexOf(sessionId);
    if (at < 0) return 0;
    const stays = (id: string): boolean => !leaving.has(id);
    const [next, before] = [
      ids.findIndex((id, index) => index > at && stays(id)),
      ids.findLastIndex((id, index) => index < at && stays(id)),
    ];
    if (next >= 0) return next - at;
    if (before >= 0) return before - at;
    return group < this.#shown.length - 1 ? ids.length - at : -(at + 2);
  }

  async getChildren(node?: SessionTreeNode): Promise<SessionTreeNode[]> {
    if (node === undefined) {
      const ready = await this.#deps.ready();
      this.#remember(ready === 'show' ? this.#deps.groups() : []);
      if (ready === 'failed') return [RETRY];
      return this.#shown.map(group => this.#groupNode(group.key));
    }
    if (node.kind !== 'group') return [];
    const group = this.#shown.find(shown => shown.key === node.key);
    return group?.sessionIds.map(sessionId => this.node(sessionId)) ?? [];
  }

  getTreeItem(node: SessionTreeNode): vscode.TreeItem {
    if (node.kind === 'retry') return retryItem(commands.console.refresh);
    if (node.kind === 'group') return this.#groupItem(node.key);
    const record = this.#deps.record(node.sessionId);
    return record === undefined ? new vscode.TreeItem('') : this.#sessionItem(node, record);
  }

  /** Tooltips are made when somebody points at a row. */
  resolveTreeItem(item: vscode.TreeItem, node: SessionTreeNode): vscode.TreeItem {
    const record = node.kind === 'session' ? this.#deps.record(node.sessionId) : undefined;
    if (record === undefined) return item;
    const { computer, format } = this.#deps;
    const context = { status: this.#deps.statusOf(record), computer, format, now: this.#now() };
    item.tooltip = linesTooltip(tooltipOf(record, context).map(breakable));
    return item;
  }

  #remember(groups: readonly SessionGroup[]): void {
    this.#shown = groups;
    this.#groupOf = new Map(
      groups.flatMap(({ key, sessionIds }) => sessionIds.map(id => [id, key] as const)),
    );
  }

  #groupItem(key: string): vscode.TreeItem {
    const group = this.#shown.find(shown => shown.key === key);
    if (group === undefined) return new vscode.TreeItem('');
    const { Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
    const label = groupLabel(group.kind, group.name);
    const item = new vscode.TreeItem(label, group.kind === 'archived' ? Collapsed : Expanded);
    const count = this.#deps.format.number(group.sessionIds.length);
    item.id = `group/${key}`;
    item.contextValue = 'sessionGroup';
    item.description = count;
    const spoken =
      group.sessionIds.length === 1
        ? vscode.l10n.t('Group {0}, 1 session', label)
        : vscode.l10n.t('Group {0}, {1} sessions', label, count);
    item.accessibilityInformation = { label: spoken };
    return item;
  }

  #groupNode(key: string): GroupNode {
    let node = this.#groups.get(key);
    if (node === undefined) this.#groups.set(key, (node = { kind: 'group', key }));
    return node;
  }

  #row(record: SessionRecord): Row {
    const { computer, format } = this.#deps;
    const belowComputer = this.#groupOf.get(record.sessionId)?.startsWith('computer/') ?? false;
    const status = this.#deps.statusOf(record);
    return rowOf(record, {
      status,
      computer,
      format,
      now: this.#now(),
      belowComputer,
    });
  }

  #sessionItem(node: SessionNode, record: SessionRecord): vscode.TreeItem {
    const row = this.#row(record);
    this.#drawn.set(node.sessionId, signature(row));
    const item = new vscode.TreeItem(row.label);
    item.id = `session/${node.sessionId}`;
    item.contextValue = row.context;
    item.iconPath = themeIcon(row.icon);
    item.description = row.description;
    item.command = { command: commands.chat.open, title: vscode.l10n.t('Open session'), arguments: [node] };
    item.accessibilityInformation = { label: row.spoken };
    return item;
  }
}

function signature({ title, label, description, icon, context }: Row): string {
  return [title, label, description, icon.id, icon.color, context].join('\n');
}

function sameRows(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((id, index) => id === b[index]);
}
