import * as vscode from 'vscode';
import { documents, registerDocuments } from '../contributions';
import { Disposable } from './disposable';
import { oneLine } from './text';

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

  /** `id` tells documents of one title apart; `content` is asked for again whenever the document is opened. */
  async show(
    id: string,
    title: string,
    content: () => string,
    extension: 'yaml' | 'md' = 'yaml',
  ): Promise<void> {
    const part = (text: string): string => oneLine(text, 80).replace(/[/\\?#]/g, '_');
    const uri = vscode.Uri.from({
      scheme: documents.details,
      path: `/${part(id)}/${part(title)}.${extension}`,
    });
    this.#contents.set(uri.path, content);
    this.#changed.fire(uri);
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, { preview: true });
  }
}
