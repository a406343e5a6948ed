import * as vscode from 'vscode';
import type { Formatter } from '../util/format';
import { oneLine } from '../util/text';
import type { GroupKind } from './groups';
import { isActive, isWaiting, titleOf, type SessionStatus } from './model';
import type { SessionRecord } from './record';
import type { KeptSignal } from './signal';

/** The title on one line, or words for a session without one. */
export function sessionTitle(record: SessionRecord): string {
  const title = titleOf(record);
  return title === undefined ? vscode.l10n.t('Session {0}', shortId(record.sessionId)) : oneLine(title, 120);
}

/** State in words with its age, such as `running 12 sec`, or why it is not known. */
export function statusText(status: SessionStatus, format: Formatter, now: number): string {
  const age = status.at === undefined ? undefined : format.span(now - status.at);
  if (status.value === 'unknown') {
    if (status.last === undefined) return vscode.l10n.t('unknown');
    return vscode.l10n.t('unknown, {0} {1} ago', statusWord(status.last), age ?? '');
  }
  return age === undefined ? statusWord(status.value) : `${statusWord(status.value)} ${age}`;
}

/** What a hook told, with its age. */
export function signalText(signal: KeptSignal, format: Formatter, now: number): string {
  const age = format.span(now - signal.at);
  switch (signal.kind) {
    case 'waiting':
      return vscode.l10n.t('waiting {0}', age);
    case 'finished':
      return vscode.l10n.t('finished {0}', age);
    case 'ended':
      return signal.reason === undefined || signal.reason === 'other'
        ? vscode.l10n.t('ended {0}', age)
        : vscode.l10n.t('ended ({0}) {1}', oneLine(signal.reason, 40), age);
  }
}

/** What a hook told, where it says more than the status: the service goes on saying `idle` while an agent waits for a person. */
export function tellingSignal(record: SessionRecord, status: SessionStatus): KeptSignal | undefined {
  const { signal } = record;
  if (signal?.kind === 'waiting') return isWaiting(record) ? signal : undefined;
  return isActive(status) ? undefined : signal;
}

/** The state of a session in words, without its age, for places that show the age beside it. */
export function stateWord(record: SessionRecord, status: SessionStatus): string {
  switch (tellingSignal(record, status)?.kind) {
    case 'waiting':
      return vscode.l10n.t('waiting');
    case 'finished':
      return vscode.l10n.t('finished');
    case 'ended':
      return vscode.l10n.t('ended');
    case undefined:
      break;
  }
  return plainStatus(status);
}

/** The status without an age. */
export function plainStatus({ value, last }: SessionStatus): string {
  if (value !== 'unknown') return statusWord(value);
  return last === undefined ? vscode.l10n.t('unknown') : vscode.l10n.t('unknown, {0}', statusWord(last));
}

/** A computer's name with what is known: the list, the record, else the beginning of its id. */
export function computerLabel(
  computerId: string | undefined,
  nameOf: (computerId: string) => string | undefined,
  remembered: string | undefined,
): string | undefined {
  if (computerId === undefined) return undefined;
  return oneLine(nameOf(computerId) ?? remembered ?? shortId(computerId));
}

export function groupLabel(kind: GroupKind, name: string | undefined): string {
  switch (kind) {
    case 'waiting':
      return vscode.l10n.t('Waiting for input');
    case 'running':
      return vscode.l10n.t('Running');
    case 'pinned':
      return vscode.l10n.t('Pinned');
    case 'today':
      return vscode.l10n.t('Today');
    case 'week':
      return vscode.l10n.t('This week');
    case 'earlier':
      return vscode.l10n.t('Earlier');
    case 'archived':
      return vscode.l10n.t('Archived');
    case 'computer':
      return name === undefined ? vscode.l10n.t('No computer known') : oneLine(name, 80);
    case 'workspace':
      return name === undefined ? vscode.l10n.t('No workspace known') : oneLine(name, 80);
  }
}

export function statusWord(value: string): string {
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

export function messagesText(count: number, format: Formatter): string {
  return count === 1 ? vscode.l10n.t('1 message') : vscode.l10n.t('{0} messages', format.number(count));
}

function shortId(id: string): string {
  return oneLine(id.length > 14 ? `${id.slice(0, 13)}…` : id);
}

/** What an import did to this list. */
export function importedText({ added, updated, kept }: Record<'added' | 'updated' | 'kept', number>): string {
  return added === 1
    ? vscode.l10n.t('1 session added, {0} brought up to date, {1} left unchanged.', updated, kept)
    : vscode.l10n.t('{0} sessions added, {1} brought up to date, {2} left unchanged.', added, updated, kept);
}
