import * as vscode from 'vscode';
import { factsDocument, type Fact } from '../../ui/text';
import { isTime, type Formatter } from '../../util/format';
import { readableName } from '../../util/text';
import { settingText } from '../create/settings';
import { titleOf, type SessionRecord } from '../store/record';
import { computerName, sessionTitle, signalWord, stateText, type SessionContext } from './words';

/** Everything that is known of a session: each field of section 2.8, what is kept on this machine, and the service's own answer. */
export function sessionDocument(record: SessionRecord, context: SessionContext): string {
  const { tokenUsage = {}, ...settings } = record.session?.sessionSettings ?? {};
  return factsDocument(
    sessionTitle(record),
    [
      ['', sessionFacts(record, context)],
      [vscode.l10n.t('Settings'), fieldFacts(settings, context)],
      [vscode.l10n.t('Tokens'), fieldFacts(tokenUsage, context)],
      [vscode.l10n.t('Only on this machine'), localFacts(record, context)],
    ],
    record.session,
  );
}

function sessionFacts(record: SessionRecord, context: SessionContext): Fact[] {
  const { format, status, now } = context;
  const { session, signal } = record;
  const time = (at: number | undefined): string | undefined => timeText(at, format, now);
  // What the service has left out of what it told of a session is said to be missing.
  const told = (value: string | undefined): string | undefined =>
    session === undefined ? undefined : (value ?? vscode.l10n.t('not known'));
  const [title, count] = [session?.title, session?.messageCount];
  return [
    [vscode.l10n.t('Title at the service'), title?.trim() === titleOf(record) ? undefined : title],
    [vscode.l10n.t('Status'), stateText({ ...record, signal: undefined }, status)],
    [vscode.l10n.t('Status as of'), time(status.at)],
    [vscode.l10n.t('Problem'), status.problem?.sentence],
    [vscode.l10n.t('Hook'), signal && `${signalWord(signal)}, ${time(signal.at) ?? ''}`],
    [vscode.l10n.t('Message of the hook'), signal?.message],
    [vscode.l10n.t('Computer'), computerName(record, context.computer)],
    [vscode.l10n.t('Messages'), told(count === undefined ? undefined : format.number(count))],
    [vscode.l10n.t('Created'), told(time(session?.createdAt))],
    [vscode.l10n.t('Updated'), told(time(session?.updatedAt))],
    [vscode.l10n.t('Completed'), time(session?.completedAt)],
    [vscode.l10n.t('Computer id'), session?.computerId],
    [vscode.l10n.t('Id'), record.sessionId],
  ];
}

/** Fields of the interface by their own names. */
function fieldFacts(fields: object, { format, now }: SessionContext): Fact[] {
  return Object.entries(fields).map(([name, value]: [string, unknown]) => {
    const label = readableName(name.replace(/Ms$/, ''));
    if (typeof value === 'number')
      return [label, name.endsWith('Ms') ? format.duration(value) : format.number(value)];
    const text = settingText(value);
    // A text that is no time is shown as it is.
    const time = /^\d{4}-\d{2}-\d{2}T/.test(text) ? Date.parse(text) : NaN;
    return [label, Number.isFinite(time) ? timeText(time, format, now) : text];
  });
}

function localFacts({ local, workspace, origin, addedAt }: SessionRecord, context: SessionContext): Fact[] {
  const { format, now } = context;
  const origins = {
    created: vscode.l10n.t('it was created here'),
    added: vscode.l10n.t('it was opened by its id'),
    hook: vscode.l10n.t('a hook reported it'),
    listed: vscode.l10n.t('the service listed it'),
  };
  return [
    [vscode.l10n.t('Name'), local.name],
    [vscode.l10n.t('Pinned'), local.pinned === true ? vscode.l10n.t('yes') : undefined],
    [vscode.l10n.t('Archived'), timeText(local.archivedAt, format, now)],
    [vscode.l10n.t('In this list because'), origins[origin]],
    [vscode.l10n.t('In this list since'), timeText(addedAt, format, now)],
    [vscode.l10n.t('Workspace'), workspace?.name],
  ];
}

/** A time in full with its age. */
export function timeText(time: number | undefined, format: Formatter, now: number): string | undefined {
  if (time === undefined) return undefined;
  return isTime(time) && time <= now
    ? vscode.l10n.t('{0} ({1} ago)', format.exact(time), format.span(now - time))
    : format.exact(time);
}
