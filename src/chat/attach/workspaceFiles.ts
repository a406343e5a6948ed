import * as vscode from 'vscode';
import { inOne, type AttachableFiles, type FileFacts } from './attachments';
import { filePieces } from './keptFiles';

/** Attachments from the file systems of the editor, local and remote. */
export const workspaceFiles: AttachableFiles = {
  async stat(uri) {
    const { type, size, mtime } = await vscode.workspace.fs.stat(here(uri));
    return { kind: kindOf(type), size, mtime };
  },
  read: async uri => await vscode.workspace.fs.readFile(here(uri)),
  async *pieces(uri) {
    const file = here(uri);
    yield* file.scheme === 'file' ? filePieces(file.fsPath) : inOne(await vscode.workspace.fs.readFile(file));
  },
  name: uri => vscode.Uri.parse(uri, true).path.split('/').at(-1) ?? uri,
  workspacePath(uri) {
    const file = here(uri);
    const folder = vscode.workspace.getWorkspaceFolder(file);
    // A path outside the workspace says more about this machine than about the file.
    if (folder === undefined) return workspaceFiles.name(uri);
    return vscode.workspace
      .asRelativePath(file, (vscode.workspace.workspaceFolders?.length ?? 0) > 1)
      .replaceAll('\\', '/');
  },
};

/** Explorer and drops name remote files `vscode-remote:`; on the machine this runs on they are `file:`, as the workspace is. */
function here(uri: string): vscode.Uri {
  const parsed = vscode.Uri.parse(uri, true);
  return parsed.scheme === 'vscode-remote' && vscode.env.remoteName !== undefined
    ? vscode.Uri.file(parsed.path)
    : parsed;
}

function kindOf(type: vscode.FileType): FileFacts['kind'] {
  if ((type & vscode.FileType.SymbolicLink) !== 0) return 'symbolicLink';
  if ((type & vscode.FileType.Directory) !== 0) return 'folder';
  return (type & vscode.FileType.File) !== 0 ? 'file' : 'other';
}
