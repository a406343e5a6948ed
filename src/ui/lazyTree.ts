import type * as vscode from 'vscode';
import { commands, EventEmitter } from 'vscode';
import { once } from '../util/promises';

type Changed<T> = T | T[] | undefined | null;

/** A row that is drawn anew is known again after this long, and looked for so often, ms. */
const DRAWN_WITHIN = 2_000;
const LOOK_MS = 50;

/**
 * A tree whose provider is loaded when VS Code first asks for rows. VS Code forgets a row's command with arguments as soon as
 * the row is drawn anew, also while a click on it is on its way; so a row gets the command `openRow`, which has none and is never
 * forgotten, and what the row does is looked up by the selection.
 */
export class LazyTree<T> implements vscode.TreeDataProvider<T> {
  readonly #changed = new EventEmitter<Changed<T>>();
  readonly #provider: () => Promise<vscode.TreeDataProvider<T>>;
  readonly #openRow: string;
  readonly #commands = new WeakMap<object, vscode.Command>();

  constructor(load: () => Promise<vscode.TreeDataProvider<T>>, openRow: string) {
    this.#provider = once(async () => {
      const inner = await load();
      inner.onDidChangeTreeData?.(changed => this.#changed.fire(changed as Changed<T>));
      return inner;
    });
    this.#openRow = openRow;
  }

  readonly onDidChangeTreeData = this.#changed.event;

  async getChildren(element?: T): Promise<T[] | null | undefined> {
    return (await this.#provider()).getChildren(element);
  }

  async getTreeItem(element: T): Promise<vscode.TreeItem> {
    const item = await (await this.#provider()).getTreeItem(element);
    const { command } = item;
    if (command?.arguments === undefined || typeof element !== 'object' || element === null) return item;
    this.#commands.set(element, command);
    item.command = { command: this.#openRow, title: command.title };
    return item;
  }

  /** Does what the selected row does, when it is known: while all rows are drawn anew VS Code knows none for a moment. */
  async openSelected(selection: () => readonly T[]): Promise<void> {
    for (let waited = 0; selection().length === 0 && waited < DRAWN_WITHIN; waited += LOOK_MS)
      await new Promise(looked => setTimeout(looked, LOOK_MS));
    const [element, ...more] = selection();
    if (typeof element !== 'object' || element === null || more.length > 0) return;
    const { command, arguments: words = [] } = this.#commands.get(element) ?? {};
    if (command !== undefined) await commands.executeCommand(command, ...(words as readonly unknown[]));
  }

  async getParent(element: T): Promise<T | null | undefined> {
    return (await this.#provider()).getParent?.(element);
  }

  async resolveTreeItem(item: vscode.TreeItem, element: T, token: vscode.CancellationToken) {
    return (await (await this.#provider()).resolveTreeItem?.(item, element, token)) ?? item;
  }
}
