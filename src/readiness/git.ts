import * as vscode from 'vscode';
import { Disposable } from '../util/disposable';
import { Emitter } from '../util/event';
import { OpenRepositories, remoteUrls, type GitCommit, type GitRepository } from '../util/git';
import { appParts, isCommit, type Repository } from './model';
import { matching } from './repositoryUrl';

/** A repository of this window. */
export interface LocalRepository {
  readonly root: vscode.Uri;
  /** Every address of every remote, the one called `origin` first. */
  readonly urls: readonly string[];
  readonly git: GitRepository;
}

/**
 * How many commits of HEAD a report has not seen, `MOST` at most, and whether HEAD has its commit. `unnamed`: it names none; `undefined`
 * where nothing is known yet or nothing can be.
 */
export type Staleness =
  { readonly behind: number; readonly isInHead: boolean } | 'unnamed' | 'unknown' | undefined;

/** More commits than this are not counted. */
export const MOST = 1000;

const SAME: Staleness = { behind: 0, isInHead: true };

/** The repositories of this window, and how old reports about them are. */
export class LocalGit extends Disposable {
  readonly #changed = this.register(new Emitter<void>());
  readonly #open = this.register(new OpenRepositories());
  readonly #ages = new Map<string, Staleness | Promise<Staleness>>();

  /** Repositories, remotes or what is checked out changed, or an age has been counted. */
  readonly onDidChange = this.#changed.event;

  constructor() {
    super();
    this.register(
      this.#open.onDidRefresh(() => {
        // What was fetched may bring a commit that was not known.
        for (const [key, age] of this.#ages) if (age === 'unknown') this.#ages.delete(key);
      }),
    );
    this.register(this.#open.onDidChange(() => this.#changed.fire()));
  }

  /** VS Code opens submodules by itself. */
  get repositories(): readonly LocalRepository[] {
    return this.#open.all.map(git => ({ root: git.rootUri, urls: remoteUrls(git), git }));
  }

  /** Resolves when Git has said what is there. Never rejects. */
  ready(): Promise<void> {
    return this.#open.ready();
  }

  /** How old a report is as far as it has been counted; `onDidChange` tells when it has. */
  staleness(commit: string | undefined, local: LocalRepository | undefined): Staleness {
    const age = this.counted(commit, local);
    return age instanceof Promise ? undefined : age;
  }

  /** The same, counted once for each pair of commits. */
  counted(commit: string | undefined, local: LocalRepository | undefined): Staleness | Promise<Staleness> {
    const git = local?.git;
    const head = git?.state.HEAD?.commit;
    if (git === undefined || head === undefined) return undefined;
    if (commit === undefined) return 'unnamed';
    if (!isCommit(commit)) return 'unknown';
    if (head.startsWith(commit.toLowerCase())) return SAME;
    const range = `${commit}..${head}`;
    const key = `${git.rootUri.toString()} ${range}`;
    const count = async (): Promise<Staleness> => {
      const log = async (of: string, maxEntries: number): Promise<number> =>
        (await git.log({ range: of, maxEntries })).length;
      const compare = async (): Promise<Staleness> => {
        const [ahead, behind] = await Promise.all([log(`${head}..${commit}`, 1), log(range, MOST)]);
        return { behind, isInHead: ahead === 0 };
      };
      const age = await compare().catch((): Staleness => 'unknown');
      this.#ages.set(key, age);
      this.#changed.fire();
      return age;
    };
    const age = this.#ages.get(key) ?? count();
    this.#ages.set(key, age);
    return age;
  }

  /** Commits of `to` that `from` does not have, the newest first; `undefined` when git does not know one of the two. */
  async between(
    local: LocalRepository | undefined,
    from: string | undefined,
    to: string | undefined,
  ): Promise<readonly GitCommit[] | undefined> {
    const git = local?.git;
    if (git === undefined || !isCommit(from) || !isCommit(to)) return undefined;
    try {
      return await git.log({ range: `${from}..${to}`, maxEntries: MOST });
    } catch {
      return undefined;
    }
  }
}

/** By folder of the workspace, a repository before those inside of it. */
function inWindowOrder(a: LocalRepository, b: LocalRepository): number {
  const [x, y] = [a, b].map(({ root }) => vscode.workspace.getWorkspaceFolder(root)?.index ?? Infinity);
  return x === y ? (a.root.path < b.root.path ? -1 : 1) : Number(x) - Number(y);
}

/** Where an application is on this machine; `undefined` when its repository is not open or the path leads out of it. */
export function appFolder(local: LocalRepository | undefined, app: string): vscode.Uri | undefined {
  const parts = appParts(app);
  return local === undefined || parts === undefined ? undefined : vscode.Uri.joinPath(local.root, ...parts);
}

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
    return file === undefined || this.#around(file) === undefined ? this.#pairs[0] : this.at(file);
  }

  /** Of a file or folder, the innermost repository around it, where it has a report. */
  at(place: vscode.Uri): Match | undefined {
    const around = this.#around(place);
    return this.#pairs.find(({ local }) => local.root.path === around?.root.path);
  }

  #around(place: vscode.Uri): LocalRepository | undefined {
    const around = this.#locals.filter(({ root }) => isWithin(place, root));
    return around.sort((a, b) => b.root.path.length - a.root.path.length)[0];
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
