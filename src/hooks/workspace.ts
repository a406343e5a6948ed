import * as vscode from 'vscode';

/** Folders of this window that are on this machine. */
export function workspaceFolders(): string[] {
  return (vscode.workspace.workspaceFolders ?? [])
    .filter(({ uri }) => uri.scheme === 'file')
    .map(({ uri }) => uri.fsPath);
}

/** Why nothing is started from this window, and no file outside our storage written (trust.md 39); `undefined`: both are fine. */
export function restriction(
  workspace: Pick<typeof vscode.workspace, 'isTrusted' | 'workspaceFolders'> = vscode.workspace,
): 'untrusted' | 'virtual' | undefined {
  if (!workspace.isTrusted) return 'untrusted';
  const folders = workspace.workspaceFolders ?? [];
  const isVirtual = folders.length > 0 && folders.every(({ uri }) => uri.scheme !== 'file');
  return isVirtual ? 'virtual' : undefined;
}
