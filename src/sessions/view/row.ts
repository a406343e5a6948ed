import * as vscode from 'vscode';
import type { TokenUsage } from '../../api';
import { commands } from '../../contributions';
import { card, joined } from '../../ui/text';
import type { Row } from '../../ui/tree';
import type { Formatter } from '../../util/format';
import { oneLine } from '../../util/text';
import { isUnread, isWorking, type SessionRecord } from '../store/record';
import {
  ageText,
  computerName,
  iconOf,
  sessionTitle,
  stateAt,
  stateText,
  strandedText,
  tellingSignal,
  type SessionContext,
} from './words';

/** A session as one row: its title and how old its state is. The state is the icon's to tell, and in words where no icon does. */
export function sessionRow(record: SessionRecord, context: SessionContext): Row {
  const { local } = record;
  const title = sessionTitle(record);
  return {
    label: title,
    description: joined([strandedText(record, context.computer), ageOrState(record, context)]),
    icon: iconOf(record, context),
    context: [
      'session',
      local.pinned === true ? 'pinned' : 'unpinned',
      local.archivedAt === undefined ? 'listed' : 'archived',
      ...(context.canStop === true && isWorking(context.status.value) ? ['stoppable'] : []),
    ].join(' '),
    spoken: spokenOf(record, title, context),
    tooltip: () => sessionCard(record, title, context),
    command: {
      command: commands.chat.open,
      title: vscode.l10n.t('Open session'),
      arguments: [{ kind: 'session', sessionId: record.sessionId }],
    },
  };
}

function ageOrState(record: SessionRecord, context: SessionContext): string {
  const { status } = context;
  const signal = tellingSignal(record, status);
  const isSaid =
    signal === undefined ? status.value === 'running' || status.value === 'idle' : signal.kind !== 'ended';
  if (!isSaid) return stateText(record, status, context);
  const at = stateAt(record, status);
  return at === undefined ? '' : ageText(context, at) || vscode.l10n.t('now');
}

/** Everything there is to say, for screen readers. */
function spokenOf(record: SessionRecord, title: string, context: SessionContext): string {
  const { status, computer, format } = context;
  const { session, local } = record;
  const count = session?.messageCount;
  const stranded = strandedText(record, computer);
  const told = [
    stateText(record, status, context),
    stranded,
    isUnread(record) ? vscode.l10n.t('unread') : undefined,
    stranded === undefined ? computerName(record, computer) : undefined,
    count === 1 ? vscode.l10n.t('1 message') : undefined,
    count === 1 || count === undefined ? undefined : vscode.l10n.t('{0} messages', format.number(count)),
    local.pinned === true ? vscode.l10n.t('pinned') : undefined,
    local.archivedAt === undefined ? undefined : vscode.l10n.t('archived'),
  ];
  return vscode.l10n.t('Session {0}, {1}', title, joined(told, ', '));
}

function sessionCard(record: SessionRecord, title: string, context: SessionContext): vscode.MarkdownString {
  const { status, computer, format } = context;
  const { session, signal } = record;
  return card(title, [
    stateText(record, status, context),
    oneLine(signal?.message ?? '', 300),
    status.problem?.sentence,
    strandedText(record, computer),
    joined([computerName(record, computer), session?.sessionSettings?.model]),
    tokensText(session?.sessionSettings?.tokenUsage, format),
  ]);
}

/** Tokens with their total, such as `4.2M tokens (3.9M in, 320K out)`; `undefined` when none were told. */
function tokensText(usage: TokenUsage | undefined, format: Formatter): string | undefined {
  const { inputTokens = 0, outputTokens = 0 } = usage ?? {};
  const all = inputTokens + outputTokens;
  if (all === 0) return undefined;
  const parts = [all, inputTokens, outputTokens].map(value => format.compact(value));
  return vscode.l10n.t('{0} tokens ({1} in, {2} out)', ...parts);
}
