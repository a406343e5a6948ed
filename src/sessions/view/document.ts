import * as vscode from 'vscode';
import type { SessionSettings, TokenUsage } from '../../api';
import { factsDocument, type Fact } from '../../ui/text';
import { isTime, type Formatter } from '../../util/format';
import { settingLabel, settingNames, settingText } from '../create/settings';
import { titleOf } from '../store/model';
import type { SessionRecord } from '../store/record';
import {
  computerName,
  sessionTitle,
  signalWord,
  stateText,
  strandedText,
  type SessionContext,
} from './words';

/** Everything that is known of a session: each field of section 2.8, what is kept on this machine, and the service's own answer. */
export function sessionDocument(record: SessionRecord, context: SessionContext): string {
  const { session } = record;
  const settings = session?.sessionSettings;
  return factsDocument(
    sessionTitle(record),
    [
      ['', sessionFacts(record, context)],
      [vscode.l10n.t('Settings'), settings === undefined ? [] : settingsFacts(settings, context)],
      [vscode.l10n.t('Tokens'), tokenFacts(settings?.tokenUsage, context.format)],
      [vscode.l10n.t('Only on this machine'), localFacts(record, context)],
    ],
    session,
  );
}

function sessionFacts(record: SessionRecord, context: SessionContext): Fact[] {
  const { format, status, now } = context;
  const { session, signal } = record;
  const time = (at: number | undefined): string | undefined => timeText(at, format, now);
  // What the service has left out of what it told of a session is said to be missing.
  const told = (value: string | undefined): string | undefined =>
    session === undefined ? undefined : (value ?? vscode.l10n.t('not known'));
  return [
    [
      vscode.l10n.t('Title at the service'),
      session?.title?.trim() === titleOf(record) ? undefined : session?.title,
    ],
    [vscode.l10n.t('Status'), stateText({ ...record, signal: undefined }, status)],
    [vscode.l10n.t('Status as of'), time(status.at)],
    [vscode.l10n.t('Problem'), status.problem?.sentence],
    [vscode.l10n.t('Hook'), signal && `${signalWord(signal)}, ${time(signal.at) ?? ''}`],
    [vscode.l10n.t('Message of the hook'), signal?.message],
    [vscode.l10n.t('Computer'), computerName(record, context.computer)],
    [vscode.l10n.t('Computer’s state'), computerState(record, context)],
    [vscode.l10n.t('Messages'), told(count(session?.messageCount, format))],
    [vscode.l10n.t('Created'), told(time(session?.createdAt))],
    [vscode.l10n.t('Updated'), told(time(session?.updatedAt))],
    [vscode.l10n.t('Completed'), time(session?.completedAt)],
    [vscode.l10n.t('Computer id'), session?.computerId],
    [vscode.l10n.t('Id'), record.sessionId],
  ];
}

function computerState(record: SessionRecord, { computer }: SessionContext): string | undefined {
  const id = record.session?.computerId;
  const facts = id === undefined ? undefined : computer(id);
  return strandedText(record, computer) === undefined
    ? facts?.status
    : [facts?.status, facts?.error].filter(Boolean).join(': ');
}

const ISO_TIME = /^\d{4}-\d{2}-\d{2}T/;

function settingsFacts(settings: SessionSettings, { format, now }: SessionContext): Fact[] {
  return settingNames.map(name => {
    const text = settingText(settings, name);
    const time = ISO_TIME.test(text) ? Date.parse(text) : NaN;
    if (name === 'assistantActiveTimeMs' && text !== '')
      return [settingLabel(name), format.duration(Number(text))];
    // A text that is no time is shown as it is.
    const isTimeSetting = name === 'providerLockTimestamp' || name === 'archivedAt';
    return [settingLabel(name), isTimeSetting && Number.isFinite(time) ? timeText(time, format, now) : text];
  });
}

function tokenFacts(usage: TokenUsage | undefined, format: Formatter): Fact[] {
  return [
    [vscode.l10n.t('Input tokens'), count(usage?.inputTokens, format)],
    [vscode.l10n.t('Output tokens'), count(usage?.outputTokens, format)],
    [vscode.l10n.t('Cache creation tokens'), count(usage?.cacheCreationTokens, format)],
    [vscode.l10n.t('Cache read tokens'), count(usage?.cacheReadTokens, format)],
    [vscode.l10n.t('Thinking tokens'), count(usage?.thinkingTokens, format)],
  ];
}

function localFacts(record: SessionRecord, { format, now }: SessionContext): Fact[] {
  const { local, workspace } = record;
  return [
    [vscode.l10n.t('Name'), local.name],
    [vscode.l10n.t('Pinned'), local.pinned === true ? vscode.l10n.t('yes') : undefined],
    [vscode.l10n.t('Archived'), timeText(local.archivedAt, format, now)],
    [vscode.l10n.t('In this list because'), originText(record)],
    [vscode.l10n.t('In this list since'), timeText(record.addedAt, format, now)],
    [vscode.l10n.t('Workspace'), workspace?.name],
  ];
}

function originText({ origin }: SessionRecord): string {
  switch (origin) {
    case 'created':
      return vscode.l10n.t('it was created here');
    case 'added':
      return vscode.l10n.t('it was opened by its id');
    case 'hook':
      return vscode.l10n.t('a hook reported it');
    case 'listed':
      return vscode.l10n.t('the service listed it');
  }
}

function count(value: number | undefined, format: Formatter): string | undefined {
  return value === undefined ? undefined : format.number(value);
}

/** A time in full with its age. */
export function timeText(time: number | undefined, format: Formatter, now: number): string | undefined {
  if (time === undefined) return undefined;
  return isTime(time) && time <= now
    ? vscode.l10n.t('{0} ({1} ago)', format.exact(time), format.span(now - time))
    : format.exact(time);
}
