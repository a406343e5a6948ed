import * as vscode from 'vscode';
import type { ConnectionState } from '../../connection';
import type { Formatter } from '../../util/format';
import { oneLine } from '../../util/text';
import type { SendOutcome } from '../outbox/sender';
import type { Header } from '../protocol';
import type { ChatSession } from '../sessions';

/** Title, computer, settings, status and figures of a session, in words. `fallbackTitle` serves while the session is not known. */
export function headerOf(
  session: ChatSession | undefined,
  fallbackTitle: string,
  refreshing: boolean,
  now: number,
  format: Formatter,
): Header {
  const tokens = tokensOf(session, format);
  const messages = session?.messageCount;
  const problem = session?.statusProblem;
  return {
    title: oneLine(session?.title ?? fallbackTitle),
    facts: factsOf(session),
    status: session?.shown ?? { word: vscode.l10n.t('status unknown'), icon: 'question', spin: false },
    ...(session?.statusAt === undefined ? {} : { statusAge: Math.max(0, now - session.statusAt) }),
    ...(problem === undefined ? {} : { problem }),
    ...(tokens === undefined ? {} : { tokens }),
    ...(messages === undefined ? {} : { messages: messagesText(messages, format) }),
    refreshing,
    about: session === undefined ? '{"preventDefaultContextMenuItems":true}' : aboutOf(session),
  };
}

/** The session and how it stands here, as entries of `webview/context` in package.json ask for it. */
function aboutOf({ sessionId, isPinned, isArchived }: ChatSession): string {
  const chatSession = `${isPinned === true ? 'pinned' : 'unpinned'} ${isArchived === true ? 'archived' : 'listed'}`;
  return JSON.stringify({ sessionId, chatSession, preventDefaultContextMenuItems: true });
}

function messagesText(count: number, format: Formatter): string {
  return count === 1 ? vscode.l10n.t('1 message') : vscode.l10n.t('{0} messages', format.number(count));
}

function factsOf(session: ChatSession | undefined): Header['facts'] {
  const { settings } = session ?? {};
  const facts: readonly (readonly [string, string | undefined])[] = [
    [vscode.l10n.t('Computer'), session?.computerName ?? session?.computerId],
    [vscode.l10n.t('Model'), settings?.model],
    [vscode.l10n.t('Reasoning effort'), settings?.reasoningEffort],
    [vscode.l10n.t('Interaction mode'), settings?.interactionMode],
    [vscode.l10n.t('Autonomy'), settings?.autonomyLevel ?? settings?.autonomyMode],
  ];
  return facts.flatMap(([label, value]) =>
    value === undefined || value === '' ? [] : [{ label, value: oneLine(value, 80) }],
  );
}

function tokensOf(session: ChatSession | undefined, format: Formatter): Header['tokens'] {
  const usage = session?.settings?.tokenUsage;
  if (usage === undefined) return undefined;
  const { inputTokens, outputTokens, cacheCreationTokens, cacheReadTokens, thinkingTokens, ...others } =
    usage;
  const kinds: readonly (readonly [string, unknown])[] = [
    [vscode.l10n.t('Input'), inputTokens],
    [vscode.l10n.t('Output'), outputTokens],
    [vscode.l10n.t('Cache creation'), cacheCreationTokens],
    [vscode.l10n.t('Cache read'), cacheReadTokens],
    [vscode.l10n.t('Thinking'), thinkingTokens],
    // What a service counts beyond that, by its own names.
    ...Object.entries(others).map(([name, count]) => [oneLine(name, 40), count] as const),
  ];
  const known = kinds.filter((kind): kind is readonly [string, number] => typeof kind[1] === 'number');
  if (known.length === 0) return undefined;
  const used = (inputTokens ?? 0) + (outputTokens ?? 0);
  const active = session?.settings?.assistantActiveTimeMs;
  const lines = known.map(([label, count]) => `${label}: ${format.number(count)}`);
  if (active !== undefined) lines.push(vscode.l10n.t('Agent active: {0}', format.span(active)));
  return {
    short: vscode.l10n.t('{0} tokens', format.compact(used)),
    detail: lines.join('\n'),
  };
}

/** Why the service of a conversation cannot be asked now; `undefined` when it can. */
export function blockedReason(state: ConnectionState, serviceId: string): string | undefined {
  switch (state.kind) {
    case 'signedOut':
      return withReason(state.reason, vscode.l10n.t('Sign in to send messages. What you write is kept.'));
    case 'keyRejected':
      return withReason(state.reason, vscode.l10n.t('What you write is kept.'));
    case 'signedIn':
      return state.service.id === serviceId
        ? undefined
        : vscode.l10n.t(
            'This session belongs to another service than {0}. What you write is kept.',
            oneLine(state.service.host, 100),
          );
  }
}

function withReason(reason: string | undefined, rest: string): string {
  return reason === undefined ? rest : `${oneLine(reason, 300)} ${rest}`;
}

/** What became of a message, for a screen reader. */
export function outcomeWords(outcome: SendOutcome): string {
  switch (outcome.state) {
    case 'accepted':
      return vscode.l10n.t('Message accepted.');
    case 'refused':
      return vscode.l10n.t('Message not sent: {0}', outcome.sentence);
    case 'unknown':
      return vscode.l10n.t('It is not known whether the message arrived.');
  }
}
