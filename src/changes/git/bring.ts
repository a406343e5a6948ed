import { lstat, realpath, rm, rmdir } from 'node:fs/promises';
import * as path from 'node:path';
import { filesBetween } from './changes';
import { Git, GitError, isBranchName, isHash, lines, orNothing, records, withoutPrograms } from './run';
import type { ChangedFile, Changes, Preview, Refusal, Way } from './model';

/** The first that can merge without files. */
const NEEDED = '2.38';
/** In the folder of Git while something has begun and not ended. */
const BEGUN = ['MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'BISECT_LOG', 'rebase-merge', 'rebase-apply'];

/** What bringing a branch home would do, or why it would not be done. Changes nothing. */
export function previewOf(
  git: Git,
  changes: Changes,
  way: Way,
  signal?: AbortSignal,
): Promise<Preview | Refusal> {
  return plan(git, { ...changes, way }, signal);
}

/**
 * Does what the preview says; resolves with nothing when it is done. All is checked again first. Until files change, `signal` ends it;
 * a worktree that is cancelled is taken away again. What fails midway is put back as it was, and the error thrown.
 */
export async function bring(git: Git, preview: Preview, signal?: AbortSignal): Promise<Refusal | undefined> {
  const now = await plan(git, preview, signal);
  if ('refused' in now) return now;
  const { way, tip, head, local, result } = now;
  if (head !== preview.head || local?.isNew !== preview.local?.isNew) return { refused: 'moved' };
  signal?.throwIfAborted();
  if (way === 'worktree') await addWorktree(git, now, signal);
  else {
    const checkout = ['checkout', '--quiet', '--no-overwrite-ignore', '-B', local?.name ?? '', tip, '--'];
    const apply = ['read-tree', '-m', '-u', head, result];
    try {
      await git.change(way === 'checkout' ? checkout : apply);
    } catch (error) {
      await putBack(git, now.files);
      throw error;
    }
  }
  if (local?.isNew) await follow(git, now);
  return undefined;
}

/**
 * Removes a worktree that `bring` has made, and its branch where a remote has all of it. Refuses where files are changed or
 * untracked, or where no branch holds its commits.
 */
export async function removeWorktree(git: Git, folder: string): Promise<Refusal | undefined> {
  const wanted = await realpath(folder);
  const [, ...added] = await worktrees(git);
  const worktree = added.find(other => path.resolve(other.folder) === wanted);
  if (worktree === undefined) return { refused: 'gone' };
  const there = new Git(git.program, worktree.folder);
  if (await isBusy(there)) return { refused: 'busy' };
  const files = await changedFiles(there, 'all');
  if (files.length > 0) return { refused: 'dirty', files };
  const count = worktree.branch === undefined ? await unsavedIn(there) : 0;
  if (count > 0) return { refused: 'unsaved', count };
  const isPushed = Number(await there.read(['rev-list', '--count', 'HEAD', '--not', '--remotes'])) === 0;
  const [tip = ''] = lines(await there.read(['rev-parse', 'HEAD']));
  await git.change(['worktree', 'remove', '--', worktree.folder]);
  if (worktree.branch !== undefined && isPushed) await forget(git, worktree.branch, tip);
  return undefined;
}

interface Plan extends Preview {
  /** The tree or commit that the files become. */
  readonly result: string;
}

type Wanted = Pick<Preview, 'way' | 'branch' | 'tip' | 'files'>;

/** Looks at everything that may be in the way. */
async function plan(
  git: Git,
  { way, branch, tip, files }: Wanted,
  signal?: AbortSignal,
): Promise<Plan | Refusal> {
  const { remote, name } = branch;
  const ref = remote === undefined ? `refs/heads/${name}` : `refs/remotes/${remote}/${name}`;
  if (!isBranchName(name) || !isHash(tip)) return { refused: 'gone' };
  const [heads, found, head = ''] = await Promise.all([
    git.read(['for-each-ref', '--format=%(refname)', 'refs/heads'], { signal }),
    orNothing(git.read(['rev-parse', '--quiet', '--verify', '--end-of-options', ref], { signal })),
    git.read(['rev-parse', 'HEAD^{commit}'], { signal }).then(output => lines(output)[0]),
  ]);
  if (found.length === 0) return { refused: 'gone' };
  if (found.toString().trim() !== tip) return { refused: 'moved' };
  const own = `refs/heads/${name}`;
  const isThere = lines(heads).includes(own);
  const similar = lines(heads).find(other => other.startsWith(`${own}/`) || own.startsWith(`${other}/`));
  const local = way === 'apply' ? undefined : { name, isNew: !isThere };
  const planned = { way, branch, tip, head, local, folder: undefined, files, result: tip };
  if (local !== undefined) {
    if (similar !== undefined) return { refused: 'branchExists', name: similar.slice('refs/heads/'.length) };
    const all = await worktrees(git, signal);
    const here = way === 'checkout' ? await realpath(git.folder) : undefined;
    const elsewhere = all.find(other => other.branch === name && path.resolve(other.folder) !== here);
    if (elsewhere !== undefined) return { refused: 'checkedOutElsewhere', name, folder: elsewhere.folder };
  }
  if (way === 'worktree') {
    if (isThere && remote !== undefined) return { refused: 'branchExists', name };
    const folder = folderFor(git.folder, name);
    return (await kindOf(folder)) === undefined
      ? { ...planned, folder }
      : { refused: 'folderExists', folder };
  }
  if (await isBusy(git, signal)) return { refused: 'busy' };
  const dirty = await changedFiles(git, 'no', signal);
  if (dirty.length > 0) return { refused: 'dirty', files: dirty };
  const symbolic = await orNothing(git.read(['symbolic-ref', '--quiet', 'HEAD'], { signal }));
  const current = symbolic.toString().trim();
  const unsaved = way === 'checkout' && current === '' ? await unsavedIn(git, signal) : 0;
  if (unsaved > 0) return { refused: 'unsaved', count: unsaved };
  if (way === 'checkout' && isThere) {
    const args = ['rev-list', '--count', `${tip}..${own}`, '--'];
    const count = Number(await git.read(args, { signal }));
    if (count > 0) return { refused: 'otherCommits', name, count };
  }
  const result = way === 'apply' ? await mergeOf(git, head, tip, signal) : tip;
  if (typeof result !== 'string') return result;
  const changed = await filesBetween(git, head, result, signal);
  if (changed.length === 0 && (way === 'apply' || (head === tip && current === own)))
    return { refused: 'nothing' };
  const blocked = await inTheWay(git, changed, signal);
  if (blocked.length > 0) return { refused: 'inTheWay', files: blocked };
  return { ...planned, files: changed, result };
}

/** The tree of both merged; nothing but objects of Git is written. */
async function mergeOf(git: Git, head: string, tip: string, signal?: AbortSignal): Promise<string | Refusal> {
  const [, version = '0'] =
    /(\d+\.\d+[\d.]*)/.exec((await git.read(['version'], { signal })).toString()) ?? [];
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major * 100 + minor < 238) return { refused: 'gitTooOld', version, needed: NEEDED };
  const plain = [
    '-c',
    'merge.renormalize=false',
    'merge-tree',
    '--write-tree',
    '-z',
    '--name-only',
    '--no-messages',
  ];
  try {
    const env = await withoutPrograms(git, signal);
    return records(await git.read([...plain, head, tip], { env, signal }))[0] ?? '';
  } catch (error) {
    if (!(error instanceof GitError) || error.code !== 1) throw error;
    const [, ...files] = records(error.output);
    return { refused: 'conflicts', files: [...new Set(files)] };
  }
}

/** Paths of files that are changed against HEAD; read without the repository's filters. */
async function changedFiles(
  git: Git,
  untracked: 'no' | 'all',
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const env = await withoutPrograms(git, signal);
  const args = ['status', '--porcelain', '-z', '--no-renames', '--ignore-submodules=dirty'];
  const output = await git.read([...args, `--untracked-files=${untracked}`], { env, signal });
  return records(output).map(record => record.slice('XY '.length));
}

/** Files that are not tracked, ignored ones too, where the change puts some of its own. */
async function inTheWay(
  git: Git,
  files: readonly ChangedFile[],
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const leaving = new Set(
    files.map(({ status, path: at, oldPath }) => (status === 'added' ? undefined : (oldPath ?? at))),
  );
  const found = new Set<string>();
  for (const { status, path: file } of files) {
    if (status !== 'added' && status !== 'renamed') continue;
    const parts = file.split('/');
    const above = parts.map((_, n) => parts.slice(0, n + 1).join('/'));
    for (const part of above) {
      const kind = await kindOf(path.join(git.folder, part));
      if (kind === 'other' && !leaving.has(part)) found.add(part);
      if (kind !== 'folder') break;
      if (part !== file) continue;
      const others = await git.read(['ls-files', '-z', '--others', '--', part], { signal });
      for (const other of records(others)) found.add(other);
    }
  }
  return [...found];
}

/** After a change that ended midway: the index still says what the files were. */
async function putBack(git: Git, files: readonly ChangedFile[]): Promise<void> {
  for (const { status, path: file } of files) {
    if (status !== 'added' && status !== 'renamed') continue;
    if ((await kindOf(path.join(git.folder, file))) === 'other') await rm(path.join(git.folder, file));
    for (let parent = path.dirname(file); parent !== '.'; parent = path.dirname(parent))
      if (!(await removeEmpty(path.join(git.folder, parent)))) break;
  }
  const before = files.flatMap(({ status, path: file, oldPath }) =>
    status === 'added' ? [] : [oldPath ?? file],
  );
  const input = before.map(file => `${file}\0`).join('');
  await git.change(['checkout-index', '--force', '--index', '-z', '--stdin'], { input });
}

async function addWorktree(git: Git, { tip, local, folder = '' }: Plan, signal?: AbortSignal): Promise<void> {
  const name = local?.name ?? '';
  try {
    const start = local?.isNew ? ['-b', name, '--', folder, tip] : ['--', folder, name];
    await git.change(['worktree', 'add', '--quiet', '--no-checkout', ...start], { signal });
    await new Git(git.program, folder).change(['reset', '--quiet', '--hard'], { signal });
  } catch (error) {
    const isListed = (await worktrees(git)).some(
      other => path.resolve(other.folder) === path.resolve(folder),
    );
    if (isListed) await git.change(['worktree', 'remove', '--force', '--', folder]);
    await rm(folder, { recursive: true, force: true });
    if (local?.isNew) await git.change(['update-ref', '-d', `refs/heads/${name}`]);
    throw error;
  }
}

/** The new branch follows the one it was made from. */
async function follow(git: Git, { branch: { remote }, local }: Plan): Promise<void> {
  if (remote === undefined || local === undefined) return;
  await git.change(['config', `branch.${local.name}.remote`, remote]);
  await git.change(['config', `branch.${local.name}.merge`, `refs/heads/${local.name}`]);
}

/** Takes away a branch that follows one of its own name; a remote has all its commits. */
async function forget(git: Git, name: string, tip: string): Promise<void> {
  const merge = await orNothing(git.read(['config', `branch.${name}.merge`]));
  if (merge.toString().trim() !== `refs/heads/${name}`) return;
  await git.change(['update-ref', '-d', `refs/heads/${name}`, tip]);
  await git.change(['config', '--remove-section', `branch.${name}`]);
}

interface Worktree {
  readonly folder: string;
  readonly branch: string | undefined;
}

/** The main one first. */
async function worktrees(git: Git, signal?: AbortSignal): Promise<readonly Worktree[]> {
  const output = (await git.read(['worktree', 'list', '--porcelain', '-z'], { signal })).toString('utf8');
  return output.split('\0\0').flatMap(entry => {
    const fields = entry.split('\0');
    const value = (key: string): string | undefined =>
      fields.find(field => field.startsWith(`${key} `))?.slice(key.length + 1);
    const folder = value('worktree');
    return folder === undefined ? [] : [{ folder, branch: value('branch')?.slice('refs/heads/'.length) }];
  });
}

/** How many commits would be lost with a HEAD that is no branch. */
async function unsavedIn(git: Git, signal?: AbortSignal): Promise<number> {
  const refs = ['--branches', '--remotes', '--tags'];
  return Number(await git.read(['rev-list', '--count', 'HEAD', '--not', ...refs], { signal }));
}

async function isBusy(git: Git, signal?: AbortSignal): Promise<boolean> {
  const [folder = ''] = lines(await git.read(['rev-parse', '--absolute-git-dir'], { signal }));
  const kinds = await Promise.all(BEGUN.map(name => kindOf(path.join(folder, name))));
  return kinds.some(kind => kind !== undefined);
}

/** Beside the repository, named after both. */
function folderFor(repository: string, name: string): string {
  const words = name.replace(/[^\p{L}\p{N}._-]+/gu, '-').replace(/[.]+$/, '');
  return path.join(path.dirname(repository), `${path.basename(repository)}-${words}`);
}

async function kindOf(file: string): Promise<'folder' | 'other' | undefined> {
  try {
    return (await lstat(file)).isDirectory() ? 'folder' : 'other';
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(String((error as NodeJS.ErrnoException).code))) return undefined;
    throw error;
  }
}

/** `false` where something is in it. */
async function removeEmpty(folder: string): Promise<boolean> {
  try {
    await rmdir(folder);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return true;
    if (code === 'ENOTEMPTY' || code === 'EEXIST') return false;
    throw error;
  }
}
