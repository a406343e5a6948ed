import * as vscode from 'vscode';
import { errorSentence } from '../connection';
import { forNotification } from '../util/text';
import type { Conversation } from './conversation';
import { routeOf, type Route } from './drafts';
import type { SendRecord } from './sendJournal';

/** A message the person has thrown away. */
export type Gone = Pick<SendRecord, 'text' | 'attachments' | keyof Route>;

/** Where a person is told that something is gone, and may have it back. */
export interface Teller {
  showInformationMessage(message: string, ...choices: string[]): Thenable<string | undefined>;
  showErrorMessage(message: string): Thenable<unknown>;
}

/** Says that a message is gone; when the person wants it back, it comes before what the composer holds then. */
export async function offerBack(
  panel: { readonly conversation: Conversation; showDraft(): void },
  words: string,
  gone: Gone,
  teller: Teller = vscode.window,
): Promise<void> {
  const label = vscode.l10n.t('Put back into the composer');
  if ((await teller.showInformationMessage(words, label)) !== label) return;
  const { conversation } = panel;
  const { text, attachments } = gone;
  try {
    await conversation.composition.takeBack({ text, attachments, ...routeOf(gone) });
    if (!conversation.isDisposed) panel.showDraft();
  } catch (error) {
    await teller.showErrorMessage(forNotification(errorSentence(error)));
  }
}
