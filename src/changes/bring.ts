import { lstat, readdir, realpath } from 'node:fs/promises';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { format } from '../ui/text';
import { ifThere } from '../util/files';
import { oneLine } from '../util/text';
import { commitOf, emptyTree, filesBetween } from './git/branches';
import { Git, GitError, isBranchName, isHash, lines, orNothing, records, withoutPrograms } from './git/run';
import type { ChangedFile, Preview, Way } from './git/model';
import { listed } from './words';

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

/** Does what the preview says. All is checked again first. */
export async function bring(git: Git, preview: Preview): Promise<void> {
  const now = await previewOf(git, preview, preview.way);
  const { way, branch, tip, head, isNew, folder = '', result } = now;
  if (head !== preview.head || isNew !== preview.isNew) throw moved();
  if (way === 'apply') {
    await git.change(['read-tree', '-m', '-u', head, result]);
    return;
  }
  const { remote, name } = branch;
  const from = `refs/remotes/${remote}/${name}`;
  if (isNew) await git.change(['branch', '--quiet', '--track', '--', name, from]);
  try {
    const add = ['worktree', 'add', '--quiet', '--', folder, name];
    const checkout = ['checkout', '--quiet', '--no-overwrite-ignore', '-B', name, tip, '--'];
    await git.change(way === 'worktree' ? add : checkout);
  } catch (error) {
    if (isNew) await git.change(['branch', '--quiet', '-D', '--', name]);
    throw error;
  }
}

/**
 * Removes a worktree, and its branch where it follows one of its name that has all of it. Refuses where files are changed or
 * untracked, or where no branch holds its commits.
 */
export async function removeWorktree(git: Git, folder: string): Promise<void> {
  const wanted = await realpath(folder);
  const [, ...added] = await worktrees(git);
  const worktree = added.find(other => isSame(other.folder, wanted));
  if (worktree === undefined)
    throw new Refused(vscode.l10n.t('{0} is not a worktree that can be removed.', oneLine(folder)));
  const { branch } = worktree;
  const there = new Git(git.program, worktree.folder);
  await refuseUnfinished(there, 'all', branch === undefined);
  await git.change(['worktree', 'remove', '--', worktree.folder]);
  if (branch === undefined) return;
  const form = '--format=%(upstream:lstrip=3)';
  const [followed] = lines(await git.read(['for-each-ref', form, `refs/heads/${branch}`]));
  if (followed === branch) await orNothing(git.change(['branch', '--quiet', '-d', '--', branch]));
}

const moved = (): Refused => new Refused(vscode.l10n.t('Something has changed in the meantime. Try again.'));

/**
 * What bringing a branch home would do; rejects with a `Refused` where it would not be done. Looks at everything that may be in the
 * way, and changes nothing.
 */
export async function previewOf(
  git: Git,
  { branch, tip, files }: Pick<Preview, 'branch' | 'tip' | 'files'>,
  way: Way,
): Promise<Preview> {
  const { remote, name } = branch;
  const shown = oneLine(name, 80);
  const own = `refs/heads/${name}`;
  const isPossible = isBranchName(name) && isHash(tip);
  const [ownTip, found, born] = await Promise.all([
    isPossible ? commitOf(git, own) : '',
    isPossible ? commitOf(git, remote === undefined ? own : `refs/remotes/${remote}/${name}`) : '',
    commitOf(git, 'HEAD'),
  ]);
  const head = born || (await emptyTree(git));
  if (found === '') throw new Refused(vscode.l10n.t('The branch is no longer here. Fetch, and try again.'));
  if (found !== tip) throw moved();
  const isThere = ownTip !== '';
  const isNew = way !== 'apply' && !isThere;
  const planned = { way, branch, tip, head, isNew, folder: undefined, files, result: tip };
  if (way !== 'apply') {
    const here = way === 'checkout' ? await realpath(git.folder) : '';
    const others = (await worktrees(git)).filter(other => !isSame(other.folder, here));
    const elsewhere = others.find(other => other.branch === name)?.folder;
    if (elsewhere !== undefined)
      throw new Refused(vscode.l10n.t('{0} is checked out in {1}.', shown, oneLine(elsewhere)), elsewhere);
  }
  if (way === 'worktree') {
    if (isThere && remote !== undefined && ownTip !== tip)
      throw new Refused(vscode.l10n.t('Another branch here is called {0}.', shown));
    const folder = folderFor(git.folder, name);
    if ((await kindOf(folder)) === undefined) return { ...planned, folder };
    throw new Refused(vscode.l10n.t('The folder {0} already exists.', oneLine(folder)));
  }
  const current = (await orNothing(git.read(['symbolic-ref', '--quiet', 'HEAD']))).toString().trim();
  await refuseUnfinished(git, 'no', way === 'checkout' && current === '');
  if (way === 'checkout' && isThere) {
    const count = Number(await git.read(['rev-list', '--count', `${tip}..${own}`, '--']));
    if (count > 0)
      throw new Refused(vscode.l10n.t('Your branch {0} has commits that this one does not have.', shown));
  }
  const result = way === 'apply' && born !== '' ? await mergeOf(git, head, tip) : tip;
  const changed = await filesBetween(git, head, result);
  const isCurrent = way === 'apply' || (head === tip && current === own);
  if (changed.length === 0 && isCurrent)
    throw new Refused(vscode.l10n.t('All of its changes are already here.'));
  const blocked = listed(await inTheWay(git, changed));
  if (blocked !== '') throw new Refused(vscode.l10n.t('These untracked files are in the way: {0}', blocked));
  return { ...planned, files: changed, result };
}

/** Rejects where something of a person's would be lost: something begun, files that are changed, or commits where HEAD is no branch. */
async function refuseUnfinished(git: Git, untracked: 'no' | 'all', isAside: boolean): Promise<void> {
  if (await isBusy(git))
    throw new Refused(vscode.l10n.t('A merge or rebase is under way. Finish or abort it first.'));
  const dirty = listed(await changedFiles(git, untracked));
  if (dirty !== '') throw new Refused(vscode.l10n.t('Commit or stash your changes first: {0}', dirty));
  const refs = ['--branches', '--remotes', '--tags'];
  const count = isAside ? Number(await git.read(['rev-list', '--count', 'HEAD', '--not', ...refs])) : 0;
  if (count === 0) return;
  throw new Refused(
    count === 1
      ? vscode.l10n.t('1 of its commits is on no branch. Push or merge it first.')
      : vscode.l10n.t('{0} of its commits are on no branch. Push or merge them first.', format.number(count)),
  );
}

/** The tree of both merged; nothing but objects of Git is written. */
async function mergeOf(git: Git, head: string, tip: string): Promise<string> {
  const merge = ['-c', 'merge.renormalize=false', 'merge-tree', '--write-tree'];
  const form = ['--allow-unrelated-histories', '-z', '--name-only', '--no-messages'];
  try {
    const env = await withoutPrograms(git);
    return records(await git.read([...merge, ...form, head, tip], { env }))[0] ?? '';
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    // An older one merges in the files only, and says how it is used.
    if (error.code === 129) throw new Refused(vscode.l10n.t('This needs Git 2.38 or newer.'));
    if (error.code !== 1) throw error;
    const files = listed([...new Set(records(error.output).slice(1))]);
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
  const found = await ifThere(lstat(file));
  return found && (found.isDirectory() ? 'folder' : 'other');
}
