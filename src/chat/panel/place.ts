import * as vscode from 'vscode';
import { panels } from '../../contributions';
import { pageOptions } from '../../webview/page';

/** Where a chat page is shown: a panel among the editors, or the view of the side bar. */
export interface ChatPlace {
  readonly webview: vscode.Webview;
  readonly isVisible: boolean;
  /** The person works here. */
  readonly isActive: boolean;
  readonly kind: 'panel' | 'view';
  title: string;
  readonly onDidChangeVisibility: vscode.Event<unknown>;
  readonly onDidDispose: vscode.Event<unknown>;
  reveal(): void;
  /** Ends a panel; a view stays and waits for another session. */
  close(): void;
}

/** Makes the editor panel of a session. */
export function createPanel(title: string, extensionUri: vscode.Uri): vscode.WebviewPanel {
  const panel = vscode.window.createWebviewPanel(
    panels.chat,
    title,
    vscode.ViewColumn.Active,
    pageOptions(extensionUri),
  );
  panel.iconPath = {
    light: vscode.Uri.joinPath(extensionUri, 'media', 'chat', 'icon-light.svg'),
    dark: vscode.Uri.joinPath(extensionUri, 'media', 'chat', 'icon-dark.svg'),
  };
  return panel;
}

export function panelPlace(panel: vscode.WebviewPanel): ChatPlace {
  return {
    kind: 'panel',
    webview: panel.webview,
    get isVisible() {
      return panel.visible;
    },
    get isActive() {
      return panel.active;
    },
    get title(): string {
      return panel.title;
    },
    set title(title: string) {
      panel.title = title;
    },
    onDidChangeVisibility: panel.onDidChangeViewState,
    onDidDispose: panel.onDidDispose,
    reveal: () => panel.reveal(undefined, false),
    close: () => {
      panel.dispose();
    },
  };
}

/** `onClose` shows what a view without a session shows. */
export function viewPlace(view: vscode.WebviewView, onClose: () => void): ChatPlace {
  return {
    kind: 'view',
    webview: view.webview,
    get isVisible() {
      return view.visible;
    },
    get isActive() {
      return view.visible;
    },
    get title(): string {
      return view.description ?? '';
    },
    set title(title: string) {
      view.description = title;
    },
    onDidChangeVisibility: view.onDidChangeVisibility,
    onDidDispose: view.onDidDispose,
    reveal: () => {
      view.show(false);
    },
    close: onClose,
  };
}
