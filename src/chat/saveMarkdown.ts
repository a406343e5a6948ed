import * as vscode from 'vscode';
import { saveText } from '../util/saveText';
import { forNotification, oneLine } from '../util/text';

/** Saves a text where the person says, or only shows it where no file may be written. */
export async function saveMarkdown(title: string, content: string): Promise<void> {
  const name = `${fileName(title) || 'session'}.md`;
  const uri = await saveText({ name, content, saveLabel: vscode.l10n.t('Export') });
  if (uri === undefined) return;
  const open = vscode.l10n.t('Open');
  const done = vscode.l10n.t('Exported to {0}.', uri.path.split('/').at(-1) ?? name);
  if ((await vscode.window.showInformationMessage(forNotification(done), open)) === open)
    await vscode.window.showTextDocument(uri);
}

/** A title as a name every file system takes. */
export function fileName(title: string): string {
  return oneLine(title, 60)
    .replace(/[\\/:*?"<>|\ufffd.…]+/g, ' ')
    .trim()
    .replace(/\s+/g, '-');
}
