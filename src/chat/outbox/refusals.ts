import * as vscode from 'vscode';

/** Why a person's act on a message was not carried out: errors whose messages are sentences. */

export function isBusy(): Error {
  return new Error(vscode.l10n.t('The message before this one is still being sent.'));
}

/** It was recorded, but its window lost its turn before the request left. */
export function isQueued(): Error {
  return new Error(vscode.l10n.t('The message is in the queue. It goes out when the agent is idle.'));
}

/** Another window was first with the composer. */
export function isChanged(): Error {
  return new Error(vscode.l10n.t('The text was changed in another window. Look at it and send it again.'));
}

/** There is nothing left to decide about. */
export function isSettled(): Error {
  return new Error(vscode.l10n.t('This message has been settled meanwhile.'));
}
