import * as vscode from 'vscode';
import { errorSentence } from '../connection';
import { forNotification } from '../util/text';
import type { Conversation } from './conversation';

/**
 * Stands in for a chat page that did not load: says so and sends from an input box, over the same road. Resolves to what the
 * person chose in the end.
 */
export async function writeNatively(
  conversation: Conversation,
  title: string,
): Promise<'written' | 'reload' | undefined> {
  const { t } = vscode.l10n;
  const write = t('Write a Message');
  const reload = t('Try Again');
  const choice = await vscode.window.showWarningMessage(
    t(
      'The chat page of "{0}" did not load within 10 seconds. Pages need a secure (https) or local address and service workers. You can still send messages.',
      forNotification(title, 60),
    ),
    write,
    reload,
  );
  if (choice === reload) return 'reload';
  if (choice !== write) return undefined;
  const text = await vscode.window.showInputBox({
    title: forNotification(title, 60),
    prompt: t('Message to the agent'),
    value: conversation.composition.draft.text,
    ignoreFocusOut: true,
  });
  if (text === undefined || text.trim() === '') return undefined;
  try {
    await conversation.load();
    await conversation.sendDraft(text);
  } catch (error) {
    void vscode.window.showErrorMessage(forNotification(errorSentence(error)));
  }
  return 'written';
}
