import * as vscode from 'vscode';
import type { Listing, ViewOptions } from './listing';
import { currentWorkspace } from './workspaces';

interface Choice extends vscode.QuickPickItem {
  readonly change?: Partial<ViewOptions>;
}

/** Asks how the Sessions view is arranged: one choice, of any kind, at a time. */
export async function pickViewOptions(listing: Listing): Promise<void> {
  const now = listing.options;
  const heading = (label: string): Choice => ({ label, kind: vscode.QuickPickItemKind.Separator });
  const choice = (label: string, change: Partial<ViewOptions>): Choice => {
    const isSo = Object.entries(change).every(([key, value]) => now[key as keyof ViewOptions] === value);
    return isSo ? { label, description: vscode.l10n.t('now'), change } : { label, change };
  };
  const items = [
    heading(vscode.l10n.t('Group by')),
    choice(vscode.l10n.t('What sessions need'), { grouping: 'attention' }),
    choice(vscode.l10n.t('Computer'), { grouping: 'computer' }),
    choice(vscode.l10n.t('Workspace'), { grouping: 'workspace' }),
    heading(vscode.l10n.t('Sort by')),
    choice(vscode.l10n.t('Latest activity'), { sorting: 'activity' }),
    choice(vscode.l10n.t('Newest session'), { sorting: 'created' }),
    choice(vscode.l10n.t('Name'), { sorting: 'name' }),
  ];
  if (currentWorkspace() !== undefined)
    items.push(
      heading(vscode.l10n.t('Show')),
      choice(vscode.l10n.t('All sessions'), { onlyHere: false }),
      choice(vscode.l10n.t('Only sessions of this workspace'), { onlyHere: true }),
    );
  // A page that gets the focus back from the palette late would close it.
  const options = { placeHolder: vscode.l10n.t('How are sessions listed?'), ignoreFocusOut: true };
  const chosen = await vscode.window.showQuickPick<Choice>(items, options);
  if (chosen?.change !== undefined) await listing.choose(chosen.change);
}
