import { realpath } from 'node:fs/promises';
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { Logger } from '../log';
import { confirmed, notify } from '../ui/notify';
import { pick, type Choice } from '../ui/pick';
import type { Formatter } from '../util/format';
import { forNotification, oneLine } from '../util/text';
import { bring, previewOf, removeWorktree } from './git/bring';
import type { Git } from './git/run';
import type { Changes, Preview, Refusal, Way } from './git/model';
import { figures, listed } from './words';

interface BringDeps {
  readonly git: Git;
  readonly changes: Changes;
  readonly format: Formatter;
  readonly log: Logger;
}

const WAYS: readonly Way[] = ['worktree', 'checkout', 'apply'];
const ICONS = { worktree: 'multiple-windows', checkout: 'git-branch', apply: 'diff-added' } as const;

/** Asks how the changes of a branch come home, says what that does, and does it. */
export async function bringHome(deps: BringDeps): Promise<void> {
  const { git, changes } = deps;
  const name = oneLine(changes.branch.name, 80);
  const here = await realpath(git.folder);
  const looked = await Promise.all(WAYS.map(async way => ({ way, is: await previewOf(git, changes, way) })));
  const ways = looked.flatMap(({ way, is }): readonly Choice<() => Promise<void>>[] => {
    const isThere = way === 'worktree' && 'refused' in is && is.refused === 'checkedOutElsewhere';
    if (isThere && path.resolve(is.folder) !== here)
      return worktreeActs(deps, is.folder).map(([label, value], index) => ({
        ...{ label, value, detail: is.folder, icon: index === 0 ? ICONS.worktree : 'trash' },
      }));
    if (!('refused' in is)) {
      const detail = previewWords(is, changes, deps.format);
      return [{ label: wayWords(way), detail, icon: ICONS[way], value: () => go(deps, is) }];
    }
    const detail = refusalWords(is, deps.format);
    const value = (): Promise<void> => Promise.reject(new Error(detail));
    return [{ label: wayWords(way), detail, icon: 'circle-slash', value }];
  });
  const act = await pick(ways, vscode.l10n.t('How do you want {0}?', name));
  await act?.();
}

/** Does what a person has agreed to. */
async function go(deps: BringDeps, preview: Preview): Promise<void> {
  const { git, changes, format, log } = deps;
  const { way, folder } = preview;
  const detail = forNotification(previewWords(preview, changes, format), 1_000);
  if (!(await confirmed(`${wayWords(way)}?`, detail, vscode.l10n.t('Continue')))) return;
  const refusal = await bring(git, preview);
  if (refusal !== undefined) throw new Error(refusalWords(refusal, format));
  const name = oneLine(preview.branch.name, 80);
  const sentence =
    folder !== undefined
      ? vscode.l10n.t('{0} is in {1}.', name, folder)
      : way === 'apply'
        ? vscode.l10n.t('The changes of {0} are in your files, not committed.', name)
        : vscode.l10n.t('{0} is checked out.', preview.local?.name ?? name);
  notify(log, 'info', forNotification(sentence), ...(folder === undefined ? [] : worktreeActs(deps, folder)));
}

/** What can be done with a worktree. */
function worktreeActs(deps: BringDeps, folder: string) {
  return [
    [vscode.l10n.t('Open in New Window'), () => openFolder(folder)],
    [vscode.l10n.t('Remove Worktree'), () => remove(deps, folder)],
  ] as const;
}

/** Opens a folder in a window of its own. */
export async function openFolder(folder: string): Promise<void> {
  const options = { forceNewWindow: true };
  await vscode.commands.executeCommand('vscode.openFolder', vscode.Uri.file(folder), options);
}

async function remove({ git, format, log }: BringDeps, folder: string): Promise<void> {
  const question = vscode.l10n.t('Remove the worktree {0}?', forNotification(folder));
  if (!(await confirmed(question, '', vscode.l10n.t('Remove')))) return;
  const refusal = await removeWorktree(git, folder);
  if (refusal?.refused === 'gone')
    throw new Error(vscode.l10n.t('{0} is not a worktree that can be removed.', oneLine(folder)));
  if (refusal !== undefined) throw new Error(refusalWords(refusal, format));
  notify(log, 'info', forNotification(vscode.l10n.t('{0} is removed.', folder)));
}

function wayWords(way: Way): string {
  if (way === 'worktree') return vscode.l10n.t('Open in a new worktree');
  if (way === 'checkout') return vscode.l10n.t('Check out the branch');
  return vscode.l10n.t('Apply as uncommitted changes');
}

function previewWords({ local, folder }: Preview, changes: Changes, format: Formatter): string {
  const what = figures(changes, format);
  if (folder !== undefined) return vscode.l10n.t('{0} in {1}; your files stay as they are.', what, folder);
  if (local === undefined)
    return vscode.l10n.t('{0} by a three-way merge into your files, staged and not committed.', what);
  return local.isNew
    ? vscode.l10n.t('Makes the local branch {0} and switches to it.', oneLine(local.name, 80))
    : vscode.l10n.t(
        'Moves the local branch {0} to the newest commit and switches to it.',
        oneLine(local.name, 80),
      );
}

/** Why something is not done, and what would help. */
function refusalWords(refusal: Refusal, format: Formatter): string {
  const name = 'name' in refusal ? oneLine(refusal.name, 80) : '';
  const list = 'files' in refusal ? listed(refusal.files, format) : '';
  switch (refusal.refused) {
    case 'gone':
      return vscode.l10n.t('The branch is no longer here. Fetch, and try again.');
    case 'nothing':
      return vscode.l10n.t('Everything of it is here already.');
    case 'dirty':
      return vscode.l10n.t('Commit or stash your changes first: {0}', list);
    case 'inTheWay':
      return vscode.l10n.t('These untracked files are in the way: {0}', list);
    case 'conflicts':
      return vscode.l10n.t('It conflicts with your commits in {0}. Merge it in a worktree.', list);
    case 'busy':
      return vscode.l10n.t('A merge or rebase is under way. Finish or abort it first.');
    case 'folderExists':
      return vscode.l10n.t('The folder {0} is there already.', oneLine(refusal.folder));
    case 'branchExists':
      return vscode.l10n.t('Another branch here is called {0}.', name);
    case 'otherCommits':
      return refusal.count === 1
        ? vscode.l10n.t('Your branch {0} has a commit that this one has not.', name)
        : vscode.l10n.t(
            'Your branch {0} has {1} commits that this one has not.',
            name,
            format.number(refusal.count),
          );
    case 'checkedOutElsewhere':
      return vscode.l10n.t('{0} is checked out in {1}.', name, oneLine(refusal.folder));
    case 'unsaved':
      return vscode.l10n.t(
        'No branch holds {0} of its commits. Push or merge them first.',
        format.number(refusal.count),
      );
    case 'gitTooOld':
      return vscode.l10n.t(
        'This needs Git {0} or newer; here is {1}.',
        refusal.needed,
        oneLine(refusal.version, 40),
      );
    case 'moved':
      return vscode.l10n.t('Something has changed meanwhile. Try again.');
  }
}
