import * as vscode from 'vscode';
import { pick } from '../../ui/pick';
import { oneLine } from '../../util/text';

/** Matches offered where a name fits several files. */
const MOST_FILES = 20;

/** Reads `path:line` or `path:line:column`, both from 1, with forward slashes; `undefined` when it is neither. */
export function readPosition(text: string) {
  const [found, path = '', line, column = 1] =
    /^([^\n:*?"<>|]{1,3500}):(\d{1,7})(?::(\d{1,5}))?$/.exec(text) ?? [];
  if (found === undefined) return undefined;
  const fromOne = (number: unknown): number => Math.max(1, Number(number));
  return { path: path.replaceAll('\\', '/'), line: fromOne(line), column: fromOne(column) };
}

/**
 * Where a path of a message may lie below a workspace folder, as paths relative to it. A path of another machine or out of the
 * folder leads nowhere.
 */
export function candidates(path: string, folder: { readonly path: string; readonly name: string }): string[] {
  const parts: string[] = [];
  const inside = path.startsWith(`${folder.path}/`) ? path.slice(folder.path.length + 1) : path;
  if (inside.startsWith('/')) return [];
  for (const part of inside.split('/')) {
    if (part === '..' && parts.pop() === undefined) return [];
    if (part !== '..' && part !== '.' && part !== '') parts.push(part);
  }
  if (parts.length === 0) return [];
  // Comparisons name the two sides `a/` and `b/`; with several folders a path may begin with the folder's name.
  const [first = ''] = parts;
  const shorter =
    [folder.name, 'a', 'b'].includes(first) && parts.length > 1 ? [parts.slice(1).join('/')] : [];
  return [parts.join('/'), ...shorter];
}

/** Opens a file of the workspace at a line, wherever the workspace is; rejects with a sentence when it has no such file. */
export async function openPath(text: string): Promise<void> {
  const position = readPosition(text);
  const uri = position === undefined ? undefined : await findFile(position.path);
  if (position === undefined || uri === undefined) {
    throw new Error(vscode.l10n.t('{0} is not in this workspace.', oneLine(text, 200)));
  }
  if (uri === 'cancelled') return;
  const at = new vscode.Position(position.line - 1, position.column - 1);
  await vscode.window.showTextDocument(uri, { selection: new vscode.Range(at, at), preview: true });
}

/** Where a file of this name would be made. */
export function newFile(path: string): vscode.Uri | undefined {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  const inside = folder && candidates(path, { path: folder.uri.path, name: folder.name }).at(-1);
  return inside === undefined || folder === undefined ? undefined : vscode.Uri.joinPath(folder.uri, inside);
}

/** The file of the workspace that a message names. */
export async function findFile(path: string): Promise<vscode.Uri | 'cancelled' | undefined> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  for (const { uri, name } of folders) {
    for (const candidate of candidates(path, { path: uri.path, name })) {
      const file = vscode.Uri.joinPath(uri, candidate);
      if (await isFile(file)) return file;
    }
  }
  // A message often names a file without the folders above it.
  const tail = path.split('/').filter(part => part !== '.' && part !== '');
  if (path.startsWith('/') || tail.includes('..') || tail.length === 0 || !/^[\w@+./-]+$/.test(path))
    return undefined;
  const found = await vscode.workspace.findFiles(`**/${tail.join('/')}`, '**/node_modules/**', MOST_FILES);
  if (found.length <= 1) return found[0];
  const choices = found.map(value => ({ label: vscode.workspace.asRelativePath(value), value }));
  return (await pick(choices, vscode.l10n.t('Which file?'))) ?? 'cancelled';
}

export async function isFile(uri: vscode.Uri): Promise<boolean> {
  try {
    return ((await vscode.workspace.fs.stat(uri)).type & vscode.FileType.File) !== 0;
  } catch {
    return false;
  }
}
