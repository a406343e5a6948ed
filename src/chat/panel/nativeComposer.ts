import * as vscode from 'vscode';
import { errorSentence } from '../../connection';
import { forNotification } from '../../util/text';
import type { Conversation } from '../conversation';

/**
 * Stands in for a chat page that did not load: says so and sends from an input box, over the same road. Resolves to what the
 * person chose in the end. What was written stays in the draft until it is recorded, also when the box is closed.
 */
export async function writeNatively(
  conversation: Conversation,
  title: string,
): Promise<'written' | 'reload' | undefined> {
  const { window } = vscode;
  const { composition } = conversation;
  const [write, reload] = [vscode.l10n.t('Write a message'), vscode.l10n.t('Try again')];
  const shownTitle = forNotification(title, 60);
  const missing = vscode.l10n.t(
    'The chat page of "{0}" did not load within 10 seconds. You can still send messages.',
    shownTitle,
  );
  const choice = await window.showWarningMessage(missing, write, reload);
  if (choice === reload) return 'reload';
  if (choice !== write) return undefined;
  await conversation.load();
  let written: string | undefined;
  const text = await window.showInputBox({
    title: shownTitle,
    prompt: vscode.l10n.t('Message to the agent'),
    value: composition.draft.text,
    ignoreFocusOut: true,
    validateInput: value => void (written = value),
  });
  if (text === undefined || text.trim() === '') {
    if (written !== undefined) composition.setText(written, composition.draft.stash);
    return undefined;
  }
  try {
    await conversation.submit(text);
  } catch (error) {
    void window.showErrorMessage(forNotification(errorSentence(error)));
  }
  return 'written';
}
