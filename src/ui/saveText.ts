import * as os from 'node:os';
import * as vscode from 'vscode';
import { forEditor } from '../util/text';
import { restriction } from './window';

export interface TextToSave extends Pick<vscode.SaveDialogOptions, 'title' | 'saveLabel'> {
  /** Of the file, with its ending. */
  readonly name: string;
  readonly content: string;
  /** Where to; without it the person is asked. */
  readonly target?: vscode.Uri | undefined;
}

/** What the dialog and the editor call a file, by the ending of its name. */
const KINDS: Readonly<Record<string, { readonly label: string; readonly language: string }>> = {
  csv: { label: 'CSV', language: 'plaintext' },
  json: { label: 'JSON', language: 'json' },
  md: { label: 'Markdown', language: 'markdown' },
};

/**
 * Writes a text to a file that the person names, and resolves to it, or to nothing when they think better of it. Where no file
 * may be written it opens as a document that has none yet.
 */
export async function saveText({
  name,
  content: given,
  target,
  ...dialog
}: TextToSave): Promise<vscode.Uri | undefined> {
  const content = forEditor(given);
  const type = name.slice(name.lastIndexOf('.') + 1);
  const { label = type, language = 'plaintext' } = KINDS[type] ?? {};
  if (restriction() !== undefined) {
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ language, content }));
    return undefined;
  }
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.file(os.homedir());
  const filters = { [label]: [type] };
  const defaultUri = vscode.Uri.joinPath(folder, name);
  const file = target ?? (await vscode.window.showSaveDialog({ ...dialog, defaultUri, filters }));
  if (file === undefined) return undefined;
  await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(content));
  return file;
}
