import * as path from 'node:path';
import * as vscode from 'vscode';
import { documents, registerDocuments } from '../contributions';
import { Disposable } from '../util/disposable';
import { forQuickPick, middle, oneLine } from '../util/text';
import type { Plan } from './installation';

/** Shows what a plan would change in the diff editor, and asks whether to go on. */
export class Preview extends Disposable {
  readonly #texts = new Map<string, string>();
  #next = 0;

  constructor() {
    super();
    this.register(
      registerDocuments(documents.hooks, {
        provideTextDocumentContent: uri => this.#texts.get(uri.toString()) ?? '',
      }),
    );
  }

  /** Whether the person wants the change; the documents of the question go with the answer. */
  async confirm(plan: Plan, question: string): Promise<boolean> {
    const { file, text } = plan.read;
    const id = ++this.#next;
    const name = path.basename(file);
    const after = vscode.Uri.from({ scheme: documents.hooks, path: `/${id}/${name}` });
    const none = vscode.Uri.from({ scheme: documents.hooks, path: `/${id}/none/${name}` });
    const before = text === undefined ? none : vscode.Uri.file(file);
    this.#texts.set(after.toString(), plan.text ?? '');
    try {
      const title = vscode.l10n.t('{0}: what would change', oneLine(name, 60));
      await vscode.commands.executeCommand('vscode.diff', before, after, title, { preview: true });
      const yes =
        plan.text === undefined ? vscode.l10n.t('Delete the file') : vscode.l10n.t('Write the change');
      const answer = await vscode.window.showQuickPick(
        [
          { label: yes, description: forQuickPick(middle(file, 80)), isYes: true },
          { label: vscode.l10n.t('Leave it as it is'), isYes: false },
        ],
        {
          title: forQuickPick(question),
          placeHolder: vscode.l10n.t('The change is shown in the editor'),
          ignoreFocusOut: true,
        },
      );
      return answer?.isYes === true;
    } finally {
      await close(after);
      this.#texts.delete(after.toString());
    }
  }
}

async function close(document: vscode.Uri): Promise<void> {
  const tabs = vscode.window.tabGroups.all
    .flatMap(group => group.tabs)
    .filter(
      ({ input }) =>
        input instanceof vscode.TabInputTextDiff && input.modified.toString() === document.toString(),
    );
  if (tabs.length > 0) await vscode.window.tabGroups.close(tabs);
}
