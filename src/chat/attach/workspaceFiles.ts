import * as vscode from 'vscode';
import { open, readFile } from 'node:fs/promises';
import type { AttachableFiles, FileFacts } from './attachments';
import { placeOf } from './given';

/** Attachments from the file systems of the editor, local and remote. */
export const workspaceFiles: AttachableFiles = {
  async stat(uri) {
    const { type, size, mtime } = await vscode.workspace.fs.stat(here(uri));
    return { kind: kindOf(type), size, mtime };
  },
  async read(uri, most) {
    const file = here(uri);
    if (file.scheme === 'file') return readLocal(file.fsPath, most);
    return (await vscode.workspace.fs.readFile(file)).subarray(0, most);
  },
  name: uri => vscode.Uri.parse(uri, true).path.split('/').at(-1) ?? uri,
  workspacePath: uri => placeOf(here(uri)),
};

/** The bytes of a file of this machine. */
export async function readLocal(file: string, most?: number): Promise<Uint8Array> {
  if (most === undefined) return readFile(file);
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(new Uint8Array(most), 0, most, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

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
