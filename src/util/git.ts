import * as vscode from 'vscode';

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
}
export interface GitApi {
  /** The program. */
  readonly git: { readonly path: string };
  readonly state: 'uninitialized' | 'initialized';
  readonly onDidChangeState: vscode.Event<unknown>;
  readonly repositories: readonly GitRepository[];
  readonly onDidOpenRepository: vscode.Event<unknown>;
  readonly onDidCloseRepository: vscode.Event<unknown>;
  getRepository(uri: vscode.Uri): GitRepository | null;
}
interface GitExtension {
  readonly enabled: boolean;
  readonly onDidChangeEnablement: vscode.Event<boolean>;
  getAPI(version: 1): GitApi;
}

/** The built-in Git extension; `undefined` where it is missing or turned off, as in Restricted Mode. */
export function gitExtension(): vscode.Extension<GitExtension> | undefined {
  return vscode.extensions.getExtension<GitExtension>('vscode.git');
}

/** The root folders of the repositories of this window that are on this machine, and the program the Git extension uses. */
export async function openFolders(): Promise<readonly { readonly root: string; readonly program: string }[]> {
  const git = await gitExtension()?.activate();
  if (git?.enabled !== true) return [];
  const api = git.getAPI(1);
  await hasLooked(api);
  return api.repositories
    .filter(({ rootUri }) => rootUri.scheme === 'file')
    .map(({ rootUri }) => ({ root: rootUri.fsPath, program: api.git.path }));
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

/** The Git extension looks around after the window has opened: wait at most so long for it, ms. */
const LOOK_MS = 5_000;
const COMMITS = 100;

/** The first repository of this window with a remote, those around an open folder first. */
export async function openRepository(): Promise<OpenRepository | undefined> {
  const git = await gitExtension()?.activate();
  if (git?.enabled !== true) return undefined;
  const api = git.getAPI(1);
  await hasLooked(api);
  const around = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => api.getRepository(uri));
  for (const repository of [...around, ...api.repositories]) {
    const [url] = repository === null ? [] : remoteUrls(repository);
    if (repository === null || url === undefined) continue;
    // Where nothing has been committed yet there is no log.
    const isEmpty = repository.state.HEAD?.commit === undefined;
    const commits = isEmpty ? [] : await repository.log({ maxEntries: COMMITS });
    const dated = commits.map(({ hash, commitDate }) => ({ hash, at: commitDate?.getTime() ?? 0 }));
    return { url, commits: dated.filter(({ at }) => at > 0).reverse() };
  }
  return undefined;
}

function hasLooked(api: GitApi): Promise<void> {
  if (api.state === 'initialized') return Promise.resolve();
  return new Promise(resolve => {
    const end = (): void => {
      subscription.dispose();
      clearTimeout(timer);
      resolve();
    };
    const subscription = api.onDidChangeState(end);
    const timer = setTimeout(end, LOOK_MS);
  });
}
