import * as vscode from 'vscode';
import { commands } from '../contributions';
import type { ShownWork } from '../shared';
import { card, factsDocument, format, joined, type Fact, type Icon } from '../ui/text';
import type { Row } from '../ui/tree';
import { isTime } from '../util/format';
import { oneLine, readableName } from '../util/text';
import {
  activityOf,
  isActive,
  isUnread,
  isWaiting,
  isWorking,
  statusOf,
  titleOf,
  type KeptSignal,
  type SessionRecord,
  type SessionStatus,
} from './record';

export interface ComputerFacts {
  readonly name: string;
  readonly providerType?: string | undefined;
  readonly status?: string | undefined;
}

export interface SessionContext {
  readonly computer: (computerId: string) => ComputerFacts | undefined;
  readonly changes?: ShownWork | undefined;
  /** Unix ms. */
  readonly now: number;
  readonly canStop?: boolean;
}

/** A session in words, each on one line, as every place shows it. */
export function wordsOf(record: SessionRecord, { computer, now }: SessionContext) {
  const status = statusOf(record, now);
  const { signal, since, text } = stateOf(record, status);
  // In whole minutes and more, since rows and their cards are not drawn each second.
  const age = since === undefined || now - since < 60_000 ? '' : format.span(now - since);
  return {
    status,
    title: sessionTitle(record),
    icon: iconOf(record, status, signal),
    /** Such as `running`, and with its age `running 2 min`. */
    state: text(),
    agedState: text(age),
    age: since === undefined ? '' : age || vscode.l10n.t('now'),
    isSaidByIcon: signal ? signal.kind !== 'ended' : ['running', 'idle'].includes(status.value),
    computer: computerName(record, computer),
  };
}

/** A session as one row: its title and how old its state is. The state is the icon's to tell, and in words where no icon does. */
export function sessionRow(record: SessionRecord, context: SessionContext): Row {
  const { local, session } = record;
  const { changes, canStop } = context;
  const { status, title, icon, agedState, age, isSaidByIcon, computer } = wordsOf(record, context);
  const { model, tokenUsage: { inputTokens = NaN, outputTokens = NaN } = {} } =
    session?.sessionSettings ?? {};
  const [isPinned, isArchived] = [local.pinned === true, local.archivedAt !== undefined];
  const count = session?.messageCount;
  const spoken = [
    agedState,
    isUnread(record) && vscode.l10n.t('unread'),
    computer,
    count !== undefined &&
      (count === 1 ? vscode.l10n.t('1 message') : vscode.l10n.t('{0} messages', format.number(count))),
    isPinned && vscode.l10n.t('pinned'),
    isArchived && vscode.l10n.t('archived'),
    changes?.short,
  ];
  const tokens = [inputTokens + outputTokens, inputTokens, outputTokens];
  const contexts = [
    ...['session', isPinned ? 'pinned' : 'unpinned', isArchived ? 'archived' : 'listed'],
    changes !== undefined && 'changed',
    canStop === true && isWorking(status.value) && 'stoppable',
  ];
  return {
    label: title,
    description: joined([isSaidByIcon ? age : agedState, changes?.short]),
    icon,
    context: joined(contexts, ' '),
    spoken: vscode.l10n.t('Session {0}, {1}', title, joined(spoken, ', ')),
    tooltip: () =>
      card(title, [
        agedState,
        oneLine(record.signal?.message ?? '', 300),
        status.problem?.sentence,
        joined([computer, model]),
        // Such as `4.2M tokens (3.9M in, 320K out)`; nothing where a part is not known.
        inputTokens + outputTokens > 0
          ? vscode.l10n.t('{0} tokens ({1} in, {2} out)', ...tokens.map(value => format.compact(value)))
          : undefined,
        changes?.short,
        ...(changes?.lines ?? []),
      ]),
    command: commands.chat.open,
  };
}

/** The title on one line, or words that tell a session without one from others. */
export function sessionTitle(record: SessionRecord): string {
  const title = titleOf(record);
  if (title !== undefined) return oneLine(title, 300);
  if (record.session?.messageCount === 0) return vscode.l10n.t('New session');
  const { sessionId } = record;
  return vscode.l10n.t('Session {0}', oneLine(sessionId.length > 13 ? sessionId.slice(0, 8) : sessionId, 13));
}

/**
 * How a session is. What a hook told counts where it says more than the status: the service goes on saying `idle` while an agent waits
 * for a person. `since`, Unix ms: a working one is so since the service last said so, a resting one since it rests.
 */
function stateOf(record: SessionRecord, status: SessionStatus) {
  const { value, last, at } = status;
  const isTelling = record.signal?.kind === 'waiting' ? isWaiting(record) : !isActive(status);
  const signal = isTelling ? record.signal : undefined;
  const since = signal?.at ?? (value === 'idle' ? activityOf(record) : at);
  const text = (age = ''): string => {
    if (signal !== undefined) return joined([signalWord(signal), age], ' ');
    if (value !== 'unknown') return joined([statusWord(value), age], ' ');
    if (last === undefined) return vscode.l10n.t('unknown');
    return age === ''
      ? vscode.l10n.t('unknown, was {0}', statusWord(last))
      : vscode.l10n.t('unknown, was {0} {1} ago', statusWord(last), age);
  };
  return { signal, since, text };
}

function signalWord({ kind, reason }: KeptSignal): string {
  if (kind === 'waiting') return vscode.l10n.t('waiting');
  if (kind === 'finished') return vscode.l10n.t('finished');
  return reason === undefined || reason === 'other'
    ? vscode.l10n.t('ended')
    : vscode.l10n.t('ended ({0})', oneLine(reason, 40));
}

function statusWord(value: string): string {
  const words = new Map([
    ['running', vscode.l10n.t('running')],
    ['pending', vscode.l10n.t('pending')],
    ['idle', vscode.l10n.t('idle')],
  ]);
  return words.get(value) ?? oneLine(value, 40);
}

function iconOf(record: SessionRecord, status: SessionStatus, signal: KeptSignal | undefined): Icon {
  if (isWaiting(record)) return { id: 'bell-dot', color: 'charts.yellow' };
  if (signal?.kind === 'ended' && signal.reason === 'error')
    return { id: 'error', color: 'list.errorForeground' };
  switch (status.value) {
    case 'running':
      return { id: 'sync~spin', color: 'charts.blue' };
    case 'pending':
      return { id: 'watch' };
    case 'unknown':
      return status.problem === undefined ? { id: 'question' } : { id: 'question', color: 'charts.yellow' };
    default:
      return isUnread(record) ? { id: 'circle-filled', color: 'charts.blue' } : { id: 'circle-outline' };
  }
}

/** The name of a session's computer: as the list has it, as the record has it, else the beginning of its id. */
export function computerName(
  record: SessionRecord,
  computer: SessionContext['computer'],
): string | undefined {
  const id = record.session?.computerId;
  return (
    id && oneLine(computer(id)?.name ?? record.computerName ?? (id.length > 14 ? `${id.slice(0, 13)}…` : id))
  );
}

/** Everything that is known of a session: each field of section 2.8, what is kept on this machine, and the service's own answer. */
export function sessionDocument(record: SessionRecord, context: SessionContext): string {
  const { now, computer } = context;
  const status = statusOf(record, now);
  const { session, signal, local, workspace, origin, addedAt } = record;
  const { tokenUsage = {}, ...settings } = session?.sessionSettings ?? {};
  const time = (at: number | undefined): string | undefined => timeText(at, now);
  // What the service has left out of what it told of a session is said to be missing.
  const textOf = (value: string | undefined): string | undefined =>
    session === undefined ? undefined : (value ?? vscode.l10n.t('not known'));
  const [title, count] = [session?.title, session?.messageCount];
  const origins = {
    created: vscode.l10n.t('it was created here'),
    added: vscode.l10n.t('it was opened by its id'),
    hook: vscode.l10n.t('a hook reported it'),
    listed: vscode.l10n.t('the service listed it'),
  };
  const known: Fact[] = [
    [vscode.l10n.t('Title at the service'), title?.trim() === titleOf(record) ? undefined : title],
    [vscode.l10n.t('Status'), stateOf({ ...record, signal: undefined }, status).text()],
    [vscode.l10n.t('Status as of'), time(status.at)],
    [vscode.l10n.t('Problem'), status.problem?.sentence],
    [vscode.l10n.t('Hook'), signal && `${signalWord(signal)}, ${time(signal.at) ?? ''}`],
    [vscode.l10n.t('Hook message'), signal?.message],
    [vscode.l10n.t('Computer'), computerName(record, computer)],
    [vscode.l10n.t('Messages'), textOf(count === undefined ? undefined : format.number(count))],
    [vscode.l10n.t('Created'), textOf(time(session?.createdAt))],
    [vscode.l10n.t('Updated'), textOf(time(session?.updatedAt))],
    [vscode.l10n.t('Completed'), time(session?.completedAt)],
    [vscode.l10n.t('Computer id'), session?.computerId],
    [vscode.l10n.t('Id'), record.sessionId],
  ];
  const kept: Fact[] = [
    [vscode.l10n.t('Name'), local.name],
    [vscode.l10n.t('Pinned'), local.pinned === true ? vscode.l10n.t('yes') : undefined],
    [vscode.l10n.t('Archived'), time(local.archivedAt)],
    [vscode.l10n.t('In this list because'), origins[origin]],
    [vscode.l10n.t('In this list since'), time(addedAt)],
    [vscode.l10n.t('Workspace'), workspace?.name],
  ];
  return factsDocument(
    sessionTitle(record),
    [
      ['', known],
      [vscode.l10n.t('Settings'), fieldFacts(settings, now)],
      [vscode.l10n.t('Tokens'), fieldFacts(tokenUsage, now)],
      [vscode.l10n.t('Only on this machine'), kept],
    ],
    session,
  );
}

export function settingText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(settingText).join(', ');
  const { name, metadata } = (value ?? {}) as { readonly name?: unknown; readonly metadata?: unknown };
  const more = metadata === undefined ? '' : JSON.stringify(metadata);
  if (typeof name === 'string') return joined([name, more], ' ');
  return value === undefined ? '' : JSON.stringify(value);
}

function fieldFacts(fields: object, now: number): Fact[] {
  return Object.entries(fields).map(([name, value]: [string, unknown]) => {
    const label = readableName(name.replace(/Ms$/, ''));
    if (typeof value === 'number')
      return [label, name.endsWith('Ms') ? format.duration(value) : format.number(value)];
    const text = settingText(value);
    // A text that is no time is shown as it is.
    const time = /^\d{4}-\d{2}-\d{2}T/.test(text) ? Date.parse(text) : NaN;
    return [label, Number.isFinite(time) ? timeText(time, now) : text];
  });
}

export function timeText(time: number | undefined, now: number): string | undefined {
  if (time === undefined) return undefined;
  return isTime(time) && time <= now
    ? vscode.l10n.t('{0} ({1} ago)', format.exact(time), format.span(now - time))
    : format.exact(time);
}
