import * as vscode from 'vscode';
import { randomUUID } from 'node:crypto';
import { errorSentence } from '../../connection';
import { forNotification } from '../../util/text';
import type { Conversation } from '../conversation';

/** How the editor itself asks and tells. */
export type Prompts = Pick<typeof vscode.window, 'showInputBox' | 'showErrorMessage'> & {
  showWarningMessage(message: string, ...choices: readonly string[]): Thenable<string | undefined>;
};

/**
 * Stands in for a chat page that did not load: says so and sends from an input box, over the same road. Resolves to what the
 * person chose in the end. What was written stays in the draft until it is recorded, also when the box is closed.
 */
export async function writeNatively(
  conversation: Conversation,
  title: string,
  prompts: Prompts = vscode.window,
): Promise<'written' | 'reload' | undefined> {
  const write = vscode.l10n.t('Write a message');
  const reload = vscode.l10n.t('Try again');
  const choice = await prompts.showWarningMessage(
    vscode.l10n.t(
      'The chat page of "{0}" did not load within 10 seconds. Pages need a secure (https) or local address and service workers. You can still send messages.',
      forNotification(title, 60),
    ),
    write,
    reload,
  );
  if (choice === reload) return 'reload';
  if (choice !== write) return undefined;
  await conversation.load();
  let written: string | undefined;
  const text = await prompts.showInputBox({
    title: forNotification(title, 60),
    prompt: vscode.l10n.t('Message to the agent'),
    value: conversation.composition.draft.text,
    ignoreFocusOut: true,
    validateInput: value => void (written = value),
  });
  if (text === undefined || text.trim() === '') {
    const { composition } = conversation;
    if (written !== undefined) composition.setText(written, composition.draft.stash);
    return undefined;
  }
  try {
    await conversation.submit(text, randomUUID());
  } catch (error) {
    void prompts.showErrorMessage(forNotification(errorSentence(error)));
  }
  return 'written';
}
