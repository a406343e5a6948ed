import * as vscode from 'vscode';
import { commands } from '../contributions';
import type { Conversation } from './conversation';
import type { ChatPlace } from './place';

/** What a chat can do beyond what its page shows, as a list to choose from. */
export async function showMore(
  panel: { readonly conversation: Pick<Conversation, 'sessionId'>; find(): void },
  kind: ChatPlace['kind'],
): Promise<void> {
  const { sessionId } = panel.conversation;
  const run = (command: string) => (): unknown => vscode.commands.executeCommand(command, sessionId);
  const actions: (vscode.QuickPickItem & { readonly act: () => unknown })[] = [
    { label: `$(search) ${vscode.l10n.t('Find in this session')}`, act: () => panel.find() },
    { label: `$(export) ${vscode.l10n.t('Export to Markdown…')}`, act: run(commands.chat.export) },
    { label: `$(file) ${vscode.l10n.t('Open as text document')}`, act: run(commands.chat.openDocument) },
    { label: `$(copy) ${vscode.l10n.t('Copy session id')}`, act: run(commands.sessions.copyId) },
    { label: `$(info) ${vscode.l10n.t('Show session details')}`, act: run(commands.sessions.showDetails) },
    ...(kind === 'view'
      ? [
          {
            label: `$(multiple-windows) ${vscode.l10n.t('Open in an editor')}`,
            act: run(commands.chat.openPanel),
          },
        ]
      : []),
  ];
  const chosen = await vscode.window.showQuickPick(actions, {
    placeHolder: vscode.l10n.t('What to do with this session'),
    ignoreFocusOut: true,
  });
  await Promise.resolve(chosen?.act());
}
