import * as path from 'node:path';
import * as vscode from 'vscode';
import { middle, oneLine } from '../../util/text';
import type { Workspace } from './record';

/** The workspace of this window: its file where it has one, else its first folder; `undefined` without any. */
export function currentWorkspace(): Workspace | undefined {
  const { workspaceFile, workspaceFolders, name } = vscode.workspace;
  const uri = workspaceFile ?? workspaceFolders?.[0]?.uri;
  return uri === undefined ? undefined : { uri: uri.toString(), name: oneLine(name ?? uri.path, 80) };
}

/** Whether a session belongs to this window: to its workspace, to one of its folders, or to something below one. */
export function isHere(workspace: Workspace | undefined): boolean {
  if (workspace === undefined) return false;
  const { workspaceFile, workspaceFolders = [] } = vscode.workspace;
  if (workspace.uri === workspaceFile?.toString()) return true;
  return workspaceFolders.some(({ uri }) => {
    const folder = uri.toString().replace(/\/$/, '');
    return workspace.uri === folder || workspace.uri.startsWith(`${folder}/`);
  });
}

/** The workspace of a working directory that a hook named: the folder of this window it lies in, else the directory itself. */
export function workspaceOfCwd(cwd: string | undefined): Workspace | undefined {
  if (cwd === undefined || !path.isAbsolute(cwd)) return undefined;
  const directory = vscode.Uri.file(cwd);
  const folder = vscode.workspace.getWorkspaceFolder(directory);
  if (folder !== undefined) return currentWorkspace();
  return {
    uri: directory.toString().replace(/\/$/, ''),
    name: middle(oneLine(path.basename(cwd) || cwd), 80),
  };
}
