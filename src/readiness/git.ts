import * as vscode from 'vscode';
import { gitSetting } from '../settings';
import { isSame } from '../sync/same';
import { Disposable, Slot, type IDisposable } from '../util/disposable';
import { Emitter } from '../util/event';
import { gitExtension, remoteUrls, type GitApi, type GitRepository } from '../util/git';
import { isCommit } from './model';

/** A repository of this window. */
export interface LocalRepository {
  readonly root: vscode.Uri;
  /** Every address of every remote, the one called `origin` first. */
  readonly urls: readonly string[];
  readonly git: GitRepository;
}

/** What Git says of this window: `looking` until it has looked. */
export type GitState =
  | { readonly kind: 'missing' | 'disabled' | 'looking' }
  | { readonly kind: 'found'; readonly repositories: readonly LocalRepository[] };

/** A report's commit against what is checked out. Counts stop at `MOST`. */
export type Staleness =
  | { readonly kind: 'same' }
  /** `behind`: commits of HEAD that the report has not seen; `beside`: commits of the report that HEAD does not have. */
  | { readonly kind: 'behind'; readonly behind: number; readonly beside: number }
  | { readonly kind: 'unknownCommit' | 'noCommit' | 'noRepository' };

/** How old a report is as far as that is known, and once it has been counted. */
interface Age {
  readonly known: Staleness;
  readonly counted: Promise<Staleness>;
}

export interface Commit {
  readonly hash: string;
  readonly subject: string;
  readonly author: string;
  /** Unix ms. */
  readonly at?: number | undefined;
}

/** More commits than this are not counted. */
export const MOST = 1000;

/** The repositories of this window, through the built-in Git extension only; it may be missing, disabled or late. */
export class LocalGit extends Disposable {
  readonly #changed = this.register(new Emitter<void>());
  readonly #api = this.register(new Slot<IDisposable>());
  readonly #repositories = this.register(new Slot<IDisposable>());
  readonly #ages = new Map<string, Age>();
  #git: GitApi | undefined;
  #state: GitState = { kind: 'looking' };
  #described = 'looking';
  #found: Promise<void> | undefined;

  /** Repositories, remotes or what is checked out changed, or an age has been counted. */
  readonly onDidChange = this.#changed.event;

  get state(): GitState {
    return this.#state;
  }

  /** Resolves when Git has said what is there. Never rejects. */
  ready(): Promise<void> {
    if (this.#found === undefined) {
      this.register(vscode.extensions.onDidChange(() => void this.#find()));
      this.#found = this.#find();
    }
    return this.#found;
  }

  /** How old a report is, counted once for each pair of commits; until then as if it could not be known, and `onDidChange` tells. */
  staleness(commit: string | undefined, local: LocalRepository | undefined): Staleness {
    return this.#age(commit, local).known;
  }

  /** The same, once it has been counted. */
  counted(commit: string | undefined, local: LocalRepository | undefined): Promise<Staleness> {
    return this.#age(commit, local).counted;
  }

  #age(commit: string | undefined, local: LocalRepository | undefined): Age {
    const certain = (known: Staleness): Age => ({ known, counted: Promise.resolve(known) });
    const git = local?.git;
    const head = git?.state.HEAD?.commit;
    if (git === undefined || head === undefined) return certain({ kind: 'noRepository' });
    if (!isCommit(commit)) return certain({ kind: 'noCommit' });
    if (head.startsWith(commit.toLowerCase())) return certain({ kind: 'same' });
    const key = `${git.rootUri.toString()} ${commit} ${head}`;
    const before = this.#ages.get(key);
    // The next fetch may bring a commit that is not known.
    if (before !== undefined && before.known.kind !== 'unknownCommit') return before;
    const counted = count(git, commit, head).then(known => {
      this.#ages.set(key, { known, counted });
      if (!isSame(before?.known, known)) this.#changed.fire();
      return known;
    });
    const age: Age = { known: before?.known ?? { kind: 'noRepository' }, counted };
    this.#ages.set(key, age);
    return age;
  }

  /** Commits of `to` that `from` does not have, the newest first; `undefined` when git does not know one of the two. */
  async between(
    local: LocalRepository | undefined,
    from: string | undefined,
    to: string | undefined,
  ): Promise<readonly Commit[] | undefined> {
    const git = local?.git;
    if (git === undefined || !isCommit(from) || !isCommit(to)) return undefined;
    try {
      const commits = await git.log({ range: `${from}..${to}`, maxEntries: MOST });
      return commits.map(({ hash, message, authorName, authorDate }) => ({
        hash,
        subject: message.split('\n', 1)[0] ?? '',
        author: authorName ?? '',
        at: authorDate?.getTime(),
      }));
    } catch {
      return undefined;
    }
  }

  async #find(): Promise<void> {
    const extension = gitExtension();
    if (extension === undefined) {
      this.#api.set(undefined);
      this.#use(undefined, 'missing');
      return;
    }
    try {
      const git = await extension.activate();
      const look = (): void => this.#use(git.enabled ? git.getAPI(1) : undefined, 'disabled');
      this.#api.set(vscode.Disposable.from(git.onDidChangeEnablement(look), gitSetting.onDidChange(look)));
      look();
    } catch {
      this.#use(undefined, 'missing');
    }
  }

  #use(git: GitApi | undefined, otherwise: 'missing' | 'disabled'): void {
    if (git === undefined || git !== this.#git) {
      this.#git = git;
      this.#repositories.set(git && this.#follow(git));
    }
    this.#look(otherwise);
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

  #look(otherwise: 'missing' | 'disabled' = 'missing'): void {
    const git = this.#git;
    this.#state = git === undefined ? { kind: otherwise } : stateOf(git);
    // The API's objects change in place: only words tell before from after.
    const now = describe(this.#state);
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

async function count(git: GitRepository, commit: string, head: string): Promise<Staleness> {
  try {
    const { hash } = await git.getCommit(commit);
    if (hash === head) return { kind: 'same' };
    const [behind, beside] = await Promise.all(
      [`${hash}..${head}`, `${head}..${hash}`].map(range => git.log({ range, maxEntries: MOST })),
    );
    return { kind: 'behind', behind: behind?.length ?? 0, beside: beside?.length ?? 0 };
  } catch {
    return { kind: 'unknownCommit' };
  }
}

/** VS Code opens submodules by itself. */
function local(git: GitRepository): LocalRepository {
  return { root: git.rootUri, urls: remoteUrls(git), git };
}

function stateOf(git: GitApi): GitState {
  if (git.state === 'uninitialized') return { kind: 'looking' };
  // Turned off while it runs, Git closes its repositories and stays enabled.
  return git.repositories.length === 0 && gitSetting.isOff()
    ? { kind: 'disabled' }
    : { kind: 'found', repositories: git.repositories.map(local) };
}

function describe(state: GitState): string {
  if (state.kind !== 'found') return state.kind;
  return state.repositories
    .map(({ root, urls, git }) => [root.toString(), git.state.HEAD?.commit, ...urls].join(' '))
    .join('\n');
}
