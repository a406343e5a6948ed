import * as z from 'zod/mini';
import type { Message } from '../../api';
import { openObject, recordSchema, taken, type RecordOf } from '../../api/records';

/** What is kept of every message, and of those a person may see. */
const FIELDS = [
  ...(['role', 'createdAt', 'updatedAt', 'parentId', 'visibility'] as const),
  ...(['isUserVisible', 'isError', 'providerAPhase'] as const),
];
const REASONING = ['providerAReasoningSummary', 'chatCompletionReasoningContent'] as const;

/** The fields of interface.md 2.9 and of known item types, without what must never be shown. */
export type StoredItem = Readonly<Record<string, unknown>> & { readonly type: string };
export type StoredMessage = Readonly<
  Pick<Message, 'id' | (typeof FIELDS)[number] | (typeof REASONING)[number]>
> & { readonly content: readonly StoredItem[] };

/** An attachment as it was sent, without its bytes; size in bytes. */
export const sentAttachment = () => ({
  name: z.string(),
  kind: z.enum(['image', 'pdf', 'text']),
  size: z.number(),
});

/**
 * A message of a session as far as it is known: its id always, its body once it was read, what was sent if sent from here. Times
 * are Unix ms: of a body the service's, of what was sent never before what was known then.
 */
export const knownMessageSchema = recordSchema(() =>
  openObject({
    id: z.string().check(z.minLength(1)),
    message: z.exactOptional(taken<StoredMessage>()),
    sent: z.exactOptional(
      openObject({
        sendId: z.exactOptional(z.string()),
        at: z.number(),
        text: z.string(),
        attachments: z.array(openObject(sentAttachment())),
      }),
    ),
  }),
);

export type KnownMessage = Omit<RecordOf<typeof knownMessageSchema>, 'message'> & {
  readonly message?: StoredMessage;
};
/** What was sent from here and became this message; `sendId` tells the send. */
export type SentMessage = NonNullable<KnownMessage['sent']>;
export type SentAttachment = SentMessage['attachments'][number];

/** True for messages a person must not see (interface-notes 9). They still count and still link their parents. */
export function isHidden(message: {
  readonly visibility?: string | null | undefined;
  readonly isUserVisible?: boolean | null | undefined;
}): boolean {
  return message.visibility === 'llm_only' || message.isUserVisible === false;
}

/** The part of a message that is kept. Hidden messages keep no content; encrypted fields and signatures are never kept. */
export function toStored(id: string, message: Message): StoredMessage {
  const hidden = isHidden(message);
  const names = hidden ? FIELDS : [...FIELDS, ...REASONING];
  const kept = names.map(name => [name, message[name] ?? ''] as const).filter(([, value]) => value !== '');
  const content = hidden ? [] : (message.content ?? []).map(toItem);
  return { ...(Object.fromEntries(kept) as Partial<StoredMessage>), id, content };
}

const SECRET_FIELD = /signature|encrypted/i;

function toItem(item: unknown): StoredItem {
  const clean = withoutSecrets(item, 0);
  if (typeof clean !== 'object' || clean === null || Array.isArray(clean)) return { type: '', value: clean };
  const fields = clean as Readonly<Record<string, unknown>>;
  const type = typeof fields['type'] === 'string' ? fields['type'] : '';
  return type === 'redacted_thinking' ? { type } : { ...fields, type };
}

function withoutSecrets(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > 40) return null;
  if (Array.isArray(value)) return value.map(item => withoutSecrets(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !SECRET_FIELD.test(key))
      .map(([key, item]) => [key, withoutSecrets(item, depth + 1)]),
  );
}

/** What is known from two readings of the same message: the newer body, and never less than before. */
export function merged(one: KnownMessage | undefined, other: KnownMessage): KnownMessage {
  const [before, after] = [one?.message, other.message];
  const isOlder = before !== undefined && (after?.updatedAt ?? 0) < (before.updatedAt ?? 0);
  return {
    ...one,
    ...other,
    ...(before !== undefined && (after === undefined || isOlder) ? { message: before } : {}),
    ...(one?.sent === undefined ? {} : { sent: one.sent }),
  };
}

/** A message whose every item is a tool's result speaks for the agent, whatever its role. */
export function isToolResult(message: StoredMessage): boolean {
  return message.content.length > 0 && message.content.every(item => item.type === 'tool_result');
}

/** Whom a message is of. What has no body yet was sent from here. */
export function authorOf({ message }: KnownMessage): 'person' | 'agent' | 'other' {
  if (message === undefined) return 'person';
  if (message.role === 'user') return isToolResult(message) ? 'agent' : 'person';
  return message.role === 'assistant' || message.role === 'tool' ? 'agent' : 'other';
}

export function textOf(message: StoredMessage): string {
  return message.content
    .map(item => (item.type === 'text' && typeof item['text'] === 'string' ? item['text'] : ''))
    .join('');
}

export function timeOf(known: KnownMessage): number | undefined {
  return known.message?.createdAt ?? known.sent?.at;
}

/** Messages in reading order: parents before children, else by time, those of unknown time last, then by id. Loops are cut. */
export function inOrder(known: ReadonlyMap<string, KnownMessage>): KnownMessage[] {
  const last = (entry: KnownMessage): number => timeOf(entry) ?? Number.MAX_VALUE;
  const byTime = [...known.values()].sort((a, b) => last(a) - last(b) || (a.id < b.id ? -1 : 1));
  const placed = new Set<string>();
  const ordered: KnownMessage[] = [];
  for (const message of byTime) {
    const chain: KnownMessage[] = [];
    let next: KnownMessage | undefined = message;
    while (next !== undefined && !placed.has(next.id)) {
      chain.push(next);
      placed.add(next.id);
      next = known.get(next.message?.parentId ?? '');
    }
    for (const link of chain.reverse()) ordered.push(link);
  }
  return ordered;
}

/** Whether this text was sent from here at that time (Unix ms) or later. */
export function wasSentSince(known: Iterable<KnownMessage>, text: string, at: number): boolean {
  return [...known].some(({ sent }) => sent?.text === text && sent.at >= at);
}

/** What the ancestor walk can ask for: bodies never read, and parents not known; the newest first. */
export function unread(known: ReadonlyMap<string, KnownMessage>): string[] {
  return inOrder(known)
    .reverse()
    .flatMap(({ id, message }) => (message === undefined ? id : (message.parentId ?? [])))
    .filter(id => known.get(id)?.message === undefined);
}

/** The body of a known message may be shown to a person. */
export function isShown(known: KnownMessage): boolean {
  return known.message === undefined ? known.sent !== undefined : !isHidden(known.message);
}

/**
 * The message an unanswered send became, if a message read later shows it: a user message with the same text, made after the
 * state of the session that was known before the send, and not the result of another send.
 */
export function arrivedAs(
  send: { readonly text: string; readonly before?: { readonly updatedAt: number } | undefined },
  known: Iterable<KnownMessage>,
): string | undefined {
  const since = send.before?.updatedAt ?? Infinity;
  const isIt = ({ message, sent }: KnownMessage): boolean =>
    message?.role === 'user' &&
    sent === undefined &&
    !isHidden(message) &&
    (message.createdAt ?? -Infinity) > since &&
    textOf(message) === send.text;
  return [...known].find(isIt)?.id;
}

/** Own messages that can be called up again. */
const MOST_HISTORY = 200;

/** What the person sent in a session, as far as known: the latest first, each text once. */
export function ownTexts(known: ReadonlyMap<string, KnownMessage>): readonly string[] {
  const own = inOrder(known).filter(entry => authorOf(entry) === 'person' && isShown(entry));
  const texts = own.map(({ message, sent }) =>
    message === undefined ? (sent?.text ?? '') : textOf(message),
  );
  return [...new Set(texts.reverse().filter(text => text.trim() !== ''))].slice(0, MOST_HISTORY);
}
