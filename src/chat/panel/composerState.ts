import * as vscode from 'vscode';
import type { Formatter } from '../../util/format';
import { middle, oneLine, plain } from '../../util/text';
import type { AttachmentLimits } from '../attach/attachments';
import type { Conversation } from '../conversation';
import type { Attached } from '../outbox/composition';
import { UNDECIDED, type Entry } from '../outbox/record';
import type { Chip, Composer, QueuedRow } from '../protocol';

/** Longest text of a queued message that a page is given, UTF-16 units: all of them are told at each change. */
const MOST_QUEUED = 4_000;

/** What the person has chosen for the composer. */
export interface ComposerSettings {
  readonly sendKey: () => Composer['sendKey'];
  readonly largePaste: () => Composer['largePaste'];
  readonly limits: () => AttachmentLimits;
}

/** Everything the composer shows of a conversation. `blocked`: why nothing can be sent now. */
export function composerOf(
  conversation: Conversation,
  blocked: string | undefined,
  settings: ComposerSettings,
  format: Formatter,
): Composer {
  const { composition, queued, session } = conversation;
  const { attached, references, draft, tooMuch } = composition;
  const total = references.reduce((sum, { size }) => sum + size, 0);
  return {
    chips: attached.map(attachment => chipOf(attachment, format)),
    total: total === 0 ? '' : format.bytes(total),
    sending: conversation.isStarting,
    ...(blocked === undefined ? {} : { blocked }),
    ...(tooMuch === undefined ? {} : { tooMuch }),
    queues: conversation.queuesNow,
    canStop: conversation.canStop,
    queue: queued.map(message => queuedRow(message, format)),
    queueNote: queued.length === 0 ? '' : queueNote(conversation),
    queueStopped: conversation.isQueueStopped,
    target: oneLine(draft.target?.name ?? session?.computerName ?? session?.computerId ?? '', 60),
    sendKey: settings.sendKey(),
    largePaste: settings.largePaste(),
    fileLimit: settings.limits().file,
  };
}

function queueNote(conversation: Conversation): string {
  if (conversation.isQueueStopped && !conversation.sends.some(({ state }) => UNDECIDED.includes(state)))
    return vscode.l10n.t('Stopped: see the first message.');
  if (conversation.isQueueStopped)
    return vscode.l10n.t('Stopped: a message before these was not sent, or it is not known whether it was.');
  const status = conversation.session?.status;
  return status === undefined || status === 'unknown'
    ? vscode.l10n.t('Waits until the status of the agent is known.')
    : vscode.l10n.t('Goes out in this order when the agent is idle and this window has the focus.');
}

function queuedRow({ id, text, attachments, sentence }: Entry, format: Formatter): QueuedRow {
  return {
    id,
    text: plain(text.slice(0, MOST_QUEUED), MOST_QUEUED),
    chips: attachments.map(({ uri, name, kind, size }) => ({
      key: '',
      name: oneLine(name, 100),
      kind,
      size: format.bytes(size),
      title: titleOf(uri),
    })),
    ...(sentence === undefined ? {} : { problem: oneLine(sentence, 300) }),
  };
}

function chipOf({ uri, inspected }: Attached, format: Formatter): Chip {
  const title = titleOf(uri);
  if (inspected === undefined) return { key: uri, name: lastPart(uri), kind: 'checking', size: '', title };
  const { name, size: count } = inspected;
  const size = count === undefined ? '' : format.bytes(count);
  if (inspected.ok) return { key: uri, name, kind: inspected.kind, size, title };
  const problem = oneLine(inspected.problem, 300);
  const { shrinkable = false } = inspected;
  return { key: uri, name, kind: 'unknown', size, title, problem, shrinkable };
}

function titleOf(uri: string): string {
  return middle(oneLine(decoded(uri), 500), 120);
}

/** The path of an address, in words; of a kept file its name. */
function decoded(uri: string): string {
  const place = uri.replace(/^agentconsole-attachment:\/[^/]*\/[^/]*\/([^?]*).*$/, '$1');
  try {
    return decodeURIComponent(place.replace(/^[a-z-]+:\/\/[^/]*/i, ''));
  } catch {
    return uri;
  }
}

function lastPart(uri: string): string {
  return oneLine(decoded(uri).split('/').at(-1) ?? uri, 100);
}
