import * as path from 'node:path';
import { parse } from 'jsonc-parser';
import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { commands } from '../contributions';
import type { Logger } from '../log';
import type { NoticeKind } from '../settings';
import type { Collection } from '../storage';
import type { SessionSignal, SessionsFor } from '../shared';
import { joined } from '../ui/text';
import { notify, type NoticeButton } from '../ui/window';
import { depthIn } from '../util/files';
import { forNotification, oneLine } from '../util/text';

/** What each event is about whose hook can be installed (interface.md section 6); the client may know others. */
const KINDS = {
  Notification: 'waiting',
  Stop: 'finished',
  SubagentStop: 'subagentFinished',
  SessionEnd: 'ended',
} as const satisfies Record<string, NoticeKind>;
export type EventName = keyof typeof KINDS;
export const eventNames = Object.keys(KINDS) as EventName[];

/** Bytes of an event that are kept; the command writes one more when there was more. */
export const EVENT_CAP = 32 * 1024;
/** Older events never pop up (trust.md 38), ms. */
export const FRESH_MS = 10 * 60_000;
/** Sessions of test events; never shown as sessions. */
export const TEST_SESSION = 'agent-console-test-';

/** One event as a window took it. All texts are foreign. */
export const hookEvent = z.object({
  /** Name of its file; the same for all windows, and later events have later names. */
  id: z.string(),
  name: z.string(),
  /** When it was written, Unix ms. */
  at: z.number(),
  sessionId: z.optional(z.string()),
  cwd: z.optional(z.string()),
  message: z.optional(z.string()),
  reason: z.optional(z.string()),
  /** The person's own commands run on it in the window that took it. */
  hasRun: z.optional(z.boolean()),
});
export type HookEvent = Readonly<z.infer<typeof hookEvent>>;

/** Reads what a hook received, one that was cut off at the cap as far as it goes; `undefined` when it is no event. */
export function decodeEvent(id: string, bytes: Uint8Array, at: number): HookEvent | undefined {
  const source = Buffer.from(bytes.subarray(0, EVENT_CAP)).toString('utf8');
  let value: unknown;
  try {
    value = parse(source.replace(/^\ufeff/, ''));
  } catch {
    // Nested deeper than it can be read.
  }
  const { data = {} } = z.record(z.string(), z.unknown()).safeParse(value);
  const text = (field: string, maxLength: number): string | undefined => {
    const said = data[field];
    return typeof said === 'string' && said !== '' ? said.slice(0, maxLength) : undefined;
  };
  const name = text('hook_event_name', 100);
  if (name === undefined) return undefined;
  const [sessionId, cwd] = [text('session_id', 500), text('cwd', 4_096)];
  return { id, name, at, sessionId, cwd, message: text('message', 2_000), reason: text('reason', 200) };
}

/** The events that were taken, the latest last. */
export async function takenEvents(events: Collection<HookEvent>): Promise<readonly HookEvent[]> {
  return [...(await events.load()).values()].sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
}

/** What an event says of its session, if anything. */
export function stateOf(event: HookEvent): SessionSignal['kind'] | undefined {
  const kind = kindOf(event);
  return kind === 'subagentFinished' ? undefined : kind;
}

function kindOf({ name }: HookEvent): (typeof KINDS)[EventName] | undefined {
  return Object.hasOwn(KINDS, name) ? KINDS[name as EventName] : undefined;
}

export function isTest(event: HookEvent): boolean {
  return event.sessionId?.startsWith(TEST_SESSION) ?? false;
}

/** What the hooks need of the sessions. That an agent waits is known there alone, for rows, badge and bell. */
export type SessionsForHooks = SessionsFor<
  'get' | 'signal' | 'waiting' | 'settle' | 'setMuted' | 'onDidChange' | 'watches' | 'onDidChangeState'
>;

/** What the person wants to be told; asked for each event. */
export interface NoticeSettings {
  about(): readonly NoticeKind[];
  quietWhenFocused(): boolean;
}

/** Whether an event is worth a notification. `isLookedAt`: the person looks at the chat of the session. */
export function isNotified(
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
