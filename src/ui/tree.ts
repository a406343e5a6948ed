import * as vscode from 'vscode';
import { Disposable, toDisposable } from '../util/lifecycle';
import { oneLine } from '../util/text';
import { themeIcon, type Icon } from './text';

/** What a row says. Texts may be foreign. */
export interface Row {
  readonly label: string;
  readonly description?: string | undefined;
  readonly icon?: Icon | undefined;
  /** Made when somebody points at the row. */
  readonly tooltip?: (() => vscode.MarkdownString) | undefined;
  /** What menus go by. */
  readonly context?: string | undefined;
  /** What choosing it does; one that is only named is given the row. */
  readonly command?: vscode.Command | string | undefined;
  /** The whole row for screen readers; label and description when left out. */
  readonly spoken?: string | undefined;
  /** Whether its children are shown at first; left out where there are none. */
  readonly open?: boolean | undefined;
}

/** A row of a tree. Commands receive it; `kind` and whatever else a feature adds tell them what it stands for. */
export interface TreeNode {
  /** The same for the same thing, and no other one in the view; VS Code remembers by it what is open and selected. */
  readonly id: string;
  readonly kind: string;
  row(): Row;
  children?(): readonly TreeNode[];
}

export interface TreeOptions {
  readonly view: Pick<vscode.TreeView<TreeNode>, 'visible' | 'onDidChangeVisibility'>;
  /** Resolves when there is something to show or to say: VS Code shows progress until then. Never rejects. */
  readonly ready: () => Promise<unknown>;
  /** The rows as they are now. */
  readonly roots: () => readonly TreeNode[];
  /** Runs before the rows are looked at, also while the view is hidden: for what stands around them, such as a badge. */
  readonly onDraw?: (() => void) | undefined;
}

/** What is on the screen. */
interface Shown {
  /** The object VS Code knows the row by. */
  readonly element: TreeNode;
  latest: TreeNode;
  readonly parent: TreeNode | undefined;
  /** What the row said when it was drawn. */
  drawn?: string | undefined;
  /** Its children, once VS Code has asked for them. */
  children?: readonly string[] | undefined;
}

/** Changes that come together are drawn together, ms. */
const TOGETHER_MS = 100;
const MINUTE_MS = 60_000;

/** The rows of a view. Only rows that say something else, or have other children, are drawn again, and none while the view is hidden. */
export class Tree extends Disposable implements vscode.TreeDataProvider<TreeNode> {
  readonly #options: TreeOptions;
  readonly #changed = this.register(new vscode.EventEmitter<TreeNode[] | undefined>());
  readonly #shown = new Map<string, Shown>();
  #roots: readonly string[] | undefined;
  /** VS Code has been told that all is to be drawn anew, and has not asked for it yet: being told again would make it wait longer. */
  #isPending = false;
  #soon: NodeJS.Timeout | undefined;
  #clock: NodeJS.Timeout | undefined;
  /** Which rows are to be looked at. */
  #due: Set<string> | 'all' | undefined;

  constructor(options: TreeOptions) {
    super();
    this.#options = options;
    this.register(options.view.onDidChangeVisibility(() => this.#follow()));
    this.register(
      toDisposable(() => {
        clearTimeout(this.#soon);
        clearInterval(this.#clock);
      }),
    );
    this.#follow();
  }

  readonly onDidChangeTreeData = this.#changed.event;

  /** Something may have changed. Looks at the rows with these ids and at what stands where, or at all rows. */
  update(ids?: ReadonlySet<string>): void {
    if (ids === undefined || this.#due === 'all') this.#due = 'all';
    else this.#due = new Set([...(this.#due ?? []), ...ids]);
    if (this.isDisposed) return;
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      this.#draw();
    }, TOGETHER_MS);
  }

  node(id: string): TreeNode | undefined {
    return this.#shown.get(id)?.element;
  }

  async getChildren(node?: TreeNode): Promise<TreeNode[]> {
    if (node !== undefined) {
      const shown = this.#shown.get(node.id);
      const children = shown?.latest.children?.() ?? [];
      if (shown !== undefined) shown.children = this.#remember(children, shown.element, shown.children);
      return children.map(({ id }) => this.#element(id));
    }
    // What is answered now is the newest there is, whichever time it was asked for.
    const { ready, roots: rootsNow, onDraw } = this.#options;
    await ready().finally(() => (this.#isPending = false));
    if (!this.isDisposed) onDraw?.();
    const roots = rootsNow();
    this.#roots = this.#remember(roots, undefined, this.#roots);
    return roots.map(({ id }) => this.#element(id));
  }

  getTreeItem(node: TreeNode): vscode.TreeItem {
    const shown = this.#shown.get(node.id);
    const row = (shown?.latest ?? node).row();
    if (shown !== undefined) shown.drawn = wordsOf(row);
    const { None, Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
    const item = new vscode.TreeItem(
      oneLine(row.label, 500),
      row.open === undefined ? None : row.open ? Expanded : Collapsed,
    );
    item.id = node.id;
    const description = oneLine(row.description ?? '', 500);
    if (description !== '') item.description = description;
    if (row.icon !== undefined) item.iconPath = themeIcon(row.icon);
    if (row.context !== undefined) item.contextValue = row.context;
    const { command } = row;
    if (command !== undefined)
      item.command = typeof command === 'string' ? { command, title: row.label, arguments: [node] } : command;
    const spoken = row.spoken ?? [row.label, description].filter(part => part !== '').join(', ');
    item.accessibilityInformation = { label: oneLine(spoken, 1_000) };
    return item;
  }

  resolveTreeItem(item: vscode.TreeItem, node: TreeNode): vscode.TreeItem {
    const tooltip = (this.#shown.get(node.id)?.latest ?? node).row().tooltip?.();
    if (tooltip !== undefined) item.tooltip = tooltip;
    return item;
  }

  getParent(node: TreeNode): TreeNode | undefined {
    return this.#shown.get(node.id)?.parent;
  }

  /** Looks at all rows when they are seen or hidden, and once a minute while they are seen: ages move on. */
  #follow(): void {
    const look = (): void => {
      this.#isPending = false;
      this.update();
    };
    clearInterval(this.#clock);
    if (this.#options.view.visible) this.#clock = setInterval(look, MINUTE_MS);
    look();
  }

  /** Compares what stands on the screen with what should. */
  #draw(): void {
    this.#options.onDraw?.();
    if (this.#roots === undefined || this.#isPending || !this.#options.view.visible) return;
    const only = this.#due === 'all' ? undefined : this.#due;
    this.#due = undefined;
    const roots = this.#options.roots();
    if (!isSameOrder(roots, this.#roots)) {
      this.#isPending = true;
      this.#changed.fire(undefined);
      return;
    }
    const changed: TreeNode[] = [];
    for (const root of roots) this.#compare(root, only, changed);
    if (changed.length > 0) this.#changed.fire(changed);
  }

  #compare(node: TreeNode, only: ReadonlySet<string> | undefined, changed: TreeNode[]): void {
    const shown = this.#shown.get(node.id);
    if (shown === undefined) return;
    shown.latest = node;
    const children = shown.children && (node.children?.() ?? []);
    const isLookedAt = shown.drawn !== undefined && (only === undefined || only.has(node.id));
    const isOther = isLookedAt && shown.drawn !== wordsOf(node.row());
    if (isOther || (children !== undefined && !isSameOrder(children, shown.children ?? []))) {
      changed.push(shown.element);
      return;
    }
    for (const child of children ?? []) this.#compare(child, only, changed);
  }

  /** What VS Code is given as the children of a row; what was there before and is not any more is forgotten. */
  #remember(
    nodes: readonly TreeNode[],
    parent: TreeNode | undefined,
    before: readonly string[] | undefined,
  ): readonly string[] {
    const ids = nodes.map(({ id }) => id);
    const staying = new Set(ids);
    for (const id of before ?? []) if (!staying.has(id)) this.#forget(id, parent);
    for (const node of nodes) {
      const shown = this.#shown.get(node.id);
      if (shown?.parent === parent && shown !== undefined) shown.latest = node;
      else this.#shown.set(node.id, { element: node, latest: node, parent });
    }
    return ids;
  }

  /** Unless the row stands below another one by now. */
  #forget(id: string, parent: TreeNode | undefined): void {
    const shown = this.#shown.get(id);
    if (shown === undefined || shown.parent !== parent) return;
    this.#shown.delete(id);
    for (const child of shown.children ?? []) this.#forget(child, shown.element);
  }

  #element(id: string): TreeNode {
    const shown = this.#shown.get(id);
    if (shown === undefined) throw new Error(`There is no row ${id}.`);
    return shown.element;
  }
}

/** The row that stands where a list could not be read; the reason stands above it, in the view's message. */
export function retryNode(command: string): TreeNode {
  const row: Row = { label: vscode.l10n.t('Try again'), icon: { id: 'refresh' }, command };
  return { id: 'retry', kind: 'retry', row: () => row };
}

/** Everything a person sees of a row, or a menu goes by. */
function wordsOf({ label, description, icon, context, spoken, open, command }: Row): string {
  const does = typeof command === 'object' ? command.command : command;
  return JSON.stringify([label, description, icon, context, spoken, open, does]);
}

function isSameOrder(nodes: readonly TreeNode[], ids: readonly string[]): boolean {
  return nodes.length === ids.length && nodes.every(({ id }, index) => id === ids[index]);
}
