import * as vscode from 'vscode';
import type { ApiClient, Computer } from '../api';
import { errorSentence } from '../connection';
import type { Formatter } from '../util/format';
import { forNotification, forQuickPick } from '../util/text';

import { activityOf, type SessionStatus } from './model';
import type { SessionRecord } from './record';
import { sessionTitle, statusText } from './text';

interface Choice<T> extends vscode.QuickPickItem {
  readonly value?: T;
}

/** What a person chose when asked for a session. */
export type SessionChoice =
  { readonly kind: 'known'; readonly sessionId: string } | { readonly kind: 'new' | 'add' };

/** Asks for one of the known sessions, or also for others; `undefined` when cancelled. */
export async function pickSession(ask: {
  readonly records: readonly SessionRecord[];
  readonly statusOf: (record: SessionRecord) => SessionStatus;
  readonly format: Formatter;
  readonly placeHolder: string;
  /** Whether a new session, or one that is not known yet, will do as well. */
  readonly offerOthers: boolean;
}): Promise<SessionChoice | undefined> {
  const now = Date.now();
  const known: Choice<SessionChoice>[] = [...ask.records]
    .sort((a, b) => activityOf(b) - activityOf(a))
    .map(record => ({
      label: forQuickPick(sessionTitle(record)),
      description: forQuickPick(statusText(ask.statusOf(record), ask.format, now)),
      value: { kind: 'known', sessionId: record.sessionId },
    }));
  const others: Choice<SessionChoice>[] = [
    { label: '', kind: vscode.QuickPickItemKind.Separator },
    { label: `$(add) ${vscode.l10n.t('New session…')}`, value: { kind: 'new' }, alwaysShow: true },
    {
      label: `$(link) ${vscode.l10n.t('Open a session by its id…')}`,
      value: { kind: 'add' },
      alwaysShow: true,
    },
  ];
  const items = ask.offerOthers ? [...known, ...others] : known;
  const { placeHolder } = ask;
  return (await vscode.window.showQuickPick(items, { placeHolder, matchOnDescription: true }))?.value;
}

/** Asks for a computer, reading the list while the picker is open. Resolves to `undefined` when cancelled. */
export async function pickComputer(
  api: ApiClient,
  last: string | undefined,
  context: { readonly host?: string },
): Promise<Computer | undefined> {
  const picker = vscode.window.createQuickPick<Choice<Computer>>();
  const abort = new AbortController();
  picker.placeholder = vscode.l10n.t('Choose the computer the new session runs on');
  picker.matchOnDescription = true;
  picker.busy = true;
  picker.show();
  const chosen = new Promise<Computer | undefined>(resolve => {
    picker.onDidAccept(() => {
      const computer = picker.selectedItems[0]?.value;
      if (computer === undefined) return;
      resolve(computer);
      picker.hide();
    });
    picker.onDidHide(() => resolve(undefined));
  });
  const listing = api.computers
    .list({ signal: abort.signal })
    .then(({ items }) => {
      const order = (computer: Computer): number =>
        (computer.id === last ? 0 : 2) +
        (computer.status === 'active' || computer.status === undefined ? 0 : 1);
      picker.items = items
        .slice()
        .sort((a, b) => order(a) - order(b) || a.name.localeCompare(b.name))
        .map(computer => ({
          label: forQuickPick(computer.name),
          description: forQuickPick([computer.status, computer.hostname].filter(Boolean).join(' · ')),
          value: computer,
        }));
      if (items.length === 0) picker.placeholder = vscode.l10n.t('The organization has no computers yet.');
    })
    .catch((error: unknown) => {
      if (abort.signal.aborted) return;
      const sentence = errorSentence(error, context);
      picker.hide();
      void vscode.window.showErrorMessage(forNotification(sentence));
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

/** Asks for a session id. Ids are the service's: anything without white space or control characters may be one. */
export async function askSessionId(): Promise<string | undefined> {
  const value = await vscode.window.showInputBox({
    title: vscode.l10n.t('Open a session by its id'),
    prompt: vscode.l10n.t('The id is shown in the web application and in the command-line client.'),
    ignoreFocusOut: true,
    validateInput: text =>
      text.trim() === '' || isSessionId(text.trim())
        ? undefined
        : vscode.l10n.t('A session id has no spaces and at most 256 characters.'),
  });
  const id = value?.trim();
  return id !== undefined && isSessionId(id) ? id : undefined;
}

export function isSessionId(text: string): boolean {
  return /^[^\s\p{C}]{1,256}$/u.test(text);
}
