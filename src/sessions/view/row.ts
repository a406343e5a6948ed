import * as vscode from 'vscode';
import type { TokenUsage } from '../../api';
import { commands } from '../../contributions';
import { card, joined } from '../../ui/text';
import type { Row } from '../../ui/tree';
import type { Formatter } from '../../util/format';
import { oneLine } from '../../util/text';
import { isUnread, isWorking, type SessionRecord } from '../store/record';
import { ageText, stateAt, tellingSignal, wordsOf, type SessionContext } from './words';

/** A session as one row: its title and how old its state is. The state is the icon's to tell, and in words where no icon does. */
export function sessionRow(record: SessionRecord, context: SessionContext): Row {
  const { local, session, signal } = record;
  const { status, format } = context;
  const { title, icon, agedState, computer } = wordsOf(record, context);
  const count = session?.messageCount;
  const spoken = [
    agedState,
    isUnread(record) ? vscode.l10n.t('unread') : undefined,
    computer,
    count === 1 ? vscode.l10n.t('1 message') : undefined,
    count === 1 || count === undefined ? undefined : vscode.l10n.t('{0} messages', format.number(count)),
    local.pinned === true ? vscode.l10n.t('pinned') : undefined,
    local.archivedAt === undefined ? undefined : vscode.l10n.t('archived'),
  ];
  return {
    label: title,
    description: isSaidByIcon(record, context) ? shortAge(record, context) : agedState,
    icon,
    context: [
      'session',
      local.pinned === true ? 'pinned' : 'unpinned',
      local.archivedAt === undefined ? 'listed' : 'archived',
      ...(context.canStop === true && isWorking(status.value) ? ['stoppable'] : []),
    ].join(' '),
    spoken: vscode.l10n.t('Session {0}, {1}', title, joined(spoken, ', ')),
    tooltip: () =>
      card(title, [
        agedState,
        oneLine(signal?.message ?? '', 300),
        status.problem?.sentence,
        joined([computer, session?.sessionSettings?.model]),
        tokensText(session?.sessionSettings?.tokenUsage, format),
      ]),
    command: {
      command: commands.chat.open,
      title: vscode.l10n.t('Open session'),
      arguments: [{ kind: 'session', sessionId: record.sessionId }],
    },
  };
}

function isSaidByIcon(record: SessionRecord, { status }: SessionContext): boolean {
  const signal = tellingSignal(record, status);
  return signal === undefined
    ? status.value === 'running' || status.value === 'idle'
    : signal.kind !== 'ended';
}

function shortAge(record: SessionRecord, context: SessionContext): string {
  const at = stateAt(record, context.status);
  return at === undefined ? '' : ageText(context, at) || vscode.l10n.t('now');
}

/** Tokens with their total, such as `4.2M tokens (3.9M in, 320K out)`; `undefined` when none were told. */
function tokensText(usage: TokenUsage | undefined, format: Formatter): string | undefined {
  const { inputTokens = 0, outputTokens = 0 } = usage ?? {};
  const all = inputTokens + outputTokens;
  if (all === 0) return undefined;
  const parts = [all, inputTokens, outputTokens].map(value => format.compact(value));
  return vscode.l10n.t('{0} tokens ({1} in, {2} out)', ...parts);
}
