import type * as vscode from 'vscode';
import { commands, EventEmitter, Uri, window, workspace } from 'vscode';
import { documents, registerDocuments } from '../contributions';
import { Disposable } from './disposable';
import { forEditor, oneLine } from './text';

/** Read-only documents of facts, under a scheme of their own; opening one again shows its facts anew. */
export class DetailsDocuments extends Disposable {
  readonly #contents = new Map<string, () => string>();
  readonly #changed = this.register(new EventEmitter<vscode.Uri>());
  #compared = 0;

  constructor() {
    super();
    this.register(
      registerDocuments(documents.details, {
        onDidChange: this.#changed.event,
        provideTextDocumentContent: uri => forEditor(this.#contents.get(uri.path)?.() ?? ''),
      }),
    );
    // Nothing is kept of a document that nobody has open.
    this.register(
      workspace.onDidCloseTextDocument(({ uri }) => {
        if (uri.scheme === documents.details) this.#contents.delete(uri.path);
      }),
    );
  }

  /** `id` tells documents of one title apart; `content` is asked for again whenever the document is opened. */
  async show(id: string, title: string, content: () => string): Promise<void> {
    const uri = this.#put(id, `${title}.md`, content);
    this.#changed.fire(uri);
    const document = await workspace.openTextDocument(uri);
    await window.showTextDocument(document, { preview: true });
  }
  /** Shows a file beside what it would be; what is new beside nothing. */
  async compare(before: vscode.Uri | undefined, name: string, title: string, content: string): Promise<void> {
    const id = String(++this.#compared);
    const after = this.#put(`${id}-after`, name, () => content);
    const left = before ?? this.#put(`${id}-before`, name, () => '');
    await commands.executeCommand('vscode.diff', left, after, title, { preview: true });
  }

  #put(id: string, name: string, content: () => string): vscode.Uri {
    const part = (text: string): string => oneLine(text, 80).replace(/[/\\?#]/g, '_');
    const uri = Uri.from({ scheme: documents.details, path: `/${part(id)}/${part(name)}` });
    this.#contents.set(uri.path, content);
    return uri;
  }
}
