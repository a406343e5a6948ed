import * as vscode from 'vscode';
import type { Logger } from '../../log';
import { notify } from '../../ui/notify';
import { forNotification } from '../../util/text';
import type { Conversation } from '../conversation';

/** Stands in for a chat page that did not load: says so, and offers an input box that sends over the same road (trust.md 11). */
export function offerInputBox(
  log: Logger,
  conversation: Conversation,
  title: string,
  reload: () => unknown,
): void {
  const shown = forNotification(title, 60);
  const missing = vscode.l10n.t(
    'The chat page of "{0}" did not load within 10 seconds. You can still send messages.',
    shown,
  );
  notify(
    log,
    'warning',
    missing,
    [vscode.l10n.t('Write a message'), () => write(conversation, shown)],
    [vscode.l10n.t('Try again'), reload],
  );
}

/** What was written stays in the draft until it is recorded, also when the box is closed. */
async function write(conversation: Conversation, title: string): Promise<void> {
  const { composition } = conversation;
  await conversation.load();
  let written: string | undefined;
  const text = await vscode.window.showInputBox({
    title,
    prompt: vscode.l10n.t('Message to the agent'),
    value: composition.draft.text,
    ignoreFocusOut: true,
    validateInput: value => void (written = value),
  });
  if (text !== undefined && text.trim() !== '') await conversation.submit(text);
  else if (written !== undefined) composition.setText(written);
}
