import * as vscode from 'vscode';
import type { Formatter } from '../util/format';
import { oneLine } from '../util/text';
import { titleOf, type SessionStatus } from './model';
import type { SessionRecord } from './record';

/** The title on one line, or words for a session without one. */
export function sessionTitle(record: SessionRecord): string {
  const title = titleOf(record);
  return title === undefined ? vscode.l10n.t('Session {0}', shortId(record.sessionId)) : oneLine(title, 120);
}

/** State in words with its age, such as `running · 12 sec`, or why it is not known. */
export function statusText(status: SessionStatus, format: Formatter, now: number): string {
  const age = status.at === undefined ? undefined : format.span(now - status.at);
  if (status.value === 'unknown') {
    if (status.last === undefined) return vscode.l10n.t('unknown');
    return vscode.l10n.t('unknown, {0} {1} ago', statusWord(status.last), age ?? '');
  }
  return age === undefined ? statusWord(status.value) : `${statusWord(status.value)} · ${age}`;
}

/** Codicon of a state; the state is always in words beside it. */
export function statusIcon(status: SessionStatus): { readonly id: string; readonly color?: string } {
  switch (status.value) {
    case 'running':
      return { id: 'sync~spin', color: 'charts.blue' };
    case 'pending':
      return { id: 'watch' };
    case 'idle':
      return { id: 'comment-discussion' };
    case 'unknown':
      return status.problem === undefined
        ? { id: 'circle-outline' }
        : { id: 'question', color: 'charts.yellow' };
    default:
      return { id: 'circle-outline' };
  }
}

/** A computer's name with what is known: the list, the record, else the bare id. */
export function computerLabel(
  computerId: string | undefined,
  nameOf: (computerId: string) => string | undefined,
  remembered: string | undefined,
): string | undefined {
  if (computerId === undefined) return undefined;
  return oneLine(nameOf(computerId) ?? remembered ?? computerId);
}

function statusWord(value: string): string {
  switch (value) {
    case 'running':
      return vscode.l10n.t('running');
    case 'pending':
      return vscode.l10n.t('pending');
    case 'idle':
      return vscode.l10n.t('idle');
    default:
      return oneLine(value, 40);
  }
}

function shortId(id: string): string {
  return oneLine(id.length > 14 ? `${id.slice(0, 13)}…` : id);
}
