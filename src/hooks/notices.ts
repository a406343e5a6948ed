import * as path from 'node:path';
import * as vscode from 'vscode';
import { commands } from '../contributions';
import type { Logger } from '../log';
import type { NoticeKind } from '../settings';
import { joined } from '../ui/text';
import { notify, type NoticeButton } from '../ui/notify';
import { forNotification, oneLine } from '../util/text';
import { depthIn, FRESH_MS, kindOf, type HookEvent } from './model';

/** What the person wants to be told; asked for each event. */
export interface NoticeSettings {
  about(): readonly NoticeKind[];
  quietWhenFocused(): boolean;
}

/** Whether an event is worth a notification. `isLookedAt`: the person looks at the chat of the session. */
export function isTold(
  event: HookEvent,
  settings: NoticeSettings,
  { isLookedAt, isMuted }: { readonly isLookedAt: boolean; readonly isMuted: boolean },
): boolean {
  if (Date.now() - event.at > FRESH_MS || isMuted) return false;
  if (isLookedAt && settings.quietWhenFocused()) return false;
  const kind = kindOf(event);
  return kind !== undefined && settings.about().includes(kind);
}

/** Tells of an event in a notification, with what can be done about it. */
export function tell(
  log: Logger,
  event: HookEvent,
  title: string | undefined,
  mute: (sessionId: string) => Promise<void>,
): void {
  const sentence = noticeOf(event, title);
  if (sentence === undefined) return;
  const { sessionId } = event;
  const terminal = terminalAt(event.cwd);
  const buttons: NoticeButton[] = [];
  if (sessionId !== undefined)
    buttons.push([
      vscode.l10n.t('Open session'),
      () => vscode.commands.executeCommand(commands.chat.open, sessionId),
    ]);
  if (terminal !== undefined) buttons.push([vscode.l10n.t('Show terminal'), () => terminal.show()]);
  if (sessionId !== undefined) buttons.push([vscode.l10n.t('Mute this session'), () => mute(sessionId)]);
  const isFailure = event.name === 'SessionEnd' && event.reason === 'error';
  notify(log, isFailure ? 'warning' : 'info', sentence, ...buttons);
}

/** How an event's session is called: its project and its title, or the start of its id. Foreign text. */
export function labelOf(
  { cwd = '', sessionId = '' }: Pick<HookEvent, 'cwd' | 'sessionId'>,
  title: string | undefined,
): string {
  const shortId = sessionId.length > 12 ? `${sessionId.slice(0, 8)}…` : sessionId;
  const parts = [path.basename(cwd), title ?? shortId];
  return joined(parts.map(part => oneLine(part, 80))) || vscode.l10n.t('A session');
}

/** What a notification says of an event, safe to show; `undefined` for kinds that nobody is told of. */
export function noticeOf(event: HookEvent, title: string | undefined): string | undefined {
  const { message, reason } = event;
  const label = labelOf(event, title);
  const sentences = {
    waiting:
      message === undefined
        ? vscode.l10n.t('{0} is waiting for you.', label)
        : vscode.l10n.t('{0} is waiting for you: {1}', label, oneLine(message, 300)),
    finished: vscode.l10n.t('{0} has finished.', label),
    subagentFinished: vscode.l10n.t('A subagent of {0} has finished.', label),
    ended:
      reason === undefined
        ? vscode.l10n.t('{0} has ended.', label)
        : vscode.l10n.t('{0} has ended ({1}).', label, oneLine(reason, 80)),
  };
  const kind = kindOf(event);
  return kind && forNotification(sentences[kind], 500);
}

/** The terminal in this folder, or else the one in the nearest folder around it. */
export function terminalAt(cwd: string | undefined): vscode.Terminal | undefined {
  if (cwd === undefined) return undefined;
  const found = vscode.window.terminals.flatMap(terminal => {
    const started = terminal.creationOptions;
    const at = terminal.shellIntegration?.cwd ?? ('cwd' in started ? started.cwd : undefined);
    const depth = at && depthIn(path.resolve(typeof at === 'string' ? at : at.fsPath), path.resolve(cwd));
    return depth === undefined || depth === '' ? [] : [{ terminal, depth }];
  });
  return found.sort((a, b) => a.depth - b.depth)[0]?.terminal;
}
