import * as vscode from 'vscode';
import { Disposable, Slot, type IDisposable } from '../util/disposable';
import { Emitter } from '../util/event';
import { gitExtension, remoteUrls, type GitApi, type GitCommit, type GitRepository } from '../util/git';
import { appParts, isCommit } from './model';

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

/** The repositories of this window, through the built-in Git extension only; it may be missing, disabled or late. */
export class LocalGit extends Disposable {
  readonly #changed = this.register(new Emitter<void>());
  readonly #api = this.register(new Slot<IDisposable>());
  readonly #repositories = this.register(new Slot<IDisposable>());
  readonly #ages = new Map<string, Staleness | Promise<Staleness>>();
  #git: GitApi | undefined;
  #open: readonly LocalRepository[] = [];
  #described = '';
  #found: Promise<void> | undefined;

  /** Repositories, remotes or what is checked out changed, or an age has been counted. */
  readonly onDidChange = this.#changed.event;

  get repositories(): readonly LocalRepository[] {
    return this.#open;
  }

  /** Resolves when Git has said what is there. Never rejects. */
  ready(): Promise<void> {
    if (this.#found === undefined) {
      this.register(vscode.extensions.onDidChange(() => void this.#find()));
      this.#found = this.#find();
    }
    return this.#found;
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

  async #find(): Promise<void> {
    const extension = gitExtension();
    if (extension === undefined) {
      this.#api.set(undefined);
      this.#use(undefined);
      return;
    }
    try {
      const git = await extension.activate();
      const look = (): void => this.#use(git.enabled ? git.getAPI(1) : undefined);
      this.#api.set(git.onDidChangeEnablement(look));
      look();
    } catch {
      this.#use(undefined);
    }
  }

  #use(git: GitApi | undefined): void {
    if (git === undefined || git !== this.#git) {
      this.#git = git;
      this.#repositories.set(git && this.#follow(git));
    }
    this.#look();
  }

  /** Listens to the repositories there are, and again when others are opened or closed. */
  #follow(git: GitApi): IDisposable {
    const each = new Slot<IDisposable>();
    const listen = (): void => {
      each.set(
        vscode.Disposable.from(...git.repositories.map(({ state }) => state.onDidChange(() => this.#look()))),
      );
      this.#look();
    };
    const subscriptions = [git.onDidChangeState, git.onDidOpenRepository, git.onDidCloseRepository].map(
      event => event(listen),
    );
    listen();
    return vscode.Disposable.from(each, ...subscriptions);
  }

  #look(): void {
    // VS Code opens submodules by itself.
    this.#open = (this.#git?.repositories ?? []).map(git => ({
      root: git.rootUri,
      urls: remoteUrls(git),
      git,
    }));
    // What was fetched may bring a commit that was not known.
    for (const [key, age] of this.#ages) if (age === 'unknown') this.#ages.delete(key);
    // The API's objects change in place: only words tell before from after.
    const now = this.#open
      .map(({ root, urls, git }) => [root.toString(), git.state.HEAD?.commit, ...urls].join(' '))
      .join('\n');
    if (now === this.#described) return;
    this.#described = now;
    this.#changed.fire();
  }
}

/** By folder of the workspace, a repository before those inside of it. */
export function inWindowOrder(a: LocalRepository, b: LocalRepository): number {
  const [x, y] = [a, b].map(({ root }) => vscode.workspace.getWorkspaceFolder(root)?.index ?? Infinity);
  return x === y ? (a.root.path < b.root.path ? -1 : 1) : Number(x) - Number(y);
}

/** Where an application is on this machine; `undefined` when its repository is not open or the path leads out of it. */
export function appFolder(local: LocalRepository | undefined, app: string): vscode.Uri | undefined {
  const parts = appParts(app);
  return local === undefined || parts === undefined ? undefined : vscode.Uri.joinPath(local.root, ...parts);
}
