import * as path from 'node:path';
import * as vscode from 'vscode';
import type { DetailsDocuments } from '../../util/detailsDocuments';
import { oneLine } from '../../util/text';
import { findFile, isFile, newFile } from './openPath';
import { changed, readDiff, type FileChange } from './unifiedDiff';

/** A file as it is, if it is there, and as it would be. */
interface Proposed {
  readonly uri: vscode.Uri;
  readonly before: vscode.TextDocument | undefined;
  readonly after: string;
  readonly isDeleted: boolean;
}

/** Puts code of a message where the cursor of the editor beside the chat is. */
export async function insertCode(code: string): Promise<void> {
  const { activeTextEditor, visibleTextEditors } = vscode.window;
  const all = [...(activeTextEditor === undefined ? [] : [activeTextEditor]), ...visibleTextEditors];
  const editor = all.find(({ document }) =>
    ['file', 'untitled', 'vscode-remote'].includes(document.uri.scheme),
  );
  if (editor === undefined)
    throw new Error(vscode.l10n.t('Open a file beside the chat first. The code is inserted at its cursor.'));
  const isDone = await editor.edit(edit => {
    for (const selection of editor.selections) edit.replace(selection, code);
  });
  if (!isDone) throw new Error(vscode.l10n.t('The code could not be inserted. Is the file read-only?'));
  await vscode.window.showTextDocument(editor.document, editor.viewColumn);
}

/** Shows what a diff of a message would change. */
export async function compareDiff(diff: string, documents: Pick<DetailsDocuments, 'compare'>): Promise<void> {
  for (const { uri, before, after } of await proposed(diff)) {
    const name = path.posix.basename(uri.path);
    const title = vscode.l10n.t('{0}: proposed by the agent', oneLine(name, 60));
    await documents.compare({ id: uri.path, name, title, before: before?.uri ?? '', after });
  }
}

/** Offers the changes of a diff in the editor's own preview; nothing changes before the person has agreed to it there. */
export async function applyDiff(diff: string): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  const metadata = { needsConfirmation: true, label: vscode.l10n.t('Proposed by the agent') };
  for (const { uri, before, after, isDeleted } of await proposed(diff)) {
    if (isDeleted) {
      edit.deleteFile(uri, {}, metadata);
    } else if (before === undefined) {
      edit.createFile(uri, { contents: new TextEncoder().encode(after) }, metadata);
    } else {
      const whole = new vscode.Range(0, 0, before.lineCount, 0);
      edit.replace(uri, whole, after, metadata);
    }
  }
  // Also false where the person has not agreed to it.
  await vscode.workspace.applyEdit(edit, { isRefactoring: true });
}

/** Rejects with a sentence where a diff names no file of this workspace, or does not fit it. */
async function proposed(diff: string): Promise<readonly Proposed[]> {
  const changes = readDiff(diff);
  if (changes.length === 0) throw new Error(vscode.l10n.t('This diff names no file that it changes.'));
  const all: Proposed[] = [];
  for (const change of changes) {
    const uri = await fileOf(change);
    if (uri === undefined) return [];
    const name = oneLine(vscode.workspace.asRelativePath(uri));
    const { isNew, isDeleted } = change;
    if (isNew && (await isFile(uri)))
      throw new Error(vscode.l10n.t('{0} already exists; this diff would create it.', name));
    const before = isNew ? undefined : await vscode.workspace.openTextDocument(uri);
    const after = changed(before?.getText() ?? '', change);
    if (after === undefined || (isDeleted && after.trim() !== ''))
      throw new Error(vscode.l10n.t('This diff does not fit {0}.', name));
    all.push({ uri, before, after, isDeleted });
  }
  return all;
}

/** The file a change is about; `undefined` where the person chose none. */
async function fileOf({ path: name, isNew }: FileChange): Promise<vscode.Uri | undefined> {
  const found = isNew ? newFile(name) : await findFile(name);
  if (found === undefined)
    throw new Error(vscode.l10n.t('{0} is not in this workspace.', oneLine(name, 200)));
  return found === 'cancelled' ? undefined : found;
}
