import * as path from 'node:path';
import * as vscode from 'vscode';
import { documents } from '../contributions';
import { oneLine } from '../util/text';
import { contentOf } from './git/branches';
import { isHash, type Git } from './git/run';
import type { ChangedFile } from './git/model';

/** A file of a commit. */
export interface FileAt {
  /** The repository's root folder. */
  readonly root: string;
  /** The whole hash. */
  readonly commit: string;
  /** Below the root, with `/`. */
  readonly path: string;
}

/** The address of a file of a commit: read-only, and the same after a reload. */
export function uriOf({ root, commit, path: file }: FileAt): vscode.Uri {
  return vscode.Uri.from({
    scheme: documents.changes,
    path: `/${file}`,
    query: new URLSearchParams({ root, commit }).toString(),
  });
}

/** What such an address names; `undefined` for any other. */
export function fileAt({ scheme, path: file, query }: vscode.Uri): FileAt | undefined {
  if (scheme !== documents.changes) return undefined;
  const parameters = new URLSearchParams(query);
  const [root, commit] = [parameters.get('root'), parameters.get('commit')];
  return root !== null && commit !== null && isHash(commit)
    ? { root, commit, path: file.slice(1) }
    : undefined;
}

/** The content of a file of a commit; only of a repository that is open in this window. */
export async function readFileAt(
  uri: vscode.Uri,
  gitOf: (root: string) => Promise<Git>,
): Promise<Uint8Array> {
  const file = fileAt(uri);
  if (file === undefined) throw vscode.FileSystemError.FileNotFound(uri);
  return contentOf(await gitOf(file.root), file.commit, file.path);
}

/** Opens the editor's own diff of all these files, from one commit to another. */
export async function showDiff(
  title: string,
  files: readonly ChangedFile[],
  { root, base, tip }: { readonly root: string; readonly base: string; readonly tip: string },
): Promise<void> {
  const rows = files.map(({ status, path: file, oldPath = file }) => [
    vscode.Uri.file(path.join(root, file)),
    status === 'added' ? undefined : uriOf({ root, commit: base, path: oldPath }),
    status === 'deleted' ? undefined : uriOf({ root, commit: tip, path: file }),
  ]);
  await vscode.commands.executeCommand('vscode.changes', oneLine(title), rows);
}
