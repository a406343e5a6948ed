import * as path from 'node:path';
import * as vscode from 'vscode';
import type { Logger } from '../log';
import { confirmed, notify } from '../ui/notify';
import { pick, type Choice } from '../ui/pick';
import type { Formatter } from '../util/format';
import { forNotification, oneLine } from '../util/text';
import { bring, previewOf, removeWorktree, worktreeOf, type Plan, type Refusal, type Way } from './bring';
import type { Git } from './git';
import type { Changes } from './model';
import { figures } from './words';

interface BringDeps {
  readonly git: Git;
  readonly changes: Changes;
  readonly format: Formatter;
  readonly log: Logger;
}

/** Asks how the changes of a branch come home, shows what that does, and does it. */
export async function bringHome(deps: BringDeps): Promise<void> {
  const { git, changes } = deps;
  const folder = await worktreeOf(git, changes);
  const ways: readonly Choice<() => Promise<void>>[] = [
    ...(folder === undefined
      ? [way(deps, 'worktree')]
      : [
          {
            label: vscode.l10n.t('Open in new window'),
            description: folder,
            icon: 'multiple-windows',
            value: () => openFolder(folder),
          },
          {
            label: vscode.l10n.t('Remove worktree'),
            description: folder,
            icon: 'trash',
            value: () => remove(deps, folder),
          },
        ]),
    way(deps, 'checkOut'),
    way(deps, 'apply'),
  ];
  const question = vscode.l10n.t('How is {0} brought home?', oneLine(changes.branch.name, 80));
  await (await pick(ways, question))?.();
}
