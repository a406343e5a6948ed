import * as path from 'node:path';
import * as vscode from 'vscode';
import { pick } from '../../ui/pick';
import { restriction } from '../../ui/window';
import type { DetailsDocuments } from '../../util/detailsDocuments';
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
export function candidates(name: string, folder: { readonly path: string; readonly name: string }): string[] {
  const inside = name.startsWith(`${folder.path}/`) ? name.slice(folder.path.length + 1) : name;
  const whole = path.posix.normalize(inside).replace(/\/$/, '');
  if (whole === '.' || /^(?:\/|\.\.(?:\/|$)|$)/.test(whole)) return [];
  // Comparisons name the two sides `a/` and `b/`; with several folders a path may begin with the folder's name.
  const [first = '', ...rest] = whole.split('/');
  const isSide = [folder.name, 'a', 'b'].includes(first) && rest.length > 0;
  return isSide ? [whole, rest.join('/')] : [whole];
}

/** Opens a file of the workspace at a line, wherever the workspace is; rejects with a sentence when it has no such file. */
export async function openPath(text: string): Promise<void> {
  const position = readPosition(text);
  if (position === undefined) throw isNowhere(text);
  const uri = await findFile(position.path);
  if (uri === undefined) return;
  const at = new vscode.Position(position.line - 1, position.column - 1);
  await vscode.window.showTextDocument(uri, { selection: new vscode.Range(at, at), preview: true });
}

const isNowhere = (name: string): Error =>
  new Error(vscode.l10n.t('{0} is not in this workspace.', oneLine(name, 200)));

/** The file of the workspace that a message names; `undefined` where the person chose none. Rejects with a sentence when it has none. */
async function findFile(path: string): Promise<vscode.Uri | undefined> {
  for (const { uri, name } of vscode.workspace.workspaceFolders ?? []) {
    for (const candidate of candidates(path, { path: uri.path, name })) {
      const file = vscode.Uri.joinPath(uri, candidate);
      if (await isFile(file)) return file;
    }
  }
  // A message often names a file without the folders above it.
  const tail = path.split('/').filter(part => part !== '.' && part !== '');
  if (path.startsWith('/') || tail.includes('..') || tail.length === 0 || !/^[\w@+./-]+$/.test(path))
    throw isNowhere(path);
  const find = (parts: readonly string[]): Thenable<vscode.Uri[]> =>
    vscode.workspace.findFiles(`**/${parts.join('/')}`, '**/node_modules/**', MOST_FILES);
  let found = await find(tail);
  const [side = '', ...inside] = tail;
  if (found.length === 0 && /^[ab]$/.test(side) && inside.length > 0) found = await find(inside);
  if (found.length === 0) throw isNowhere(path);
  const choices = found.map(value => ({ label: vscode.workspace.asRelativePath(value), value }));
  return found.length === 1 ? found[0] : pick(choices, vscode.l10n.t('Which file?'));
}

/** Where a file of this name would be made. */
function newFile(path: string): vscode.Uri {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  const inside = folder && candidates(path, { path: folder.uri.path, name: folder.name }).at(-1);
  if (inside === undefined || folder === undefined) throw isNowhere(path);
  return vscode.Uri.joinPath(folder.uri, inside);
}

async function isFile(uri: vscode.Uri): Promise<boolean> {
  try {
    return ((await vscode.workspace.fs.stat(uri)).type & vscode.FileType.File) !== 0;
  } catch {
    return false;
  }
}

/** A file as it is, if it is there, and as it would be. */
interface Proposed {
  readonly uri: vscode.Uri;
  readonly before: vscode.TextDocument | undefined;
  readonly after: string;
  readonly isDeleted: boolean;
}

export async function insertCode(code: string): Promise<void> {
  const { activeTextEditor, visibleTextEditors } = vscode.window;
  const isWritable = ({ scheme }: vscode.Uri): boolean =>
    scheme === 'untitled' || vscode.workspace.fs.isWritableFileSystem(scheme) === true;
  const editor = [activeTextEditor, ...visibleTextEditors].find(
    each => each && isWritable(each.document.uri),
  );
  if (editor === undefined)
    throw new Error(vscode.l10n.t('Open a file beside the chat first. The code is inserted at its cursor.'));
  const isDone = await editor.edit(edit => {
    for (const selection of editor.selections) edit.replace(selection, code);
  });
  if (!isDone) throw new Error(vscode.l10n.t('The code could not be inserted. Is the file read-only?'));
  await vscode.window.showTextDocument(editor.document, editor.viewColumn);
}

export async function compareDiff(diff: string, documents: Pick<DetailsDocuments, 'compare'>): Promise<void> {
  for (const { uri, before, after } of await proposed(diff)) {
    const name = path.posix.basename(uri.path);
    const title = vscode.l10n.t('{0}: proposed by the agent', oneLine(name, 60));
    await documents.compare({ id: uri.path, name, title, before: before?.uri ?? '', after });
  }
}

/** Offers the changes of a diff in the editor's own preview; nothing changes before the person has agreed to it there. */
export async function applyDiff(diff: string): Promise<void> {
  if (restriction() !== undefined)
    throw new Error(vscode.l10n.t('Files are not changed in Restricted Mode or in a virtual workspace.'));
  const edit = new vscode.WorkspaceEdit();
  const metadata = { needsConfirmation: true, label: vscode.l10n.t('Proposed by the agent') };
  for (const { uri, before, after, isDeleted } of await proposed(diff)) {
    if (isDeleted) {
      edit.deleteFile(uri, {}, metadata);
    } else if (before === undefined) {
      edit.createFile(uri, { contents: new TextEncoder().encode(after) }, metadata);
    } else {
      const whole = new vscode.Range(0, 0, before.lineCount, 0);
      edit.replace(uri, whole, after, metadata);
    }
  }
  // Also false where the person has not agreed to it.
  await vscode.workspace.applyEdit(edit, { isRefactoring: true });
}

/** Rejects with a sentence where a diff names no file of this workspace, or does not fit it. */
async function proposed(diff: string): Promise<readonly Proposed[]> {
  const changes = readDiff(diff);
  if (changes.length === 0) throw new Error(vscode.l10n.t('This diff names no file that it changes.'));
  const all: Proposed[] = [];
  for (const change of changes) {
    const { path: file, isNew, isDeleted } = change;
    const uri = isNew ? newFile(file) : await findFile(file);
    if (uri === undefined) return [];
    const name = oneLine(vscode.workspace.asRelativePath(uri));
    if (isNew && (await isFile(uri)))
      throw new Error(vscode.l10n.t('{0} already exists; this diff would create it.', name));
    const before = isNew ? undefined : await vscode.workspace.openTextDocument(uri);
    const after = changed(before?.getText() ?? '', change);
    if (after === undefined || (isDeleted && after.trim() !== ''))
      throw new Error(vscode.l10n.t('This diff does not fit {0}.', name));
    all.push({ uri, before, after, isDeleted });
  }
  return all;
}

/** What a unified diff says of one file. */
export interface FileChange {
  /** As it is named there. */
  readonly path: string;
  readonly isNew: boolean;
  readonly isDeleted: boolean;
  readonly hunks: Hunk[];
}

interface Hunk {
  /** The line it begins at before the change, from 1, or after which it only adds; missing where that is not told. */
  readonly line: number | undefined;
  readonly before: string[];
  /** What it adds, and the places in `before` of what it leaves alone. */
  readonly after: (string | number)[];
}

const HEAD = /^(?:diff |index |new file|deleted file|old mode|new mode|similarity |rename |\\)/;

/** Reads what a diff says of the files it names, as agents write it: with or without the places of its hunks. */
export function readDiff(diff: string): readonly FileChange[] {
  const changes: FileChange[] = [];
  let change: FileChange | undefined;
  let hunk: Hunk | undefined;
  /** Empty lines of which only the next line tells whether they belong to the hunk. */
  let empty = 0;
  const lines = diff.replace(/\r?\n$/, '').split(/\r?\n/);
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? '';
    const [, old] = /^--- (.+)$/.exec(line) ?? [];
    const [, now] = /^\+\+\+ (.+)$/.exec(lines[index + 1] ?? '') ?? [];
    if (old !== undefined && now !== undefined) {
      const isDeleted = now.startsWith('/dev/null');
      const path = (isDeleted ? old : now).replace(/\t.*$/, '').trim().replaceAll('\\', '/');
      // Some name a file again before each of its hunks.
      change = changes.find(each => each.path === path);
      change ??= { path, isNew: old.startsWith('/dev/null'), isDeleted, hunks: [] };
      if (!changes.includes(change)) changes.push(change);
      hunk = undefined;
      index++;
    } else if (line.startsWith('@@')) {
      const [, at] = /^@@ -(\d+)/.exec(line) ?? [];
      hunk = { line: at === undefined ? undefined : Number(at), before: [], after: [] };
      empty = 0;
      change?.hunks.push(hunk);
    } else if (line === '') {
      empty++;
    } else if (!HEAD.test(line) && hunk !== undefined) {
      const { before, after } = hunk;
      for (; empty > 0; empty--) after.push(before.push('') - 1);
      if (line.startsWith('+')) after.push(line.slice(1));
      else {
        if (!line.startsWith('-')) after.push(before.length);
        before.push(line.slice(1));
      }
    }
  }
  return changes.filter(({ hunks }) => hunks.length > 0);
}

/** Lines that are compared to find places; a change with more to be found is not one a person can look through. */
const MOST_COMPARED = 5_000_000;

/** A text with a change made to it; `undefined` where the change does not fit it, or fits several places. */
export function changed(text: string, { hunks }: Pick<FileChange, 'hunks'>): string | undefined {
  const end = text.includes('\r\n') ? '\r\n' : '\n';
  const lines = text === '' ? [] : text.split(/\r?\n/);
  let [moved, left] = [0, MOST_COMPARED];
  for (const { line, before, after } of hunks) {
    const isAt = (at: number): boolean =>
      before.every((each, offset) => left-- > 0 && lines[at + offset]?.trimEnd() === each.trimEnd());
    const wanted = line === undefined ? undefined : line - 1 + moved;
    let at = wanted;
    if (before.length === 0) {
      if (wanted !== undefined) at = Math.max(0, wanted + 1);
      if (lines.length === 0) at = 0;
    } else if (wanted === undefined || !isAt(wanted)) {
      const [only, ...others] = lines.flatMap((_, index) => (isAt(index) ? [index] : []));
      at = others.length > 0 ? undefined : only;
    }
    if (at === undefined || left < 0) return undefined;
    const from = at;
    const there = after.map(each => (typeof each === 'string' ? each : (lines[from + each] ?? '')));
    lines.splice(at, before.length, ...there);
    moved += after.length - before.length;
  }
  const whole = lines.join(end);
  return text === '' ? `${whole}${end}` : whole;
}
