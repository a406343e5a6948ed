import * as vscode from 'vscode';
import { computerName, type ApiClient, type Computer } from '../api';
import { errorSentence } from '../connection';
import { forNotification, forQuickPick } from '../util/text';
import type { Left } from './steps';

interface Choice extends vscode.QuickPickItem {
  readonly computer: Computer;
}

/** Asks for a computer, reading the list while the picker is open; the one of last time comes first, then usable ones. */
export async function pickComputer(
  api: ApiClient,
  ask: {
    readonly last: string | undefined;
    readonly host: string;
    /** Set in a flow that goes on to settings anyway. */
    readonly title?: string;
  },
): Promise<{ readonly value: { readonly computer: Computer; readonly withSettings: boolean } } | Left> {
  const picker = vscode.window.createQuickPick<Choice>();
  const abort = new AbortController();
  const more = {
    iconPath: new vscode.ThemeIcon('settings-gear'),
    tooltip: vscode.l10n.t('Settings and first message…'),
  };
  picker.title = ask.title;
  picker.placeholder = vscode.l10n.t('Choose the computer the new session runs on');
  picker.matchOnDescription = true;
  // Often asked after another question: a page that gets the focus back in between would close it.
  picker.ignoreFocusOut = true;
  picker.busy = true;
  picker.show();
  const chosen = new Promise<{ value: { computer: Computer; withSettings: boolean } } | Left>(resolve => {
    picker.onDidAccept(() => {
      const computer = picker.selectedItems[0]?.computer;
      if (computer !== undefined) resolve({ value: { computer, withSettings: false } });
    });
    picker.onDidTriggerItemButton(({ item }) =>
      resolve({ value: { computer: item.computer, withSettings: true } }),
    );
    picker.onDidHide(() => resolve('cancelled'));
  });
  const listing = api.computers
    .list({ signal: abort.signal })
    .then(({ items }) => {
      picker.items = inOrder(items, ask.last).map(computer => ({
        label: forQuickPick(computerName(computer)),
        description: forQuickPick(descriptionOf(computer, ask.last)),
        buttons: ask.title === undefined ? [more] : [],
        computer,
      }));
      if (items.length === 0) picker.placeholder = vscode.l10n.t('The organization has no computers yet.');
    })
    .catch((error: unknown) => {
      if (abort.signal.aborted) return;
      picker.hide();
      void vscode.window.showErrorMessage(forNotification(errorSentence(error, { host: ask.host })));
    })
    .finally(() => {
      picker.busy = false;
    });
  try {
    return await chosen;
  } finally {
    abort.abort();
    await listing;
    picker.dispose();
  }
}

function inOrder(computers: readonly Computer[], last: string | undefined): Computer[] {
  const rank = ({ id, status }: Computer): number =>
    (id === last ? 0 : 2) + (status === 'active' || status === undefined ? 0 : 1);
  return [...computers].sort((a, b) => rank(a) - rank(b) || computerName(a).localeCompare(computerName(b)));
}

function descriptionOf({ id, status, hostname }: Computer, last: string | undefined): string {
  const facts = [
    status ?? vscode.l10n.t('no status reported'),
    id === last ? vscode.l10n.t('last used') : undefined,
    hostname,
  ];
  return facts.filter(Boolean).join(' · ');
}
