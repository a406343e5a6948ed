import * as vscode from 'vscode';
import { forNotification, oneLine } from '../util/text';

/** Saves a text where the person says. In Restricted Mode no file is written: it opens as a document that has none yet. */
export async function saveMarkdown(title: string, content: string): Promise<void> {
  if (!vscode.workspace.isTrusted) {
    await vscode.window.showTextDocument(
      await vscode.workspace.openTextDocument({ language: 'markdown', content }),
    );
    return;
  }
  const name = `${fileName(title) || 'session'}.md`;
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const uri = await vscode.window.showSaveDialog({
    ...(folder === undefined ? {} : { defaultUri: vscode.Uri.joinPath(folder, name) }),
    filters: { Markdown: ['md'] },
    saveLabel: vscode.l10n.t('Export'),
  });
  if (uri === undefined) return;
  await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(content));
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
