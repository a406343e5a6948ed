/** What an agent changed: words that the parts of this feature share. No VS Code here. Times are Unix ms. */
import type { WorkRecord } from '../records';

/** Something said in a session, the calls of tools and their results included. */
export interface Said {
  readonly text: string;
  /** `undefined` for what tools have answered; what a person has written or pasted never proves anything. */
  readonly by?: 'me' | 'agent' | undefined;
  readonly at?: number | undefined;
}

/** What is known of a session that its work can be found by: `named` wins, `last` tells a deleted or rewritten branch. */
export interface SessionFacts {
  readonly sessionId: string;
  readonly createdAt?: number | undefined;
  /** When something last happened in it, as far as known. */
  readonly lastAt?: number | undefined;
  readonly stopped?: WorkRecord['stopped'];
  readonly named?: WorkRecord['named'];
  readonly last?: WorkRecord['last'];
}

/** A branch: of a remote, or of this repository where `remote` is missing. */
export interface BranchName {
  /** The repository's root folder. */
  readonly repository: string;
  readonly remote?: string | undefined;
  /** Without `refs/heads/` or the remote's name. */
  readonly name: string;
}

export interface Branch extends BranchName {
  /** Full name, such as `refs/remotes/origin/agent/fix`. */
  readonly ref: string;
  readonly tip: string;
  /** When the tip was committed. */
  readonly at: number;
}

/** A commit of a branch that the default branch does not have. A rebase keeps `authoredAt`. */
export interface OwnCommit {
  readonly parents: readonly string[];
  readonly authoredAt: number;
  readonly committedAt: number;
  /** Author, committer or co-author that looks like an agent. */
  readonly agent: string | undefined;
  /** Values of its trailers, one a line: a session's id may be among them. */
  readonly trailers: string;
}

/** What is read of a repository to find branches by; commits as far back as was asked for. */
export interface RepositoryFacts {
  /** Root folder. */
  readonly repository: string;
  /** The same as long as nothing has changed. */
  readonly version: string;
  /** Of remotes and of this repository; no symbolic ones. */
  readonly branches: readonly Branch[];
  /** The one work is merged into, that of a remote first; `undefined` where nothing tells. */
  readonly defaultBranch: Branch | undefined;
  readonly remotes: readonly { readonly name: string; readonly urls: readonly string[] }[];
  /** By tip of a branch: its commits by hash that the default branch has not, the nearest first. */
  readonly own: ReadonlyMap<string, ReadonlyMap<string, OwnCommit>>;
  /** These are all there are of the branches that were asked for. */
  readonly isWhole: boolean;
  /** Tips of pull requests by number, as far as refs and merge commits tell. */
  readonly pullRequests: ReadonlyMap<number, string>;
  /** When a remote was last fetched. */
  readonly fetchedAt: number | undefined;
}

/** What shows whose work a branch is, the strongest first. */
export type Evidence =
  | 'named'
  | 'branchInTranscript'
  | 'commitInTranscript'
  | 'pullRequestInTranscript'
  | 'sessionIdInBranch'
  | 'sessionIdInCommit'
  | 'coAuthor'
  | 'checkedOut'
  /** It was its branch when last seen, and is not here any more. */
  | 'lastSeen';

/**
 * Which branch holds a session's work. `detail`: the commit, pull request or author that shows it. The branch may not be in the
 * repository: deleted, or pushed and not fetched yet.
 */
export type Claim =
  | {
      readonly sure: 'certain' | 'likely';
      readonly branch: BranchName;
      readonly evidence: Evidence;
      readonly detail?: string | undefined;
    }
  | { readonly sure: 'unknown' };

export interface ChangedFile {
  readonly status: 'added' | 'modified' | 'deleted' | 'renamed' | 'typeChanged';
  /** As Git has it, with `/`; below the repository's root. */
  readonly path: string;
  /** What a renamed file was called. */
  readonly oldPath?: string | undefined;
  /** Lines; `undefined` for a binary file. */
  readonly added: number | undefined;
  readonly removed: number | undefined;
}

/** What a branch changes, from where it left the default branch to its tip. */
export interface Changes {
  readonly branch: BranchName;
  readonly base: string;
  readonly tip: string;
  readonly files: readonly ChangedFile[];
  /** How many commits the default branch has gained since. */
  readonly behind: number;
  /**
   * `merged`: the default branch has all of it, also as one squashed or as rebased commits, whether the branch is still there or not.
   * `gone`: the branch was deleted; the rest is what was last known.
   */
  readonly state: 'open' | 'merged' | 'gone';
  /** It no longer holds the commit that was last known as its tip. */
  readonly isRewritten: boolean;
  /** From base to tip, the newest first; at most 500. */
  readonly commits: readonly Commit[];
}

export interface Commit {
  readonly hash: string;
  /** The first it came after; `undefined` for the first of all. */
  readonly parent: string | undefined;
  readonly subject: string;
  readonly author: string;
  readonly at: number;
}

/** How a branch is brought home: into a folder beside this one, instead of what is checked out here, or as changes on top of it. */
export type Way = 'worktree' | 'checkout' | 'apply';

/** What bringing would do; `bring` does just this or refuses. */
export interface Preview {
  readonly way: Way;
  readonly branch: BranchName;
  readonly tip: string;
  /** What is checked out now: a commit. */
  readonly head: string;
  /** A local branch of its name is made. */
  readonly isNew: boolean;
  /** Of the worktree; `undefined` for the other ways. */
  readonly folder: string | undefined;
  /** What changes in this folder's files; against the base in a worktree. */
  readonly files: readonly ChangedFile[];
  /** The tree or commit that the files become. */
  readonly result: string;
}
