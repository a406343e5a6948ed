import * as vscode from 'vscode';
import { panels } from '../../contributions';
import { pageOptions } from '../../webview/page';

/** Where a chat page is shown: a panel among the editors, or the view of the side bar. */
export interface ChatPlace {
  readonly kind: 'panel' | 'view';
  readonly webview: vscode.Webview;
  readonly isVisible: () => boolean;
  /** The person works here. */
  readonly isActive: () => boolean;
  readonly title: () => string;
  readonly setTitle: (title: string) => void;
  readonly onDidChangeVisibility: vscode.Event<unknown>;
  readonly onDidDispose: vscode.Event<unknown>;
  readonly reveal: () => void;
  /** Ends a panel; a view stays and waits for another session. */
  readonly close: () => void;
}

/** Makes the editor panel of a session. */
export function createPanel(
  title: string,
  extensionUri: vscode.Uri,
  column: vscode.ViewColumn = vscode.ViewColumn.Active,
): vscode.WebviewPanel {
  const panel = vscode.window.createWebviewPanel(panels.chat, title, column, pageOptions(extensionUri));
  const icon = (kind: string): vscode.Uri =>
    vscode.Uri.joinPath(extensionUri, 'media', 'chat', `icon-${kind}.svg`);
  panel.iconPath = { light: icon('light'), dark: icon('dark') };
  return panel;
}

export function panelPlace(panel: vscode.WebviewPanel): ChatPlace {
  return {
    kind: 'panel',
    webview: panel.webview,
    isVisible: () => panel.visible,
    isActive: () => panel.active,
    title: () => panel.title,
    setTitle: title => (panel.title = title),
    onDidChangeVisibility: panel.onDidChangeViewState,
    onDidDispose: panel.onDidDispose,
    reveal: () => panel.reveal(undefined, false),
    close: () => void panel.dispose(),
  };
}

/** `onClose` shows what a view without a session shows. */
export function viewPlace(view: vscode.WebviewView, onClose: () => void): ChatPlace {
  return {
    kind: 'view',
    webview: view.webview,
    isVisible: () => view.visible,
    isActive: () => view.visible,
    title: () => view.description ?? '',
    setTitle: title => (view.description = title),
    onDidChangeVisibility: view.onDidChangeVisibility,
    onDidDispose: view.onDidDispose,
    reveal: () => {
      view.show(false);
    },
    close: onClose,
  };
}
