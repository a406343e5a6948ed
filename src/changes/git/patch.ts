import { copyFile, stat, utimes } from 'node:fs/promises';
import * as path from 'node:path';
import { filesIn, PLAIN, RENAMES } from './changes';
import {
  GitError,
  isHash,
  lines,
  orNothing,
  records,
  statOf,
  withIndexAt,
  withoutPrograms,
  type Git,
} from './run';
import type { Uncommitted } from './model';

/** Between a commit and the files as they are; a submodule by its commit alone. */
const DIFFERENCE = ['diff-index', '--ignore-submodules=dirty', ...PLAIN];

/** What would be taken along of the folder, the root of a repository. Files are read without the repository's filters. */
export async function uncommitted(git: Git, signal?: AbortSignal): Promise<Uncommitted> {
  const parsed = orNothing(git.read(['rev-parse', '--quiet', '--verify', 'HEAD^{commit}'], { signal }));
  const [head] = lines(await parsed);
  const base = head === undefined ? undefined : await pushedBase(git, head, signal);
  const from = base ?? head;
  const others = await git.read(['ls-files', '-z', '--others', '--exclude-standard'], { signal });
  const sized = records(others).map(async (file): Promise<Uncommitted['untracked']> => {
    const found = await statOf(path.join(git.folder, file));
    // Another repository in this one, gone meanwhile, or a name that is no UTF-8.
    return found === undefined || found.isDirectory() ? [] : [{ path: file, size: found.size }];
  });
  const untracked = (await Promise.all(sized)).flat();
  const form = ['-z', '--raw', '--numstat', ...RENAMES];
  const compare = (env: Record<string, string>): Promise<Buffer> =>
    git.read([...DIFFERENCE, ...form, from ?? '', '--'], { env, signal });
  const files = from === undefined ? [] : filesIn(await withIndex(git, [], signal, compare));
  return {
    ...{ head, base, isPushed: base !== undefined && base === head },
    ...{ files, untracked },
  };
}

/**
 * A patch from the commit `base` to the files as they are, those of `untracked` included: `git apply` makes them of a clean checkout
 * of `base`, byte for byte. Neither index nor files are touched.
 */
export function patchOf(
  git: Git,
  base: string,
  untracked: readonly string[],
  signal?: AbortSignal,
): Promise<Buffer> {
  if (!isHash(base)) throw new GitError('This is no commit.', undefined);
  const form = ['-p', '--binary', '--full-index', '--no-renames', '--src-prefix=a/', '--dst-prefix=b/'];
  return withIndex(git, untracked, signal, env =>
    git.read([...DIFFERENCE, ...form, base, '--'], { env, signal }),
  );
}

/** The newest commit on the way back from `head` that a remote has. */
async function pushedBase(git: Git, head: string, signal?: AbortSignal): Promise<string | undefined> {
  const args = ['rev-list', '--first-parent', '--parents', head, '--not', '--remotes'];
  const path = lines(await git.read(args, { signal }));
  // The first parent of the last one that no remote has; the first commit of all has none.
  return path.length === 0 ? head : path.at(-1)?.split(' ')[1];
}

/** Works with a copy of the index that knows `untracked`, too, and files in conflict as they are. */
async function withIndex<T>(
  git: Git,
  untracked: readonly string[],
  signal: AbortSignal | undefined,
  work: (env: Record<string, string>) => Promise<T>,
): Promise<T> {
  return withIndexAt(async index => {
    const [own = ''] = lines(await git.read(['rev-parse', '--git-path', 'index'], { signal }));
    const original = path.resolve(git.folder, own);
    await copyFile(original, index);
    // By its time Git knows which files may have changed in the same moment: those it reads.
    const seconds = Math.floor((await stat(original)).mtimeMs / 1000);
    await utimes(index, seconds, seconds);
    const env = { ...(await withoutPrograms(git, signal)), GIT_INDEX_FILE: index };
    const read = (args: readonly string[], input = ''): Promise<Buffer> =>
      git.read(args, { env, input, signal });
    const unmerged = records(await read(['ls-files', '-z', '--unmerged']));
    const conflicts = [...new Set(unmerged.map(line => line.slice(line.indexOf('\t') + 1)))];
    const list = (files: readonly string[]): string => files.map(file => `${file}\0`).join('');
    if (conflicts.length > 0)
      await read(['update-index', '-z', '--force-remove', '--stdin'], list(conflicts));
    const present: string[] = [];
    for (const file of [...untracked, ...conflicts])
      if ((await statOf(path.join(git.folder, file)))?.isDirectory() === false) present.push(file);
    const add = ['add', '--force', '--intent-to-add', '--pathspec-from-file=-', '--pathspec-file-nul'];
    if (present.length > 0) await read(add, list(present));
    // What only looks changed is not; it ends with 1 where something is.
    await orNothing(read(['update-index', '-q', '--ignore-submodules', '--refresh']));
    return work(env);
  });
}
