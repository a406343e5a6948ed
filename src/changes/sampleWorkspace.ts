import * as path from 'node:path';
import * as vscode from 'vscode';
import type { Storage } from '../storage';
import { openFolder } from './bringHome';
import { needGit } from './takeAlong';

/**
 * Opens the repository that the sessions of the sample are about in a window of its own; it is made once, below `storageUri`. `git` is
 * the program. Rejects with a sentence where Git does not run.
 */
export async function openSampleWorkspace(
  storageUri: vscode.Uri,
  git: string | undefined,
  storage: Pick<Storage, 'collection'>,
): Promise<void> {
  needGit();
  if (git === undefined)
    throw new Error(vscode.l10n.t('The sample workspace needs Git, which was not found.'));
  const { firstUsed, makeSampleRepository, sampleRecord } = await import('../sample');
  const records = storage.collection({ path: 'sample', version: 1, schema: sampleRecord });
  const folder = path.join(storageUri.fsPath, 'sample', 'shop');
  await makeSampleRepository(folder, git, await firstUsed(records));
  await openFolder(folder);
}
