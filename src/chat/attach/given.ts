import * as vscode from 'vscode';
import { oneLine } from '../../util/text';

/** A file without an address; its bytes are brought here when they are read. */
export interface AwayFile {
  readonly name: string;
  /** Where it belongs in the workspace; the name without it. */
  readonly path?: string | undefined;
  /** Where that is known before it is read, bytes. */
  readonly size?: number;
  read(): Thenable<Uint8Array>;
}

export const textFile = (name: string, text: () => string | Promise<string>, path?: string): AwayFile => ({
  ...{ name, path },
  read: async () => new TextEncoder().encode(await text()),
});

/** What a person hands over: files by their addresses, and such as have none. */
export interface Given {
  readonly uris: readonly string[];
  readonly files: readonly AwayFile[];
}

export async function pickFiles(): Promise<readonly string[]> {
  const uris = await vscode.window.showOpenDialog({
    canSelectMany: true,
    openLabel: vscode.l10n.t('Attach'),
  });
  return (uris ?? []).map(uri => uri.toString());
}

/** The selections of the active editor, each as a text file that names its file and lines. */
export function selectedTexts(): readonly AwayFile[] {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) return [];
  const { document } = editor;
  const place = placeOf(document.uri);
  return editor.selections
    .filter(selection => !selection.isEmpty)
    .sort((a, b) => a.start.compareTo(b.start))
    .map(selection => {
      // A selection that ends before the first character of a line does not take that line in.
      const last = selection.end.character === 0 ? selection.end.line : selection.end.line + 1;
      const lines = `${selection.start.line + 1}-${Math.max(last, selection.start.line + 1)}`;
      const text = (): string => document.getText(selection);
      return textFile(`${nameOf(document.uri)}:${lines}`, text, `${place}:${lines}`);
    });
}

/** The files in what was dropped on a tree: their addresses, or themselves where they have none. */
export async function droppedFiles(data: vscode.DataTransfer): Promise<Given> {
  const listed = await data.get('text/uri-list')?.asString();
  const uris = (listed ?? '')
    .split(/\r?\n/)
    .filter(line => line !== '' && !/^(?:#|https?:|mailto:|data:|blob:)/i.test(line));
  if (uris.length > 0) return { uris, files: [] };
  const files: AwayFile[] = [];
  for (const [, item] of data) {
    const file = item.asFile();
    // With an address, its size is known before it is read (trust.md 14).
    if (file?.uri !== undefined) uris.push(file.uri.toString());
    else if (file !== undefined) files.push({ name: file.name, read: () => file.data() });
  }
  return { uris, files };
}

/** Relative to the workspace, with `/`; the name alone for what lies outside: its path says more about this machine than about the file. */
export function placeOf(uri: vscode.Uri): string {
  if (vscode.workspace.getWorkspaceFolder(uri) === undefined) return nameOf(uri);
  const hasFolders = (vscode.workspace.workspaceFolders?.length ?? 0) > 1;
  return vscode.workspace.asRelativePath(uri, hasFolders).replaceAll('\\', '/');
}

export function nameOf(uri: vscode.Uri): string {
  return uri.path.split('/').at(-1) ?? uri.path;
}

/**
 * What a file is called beside others, never without a character that leaves a trace: as all pasted pictures are `image.png`, one
 * without a place gets a name that no other has.
 */
export function nameAmong({ name, path }: AwayFile, others: readonly { readonly name: string }[]): string {
  const last = oneLine(name.split(/[\\/]/).at(-1) ?? '', 100);
  const isSeen = /[^\p{Z}\p{C}\p{Default_Ignorable_Code_Point}]/u.test(last);
  const own = isSeen ? last : vscode.l10n.t('file');
  const [, stem = own, ending = ''] = /^(.+?)(\.[^.]*)?$/s.exec(own) ?? [];
  const isTaken = (free: string): boolean => path === undefined && others.some(each => each.name === free);
  let free = own;
  for (let number = 2; isTaken(free); number++) free = `${stem}-${number}${ending}`;
  return free;
}
