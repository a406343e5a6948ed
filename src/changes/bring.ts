import { mkdir, readdir, realpath, rm, rmdir } from 'node:fs/promises';
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { Formatter } from '../util/format';
import { oneLine } from '../util/text';
import { emptyTree, filesBetween } from './git/branches';
import {
  Git,
  GitError,
  isBranchName,
  isHash,
  lines,
  orNothing,
  records,
  statOf,
  withIndexAt,
  withoutPrograms,
} from './git/run';
import type { ChangedFile, Preview, Way } from './git/model';
import { listed } from './words';

/** The first that can merge without files. */
const NEEDED = '2.38';
/** In the folder of Git while something has begun and not ended. */
const BEGUN = ['MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'BISECT_LOG', 'rebase-merge', 'rebase-apply'];

/** Something is not done, and nothing has changed; the message is a sentence that says why. */
export class Refused extends Error {
  override readonly name = 'Refused';
  constructor(
    message: string,
    /** Where the branch is checked out. */
    readonly elsewhere?: string,
  ) {
    super(message);
  }
}

/** Does what the preview says. All is checked again first. What fails midway is put back as it was, and the error thrown. */
export async function bring(git: Git, preview: Preview, format: Formatter): Promise<void> {
  const now = await previewOf(git, preview, preview.way, format);
  const { way, tip, head, local, result } = now;
  if (head !== preview.head || local?.isNew !== preview.local?.isNew) throw moved();
  if (way === 'worktree') await addWorktree(git, now);
  else {
    const into = [local?.isNew ? '-b' : '-B', local?.name ?? ''];
    const checkout = ['checkout', '--quiet', '--no-overwrite-ignore', ...into, tip, '--'];
    try {
      await git.change(way === 'checkout' ? checkout : ['read-tree', '-m', '-u', head, result]);
    } catch (error) {
      await putBack(git, now);
      throw error;
    }
  }
  if (local?.isNew) await follow(git, now);
}

/**
 * Removes a worktree that `bring` has made, and its branch where a remote has all of it. Refuses where files are changed or
 * untracked, or where no branch holds its commits.
 */
export async function removeWorktree(git: Git, folder: string, format: Formatter): Promise<void> {
  const wanted = await realpath(folder);
  const [, ...added] = await worktrees(git);
  const worktree = added.find(other => isSame(other.folder, wanted));
  if (worktree === undefined)
    throw new Refused(vscode.l10n.t('{0} is not a worktree that can be removed.', oneLine(folder)));
  const { branch } = worktree;
  const there = new Git(git.program, worktree.folder);
  await refuseUnfinished(there, 'all', branch === undefined, format);
  const isPushed = Number(await there.read(['rev-list', '--count', 'HEAD', '--not', '--remotes'])) === 0;
  const tip = await hashOf(there, 'HEAD');
  await git.change(['worktree', 'remove', '--', worktree.folder]);
  if (branch !== undefined && isPushed) await forget(git, branch, tip);
}

const moved = (): Refused => new Refused(vscode.l10n.t('Something has changed meanwhile. Try again.'));

/**
 * What bringing a branch home would do; rejects with a `Refused` where it would not be done. Looks at everything that may be in the
 * way, and changes nothing.
 */
export async function previewOf(
  git: Git,
  { branch, tip, files }: Pick<Preview, 'branch' | 'tip' | 'files'>,
  way: Way,
  format: Formatter,
): Promise<Preview> {
  const { remote, name } = branch;
  const shown = oneLine(name, 80);
  const own = `refs/heads/${name}`;
  const isPossible = isBranchName(name) && isHash(tip);
  const [all, found, born] = await Promise.all([
    git.read(['for-each-ref', '--format=%(refname)', 'refs/heads']),
    isPossible ? hashOf(git, remote === undefined ? own : `refs/remotes/${remote}/${name}`) : '',
    hashOf(git, 'HEAD^{commit}'),
  ]);
  const head = born || (await emptyTree(git));
  if (found === '') throw new Refused(vscode.l10n.t('The branch is no longer here. Fetch, and try again.'));
  if (found !== tip) throw moved();
  const heads = lines(all);
  const isThere = heads.includes(own);
  const local = way === 'apply' ? undefined : { name, isNew: !isThere };
  const planned = { way, branch, tip, head, local, folder: undefined, files, result: tip };
  const taken = (other: string): Refused =>
    new Refused(vscode.l10n.t('Another branch here is called {0}.', oneLine(other, 80)));
  if (local !== undefined) {
    const similar = heads.find(other => other.startsWith(`${own}/`) || own.startsWith(`${other}/`));
    if (similar !== undefined) throw taken(similar.slice('refs/heads/'.length));
    const here = way === 'checkout' ? await realpath(git.folder) : '';
    const others = (await worktrees(git)).filter(other => !isSame(other.folder, here));
    const elsewhere = others.find(other => other.branch === name)?.folder;
    if (elsewhere !== undefined)
      throw new Refused(vscode.l10n.t('{0} is checked out in {1}.', shown, oneLine(elsewhere)), elsewhere);
  }
  if (way === 'worktree') {
    if (isThere && remote !== undefined) throw taken(name);
    const folder = folderFor(git.folder, name);
    if ((await kindOf(folder)) === undefined) return { ...planned, folder };
    throw new Refused(vscode.l10n.t('The folder {0} is there already.', oneLine(folder)));
  }
  const current = (await orNothing(git.read(['symbolic-ref', '--quiet', 'HEAD']))).toString().trim();
  await refuseUnfinished(git, 'no', way === 'checkout' && current === '', format);
  if (way === 'checkout' && isThere) {
    const count = Number(await git.read(['rev-list', '--count', `${tip}..${own}`, '--']));
    const number = format.number(count);
    if (count === 1)
      throw new Refused(vscode.l10n.t('Your branch {0} has a commit that this one has not.', shown));
    if (count > 0)
      throw new Refused(
        vscode.l10n.t('Your branch {0} has {1} commits that this one has not.', shown, number),
      );
  }
  const result = way === 'apply' && born !== '' ? await mergeOf(git, head, tip, format) : tip;
  const changed = await filesBetween(git, head, result);
  const isCurrent = way === 'apply' || (head === tip && current === own);
  if (changed.length === 0 && isCurrent)
    throw new Refused(vscode.l10n.t('Everything of it is here already.'));
  const blocked = listed(await inTheWay(git, changed), format);
  if (blocked !== '') throw new Refused(vscode.l10n.t('These untracked files are in the way: {0}', blocked));
  return { ...planned, files: changed, result };
}

/** Rejects where something of a person's would be lost: something begun, files that are changed, or commits where HEAD is no branch. */
async function refuseUnfinished(
  git: Git,
  untracked: 'no' | 'all',
  isAside: boolean,
  format: Formatter,
): Promise<void> {
  if (await isBusy(git))
    throw new Refused(vscode.l10n.t('A merge or rebase is under way. Finish or abort it first.'));
  const dirty = listed(await changedFiles(git, untracked), format);
  if (dirty !== '') throw new Refused(vscode.l10n.t('Commit or stash your changes first: {0}', dirty));
  const refs = ['--branches', '--remotes', '--tags'];
  const count = isAside ? Number(await git.read(['rev-list', '--count', 'HEAD', '--not', ...refs])) : 0;
  if (count === 0) return;
  const number = format.number(count);
  throw new Refused(vscode.l10n.t('No branch holds {0} of its commits. Push or merge them first.', number));
}

/** Of what a name stands for; empty where that is not here. */
async function hashOf(git: Git, name: string): Promise<string> {
  const args = ['rev-parse', '--quiet', '--verify', '--end-of-options', name];
  return (await orNothing(git.read(args))).toString().trim();
}

/** The tree of both merged; nothing but objects of Git is written. */
async function mergeOf(git: Git, head: string, tip: string, format: Formatter): Promise<string> {
  const [version = '0', major, minor] = /(\d+)\.(\d+)[\d.]*/.exec(String(await git.read(['version']))) ?? [];
  if (Number(major) * 100 + Number(minor) < 238) {
    const here = oneLine(version, 40);
    throw new Refused(vscode.l10n.t('This needs Git {0} or newer; here is {1}.', NEEDED, here));
  }
  const merge = ['-c', 'merge.renormalize=false', 'merge-tree', '--write-tree'];
  const form = ['--allow-unrelated-histories', '-z', '--name-only', '--no-messages'];
  try {
    const env = await withoutPrograms(git);
    return records(await git.read([...merge, ...form, head, tip], { env }))[0] ?? '';
  } catch (error) {
    if (!(error instanceof GitError) || error.code !== 1) throw error;
    const files = listed([...new Set(records(error.output).slice(1))], format);
    throw new Refused(vscode.l10n.t('It conflicts with your commits in {0}. Merge it in a worktree.', files));
  }
}

/** Paths of files that are changed against HEAD; read without the repository's filters. */
async function changedFiles(git: Git, untracked: 'no' | 'all'): Promise<readonly string[]> {
  const env = await withoutPrograms(git);
  const args = ['status', '--porcelain', '-z', '--no-renames', '--ignore-submodules=dirty'];
  const output = await git.read([...args, `--untracked-files=${untracked}`], { env });
  return records(output).map(record => record.slice('XY '.length));
}

/** What is not tracked, ignored files and the files of submodules too, where the change puts some of its own. */
async function inTheWay(git: Git, files: readonly ChangedFile[]): Promise<readonly string[]> {
  const leaving = new Set(
    files.map(({ status, path: at, oldPath }) => (status === 'added' ? undefined : (oldPath ?? at))),
  );
  const found = new Set<string>();
  for (const { status, path: file } of files) {
    if (status === 'typeChanged') {
      const full = path.join(git.folder, file);
      if ((await kindOf(full)) === 'folder' && (await readdir(full)).length > 0) found.add(file);
    }
    if (!isNew(status)) continue;
    const parts = file.split('/');
    const above = parts.map((_, n) => parts.slice(0, n + 1).join('/'));
    for (const part of above) {
      const kind = await kindOf(path.join(git.folder, part));
      if (kind === 'other' && !leaving.has(part)) found.add(part);
      if (kind !== 'folder') break;
      if (part !== file) continue;
      const others = await git.read(['ls-files', '-z', '--others', '--', part]);
      for (const other of records(others)) found.add(other);
    }
  }
  return [...found];
}

/** After a change that ended midway: takes back what Git has written; the index still says what was there. */
async function putBack(git: Git, { files, result }: Preview): Promise<void> {
  const written = await asIn(git, result, new Set(files.map(file => file.path)));
  for (const { status, path: file } of files) {
    if (!isNew(status) || !written.has(file)) continue;
    await rm(path.join(git.folder, file));
    for (let parent = path.dirname(file); parent !== '.'; parent = path.dirname(parent))
      if (!(await removeEmpty(path.join(git.folder, parent)))) break;
  }
  let input = '';
  for (const { status, path: now, oldPath: file = now } of files) {
    if (status === 'added') continue;
    if (written.has(file) || (await kindOf(path.join(git.folder, file))) === undefined) input += `${file}\0`;
  }
  if (input !== '') await git.change(['checkout-index', '--force', '--index', '-z', '--stdin'], { input });
}

/** Those of the files that are just as a tree has them: what a person has written meanwhile is not. */
async function asIn(git: Git, tree: string, files: ReadonlySet<string>): Promise<ReadonlySet<string>> {
  const name = (entry: string): string => entry.slice(entry.indexOf('\t') + 1);
  const all = records(await git.read(['ls-tree', '-r', '-z', '--full-tree', tree]));
  const entries = all.filter(entry => files.has(name(entry)));
  const input = entries.map(entry => `${entry}\0`).join('');
  return withIndexAt(async index => {
    const env = { GIT_INDEX_FILE: index };
    await git.change(['update-index', '-z', '--index-info'], { env, input });
    await orNothing(git.change(['update-index', '-q', '--refresh'], { env }));
    const others = new Set(records(await git.read(['diff-files', '-z', '--name-only'], { env })));
    return new Set(entries.map(name).filter(file => !others.has(file)));
  });
}

/** Folder and branch are made here first: what is taken away again is nobody else's. */
async function addWorktree(git: Git, { tip, local, folder = '' }: Preview): Promise<void> {
  const name = local?.name ?? '';
  const ref = `refs/heads/${name}`;
  await mkdir(folder);
  const there = await realpath(folder);
  let isMade = false;
  try {
    if (local?.isNew) {
      await git.change(['update-ref', ref, tip, '']);
      isMade = true;
    }
    await git.change(['worktree', 'add', '--quiet', '--no-checkout', '--', there, name]);
    await new Git(git.program, there).change(['reset', '--quiet', '--hard']);
  } catch (error) {
    if ((await worktrees(git)).some(other => isSame(other.folder, there)))
      await git.change(['worktree', 'remove', '--force', '--', there]);
    await removeEmpty(there);
    if (isMade) await git.change(['update-ref', '-d', ref, tip]);
    throw error;
  }
}

/** The new branch follows the one it was made from. */
async function follow(git: Git, { branch: { remote }, local }: Preview): Promise<void> {
  if (remote === undefined || local === undefined) return;
  await git.change(['config', '--', `branch.${local.name}.remote`, remote]);
  await git.change(['config', '--', `branch.${local.name}.merge`, `refs/heads/${local.name}`]);
}

/** Takes away a branch that follows one of its own name; a remote has all its commits. */
async function forget(git: Git, name: string, tip: string): Promise<void> {
  const merge = await orNothing(git.read(['config', `branch.${name}.merge`]));
  if (merge.toString().trim() !== `refs/heads/${name}`) return;
  await git.change(['update-ref', '-d', `refs/heads/${name}`, tip]);
  await git.change(['config', '--remove-section', `branch.${name}`]);
}

/** The main one first. An older Git ends them with no NUL. */
async function worktrees(git: Git) {
  const output = (await git.read(['worktree', 'list', '--porcelain'])).toString('utf8');
  return output.split('\n\n').flatMap(entry => {
    const [, folder] = /^worktree ([^\n]*)/m.exec(entry) ?? [];
    const [, branch] = /^branch refs\/heads\/([^\n]*)/m.exec(entry) ?? [];
    return folder === undefined ? [] : [{ folder, branch }];
  });
}

async function isBusy(git: Git): Promise<boolean> {
  const [folder = ''] = lines(await git.read(['rev-parse', '--absolute-git-dir']));
  const kinds = await Promise.all(BEGUN.map(name => kindOf(path.join(folder, name))));
  return kinds.some(kind => kind !== undefined);
}

/** Beside the repository, named after both; a file system takes only so many bytes. */
function folderFor(repository: string, name: string): string {
  const [words = ''] = /^.{0,40}/su.exec(name.replace(/[^\p{L}\p{N}._-]+/gu, '-')) ?? [];
  return path.join(path.dirname(repository), `${path.basename(repository)}-${words.replace(/\.+$/, '')}`);
}

const isNew = (status: ChangedFile['status']): boolean => status === 'added' || status === 'renamed';

/** Whether two folders are one; Windows minds neither case nor kind of slash. */
const isSame = (a: string, b: string): boolean => path.relative(a, b) === '';

async function kindOf(file: string): Promise<'folder' | 'other' | undefined> {
  const found = await statOf(file);
  return found && (found.isDirectory() ? 'folder' : 'other');
}

/** `false` where something is in it, or it is gone. */
function removeEmpty(folder: string): Promise<boolean> {
  return rmdir(folder).then(
    () => true,
    () => false,
  );
}
