import type * as vscode from 'vscode';
import { commands, l10n, Uri, window, workspace } from 'vscode';
import { documents } from '../contributions';
import { Disposable } from './lifecycle';
import { forEditor, oneLine } from './text';

/** Two texts to be shown side by side; a file stands for what it holds. */
interface Comparison {
  /** Tells documents of one name apart. */
  readonly id: string;
  readonly name: string;
  readonly title: string;
  readonly before: vscode.Uri | string;
  readonly after: string;
}

/** Every read-only document, under a scheme of their own; opening one again shows what it says now. */
export class DetailsDocuments extends Disposable {
  readonly #contents = new Map<string, () => string>();
  readonly #changed: Pick<vscode.EventEmitter<vscode.Uri>, 'fire'>;

  /** `changed` tells the editor which document says something else. */
  constructor(changed: Pick<vscode.EventEmitter<vscode.Uri>, 'fire'>) {
    super();
    this.#changed = changed;
    // Nothing is kept of a document that nobody has open.
    this.register(
      workspace.onDidCloseTextDocument(({ uri }) => {
        if (uri.scheme === documents.details) this.#contents.delete(uri.path);
      }),
    );
  }

  /** What a document says. */
  text({ path }: Pick<vscode.Uri, 'path'>): string {
    const gone = (): string => l10n.t('This document is not kept across a reload. Open it again.');
    return forEditor((this.#contents.get(path) ?? gone)());
  }

  /** `id` tells documents of one title apart; `content` is asked for again whenever the document is opened. */
  async show(id: string, title: string, content: () => string, extension = 'md'): Promise<void> {
    const document = await workspace.openTextDocument(
      this.#put(id, title, content, { end: `.${extension}` }),
    );
    await window.showTextDocument(document, { preview: true });
  }

  /** Resolves to the address of the text on the right. */
  async compare({ id, name, title, before, after }: Comparison): Promise<vscode.Uri> {
    const left = typeof before === 'string' ? this.#put(id, name, () => before, { side: 'before ' }) : before;
    const right = this.#put(id, name, () => after, { side: 'after ' });
    await commands.executeCommand('vscode.diff', left, right, title, { preview: true });
    return right;
  }

  #put(id: string, name: string, content: () => string, { side = '', end = '' }): vscode.Uri {
    const part = (text: string, length: number): string => oneLine(text, length).replace(/[/\\?#]/g, '_');
    const path = `/${side}${part(id, 300)}/${part(name, 80)}${end}`;
    const uri = Uri.from({ scheme: documents.details, path });
    this.#contents.set(uri.path, content);
    this.#changed.fire(uri);
    return uri;
  }
}
