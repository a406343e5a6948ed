import * as vscode from 'vscode';
import type { ItemProblem } from '../api';
import type { ConnectionState } from '../connection';
import { oneLine, plain } from '../util/text';
import { format, joined } from './text';

/** As much of a list as its view speaks of. */
export interface ShownList {
  readonly items: readonly unknown[];
  /** Unix ms. */
  readonly at?: number | undefined;
  readonly failure?: { readonly sentence: string; readonly cause?: string | undefined } | undefined;
  readonly problems?: readonly ItemProblem[];
}

export interface ViewStatusOptions {
  readonly connection: ConnectionState;
  readonly lists: readonly ShownList[];
  /** Unix ms. */
  readonly now: number;
}

/**
 * What a view says above its rows: why they are old, or what could not be read; `undefined` when all is well. The message hides the
 * view's welcome: without rows that one tells better of a rejected key.
 */
export function viewMessage({ connection, lists, now }: ViewStatusOptions): string | undefined {
  if (connection.kind === 'signedOut') return undefined;
  if (connection.kind === 'keyRejected') {
    const isShown = lists.some(({ items }) => items.length > 0);
    return isShown ? plain(connection.reason, 1_000) : undefined;
  }
  const causes = new Set<string>();
  const sentences = lists.flatMap(({ at, failure }) => {
    if (failure === undefined || causes.has(failure.cause ?? failure.sentence)) return [];
    causes.add(failure.cause ?? failure.sentence);
    const sentence = plain(failure.sentence, 1_000);
    return at === undefined
      ? sentence
      : vscode.l10n.t('{0} Shown as of {1} ago.', sentence, format.span(now - at));
  });
  if (sentences.length > 0) return plain(sentences.join(' '), 1_000);
  const unread = lists.flatMap(({ problems = [] }) => problems.map(problemText));
  if (unread.length === 0) return undefined;
  // The message stands above the rows and takes their room.
  const some = unread.slice(0, 3).map(name => oneLine(name, 100));
  const names = [...some, ...(unread.length > 3 ? ['…'] : [])].join('; ');
  return unread.length === 1
    ? vscode.l10n.t('1 entry could not be read: {0}', names)
    : vscode.l10n.t('{0} entries could not be read: {1}', unread.length, names);
}

/** An entry that could not be read, by its id or its place, and why. */
function problemText({ id, index, field, reason }: ItemProblem): string {
  const place = id ?? (index === undefined ? undefined : `#${index + 1}`);
  return joined([place, field, reason], ' ');
}

/** What the welcomes of a view go by. */
export function listContext({ items, at, failure }: ShownList): 'loading' | 'empty' | 'failed' | 'listed' {
  if (items.length > 0) return 'listed';
  if (failure !== undefined) return 'failed';
  return at === undefined ? 'loading' : 'empty';
}

export function setMessage(view: { message?: string }, message: string | undefined): void {
  // `undefined` clears; the declaration of `message` does not say so under exactOptionalPropertyTypes.
  (view as { message?: string | undefined }).message = message;
}
