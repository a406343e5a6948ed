import * as vscode from 'vscode';
import type { FindInTrees } from './findInTrees';

type Changed<T> = T | T[] | undefined | null;

/** A tree whose provider is loaded when VS Code first asks for rows, and whose changes wait while find is in use. */
export class LazyTree<T> implements vscode.TreeDataProvider<T> {
  readonly #changed = new vscode.EventEmitter<Changed<T>>();
  readonly #load: () => Promise<vscode.TreeDataProvider<T>>;
  readonly #find: FindInTrees;
  #loading: Promise<vscode.TreeDataProvider<T>> | undefined;
  #waiting: Set<T> | 'everything' | undefined;

  constructor(load: () => Promise<vscode.TreeDataProvider<T>>, find: FindInTrees) {
    this.#load = load;
    this.#find = find;
    find.onDidEnd(() => this.#tellWaiting());
  }

  readonly onDidChangeTreeData = this.#changed.event;

  async getChildren(element?: T): Promise<T[] | null | undefined> {
    const inner = await this.#provider();
    this.#find.stir();
    return inner.getChildren(element);
  }

  async getTreeItem(element: T): Promise<vscode.TreeItem> {
    this.#find.stir();
    return (await this.#provider()).getTreeItem(element);
  }

  async getParent(element: T): Promise<T | null | undefined> {
    return (await this.#provider()).getParent?.(element);
  }

  async resolveTreeItem(item: vscode.TreeItem, element: T, token: vscode.CancellationToken) {
    return (await (await this.#provider()).resolveTreeItem?.(item, element, token)) ?? item;
  }

  #provider(): Promise<vscode.TreeDataProvider<T>> {
    this.#loading ??= this.#load().then(
      inner => {
        inner.onDidChangeTreeData?.(changed => this.#tell(changed as Changed<T>));
        return inner;
      },
      (error: unknown) => {
        this.#loading = undefined;
        throw error;
      },
    );
    return this.#loading;
  }

  #tell(changed: Changed<T>): void {
    if (!this.#find.isInUse) {
      this.#find.stir();
      this.#changed.fire(changed);
    } else if (changed === undefined || changed === null) this.#waiting = 'everything';
    else if (this.#waiting !== 'everything')
      this.#waiting = new Set([...(this.#waiting ?? []), ...(Array.isArray(changed) ? changed : [changed])]);
  }

  #tellWaiting(): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting !== undefined) this.#tell(waiting === 'everything' ? undefined : [...waiting]);
  }
}
