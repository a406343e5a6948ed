import * as vscode from 'vscode';
import { Disposable, Emitter, Slot, unhandled, type IDisposable } from './lifecycle';
import { once } from './promises';

/** What is used of the built-in Git extension's API, version 1. */
export interface GitCommit {
  readonly hash: string;
  readonly message: string;
  readonly authorName?: string;
  readonly authorDate?: Date;
  readonly commitDate?: Date;
}
export interface GitRepository {
  readonly rootUri: vscode.Uri;
  readonly state: {
    readonly HEAD?: { readonly name?: string; readonly commit?: string };
    readonly remotes: readonly {
      readonly name: string;
      readonly fetchUrl?: string;
      readonly pushUrl?: string;
    }[];
    readonly onDidChange: vscode.Event<void>;
  };
  log(options: { readonly range?: string; readonly maxEntries: number }): Promise<readonly GitCommit[]>;
  fetch(options: { readonly remote?: string; readonly ref?: string }): Promise<void>;
}
interface GitApi {
  /** The program. */
  readonly git: { readonly path: string };
  readonly state: 'uninitialized' | 'initialized';
  readonly onDidChangeState: vscode.Event<unknown>;
  readonly repositories: readonly GitRepository[];
  readonly onDidOpenRepository: vscode.Event<unknown>;
  readonly onDidCloseRepository: vscode.Event<unknown>;
}

/** The Git extension looks around after the window has opened: wait at most so long for it, ms. */
const LOOK_MS = 5_000;
/** Of a repository, the latest ones that the sample has reports of. */
const COMMITS = 100;

interface GitExtension {
  readonly enabled: boolean;
  readonly onDidChangeEnablement: vscode.Event<boolean>;
  getAPI(version: 1): GitApi;
}

/** The repositories of this window, through the built-in Git extension only; it may be missing, disabled or late. */
export class OpenRepositories extends Disposable {
  readonly #changed = this.register(new Emitter<void>());
  readonly #refreshed = this.register(new Emitter<void>());
  readonly #api = this.register(new Slot<IDisposable>());
  readonly #following = this.register(new Slot<IDisposable>());
  #git: GitApi | undefined;
  #described = '';

  /** Repositories, remotes or what is checked out changed. */
  readonly onDidChange = this.#changed.event;
  /** The same, or anything else of them, such as a branch that was fetched. */
  readonly onDidRefresh = this.#refreshed.event;

  get all(): readonly GitRepository[] {
    return this.#git?.repositories ?? [];
  }

  /** The program the Git extension uses; `undefined` without that. */
  get program(): string | undefined {
    return this.#git?.git.path;
  }

  /** Resolves when Git has said what is there. Never rejects. */
  readonly ready = once(() => {
    this.register(vscode.extensions.onDidChange(() => void this.#find()));
    return this.#find();
  });

  /** Resolves when the Git extension has looked around, too, as it does when a window has just opened. */
  async looked(): Promise<void> {
    await this.ready();
    const git = this.#git;
    if (git === undefined || git.state === 'initialized') return;
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const subscription = git.onDidChangeState(resolve);
    const timer = setTimeout(resolve, LOOK_MS);
    await promise;
    subscription.dispose();
    clearTimeout(timer);
  }

  async #find(): Promise<void> {
    try {
      // Missing or turned off, as in Restricted Mode.
      const git = await vscode.extensions.getExtension<GitExtension>('vscode.git')?.activate();
      const look = (): void => this.#use(git?.enabled ? git.getAPI(1) : undefined);
      this.#api.set(git?.onDidChangeEnablement(look));
      look();
    } catch (error) {
      unhandled(error);
      this.#use(undefined);
    }
  }

  #use(git: GitApi | undefined): void {
    if (git === undefined || git !== this.#git) {
      this.#git = git;
      this.#following.set(git && this.#follow(git));
    }
    this.#look();
  }

  /** Listens to the repositories there are, and again when others are opened or closed. */
  #follow(git: GitApi): IDisposable {
    const each = new Slot<IDisposable>();
    const listen = (): void => {
      const events = git.repositories.map(({ state }) => state.onDidChange(() => this.#look()));
      each.set(vscode.Disposable.from(...events));
      this.#look();
    };
    const others = [git.onDidChangeState, git.onDidOpenRepository, git.onDidCloseRepository];
    const subscriptions = others.map(event => event(listen));
    listen();
    return vscode.Disposable.from(each, ...subscriptions);
  }

  #look(): void {
    // The API's objects change in place: only words tell before from after.
    const now = this.all
      .map(git => [git.rootUri.toString(), git.state.HEAD?.commit, ...remoteUrls(git)].join(' '))
      .join('\n');
    this.#refreshed.fire();
    if (now === this.#described) return;
    this.#described = now;
    this.#changed.fire();
  }
}

/** Every address of every remote, those of `origin` first. */
export function remoteUrls({ state }: GitRepository): readonly string[] {
  const remotes = [...state.remotes].sort(
    (a, b) => Number(b.name === 'origin') - Number(a.name === 'origin'),
  );
  const urls = remotes.flatMap(({ fetchUrl, pushUrl }) => [fetchUrl, pushUrl]);
  return [...new Set(urls.filter(url => url !== undefined))];
}

/** The address of a repository's remote, and its latest commits (Unix ms), the oldest first. */
export interface OpenRepository {
  readonly url: string;
  readonly commits: readonly { readonly hash: string; readonly at: number }[];
}

/** The first repository of this window with a remote. */
export async function openRepository(): Promise<OpenRepository | undefined> {
  const repositories = new OpenRepositories();
  try {
    await repositories.looked();
    const repository = repositories.all.find(each => remoteUrls(each).length > 0);
    if (repository === undefined) return undefined;
    const [url = ''] = remoteUrls(repository);
    // Where nothing has been committed yet there is no log.
    const isEmpty = repository.state.HEAD?.commit === undefined;
    const commits = isEmpty ? [] : await repository.log({ maxEntries: COMMITS });
    const dated = commits.map(({ hash, commitDate }) => ({ hash, at: commitDate?.getTime() ?? 0 }));
    return { url, commits: dated.filter(({ at }) => at > 0).reverse() };
  } finally {
    repositories.dispose();
  }
}
