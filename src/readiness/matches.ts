import * as vscode from 'vscode';
import { inWindowOrder, type LocalRepository } from './git';
import type { Repository } from './model';
import { matching } from './repositoryUrl';

/** A repository with reports, and where it is open in this window. */
export interface Match {
  readonly repository: Repository;
  readonly local: LocalRepository;
}

/** The repositories of this window, and which of them have reports. */
export class Matches {
  /** Two clones of one repository are two, and so are a fork and its parent. */
  readonly #pairs: readonly Match[];
  readonly #locals: readonly LocalRepository[];

  constructor(repositories: ReadonlyMap<string, Repository>, open: readonly LocalRepository[]) {
    this.#locals = open.toSorted(inWindowOrder);
    this.#pairs = this.#locals.flatMap(local =>
      matching(repositories.keys(), local.urls).flatMap(key => {
        const repository = repositories.get(key);
        return repository === undefined ? [] : [{ repository, local }];
      }),
    );
  }

  /** Each repository once, where it comes first. */
  get all(): readonly Match[] {
    const first = new Map(this.#pairs.toReversed().map(pair => [pair.repository.key, pair]));
    return [...first.values()].reverse();
  }

  /** Repositories of this window without a report. */
  get unreported(): readonly LocalRepository[] {
    return this.#locals.filter(local => !this.#pairs.some(pair => pair.local === local));
  }

  /** Where a repository is open. */
  local(key: string): LocalRepository | undefined {
    return this.#pairs.find(({ repository }) => repository.key === key)?.local;
  }

  /** Of the file in front, the innermost repository; without a file in one, the first of this window. */
  get here(): Match | undefined {
    const file = activeFile();
    const [around] = this.#locals
      .filter(({ root }) => file !== undefined && isWithin(file, root))
      .sort((a, b) => b.root.path.length - a.root.path.length);
    return around === undefined
      ? this.#pairs[0]
      : this.#pairs.find(({ local }) => local.root.path === around.root.path);
  }
}

/** Whether a folder is another one, or lies in it. */
function isWithin(inner: vscode.Uri, outer: vscode.Uri): boolean {
  return inner.scheme === outer.scheme && `${inner.path}/`.startsWith(`${outer.path.replace(/\/$/, '')}/`);
}

/** The file in front: of a text editor, else of a tab such as a notebook or a picture. */
function activeFile(): vscode.Uri | undefined {
  const input: unknown = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  const isFile =
    input instanceof vscode.TabInputText ||
    input instanceof vscode.TabInputNotebook ||
    input instanceof vscode.TabInputCustom;
  return isFile ? input.uri : vscode.window.activeTextEditor?.document.uri;
}
