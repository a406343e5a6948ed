import * as vscode from 'vscode';
import type { SessionSettings, TokenUsage } from '../api';
import { isTime, type Formatter } from '../util/format';
import { oneLine } from '../util/text';
import { settingLabel, settingNames, settingText } from './create/settings';
import type { SessionStatus } from './model';
import type { SessionRecord } from './record';
import { computerName, rowOf, strandedText, type ComputerFacts } from './row';
import { plainStatus, sessionTitle, signalText } from './text';

export type Fact = readonly [name: string, value: string | undefined];

/** Facts of one kind under a heading. */
export interface Section {
  readonly heading: string;
  /** The service knows nothing of them. */
  readonly isLocal: boolean;
  readonly facts: readonly Fact[];
}

export interface FactsContext {
  readonly status: SessionStatus;
  readonly computer: (computerId: string) => ComputerFacts | undefined;
  readonly format: Formatter;
  readonly now: number;
}

/** Everything that is known of a session, in words: each field of section 2.8, and what is kept on this machine. */
export function sectionsOf(record: SessionRecord, context: FactsContext): Section[] {
  const { session } = record;
  return [
    { heading: vscode.l10n.t('Session'), isLocal: false, facts: sessionFacts(record, context) },
    {
      heading: vscode.l10n.t('Settings'),
      isLocal: false,
      facts: settingsFacts(session?.sessionSettings, context),
    },
    {
      heading: vscode.l10n.t('Tokens'),
      isLocal: false,
      facts: tokenFacts(session?.sessionSettings?.tokenUsage, context.format),
    },
    { heading: vscode.l10n.t('Only on this machine'), isLocal: true, facts: localFacts(record, context) },
  ];
}

/** A hook's message in a tooltip; the document has all of it. */
const LONGEST = 300;

/** The same for a tooltip, in few lines: what matters first, then each kind of facts on a line. */
export function tooltipOf(record: SessionRecord, context: FactsContext): string[] {
  const { format } = context;
  const { session, signal } = record;
  const row = rowOf(record, context);
  const shown: readonly (string | undefined)[] = [
    row.title,
    row.description,
    oneLine(signal?.message ?? '', LONGEST),
    context.status.problem?.sentence,
    strandedText(record, context.computer) && computerState(record, context),
  ];
  const others = [
    settingsFacts(session?.sessionSettings, context),
    tokenFacts(session?.sessionSettings?.tokenUsage, format),
    quietFacts(record, context),
  ];
  const kept = inLine(localFacts(record, context));
  return [
    ...shown,
    ...others.map(inLine),
    kept === '' ? '' : vscode.l10n.t('Only on this machine · {0}', kept),
  ].filter((line): line is string => line !== undefined && line !== '');
}

function inLine(facts: readonly Fact[]): string {
  return facts.flatMap(([name, value]) => (value ? [`${name}: ${value}`] : [])).join(' · ');
}

function sessionFacts(record: SessionRecord, context: FactsContext): Fact[] {
  const { format, status, now } = context;
  const { session, signal } = record;
  const [serviceTitle, asOf, ...timesAndIds] = quietFacts(record, context);
  return [
    [vscode.l10n.t('Title'), sessionTitle(record)],
    serviceTitle,
    [vscode.l10n.t('Hook'), signal === undefined ? undefined : signalText(signal, format, now)],
    [vscode.l10n.t('Message of the hook'), signal?.message],
    [vscode.l10n.t('Status'), plainStatus(status)],
    asOf,
    [vscode.l10n.t('Problem'), status.problem?.sentence],
    [vscode.l10n.t('Computer'), computerName(record, context.computer)],
    [vscode.l10n.t('Computer’s state'), computerState(record, context)],
    [vscode.l10n.t('Messages'), told(record, count(session?.messageCount, format))],
    ...timesAndIds,
  ];
}

/** What a row does not say: the title at the service, exact times, ids. */
function quietFacts(record: SessionRecord, { format, status, now }: FactsContext): [Fact, Fact, ...Fact[]] {
  const { session } = record;
  return [
    [vscode.l10n.t('Title at the service'), record.local.name === undefined ? undefined : session?.title],
    [vscode.l10n.t('Status as of'), timeText(status.at, format, now)],
    [vscode.l10n.t('Created'), told(record, timeText(session?.createdAt, format, now))],
    [vscode.l10n.t('Updated'), told(record, timeText(session?.updatedAt, format, now))],
    [vscode.l10n.t('Completed'), timeText(session?.completedAt, format, now)],
    [vscode.l10n.t('Computer id'), session?.computerId],
    [vscode.l10n.t('Id'), record.sessionId],
  ];
}

function computerState(record: SessionRecord, { computer }: FactsContext): string | undefined {
  const id = record.session?.computerId;
  const facts = id === undefined ? undefined : computer(id);
  return strandedText(record, computer) === undefined
    ? facts?.status
    : [facts?.status, facts?.error].filter(Boolean).join(': ');
}

function settingsFacts(settings: SessionSettings | undefined, { format, now }: FactsContext): Fact[] {
  if (settings === undefined) return [];
  const active = settings.assistantActiveTimeMs;
  // A text that is no time is shown as it is.
  const time = (text: string | undefined): string | undefined =>
    timeText(text !== undefined && ISO_TIME.test(text) ? finite(Date.parse(text)) : undefined, format, now) ??
    text;
  return settingNames.map(name => {
    switch (name) {
      case 'assistantActiveTimeMs':
        return [settingLabel(name), active === undefined ? undefined : format.duration(active)];
      case 'providerLockTimestamp':
      case 'archivedAt':
        return [settingLabel(name), time(settings[name])];
      default:
        return [settingLabel(name), settingText(settings, name)];
    }
  });
}

const ISO_TIME = /^\d{4}-\d{2}-\d{2}T/;

function finite(time: number): number | undefined {
  return Number.isFinite(time) ? time : undefined;
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

function localFacts(record: SessionRecord, { format, now }: FactsContext): Fact[] {
  const { local, workspace } = record;
  const yes = vscode.l10n.t('yes');
  return [
    [vscode.l10n.t('Name'), local.name],
    [vscode.l10n.t('Pinned'), local.pinned === true ? yes : undefined],
    [vscode.l10n.t('Archived'), timeText(local.archivedAt, format, now)],
    [vscode.l10n.t('In this list because'), originText(record)],
    [vscode.l10n.t('In this list since'), timeText(record.addedAt, format, now)],
    [vscode.l10n.t('Workspace'), workspace?.name],
  ];
}

function originText({ origin }: SessionRecord): string {
  switch (origin) {
    case 'created':
      return vscode.l10n.t('created here');
    case 'added':
      return vscode.l10n.t('opened by its id');
    case 'hook':
      return vscode.l10n.t('a hook told of it');
    case 'listed':
      return vscode.l10n.t('the service listed it');
  }
}

/** What the service has left out of what it told of a session is said to be missing. */
function told({ session }: SessionRecord, value: string | undefined): string | undefined {
  return session === undefined ? undefined : (value ?? vscode.l10n.t('not known'));
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
