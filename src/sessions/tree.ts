import * as vscode from 'vscode';
import { commands } from '../contributions';
import { Disposable } from '../util/disposable';
import type { Formatter } from '../util/format';
import { factsTooltip, retryItem, themeIcon } from '../util/treeItems';
import { activityOf, groupSessions, type GroupKind, type SessionGroup, type SessionStatus } from './model';
import type { SessionRecord } from './record';
import { computerLabel, sessionTitle, statusIcon, statusText } from './text';

export interface SessionNode {
  readonly kind: 'session';
  readonly sessionId: string;
}
interface GroupNode {
  readonly kind: 'group';
  readonly group: GroupKind;
}
interface RetryNode {
  readonly kind: 'retry';
}
export type SessionTreeNode = SessionNode | GroupNode | RetryNode;

const RETRY: RetryNode = { kind: 'retry' };

export interface SessionsTreeDeps {
  /** Resolves when the index has been read, or could not be; never rejects. */
  readonly ready: () => Promise<'show' | 'hide' | 'failed'>;
  readonly records: () => ReadonlyMap<string, SessionRecord>;
  readonly statusOf: (record: SessionRecord) => SessionStatus;
  readonly computerName: (computerId: string) => string | undefined;
  readonly format: Formatter;
  readonly now?: () => number;
}

/** The sessions of the index by what they need: running first, then by day. */
export class SessionsTree extends Disposable implements vscode.TreeDataProvider<SessionTreeNode> {
  readonly #deps: SessionsTreeDeps;
  readonly #now: () => number;
  readonly #sessions = new Map<string, SessionNode>();
  readonly #groups = new Map<GroupKind, GroupNode>();
  readonly #changed = this.register(new vscode.EventEmitter<SessionTreeNode | undefined>());
  #shown: readonly SessionGroup[] = [];

  constructor(deps: SessionsTreeDeps) {
    super();
    this.#deps = deps;
    this.#now = deps.now ?? Date.now;
  }

  readonly onDidChangeTreeData = this.#changed.event;

  /** Shows what changed: only the rows of `sessionIds` when their places stay the same, everything otherwise. */
  update(sessionIds: readonly string[]): void {
    const before = JSON.stringify(this.#shown);
    const after = JSON.stringify(this.#group());
    if (before !== after || sessionIds.length === 0) {
      this.#changed.fire(undefined);
      return;
    }
    for (const sessionId of sessionIds) this.#changed.fire(this.node(sessionId));
  }

  /** Ages moved on: every row is drawn again, none is read again. */
  redraw(): void {
    this.update([...this.#deps.records().keys()]);
  }

  node(sessionId: string): SessionNode {
    let node = this.#sessions.get(sessionId);
    if (node === undefined) this.#sessions.set(sessionId, (node = { kind: 'session', sessionId }));
    return node;
  }

  async getChildren(node?: SessionTreeNode): Promise<SessionTreeNode[]> {
    if (node === undefined) {
      const ready = await this.#deps.ready();
      this.#shown = ready === 'show' ? this.#group() : [];
      if (ready === 'failed') return [RETRY];
      return this.#shown.map(group => this.#groupNode(group.kind));
    }
    if (node.kind !== 'group') return [];
    const group = this.#shown.find(shown => shown.kind === node.group);
    return group?.sessionIds.map(sessionId => this.node(sessionId)) ?? [];
  }

  getParent(node: SessionTreeNode): SessionTreeNode | undefined {
    if (node.kind !== 'session') return undefined;
    const group = this.#group().find(candidate => candidate.sessionIds.includes(node.sessionId));
    return group === undefined ? undefined : this.#groupNode(group.kind);
  }

  getTreeItem(node: SessionTreeNode): vscode.TreeItem {
    if (node.kind === 'retry') return retryItem(commands.sessions.refresh);
    if (node.kind === 'group') return this.#groupItem(node.group);
    const record = this.#deps.records().get(node.sessionId);
    return record === undefined ? new vscode.TreeItem('') : this.#sessionItem(node, record);
  }

  #group(): SessionGroup[] {
    const midnight = new Date(this.#now()).setHours(0, 0, 0, 0);
    return groupSessions(this.#deps.records().values(), record => this.#deps.statusOf(record), midnight);
  }

  #groupItem(kind: GroupKind): vscode.TreeItem {
    const labels: Record<GroupKind, string> = {
      running: vscode.l10n.t('Running'),
      today: vscode.l10n.t('Today'),
      earlier: vscode.l10n.t('Earlier'),
    };
    const item = new vscode.TreeItem(labels[kind], vscode.TreeItemCollapsibleState.Expanded);
    item.id = `group/${kind}`;
    item.contextValue = 'sessionGroup';
    item.description = String(this.#shown.find(group => group.kind === kind)?.sessionIds.length ?? 0);
    return item;
  }

  #groupNode(kind: GroupKind): GroupNode {
    let node = this.#groups.get(kind);
    if (node === undefined) this.#groups.set(kind, (node = { kind: 'group', group: kind }));
    return node;
  }

  #sessionItem(node: SessionNode, record: SessionRecord): vscode.TreeItem {
    const status = this.#deps.statusOf(record);
    const title = sessionTitle(record);
    const item = new vscode.TreeItem(title);
    item.id = `session/${node.sessionId}`;
    item.contextValue = 'session';
    item.iconPath = themeIcon(statusIcon(status));
    item.description = this.#description(record, status);
    item.command = { command: commands.chat.open, title: vscode.l10n.t('Open session'), arguments: [node] };
    item.accessibilityInformation = {
      label: vscode.l10n.t('Session {0}, {1}', title, statusText(status, this.#deps.format, this.#now())),
    };
    item.tooltip = this.#tooltip(record, status);
    return item;
  }

  /** Running sessions show state and age of the state; resting ones the age of the last activity. */
  #description(record: SessionRecord, status: SessionStatus): string {
    const format = this.#deps.format;
    if (status.value === 'idle') return format.span(this.#now() - activityOf(record));
    return statusText(status, format, this.#now());
  }

  #tooltip(record: SessionRecord, status: SessionStatus): vscode.MarkdownString {
    const { format } = this.#deps;
    const session = record.session;
    const settings = session?.sessionSettings;
    const tokens = settings?.tokenUsage;
    const count = (value: number | undefined): string | undefined =>
      value === undefined ? undefined : format.number(value);
    return factsTooltip([
      [vscode.l10n.t('Session'), sessionTitle(record)],
      [vscode.l10n.t('Status'), statusText(status, format, this.#now())],
      [vscode.l10n.t('Problem'), status.problem?.sentence],
      [
        vscode.l10n.t('Computer'),
        computerLabel(session?.computerId, this.#deps.computerName, record.computerName),
      ],
      [vscode.l10n.t('Model'), settings?.model],
      [vscode.l10n.t('Messages'), count(session?.messageCount)],
      [vscode.l10n.t('Input tokens'), count(tokens?.inputTokens)],
      [vscode.l10n.t('Output tokens'), count(tokens?.outputTokens)],
      [vscode.l10n.t('Created'), session === undefined ? undefined : format.exact(session.createdAt)],
      [vscode.l10n.t('Updated'), session === undefined ? undefined : format.exact(session.updatedAt)],
      [vscode.l10n.t('Id'), record.sessionId],
    ]);
  }
}
