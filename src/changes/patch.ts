import type { Git } from './git';
import type { Uncommitted } from './model';

/** What would be taken along; files are read without the repository's filters. */
export declare function uncommitted(git: Git, signal?: AbortSignal): Promise<Uncommitted>;

/**
 * A patch from the commit `base` to the files as they are, those of `untracked` included: `git apply` makes them of a clean checkout
 * of `base`, byte for byte. Neither index nor files are touched.
 */
export declare function patchOf(
  git: Git,
  base: string,
  untracked: readonly string[],
  signal?: AbortSignal,
): Promise<Buffer>;
