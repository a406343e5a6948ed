/** What an agent changed: words that the parts of this feature share. No VS Code here. Times are Unix ms. */

/** Something said in a session, the calls of tools and their results included. */
export interface Said {
  readonly text: string;
  readonly by: 'me' | 'agent' | undefined;
  readonly at?: number | undefined;
}

/** What is known of a session that its work can be found by. */
export interface SessionFacts {
  readonly sessionId: string;
  readonly createdAt?: number | undefined;
  /** When something last happened in it, as far as known. */
  readonly lastAt?: number | undefined;
  readonly said: readonly Said[];
  /** What was checked out in a folder of this window when a hook told that the agent had finished. */
  readonly stopped?: { readonly repository: string; readonly branch: string; readonly at: number } | undefined;
  /** The branch a person has named; it wins. */
  readonly named?: BranchName | undefined;
  /** What was last known of its branch: tells a deleted or rewritten one. */
  readonly last?: (BranchName & { readonly base: string; readonly tip: string }) | undefined;
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

/** What shows whose work a branch is, the strongest first. */
export type Evidence =
  | 'named'
  | 'branchInTranscript'
  | 'commitInTranscript'
  | 'pullRequestInTranscript'
  | 'sessionIdInBranch'
  | 'sessionIdInCommit'
  | 'coAuthor'
  | 'checkedOut';

/** Which branch holds a session's work. `detail`: the commit, pull request or author that shows it. */
export type Claim =
  | {
      readonly sure: 'certain' | 'likely';
      readonly branch: BranchName;
      readonly evidence: Evidence;
      readonly detail?: string | undefined;
      /** Others that are as likely, by name. */
      readonly others: readonly string[];
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
  /** Sums over the files. */
  readonly added: number;
  readonly removed: number;
  /** How many commits the default branch has gained since. */
  readonly behind: number;
  /** `merged`: the default branch has all of it, also as one squashed or as rebased commits. `gone`: the branch was deleted. */
  readonly state: 'open' | 'merged' | 'gone';
  /** It no longer holds the commit that was last known as its tip. */
  readonly isRewritten: boolean;
  /** When its remote was last fetched. */
  readonly fetchedAt: number | undefined;
}

export interface Commit {
  readonly hash: string;
  readonly subject: string;
  readonly author: string;
  readonly at: number;
}
