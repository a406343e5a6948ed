import * as vscode from 'vscode';
import { forQuickPick } from '../../util/text';
import { isUri } from '../requests';

/** A group of editors as far as its files matter. */
export interface TabsOfGroup {
  readonly isActive: boolean;
  readonly tabs: readonly { readonly label: string; readonly isActive: boolean; readonly input: unknown }[];
}

export interface TabFile {
  readonly uri: vscode.Uri;
  readonly label: string;
  /** The tab a menu was opened on, or the one in front. */
  readonly isChosen: boolean;
}

/**
 * The files open beside the one a tab's menu was opened on, in the order of their tabs; of a comparison the changed side. `place`
 * is what the menu tells of the tab beside its address: its index. Without both, the files of the group in front.
 */
export function tabFiles(
  groups: readonly TabsOfGroup[],
  clicked: unknown,
  place: unknown,
): readonly TabFile[] {
  const index = (place as { readonly editorIndex?: unknown } | null | undefined)?.editorIndex;
  const address = isUri(clicked) ? clicked.toString() : undefined;
  const isClicked = ({ input }: { readonly input: unknown }): boolean =>
    address !== undefined && fileOf(input)?.toString() === address;
  const group =
    groups.find(({ tabs }) => tabs.some((tab, at) => at === index && isClicked(tab))) ??
    groups.find(({ tabs }) => tabs.some(isClicked)) ??
    groups.find(({ isActive }) => isActive);
  const files = new Map<string, TabFile>();
  for (const tab of group?.tabs ?? []) {
    const uri = fileOf(tab.input);
    const isChosen = address === undefined ? tab.isActive : isClicked(tab);
    if (uri !== undefined && !files.has(uri.toString()))
      files.set(uri.toString(), { uri, label: tab.label, isChosen });
  }
  return [...files.values()];
}

/** Lets the person choose among the files open beside that one: which tabs are selected, an extension is not told. */
export async function pickTabFiles(
  clicked: unknown,
  place: unknown,
): Promise<readonly vscode.Uri[] | undefined> {
  const files = tabFiles(vscode.window.tabGroups.all, clicked, place);
  if (files.length <= 1) return files.map(({ uri }) => uri);
  const chosen = await vscode.window.showQuickPick(
    files.map(({ uri, label, isChosen }) => ({
      uri,
      label: forQuickPick(label, 100),
      description: forQuickPick(vscode.workspace.asRelativePath(uri), 200),
      picked: isChosen,
    })),
    {
      canPickMany: true,
      matchOnDescription: true,
      placeHolder: vscode.l10n.t(
        'Choose the open files to send. VS Code does not tell which tabs are selected.',
      ),
    },
  );
  return chosen?.map(({ uri }) => uri);
}

function fileOf(input: unknown): vscode.Uri | undefined {
  const { uri, modified } = (input ?? {}) as { readonly uri?: unknown; readonly modified?: unknown };
  return [uri, modified].find(isUri);
}
