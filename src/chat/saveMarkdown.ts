import * as vscode from 'vscode';
import type { Logger } from '../log';
import { notify } from '../util/notify';
import { saveText } from '../util/saveText';
import { forNotification, oneLine } from '../util/text';

/** Saves a text where the person says, or only shows it where no file may be written. */
export async function saveMarkdown(title: string, content: string, log: Logger): Promise<void> {
  const name = `${fileName(title) || 'session'}.md`;
  const uri = await saveText({ name, content, saveLabel: vscode.l10n.t('Export') });
  if (uri === undefined) return;
  const done = vscode.l10n.t('Exported to {0}.', uri.path.split('/').at(-1) ?? name);
  notify(log, 'info', forNotification(done), [
    vscode.l10n.t('Open'),
    () => vscode.window.showTextDocument(uri),
  ]);
}

/** A title as a name every file system takes. */
export function fileName(title: string): string {
  return oneLine(title, 60)
    .replace(/[\\/:*?"<>|\ufffd.…]+/g, ' ')
    .trim()
    .replace(/\s+/g, '-');
}
