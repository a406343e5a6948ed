import * as path from 'node:path';
import * as vscode from 'vscode';
import { commands } from '../contributions';
import type { Logger } from '../log';
import type { NoticeKind } from '../settings';
import { notify, type NoticeButton } from '../util/notify';
import { isInside } from './install/file';
import { FRESH_MS, type EventName, type HookEvent } from './model';
import { foldCase } from './receive/inbox';
import { noticeOf } from './text';

/** What the person wants to be told; asked for each event. */
export interface NoticeSettings {
  about(): readonly NoticeKind[];
  quietWhenFocused(): boolean;
}

const kinds: Readonly<Partial<Record<string, NoticeKind>>> = {
  Notification: 'waiting',
  Stop: 'finished',
  SubagentStop: 'subagentFinished',
  SessionEnd: 'ended',
} satisfies Record<EventName, NoticeKind>;

/** Whether an event is worth a notification. `isLookedAt`: the person looks at the chat of the session. */
export function isTold(
  event: HookEvent,
  settings: NoticeSettings,
  { isLookedAt, isMuted }: { readonly isLookedAt: boolean; readonly isMuted: boolean },
): boolean {
  if (Date.now() - event.at > FRESH_MS || isMuted) return false;
  if (isLookedAt && settings.quietWhenFocused()) return false;
  const kind = kinds[event.name];
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

/** The terminal that is in this folder, or else in one that holds it. */
export function terminalAt(cwd: string | undefined): vscode.Terminal | undefined {
  if (cwd === undefined) return undefined;
  const wanted = foldCase(path.resolve(cwd));
  const folders = vscode.window.terminals.map(terminal => ({ terminal, folder: folderOf(terminal) }));
  const exact = folders.find(({ folder }) => folder === wanted);
  const around = folders
    .filter(({ folder }) => folder !== undefined && isInside(folder, wanted))
    .sort((a, b) => (b.folder?.length ?? 0) - (a.folder?.length ?? 0));
  return (exact ?? around[0])?.terminal;
}

function folderOf(terminal: vscode.Terminal): string | undefined {
  const started = terminal.creationOptions;
  const cwd = terminal.shellIntegration?.cwd ?? ('cwd' in started ? started.cwd : undefined);
  if (cwd === undefined) return undefined;
  return foldCase(path.resolve(typeof cwd === 'string' ? cwd : cwd.fsPath));
}
