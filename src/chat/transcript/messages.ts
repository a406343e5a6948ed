import * as z from 'zod/mini';
import { openObject, recordSchema, type Message, type RecordOf } from '../../api';

/** The fields of interface.md 2.9 and of known item types, without what must never be shown. */
export type StoredItem = Readonly<Record<string, unknown>> & { readonly type: string };

const item = () =>
  z.custom<StoredItem>(
    value => typeof (value as { readonly type?: unknown } | null | undefined)?.type === 'string',
  );

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
    id: z.string().check(z.refine(id => id !== '', { error: 'empty' })),
    message: z.exactOptional(
      openObject({
        id: z.string(),
        role: z.exactOptional(z.string()),
        createdAt: z.exactOptional(z.number()),
        updatedAt: z.exactOptional(z.number()),
        parentId: z.exactOptional(z.string()),
        visibility: z.exactOptional(z.string()),
        isUserVisible: z.exactOptional(z.boolean()),
        isError: z.exactOptional(z.boolean()),
        providerAPhase: z.exactOptional(z.string()),
        providerAReasoningSummary: z.exactOptional(z.string()),
        chatCompletionReasoningContent: z.exactOptional(z.string()),
        content: z.array(item()),
      }),
    ),
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

export type KnownMessage = RecordOf<typeof knownMessageSchema>;
export type StoredMessage = NonNullable<KnownMessage['message']>;
/** What was sent from here and became this message; `sendId` tells the send. */
export type SentMessage = NonNullable<KnownMessage['sent']>;
export type SentAttachment = SentMessage['attachments'][number];
export type AttachmentKind = SentAttachment['kind'];

/** True for messages a person must not see (interface-notes 9). They still count and still link their parents. */
export function isHidden(message: {
  readonly visibility?: string | null | undefined;
  readonly isUserVisible?: boolean | null | undefined;
}): boolean {
  return message.visibility === 'llm_only' || message.isUserVisible === false;
}

const FIELDS = [
  ...(['role', 'createdAt', 'updatedAt', 'parentId', 'visibility'] as const),
  ...(['isUserVisible', 'isError', 'providerAPhase'] as const),
];
const REASONING = ['providerAReasoningSummary', 'chatCompletionReasoningContent'] as const;

/** The part of a message that is kept. Hidden messages keep no content; encrypted fields and signatures are never kept. */
export function toStored(id: string, message: Message): StoredMessage {
  const hidden = isHidden(message);
  const names = hidden ? FIELDS : [...FIELDS, ...REASONING];
  const kept = names.map(name => [name, message[name] ?? ''] as const).filter(([, value]) => value !== '');
  const content = hidden ? [] : (message.content ?? []).map(toItem);
  return { ...(Object.fromEntries(kept) as Partial<StoredMessage>), id, content };
}

/** Fields of any depth that hold what only the model may read. */
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

/** The text of a message's `text` items. */
export function textOf(message: StoredMessage): string {
  return message.content
    .map(item => (item.type === 'text' && typeof item['text'] === 'string' ? item['text'] : ''))
    .join('');
}

/** When a message was made, as far as known; Unix ms. */
export function timeOf(known: KnownMessage): number | undefined {
  return known.message?.createdAt ?? known.sent?.at;
}
