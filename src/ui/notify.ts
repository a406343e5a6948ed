import * as vscode from 'vscode';
import type { Logger } from '../log';
import { errorSentence } from '../util/errorSentence';
import { forNotification } from '../util/text';

const SHOW = {
  info: 'showInformationMessage',
  warning: 'showWarningMessage',
  error: 'showErrorMessage',
} as const;

/** A button of a notice and what it does. */
export type NoticeButton = readonly [label: string, run: () => unknown];

/**
 * Shows a notice and returns: it stays as long as a person likes, so nothing waits for it. A failure of what its button does is
 * logged and told. Foreign text in `sentence` has passed `forNotification`.
 */
export function notify(
  log: Logger,
  kind: keyof typeof SHOW,
  sentence: string,
  ...buttons: readonly NoticeButton[]
): void {
  const labels = buttons.map(([label]) => label);
  Promise.resolve(vscode.window[SHOW[kind]](sentence, ...labels))
    .then(chosen => buttons.find(([label]) => label === chosen)?.[1]())
    .catch((error: unknown) => {
      log.error('What a notice offered could not be done', error);
      void vscode.window.showErrorMessage(forNotification(errorSentence(error), 1_000));
    });
}

/** Asks whether to go on, and waits for it. Foreign text has passed `forNotification`. */
export async function confirmed(question: string, detail: string, act: string): Promise<boolean> {
  return (await vscode.window.showWarningMessage(question, { modal: true, detail }, act)) === act;
}
