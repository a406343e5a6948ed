import type { Git } from './git';
import type { Changes, Preview, Refusal, Way } from './model';

/** What bringing a branch home would do, or why it would not be done. Changes nothing. */
export declare function previewOf(
  git: Git,
  changes: Changes,
  way: Way,
  signal?: AbortSignal,
): Promise<Preview | Refusal>;

/**
 * Does what the preview says; resolves with nothing when it is done. All is checked again first. Until files change, `signal` ends it;
 * a worktree that is cancelled is taken away again. What fails midway is put back as it was, and the error thrown.
 */
export declare function bring(git: Git, preview: Preview, signal?: AbortSignal): Promise<Refusal | undefined>;

/**
 * Removes a worktree that `bring` has made, and its branch where a remote has all of it. Refuses where files are changed or
 * untracked, or where no branch holds its commits.
 */
export declare function removeWorktree(git: Git, folder: string): Promise<Refusal | undefined>;
