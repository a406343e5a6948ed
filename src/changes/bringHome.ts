import { realpath } from 'node:fs/promises';
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { Logger } from '../log';
import { confirmed, notify } from '../ui/window';
import { pick, type Choice } from '../ui/pick';
import { forNotification, oneLine } from '../util/text';
import { bring, previewOf, Refused, removeWorktree } from './bring';
import type { Git } from './git/run';
import type { Changes, Preview, Way } from './git/model';
import { figures } from './words';

interface BringDeps {
  readonly git: Git;
  readonly changes: Changes;
  readonly log: Logger;
}

const WAYS: readonly Way[] = ['worktree', 'checkout', 'apply'];
const ICONS = { worktree: 'multiple-windows', checkout: 'git-branch', apply: 'diff-added' } as const;

/** Asks how the changes of a branch come home, says what that does, and does it. */
export async function bringHome(deps: BringDeps): Promise<void> {
  const { git, changes } = deps;
  const name = oneLine(changes.branch.name, 80);
  const here = await realpath(git.folder);
  const ways = WAYS.map(async (way): Promise<readonly Choice<() => Promise<void>>[]> => {
    const label = wayWords(way);
    try {
      const preview = await previewOf(git, changes, way);
      const detail = previewWords(preview);
      return [{ label, detail, icon: ICONS[way], value: () => go(deps, preview) }];
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      const { message, elsewhere } = error;
      if (way === 'worktree' && elsewhere !== undefined && path.resolve(elsewhere) !== here)
        return worktreeActs(deps, elsewhere).map(([label, value], index) => ({
          ...{ label, value, detail: elsewhere, icon: index === 0 ? ICONS.worktree : 'trash' },
        }));
      return [{ label, detail: message, icon: 'circle-slash', value: () => Promise.reject(error) }];
    }
  });
  const choices = (await Promise.all(ways)).flat();
  const act = await pick(choices, vscode.l10n.t('How should {0} be brought home?', name));
  await act?.();
}

/** Does what a person has agreed to. */
async function go(deps: BringDeps, preview: Preview): Promise<void> {
  const { git, log } = deps;
  const { way, folder } = preview;
  const detail = forNotification(previewWords(preview), 1_000);
  if (!(await confirmed(`${wayWords(way)}?`, detail, vscode.l10n.t('Continue')))) return;
  await bring(git, preview);
  const name = oneLine(preview.branch.name, 80);
  const sentence =
    folder !== undefined
      ? vscode.l10n.t('{0} is in {1}.', name, folder)
      : way === 'apply'
        ? vscode.l10n.t('The changes of {0} are in your files, not committed.', name)
        : vscode.l10n.t('{0} is checked out.', name);
  notify(log, 'info', forNotification(sentence), ...(folder === undefined ? [] : worktreeActs(deps, folder)));
}

function worktreeActs(deps: BringDeps, folder: string) {
  return [
    [vscode.l10n.t('Open in new window'), () => openFolder(folder)],
    [vscode.l10n.t('Remove worktree'), () => remove(deps, folder)],
  ] as const;
}

export async function openFolder(folder: string): Promise<void> {
  const options = { forceNewWindow: true };
  await vscode.commands.executeCommand('vscode.openFolder', vscode.Uri.file(folder), options);
}

async function remove({ git, log }: BringDeps, folder: string): Promise<void> {
  const question = vscode.l10n.t('Remove the worktree {0}?', forNotification(folder));
  const detail = vscode.l10n.t('Files in it that Git ignores are deleted, too.');
  if (!(await confirmed(question, detail, vscode.l10n.t('Remove')))) return;
  await removeWorktree(git, folder);
  notify(log, 'info', forNotification(vscode.l10n.t('{0} was removed.', folder)));
}

function wayWords(way: Way): string {
  if (way === 'worktree') return vscode.l10n.t('Open in a new worktree');
  if (way === 'checkout') return vscode.l10n.t('Check out the branch');
  return vscode.l10n.t('Apply as uncommitted changes');
}

function previewWords({ way, branch, folder, files }: Preview): string {
  const what = figures(files);
  if (folder !== undefined) return vscode.l10n.t('{0} in {1}; your files stay as they are.', what, folder);
  if (way === 'apply')
    return vscode.l10n.t('{0} by a three-way merge into your files, staged and not committed.', what);
  return vscode.l10n.t('Switches to the local branch {0}, at its newest commit.', oneLine(branch.name, 80));
}
