import * as path from 'node:path';
import * as vscode from 'vscode';
import { commands } from '../contributions';
import { FRESH_MS, isShort, type HookEvent } from './model';
import { foldCase } from './handover';
import { noticeOf } from './sentences';
import { isInside } from './settingsFile';

/** What the person wants to be told; asked for each event. */
export interface NoticeSettings {
  waiting(): boolean;
  finished(): boolean;
  subagentFinished(): boolean;
  ended(): boolean;
  minimumSeconds(): number;
  quietWhenFocused(): boolean;
}

export interface NoticeContext {
  readonly settings: NoticeSettings;
  readonly isFocused: boolean;
  readonly isMuted: boolean;
  /** When the work that ended may have begun at the earliest, Unix ms. */
  readonly startedAt: number | undefined;
  readonly now: number;
}

/** Whether an event is worth a notification. */
export function isTold(event: HookEvent, context: NoticeContext): boolean {
  const { settings, isFocused, isMuted, startedAt, now } = context;
  if (now - event.at > FRESH_MS || isMuted) return false;
  if (isFocused && settings.quietWhenFocused()) return false;
  const isLong = (): boolean => !isShort(event, settings.minimumSeconds() * 1000, startedAt);
  switch (event.name) {
    case 'Notification':
      return settings.waiting();
    case 'Stop':
      return settings.finished() && isLong();
    case 'SubagentStop':
      return settings.subagentFinished() && isLong();
    case 'SessionEnd':
      return settings.ended();
    default:
      return false;
  }
}

export interface NoticeDeps {
  readonly titleOf: (sessionId: string) => Promise<string | undefined>;
  readonly mute: (sessionId: string) => Promise<void>;
}

/** Tells of an event in a notification with what can be done about it. */
export async function tell(event: HookEvent, deps: NoticeDeps): Promise<void> {
  const { sessionId, cwd } = event;
  const sentence = noticeOf(event, sessionId === undefined ? undefined : await deps.titleOf(sessionId));
  if (sentence === undefined) return;
  const open = vscode.l10n.t('Open session');
  const show = vscode.l10n.t('Show terminal');
  const mute = vscode.l10n.t('Mute this session');
  const terminal = terminalAt(cwd);
  const buttons = [
    ...(sessionId === undefined ? [] : [open]),
    ...(terminal === undefined ? [] : [show]),
    ...(sessionId === undefined ? [] : [mute]),
  ];
  const isFailure = event.name === 'SessionEnd' && event.reason === 'error';
  const answer = isFailure
    ? await vscode.window.showWarningMessage(sentence, ...buttons)
    : await vscode.window.showInformationMessage(sentence, ...buttons);
  if (answer === show) terminal?.show();
  if (sessionId === undefined) return;
  if (answer === open) await vscode.commands.executeCommand(commands.chat.open, sessionId);
  if (answer === mute) await deps.mute(sessionId);
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
