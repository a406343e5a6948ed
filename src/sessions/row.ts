import * as vscode from 'vscode';
import type { TokenUsage } from '../api';
import type { Formatter } from '../util/format';
import { isWaiting, activityOf, type SessionStatus } from './model';
import { isUnread } from './overlay';
import type { SessionRecord } from './record';
import { computerLabel, messagesText, sessionTitle, signalText, statusText, tellingSignal } from './text';

/** A title is cut after so many characters, since VS Code cuts a row at its end, where state and age stand. */
const TITLE_LENGTH = 24;

/** What is known of a session's computer. */
export interface ComputerFacts {
  readonly name: string;
  readonly providerType?: string | undefined;
  readonly status?: string | undefined;
  /** Why it is in error. */
  readonly error?: string | undefined;
}

export interface RowContext {
  readonly status: SessionStatus;
  readonly computer: (computerId: string) => ComputerFacts | undefined;
  readonly format: Formatter;
  /** Unix ms. */
  readonly now: number;
  /** The rows stand below their computer, which need not be named again. */
  readonly belowComputer?: boolean;
}

/** A session as one row. */
export interface Row {
  /** The whole title. */
  readonly title: string;
  /** The title as far as a narrow side bar has room for it. */
  readonly label: string;
  readonly description: string;
  readonly icon: { readonly id: string; readonly color?: string };
  /** What menus go by: `session`, and what can be undone to it. */
  readonly context: string;
  /** Everything the row says, in full, for screen readers. */
  readonly spoken: string;
}

export function rowOf(record: SessionRecord, context: RowContext): Row {
  const { format, belowComputer } = context;
  const { session, local } = record;
  const title = sessionTitle(record);
  const state = stateText(record, context);
  const stranded = strandedText(record, context.computer);
  const computer = computerName(record, context.computer);
  const count = session?.messageCount;
  const messages = count === undefined ? undefined : messagesText(count, format);
  const tokens = tokensText(session?.sessionSettings?.tokenUsage, format);
  const unread = isUnread(local, session?.messageCount) ? vscode.l10n.t('unread') : undefined;
  const place = belowComputer === true || stranded !== undefined ? undefined : computer;
  const told = [state, stranded, unread, place, messages, tokens];
  const marks = [
    local.pinned === true ? vscode.l10n.t('pinned') : undefined,
    local.archivedAt === undefined ? undefined : vscode.l10n.t('archived'),
    local.name === undefined ? undefined : vscode.l10n.t('name kept on this machine'),
  ];
  return {
    title,
    label: title.length > TITLE_LENGTH ? `${title.slice(0, TITLE_LENGTH - 1).trimEnd()}…` : title,
    description: parts(told).join(' · '),
    icon: iconOf(record, context.status, stranded !== undefined),
    context: contextOf(record),
    spoken: vscode.l10n.t('Session {0}, {1}', title, parts([...told, ...marks]).join(', ')),
  };
}

/** Whether a session's computer is in a state in which nothing runs, in words. */
export function strandedText(
  record: SessionRecord,
  computer: (computerId: string) => ComputerFacts | undefined,
): string | undefined {
  const id = record.session?.computerId;
  const facts = id === undefined ? undefined : computer(id);
  return facts?.status === 'error' ? vscode.l10n.t('{0} is in error', facts.name) : undefined;
}

/** All tokens together, such as `4.2M tokens`; `undefined` when none were told. */
function tokensText(usage: TokenUsage | undefined, format: Formatter): string | undefined {
  const all = (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0);
  return all === 0 ? undefined : vscode.l10n.t('{0} tokens', format.compact(all));
}

/** Working sessions show the age of that word; resting ones since when they rest. */
function stateText(record: SessionRecord, { status, format, now }: RowContext): string {
  const signal = tellingSignal(record, status);
  if (signal !== undefined) return signalText(signal, format, now);
  if (status.value === 'idle') return statusText({ ...status, at: activityOf(record) }, format, now);
  return statusText(status, format, now);
}

export function computerName(
  record: SessionRecord,
  computer: (computerId: string) => ComputerFacts | undefined,
): string | undefined {
  return computerLabel(record.session?.computerId, id => computer(id)?.name, record.computerName);
}

/** Codicon of a state; the state is always in words beside it. */
export function iconOf(record: SessionRecord, status: SessionStatus, stranded: boolean): Row['icon'] {
  if (isWaiting(record)) return { id: 'bell-dot', color: 'charts.yellow' };
  if (stranded) return { id: 'warning', color: 'list.warningForeground' };
  const ended = tellingSignal(record, status);
  if (ended?.kind === 'ended' && ended.reason === 'error')
    return { id: 'error', color: 'list.errorForeground' };
  switch (status.value) {
    case 'running':
      return { id: 'sync~spin', color: 'charts.blue' };
    case 'pending':
      return { id: 'watch' };
    case 'unknown':
      return status.problem === undefined ? { id: 'question' } : { id: 'question', color: 'charts.yellow' };
    default:
      return isUnread(record.local, record.session?.messageCount)
        ? { id: 'circle-filled', color: 'charts.blue' }
        : { id: 'circle-outline' };
  }
}

function contextOf({ local }: SessionRecord): string {
  return [
    'session',
    local.pinned === true ? 'pinned' : 'unpinned',
    local.archivedAt === undefined ? 'listed' : 'archived',
  ].join(' ');
}

function parts(texts: readonly (string | undefined)[]): string[] {
  return texts.filter((text): text is string => text !== undefined && text !== '');
}
