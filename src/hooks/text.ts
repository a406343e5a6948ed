import * as path from 'node:path';
import * as vscode from 'vscode';
import { forNotification, oneLine } from '../util/text';
import type { HookEvent } from './model';

/** How an event's session is called: its project and its title, or the start of its id. Foreign text. */
export function labelOf(
  { cwd, sessionId = '' }: Pick<HookEvent, 'cwd' | 'sessionId'>,
  title: string | undefined,
): string {
  const shortId = sessionId.length > 12 ? `${sessionId.slice(0, 8)}…` : sessionId;
  const parts = [path.basename(cwd ?? ''), title ?? shortId].map(part => oneLine(part, 80));
  return parts.filter(part => part !== '').join(' · ') || vscode.l10n.t('A session');
}

/** What a notification says of an event, safe to show; `undefined` for kinds that nobody is told of. */
export function noticeOf(event: HookEvent, title: string | undefined): string | undefined {
  const label = labelOf(event, title);
  const sentence = ((): string | undefined => {
    switch (event.name) {
      case 'Notification':
        return event.message === undefined
          ? vscode.l10n.t('{0} is waiting for you.', label)
          : vscode.l10n.t('{0} is waiting for you: {1}', label, oneLine(event.message, 300));
      case 'Stop':
        return vscode.l10n.t('{0} has finished.', label);
      case 'SubagentStop':
        return vscode.l10n.t('A subagent of {0} has finished.', label);
      case 'SessionEnd':
        return event.reason === undefined
          ? vscode.l10n.t('{0} has ended.', label)
          : vscode.l10n.t('{0} has ended ({1}).', label, oneLine(event.reason, 80));
      default:
        return undefined;
    }
  })();
  return sentence === undefined ? undefined : forNotification(sentence, 500);
}

/** What an event says, in a few words for a list. */
export function stateText(event: HookEvent): string {
  switch (event.name) {
    case 'Notification':
      return vscode.l10n.t('waiting for you');
    case 'Stop':
      return vscode.l10n.t('finished');
    case 'SubagentStop':
      return vscode.l10n.t('subagent finished');
    case 'SessionEnd':
      return event.reason === undefined
        ? vscode.l10n.t('ended')
        : vscode.l10n.t('ended ({0})', oneLine(event.reason, 80));
    default:
      return oneLine(event.name, 80);
  }
}
