import * as vscode from 'vscode';
import type { Formatter } from './format';
import { plain } from './text';

/** What a view says above its rows: why they are old, or what could not be read. `undefined` when all is well. */
export function viewMessage(
  state: {
    readonly at?: number | undefined;
    readonly failure?: { readonly sentence: string } | undefined;
    readonly unread?: { readonly count: number; readonly names: string } | undefined;
  },
  format: Formatter,
  now: number,
): string | undefined {
  if (state.failure !== undefined) {
    const sentence = plain(state.failure.sentence, 1_000);
    return state.at === undefined
      ? sentence
      : vscode.l10n.t('{0} Shown as of {1} ago.', sentence, format.span(now - state.at));
  }
  if (state.unread !== undefined && state.unread.count > 0) {
    return state.unread.count === 1
      ? vscode.l10n.t('One entry of the answer could not be read: {0}', plain(state.unread.names, 300))
      : vscode.l10n.t(
          '{0} entries of the answer could not be read: {1}',
          state.unread.count,
          plain(state.unread.names, 300),
        );
  }
  return undefined;
}

/** Sets or clears the line above the rows of a view. */
export function setMessage(view: vscode.TreeView<unknown>, message: string | undefined): void {
  // `undefined` clears; the declaration of `message` does not say so under exactOptionalPropertyTypes.
  (view as { message?: string | undefined }).message = message;
}
