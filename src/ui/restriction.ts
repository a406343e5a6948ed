import * as vscode from 'vscode';

/**
 * Why this window starts no program, and writes no file outside of our own storage (trust.md 39): Restricted Mode, or a virtual
 * workspace, all of whose folders are on no machine. `undefined`: both are fine.
 */
export function restriction(
  workspace: Pick<typeof vscode.workspace, 'isTrusted'> & {
    readonly workspaceFolders: readonly { readonly uri: { readonly scheme: string } }[] | undefined;
  } = vscode.workspace,
): 'untrusted' | 'virtual' | undefined {
  if (!workspace.isTrusted) return 'untrusted';
  const folders = workspace.workspaceFolders ?? [];
  const isVirtual = folders.length > 0 && folders.every(({ uri }) => uri.scheme !== 'file');
  return isVirtual ? 'virtual' : undefined;
}
