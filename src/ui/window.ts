import * as os from 'node:os';
import * as vscode from 'vscode';
import type { Logger } from '../log';
import { errorSentence } from '../util/errorSentence';
import { forEditor, forNotification } from '../util/text';

const SHOW = {
  info: 'showInformationMessage',
  warning: 'showWarningMessage',
  error: 'showErrorMessage',
} as const;

/** A button of a notice and what it does. */
export type NoticeButton = readonly [label: string, run: () => unknown];

/**
 * Shows a notice and returns: it stays as long as a person likes, so nothing waits for it. A failure of what its button does is
 * logged and told. Foreign text in `sentence` has passed `forNotification`.
 */
export function notify(
  log: Logger,
  kind: keyof typeof SHOW,
  sentence: string,
  ...buttons: readonly NoticeButton[]
): void {
  const labels = buttons.map(([label]) => label);
  Promise.resolve(vscode.window[SHOW[kind]](sentence, ...labels))
    .then(chosen => buttons.find(([label]) => label === chosen)?.[1]())
    .catch((error: unknown) => {
      log.error('What a notice offered could not be done', error);
      void vscode.window.showErrorMessage(forNotification(errorSentence(error), 1_000));
    });
}

/** Asks whether to go on, and waits for it. Foreign text has passed `forNotification`. */
export async function confirmed(question: string, detail: string, act: string): Promise<boolean> {
  return (await vscode.window.showWarningMessage(question, { modal: true, detail }, act)) === act;
}

/**
 * Why this window starts no program, and writes no file outside of our own storage (trust.md 39): Restricted Mode, or a virtual
 * workspace, all of whose folders are on no machine. `undefined`: both are fine.
 */
export function restriction(): 'untrusted' | 'virtual' | undefined {
  if (!vscode.workspace.isTrusted) return 'untrusted';
  const { workspaceFolders: folders = [] } = vscode.workspace;
  return folders.length > 0 && folders.every(({ uri }) => uri.scheme !== 'file') ? 'virtual' : undefined;
}

/**
 * Opens a web or mail address as it is written. VS Code decodes a `Uri` and encodes it anew, which makes another address of some
 * (`%23` becomes `%2523`, `%2F` a slash); the command `vscode.open` takes a web address as text, and asks a person as well
 * before it opens a site that is not trusted. Where both say the same, `openExternal` also reaches a port of a remote machine.
 */
export async function openAddress(address: string): Promise<void> {
  const uri = vscode.Uri.parse(address, true);
  const changes = encodeURI(uri.toString(true)) !== address && /^https?:/i.test(address);
  if (changes) await vscode.commands.executeCommand('vscode.open', address);
  else await vscode.env.openExternal(uri);
}

export interface TextToSave extends Pick<vscode.SaveDialogOptions, 'title' | 'saveLabel'> {
  /** Of the file, with its ending. */
  readonly name: string;
  readonly content: string;
}

/**
 * Writes a text to a file that the person names, and resolves to it, or to nothing when they think better of it. Where no file
 * may be written it opens as a document that has none yet.
 */
export async function saveText({
  name,
  content: given,
  ...dialog
}: TextToSave): Promise<vscode.Uri | undefined> {
  const content = forEditor(given);
  const type = name.slice(name.lastIndexOf('.') + 1);
  if (restriction() !== undefined) {
    const language = type === 'json' ? 'json' : 'plaintext';
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ language, content }));
    return undefined;
  }
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.file(os.homedir());
  const filters = { [type.toUpperCase()]: [type] };
  const defaultUri = vscode.Uri.joinPath(folder, name);
  const file = await vscode.window.showSaveDialog({ ...dialog, defaultUri, filters });
  if (file === undefined) return undefined;
  await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(content));
  return file;
}
