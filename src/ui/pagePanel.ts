import * as vscode from 'vscode';
import type { Logger } from '../log';
import { Disposable, Emitter } from '../util/lifecycle';
import { pageOptions, WebviewPage, type Place } from '../webview/page';

/** Makes an editor panel with the icon of its page. */
export function createPanel(
  type: string,
  name: string,
  title: string,
  extensionUri: vscode.Uri,
): vscode.WebviewPanel {
  const options = pageOptions(extensionUri);
  const panel = vscode.window.createWebviewPanel(type, title, vscode.ViewColumn.Active, options);
  // Of a grey that is seen on light and dark.
  panel.iconPath = vscode.Uri.joinPath(extensionUri, 'media', name, 'icon.svg');
  return panel;
}

export interface PagePanelOptions {
  /** Of the page's files. */
  readonly name: string;
  readonly extensionUri: vscode.Uri;
  readonly log: Logger;
}

/** A panel, made now or found after a reload, or a view, and its page, which a subclass loads. Let go of, the panel stays open. */
export abstract class PagePanel<P extends Place = vscode.WebviewPanel> extends Disposable {
  readonly panel: P;
  protected readonly page: WebviewPage;

  constructor(panel: P, { name, extensionUri, log }: PagePanelOptions) {
    super();
    this.panel = panel;
    this.page = this.register(
      new WebviewPage({
        ...{ place: panel, extensionUri, name, log },
        title: () => this.title,
        onGone: () => this.onGone(),
        onMissing: () => this.onMissing(),
      }),
    );
    this.register(panel.onDidDispose(() => this.dispose()));
  }

  get title(): string {
    return this.panel.title ?? '';
  }

  protected abstract onMissing(): void;
  protected onGone(): void {}
}

/** The open panels of one kind, one for each key. */
export class PagePanels<P extends PagePanel> extends Disposable {
  readonly #open = new Map<string, P>();
  readonly #changed = this.register(new Emitter<void>());

  /** A panel was opened or closed. */
  readonly onDidChange = this.#changed.event;

  get all(): readonly P[] {
    return [...this.#open.values()];
  }

  /** Brings the panel of a key to the front, made where there is none. */
  show(key: string, make: () => P): P {
    const open = this.#open.get(key);
    if (open === undefined) return this.keep(key, make());
    open.panel.reveal(undefined, false);
    return open;
  }

  /** Takes a panel in, in place of the one its key had. */
  keep(key: string, panel: P): P {
    this.#open.get(key)?.panel.dispose();
    this.#open.set(key, panel);
    this.register(
      panel.panel.onDidDispose(() => {
        // What is registered here for good must not keep the panel in memory. Another may have taken its place.
        if (this.#open.get(key)?.isDisposed === true) this.#open.delete(key);
        this.#changed.fire();
      }),
    );
    this.#changed.fire();
    return panel;
  }

  /** Leaves the panels open: the editor restores them when the extension starts again. */
  override dispose(): void {
    for (const panel of this.all) panel.dispose();
    super.dispose();
  }
}
