import * as vscode from 'vscode';
import { settings } from '../../settings';
import type { Formatter } from '../../util/format';
import { isShown, type KnownMessage } from './messages';
import type { GapRow } from '../protocol';
import type { RowsInput } from './rows';

type Gap = Omit<GapRow, 'kind' | 'key'>;

/** What is to be said above a message that names one before it which is not known: why the walk has not gone on, and whether it can. */
export function breakAbove({ message }: KnownMessage, { known, walk }: RowsInput): Gap | undefined {
  const ask = message?.parentId;
  if (walk === undefined || ask === undefined || known.has(ask)) return undefined;
  const failed = walk.failed.get(ask);
  if (failed !== undefined)
    return { sentence: vscode.l10n.t('Earlier messages could not be read: {0}', failed), canRead: true };
  return walk.isOn
    ? { sentence: vscode.l10n.t('Reading earlier messages'), canRead: false }
    : { sentence: vscode.l10n.t('Earlier messages have not been read yet.'), canRead: true };
}

/**
 * What is to be said about messages of the session that are not known here, or of which none is for people; nothing without any. While
 * the agent works that is one quiet line. When it rests where replies can only be reached from the next message, there is a reason, too.
 */
export function gapOf(
  input: RowsInput,
  ordered: readonly KnownMessage[],
  format: Formatter,
): Gap | undefined {
  const { messageCount = 0, complete = false, status = 'unknown', sends, webApp = false } = input;
  const missing = Math.max(0, messageCount - ordered.length);
  const isInternal = missing === 0 && !ordered.some(isShown);
  const count = isInternal ? ordered.length : missing;
  if (count === 0) return undefined;
  const last = ordered.at(-1);
  const number = format.number(count);
  const counted = (one: string, several: string) => ({ sentence: count === 1 ? one : several });
  if (last !== undefined && (complete || isInternal))
    return counted(
      vscode.l10n.t('1 message of this session is not shown by the service'),
      vscode.l10n.t('{0} messages of this session are not shown by the service', number),
    );
  if (ordered.some(entry => breakAbove(entry, input) !== undefined))
    return counted(
      vscode.l10n.t('1 message has not been read yet'),
      vscode.l10n.t('{0} messages have not been read yet', number),
    );
  const later = counted(
    vscode.l10n.t('1 message cannot be read yet; it appears with your next message'),
    vscode.l10n.t('{0} messages cannot be read yet; they appear with your next message', number),
  );
  if (['running', 'pending', 'unknown'].includes(status) || sends.some(({ state }) => state === 'sending'))
    return later;
  const isAnswer = last !== undefined && (last.message === undefined || last.message.role === 'user');
  const { sentence } = isAnswer
    ? counted(
        vscode.l10n.t('The agent has answered (1 message).'),
        vscode.l10n.t('The agent has answered ({0} messages).', number),
      )
    : later;
  return {
    sentence,
    reason: vscode.l10n.t('This service shows replies only after your next message.'),
    webApp,
  };
}

/** Explains why an answer is not shown yet. */
export async function explainGap(): Promise<void> {
  const change = vscode.l10n.t('Open setting');
  const isOff = !settings.extras();
  const detail = [
    vscode.l10n.t(
      "Each message names only the one before it, and sending returns the id of your own message. So the agent's reply can be read as soon as a newer message of yours leads to it.",
    ),
    isOff
      ? vscode.l10n.t(
          'Some services can list messages, so that replies appear while the agent works. The setting agentConsole.extras is off, so this service has not been asked.',
        )
      : vscode.l10n.t(
          'Some services can list messages, so that replies appear while the agent works. This one does not.',
        ),
  ].join('\n\n');
  const pressed = await vscode.window.showInformationMessage(
    vscode.l10n.t('Why the answer is not shown yet'),
    { modal: true, detail },
    ...(isOff ? [change] : []),
  );
  if (pressed === change) {
    await vscode.commands.executeCommand('workbench.action.openSettings', 'agentConsole.extras');
  }
}
