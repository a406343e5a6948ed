import * as path from 'node:path';
import * as vscode from 'vscode';
import { documents } from '../contributions';
import { oneLine } from '../util/text';
import { isHash } from './git/run';
import type { ChangedFile } from './git/model';

/** A file of a commit. */
export interface FileAt {
  /** The repository's root folder. */
  readonly root: string;
  /** The whole hash. */
  readonly commit: string;
  /** Below the root, with `/`. */
  readonly path: string;
  /** The session whose work it is, on the newer side: there it can be commented on. */
  readonly sessionId?: string | undefined;
}

/** The address of a file of a commit: read-only, and the same after a reload. */
export function uriOf({ root, commit, path: file, sessionId }: FileAt): vscode.Uri {
  const query = new URLSearchParams({ root, commit, ...(sessionId && { sessionId }) }).toString();
  return vscode.Uri.from({ scheme: documents.changes, path: `/${file}`, query });
}

/** What such an address names; `undefined` for any other. */
export function fileAt({ scheme, path: file, query }: vscode.Uri): FileAt | undefined {
  if (scheme !== documents.changes) return undefined;
  const parameters = new URLSearchParams(query);
  const [root, commit] = [parameters.get('root'), parameters.get('commit')];
  return root !== null && commit !== null && isHash(commit)
    ? { root, commit, path: file.slice(1), sessionId: parameters.get('sessionId') ?? undefined }
    : undefined;
}

/** Opens the editor's own diff of all these files, from one commit to another; of a session's work, to be commented on. */
export async function showDiff(
  title: string,
  files: readonly ChangedFile[],
  { root, base, tip }: { readonly root: string; readonly base: string; readonly tip: string },
  sessionId?: string,
): Promise<void> {
  const rows = files.map(({ status, path: file, oldPath = file }) => [
    vscode.Uri.file(path.join(root, file)),
    status === 'added' ? undefined : uriOf({ root, commit: base, path: oldPath }),
    status === 'deleted' ? undefined : uriOf({ root, commit: tip, path: file, sessionId }),
  ]);
  await vscode.commands.executeCommand('vscode.changes', oneLine(title), rows);
}
