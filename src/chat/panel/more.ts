import * as vscode from 'vscode';
import { commands } from '../../contributions';
import type { Conversation } from '../conversation';

interface Act extends vscode.QuickPickItem {
  readonly act: () => unknown;
}

interface MorePanel {
  readonly conversation: Pick<Conversation, 'sessionId' | 'session'>;
  find(): void;
}

/** Lets the person choose what else to do with the session of a chat. */
export async function showMore(panel: MorePanel): Promise<void> {
  const chosen = await vscode.window.showQuickPick(moreActs(panel), {
    placeHolder: vscode.l10n.t('What to do with this session'),
    ignoreFocusOut: true,
  });
  await Promise.resolve(chosen?.act());
}

/** What a chat can do beyond what its page shows; where a session's row has the same, in its words. */
export function moreActs(panel: MorePanel): Act[] {
  const { sessionId, session } = panel.conversation;
  const run = (icon: string, label: string, command: string): Act => ({
    label: `$(${icon}) ${label}`,
    act: () => vscode.commands.executeCommand(command, sessionId),
  });
  const { sessions, chat } = commands;
  return [
    { label: `$(search) ${vscode.l10n.t('Find in this session')}`, act: () => panel.find() },
    run('markdown', vscode.l10n.t('Export to Markdown'), chat.export),
    run('copy', vscode.l10n.t('Copy session id'), sessions.copyId),
    run('link', vscode.l10n.t('Copy session link'), sessions.copyLink),
    run('info', vscode.l10n.t('Show session details'), sessions.showDetails),
    ...(session === undefined
      ? []
      : [
          run('edit', vscode.l10n.t('Rename session on this machine…'), sessions.rename),
          session.isPinned === true
            ? run('pinned', vscode.l10n.t('Unpin session'), sessions.unpin)
            : run('pin', vscode.l10n.t('Pin session on this machine'), sessions.pin),
          session.isArchived === true
            ? run('archive', vscode.l10n.t('Unarchive session'), sessions.unarchive)
            : run('archive', vscode.l10n.t('Archive session on this machine'), sessions.archive),
        ]),
  ];
}
