import * as vscode from 'vscode';
import type { ConnectionState } from '../../connection';
import { format } from '../../ui/text';
import { middle, oneLine, plain } from '../../util/text';
import type { AttachmentLimits } from '../attach/attachments';
import { pathIn } from '../attach/given';
import type { Conversation } from '../conversation';
import type { Attachment, Entry } from '../outbox/record';
import type { SendOutcome } from '../outbox/sender';
import type { Chip, Composer, Header, QueuedRow } from '../protocol';
import type { ChatSession } from '../sessions';
import type { SentAttachment } from '../transcript/messages';
import { messagesInWords } from '../transcript/parts';

/** Title, computer, settings, status and figures of a session, in words. `fallbackTitle` serves while the session is not known. */
export function headerOf(
  session: ChatSession | undefined,
  fallbackTitle: string,
  refreshing: boolean,
  now: number,
): Header {
  const { sessionId, statusAt, messageCount: count, isPinned = false, isArchived = false } = session ?? {};
  // As entries of `webview/context` in package.json ask for it.
  const chatSession = `${isPinned ? 'pinned' : 'unpinned'} ${isArchived ? 'archived' : 'listed'}`;
  const about = session === undefined ? {} : { sessionId, chatSession };
  return {
    title: oneLine(session?.title ?? fallbackTitle),
    facts: factsOf(session),
    status: session?.shown ?? { word: vscode.l10n.t('status unknown'), icon: 'question', spin: false },
    statusAge: statusAt === undefined ? undefined : Math.max(0, now - statusAt),
    problem: session?.statusProblem,
    tokens: tokensOf(session),
    messages: count === undefined ? undefined : messagesInWords(count),
    refreshing,
    about: JSON.stringify({ ...about, preventDefaultContextMenuItems: true }),
  };
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

function tokensOf(session: ChatSession | undefined): Header['tokens'] {
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
  const active = session?.settings?.assistantActiveTimeMs;
  const lines = kinds.flatMap(([label, count]) =>
    typeof count === 'number' ? [`${label}: ${format.number(count)}`] : [],
  );
  const [first] = lines;
  if (first === undefined) return undefined;
  const isWhole = inputTokens !== undefined && outputTokens !== undefined;
  const short = isWhole ? vscode.l10n.t('{0} tokens', format.compact(inputTokens + outputTokens)) : first;
  if (active !== undefined) lines.push(vscode.l10n.t('Agent active: {0}', format.span(active)));
  return { short, detail: lines.join('\n') };
}

/** Why the service of a conversation cannot be asked now; `undefined` when it can. */
export function blockedReason(state: ConnectionState, serviceId: string): string | undefined {
  if (state.kind === 'signedIn')
    return state.service.id === serviceId
      ? undefined
      : vscode.l10n.t(
          'This session belongs to a different service than {0}. What you write is kept.',
          oneLine(state.service.host, 100),
        );
  const rest =
    state.kind === 'signedOut'
      ? vscode.l10n.t('Sign in to send messages. What you write is kept.')
      : vscode.l10n.t('What you write is kept.');
  return state.reason === undefined ? rest : `${oneLine(state.reason, 300)} ${rest}`;
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

/** Longest text of a queued message that a page is given, UTF-16 units: all of them are told at each change. */
const MOST_QUEUED = 4_000;

/** What the person has chosen for the composer. */
export interface ComposerSettings {
  readonly sendKey: () => Composer['sendKey'];
  readonly limits: () => AttachmentLimits;
}

/** Everything the composer shows of a conversation. `blocked`: why nothing can be sent now. */
export function composerOf(
  conversation: Conversation,
  blocked: string | undefined,
  settings: ComposerSettings,
): Composer {
  const { composition, queued, session } = conversation;
  const { draft } = composition;
  const total = draft.attachments.reduce((sum, { size }) => sum + size, 0);
  const size = total === 0 ? '' : format.bytes(total);
  return {
    chips: draft.attachments.map(attachment => chipOf(attachment, attachment.uri)),
    total: composition.isLooking ? vscode.l10n.t('Checking…') : size,
    sending: conversation.isStarting,
    obstacle: blocked ?? composition.problem,
    problem: draft.problem && vscode.l10n.t('Not sent: {0}', oneLine(draft.problem, 300)),
    queues: conversation.queuesNow,
    canStop: conversation.canStop,
    queue: queued.map(message => queuedRow(message)),
    queueNote: queued.length === 0 ? '' : queueNote(conversation),
    queueStopped: conversation.isQueueStopped,
    target: oneLine(draft.target?.name ?? session?.computerName ?? session?.computerId ?? '', 60),
    sendKey: settings.sendKey(),
    fileLimit: settings.limits().file,
  };
}

function queueNote(conversation: Conversation): string {
  if (conversation.isQueueStopped && conversation.queued[0]?.sentence !== undefined)
    return vscode.l10n.t('On hold: see the first message.');
  if (conversation.isQueueStopped)
    return vscode.l10n.t('On hold: an earlier message was not sent, or it is not known whether it was.');
  return vscode.l10n.t('Sent in this order when the agent is idle and this window has the focus.');
}

function queuedRow({ id, text, attachments, sentence }: Entry): QueuedRow {
  return {
    id,
    text: plain(text.slice(0, MOST_QUEUED), MOST_QUEUED),
    chips: attachments.map(attachment => chipOf(attachment, '')),
    problem: sentence && oneLine(sentence, 300),
  };
}

/** An attachment of the composer, or as it was sent. */
export function chipOf(attachment: SentAttachment & Partial<Attachment>, key: string): Chip {
  const { name, kind, size, problem, shrinkable, uri, path } = attachment;
  return {
    key,
    name: oneLine(name, 100),
    kind: problem === undefined ? kind : 'unknown',
    size: size === 0 ? '' : format.bytes(size),
    title: middle(oneLine(path ?? (uri === undefined ? name : pathIn(uri)), 500), 120),
    ...(problem !== undefined && { problem: oneLine(problem, 300) }),
    ...(shrinkable !== undefined && { shrinkable }),
  };
}
