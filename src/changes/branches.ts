import type { Git } from './git';
import type { Branch, BranchName, Changes, Commit, RepositoryFacts, SessionFacts } from './model';

/** Reads a repository; commits and pull requests from `since` (Unix ms) on. Rejects with a `GitError` where there is none. */
export declare function readRepository(
  git: Git,
  repository: string,
  options?: { readonly since?: number; readonly signal?: AbortSignal },
): Promise<RepositoryFacts>;

/** The branch of that name; `undefined` where it is not here. */
export declare function find(facts: RepositoryFacts, name: BranchName): Branch | undefined;

/** What a branch changes; `undefined` where neither it nor what was last known of it is here. */
export declare function changesOf(
  git: Git,
  branch: BranchName,
  facts: RepositoryFacts,
  last?: SessionFacts['last'],
  signal?: AbortSignal,
): Promise<Changes | undefined>;

/** The commits from base to tip, the newest first; at most 500. */
export declare function commitsOf(
  git: Git,
  changes: Pick<Changes, 'base' | 'tip'>,
): Promise<readonly Commit[]>;

/** A file as a commit has it: empty where there is none, the target of a symbolic link, one line for a submodule. */
export declare function contentOf(git: Git, commit: string, path: string): Promise<Buffer>;
