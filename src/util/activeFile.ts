import * as vscode from 'vscode';

/** The file in front: of a text editor, else of a tab such as a notebook or a picture. */
export function activeFile(): vscode.Uri | undefined {
  const input: unknown = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  const isFile =
    input instanceof vscode.TabInputText ||
    input instanceof vscode.TabInputNotebook ||
    input instanceof vscode.TabInputCustom;
  return isFile ? input.uri : vscode.window.activeTextEditor?.document.uri;
}
