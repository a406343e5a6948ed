import type * as vscode from 'vscode';
import type { TreeNode } from '../../src/ui/tree';
import { Emitter } from '../../src/util/lifecycle';

/** The view of a tree, as far as features touch it. */
export function fakeView(visible = true) {
  const changed = new Emitter<{ readonly visible: boolean }>();
  const revealed: TreeNode[] = [];
  const view = {
    visible,
    revealed,
    selection: [] as readonly TreeNode[],
    onDidChangeVisibility: changed.event,
    reveal: (node: TreeNode): Promise<void> => {
      revealed.push(node);
      return Promise.resolve();
    },
    show(isVisible: boolean): void {
      view.visible = isVisible;
      changed.fire({ visible: isVisible });
    },
  };
  return view as unknown as typeof view & vscode.TreeView<TreeNode>;
}

export interface DrawnRow {
  readonly node: TreeNode;
  readonly depth: number;
  readonly item: vscode.TreeItem;
  /** Label and description, such as `atlas | active`. */
  readonly text: string;
}

/** Every row of a tree, as VS Code draws it with everything open. */
export async function drawnRows(
  tree: vscode.TreeDataProvider<TreeNode>,
  parent?: TreeNode,
  depth = 0,
): Promise<readonly DrawnRow[]> {
  const rows: DrawnRow[] = [];
  for (const node of (await tree.getChildren(parent)) ?? []) {
    const item = await tree.getTreeItem(node);
    const text = [item.label, item.description].filter(part => typeof part === 'string').join(' | ');
    rows.push({ node, depth, item, text }, ...(await drawnRows(tree, node, depth + 1)));
  }
  return rows;
}

/** The rows in words, each below its parent. */
export async function textOf(tree: vscode.TreeDataProvider<TreeNode>): Promise<readonly string[]> {
  return (await drawnRows(tree)).map(({ depth, text }) => `${'  '.repeat(depth)}${text}`);
}
