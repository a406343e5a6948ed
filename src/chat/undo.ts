import * as vscode from 'vscode';
import { errorSentence } from '../connection';
import { forNotification } from '../util/text';
import type { Conversation } from './conversation';
import type { Message } from './outbox/record';

/** Where a person is told that something is gone, and may have it back. */
export interface Teller {
  showInformationMessage(message: string, ...choices: string[]): Thenable<string | undefined>;
  showErrorMessage(message: string): Thenable<unknown>;
}

/** Says that a message is gone; when the person wants it back, it comes before what the composer holds then. */
export async function offerBack(
  panel: { readonly conversation: Conversation; showDraft(): void },
  words: string,
  gone: Message,
  teller: Teller = vscode.window,
): Promise<void> {
  const label = vscode.l10n.t('Put back into the composer');
  if ((await teller.showInformationMessage(words, label)) !== label) return;
  const { conversation } = panel;
  try {
    await conversation.composition.putBack(gone);
    if (!conversation.isDisposed) panel.showDraft();
  } catch (error) {
    await teller.showErrorMessage(forNotification(errorSentence(error)));
  }
}
