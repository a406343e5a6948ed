import * as vscode from 'vscode';
import { documents, registerDocuments } from '../contributions';
import { Disposable } from './disposable';

/** Read-only documents of facts, under a scheme of their own; opening one again shows its facts anew. */
export class DetailsDocuments extends Disposable {
  readonly #contents = new Map<string, () => string>();
  readonly #changed = this.register(new vscode.EventEmitter<vscode.Uri>());

  constructor() {
    super();
    this.register(
      registerDocuments(documents.details, {
        onDidChange: this.#changed.event,
        provideTextDocumentContent: uri => this.#contents.get(uri.path)?.() ?? '',
      }),
    );
  }

  async show(path: string, content: () => string): Promise<void> {
    const uri = vscode.Uri.from({ scheme: documents.details, path: `/${path.replace(/[/\\?#]/g, '_')}` });
    this.#contents.set(uri.path, content);
    this.#changed.fire(uri);
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, { preview: true });
  }
}
