import { copyFile, lstat, mkdtemp, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { ifThere } from '../../util/files';
import { commitOf, filesIn, PLAIN, RENAMES } from './branches';
import { GitError, isHash, lines, orNothing, records, withoutPrograms, type Git } from './run';
import type { ChangedFile } from './model';

/** What is not committed, or not pushed, in a folder. */
interface Uncommitted {
  /** `undefined` before the first commit. */
  readonly head: string | undefined;
  /** The newest commit of its history that a remote has; `undefined` where none is known to have any. */
  readonly base: string | undefined;
  /** What tracked files differ in from `base`, or from `head` without one. */
  readonly files: readonly ChangedFile[];
  /** Neither tracked nor ignored; sizes in bytes. */
  readonly untracked: readonly { readonly path: string; readonly size: number }[];
}

/** Between a commit and the files as they are; a submodule by its commit alone. */
const DIFFERENCE = ['diff-index', '--ignore-submodules=dirty', ...PLAIN];

/** What would be taken along of the folder, the root of a repository. Files are read without the repository's filters. */
export async function uncommitted(git: Git): Promise<Uncommitted> {
  const head = (await commitOf(git, 'HEAD')) || undefined;
  const base = head === undefined ? undefined : await pushedBase(git, head);
  const from = base ?? head;
  const others = records(await git.read(['ls-files', '-z', '--others', '--exclude-standard']));
  const sized = others.map(async (file): Promise<Uncommitted['untracked']> => {
    const found = await ifThere(lstat(path.join(git.folder, file)));
    // Another repository in this one, gone meanwhile, or a name that is no UTF-8.
    return found === undefined || found.isDirectory() ? [] : [{ path: file, size: found.size }];
  });
  const untracked = (await Promise.all(sized)).flat();
  const form = ['-z', '--raw', '--numstat', ...RENAMES];
  const files = from === undefined ? [] : filesIn(await difference(git, form, from, []));
  return { head, base, files, untracked };
}

/**
 * A patch from the commit `base` to the files as they are, those of `untracked` included: `git apply` makes them of a clean checkout
 * of `base`, byte for byte. Neither index nor files are touched.
 */
export async function patchOf(git: Git, base: string, untracked: readonly string[]): Promise<Buffer> {
  if (!isHash(base)) throw new GitError('This is no commit.', undefined);
  const form = ['-p', '--binary', '--full-index', '--no-renames', '--src-prefix=a/', '--dst-prefix=b/'];
  return difference(git, form, base, untracked);
}

/** The newest commit on the way back from `head` that a remote has. */
async function pushedBase(git: Git, head: string): Promise<string | undefined> {
  const args = ['rev-list', '--first-parent', '--parents', head, '--not', '--remotes'];
  const path = lines(await git.read(args));
  // The first parent of the last one that no remote has; the first commit of all has none.
  return path.length === 0 ? head : path.at(-1)?.split(' ')[1];
}

/** Compares by a copy of the index that knows `untracked`, too, and files in conflict as they are. */
async function difference(
  git: Git,
  form: readonly string[],
  base: string,
  untracked: readonly string[],
): Promise<Buffer> {
  const programs = await withoutPrograms(git);
  const folder = await mkdtemp(path.join(tmpdir(), 'agent-console-index-'));
  try {
    const index = path.join(folder, 'index');
    const [own = ''] = lines(await git.read(['rev-parse', '--git-path', 'index']));
    const original = path.resolve(git.folder, own);
    await copyFile(original, index);
    // By its time Git knows which files may have changed in the same moment: those it reads.
    const seconds = Math.floor((await stat(original)).mtimeMs / 1000);
    await utimes(index, seconds, seconds);
    const read = (args: readonly string[], files: readonly string[] = []): Promise<Buffer> => {
      const input = files.map(file => `${file}\0`).join('');
      return git.read(args, { env: { ...programs, GIT_INDEX_FILE: index }, input });
    };
    const unmerged = records(await read(['ls-files', '-z', '--unmerged']));
    const conflicts = [...new Set(unmerged.map(line => line.slice(line.indexOf('\t') + 1)))];
    await read(['update-index', '-z', '--force-remove', '--stdin'], conflicts);
    const present: string[] = [];
    for (const file of [...untracked, ...conflicts])
      if ((await ifThere(lstat(path.join(git.folder, file))))?.isDirectory() === false) present.push(file);
    const add = ['add', '--force', '--intent-to-add', '--pathspec-from-file=-', '--pathspec-file-nul'];
    if (present.length > 0) await read(add, present);
    // What only looks changed is not; it ends with 1 where something is.
    await orNothing(read(['update-index', '-q', '--ignore-submodules', '--refresh']));
    return await read([...DIFFERENCE, ...form, base, '--']);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
