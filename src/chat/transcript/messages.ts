import * as z from 'zod/mini';
import { openObject, recordSchema, type Message } from '../../api';

/** One content item as kept: the fields of interface.md 2.9 and of known item types, without what must never be shown. */
export type StoredItem = Readonly<Record<string, unknown>> & { readonly type: string };

/** What is kept of a message. Times are the service's, Unix ms. */
export interface StoredMessage {
  readonly id: string;
  readonly role?: string;
  readonly createdAt?: number;
  readonly updatedAt?: number;
  readonly parentId?: string;
  readonly visibility?: string;
  readonly isUserVisible?: boolean;
  readonly isError?: boolean;
  readonly providerAPhase?: string;
  readonly providerAReasoningSummary?: string;
  readonly chatCompletionReasoningContent?: string;
  readonly content: readonly StoredItem[];
}

/** An attachment as it was sent, without its bytes. */
export interface SentAttachment {
  readonly name: string;
  readonly kind: AttachmentKind;
  /** Bytes. */
  readonly size: number;
}

export type AttachmentKind = 'image' | 'pdf' | 'text';

/** What was sent from here and became this message. */
export interface SentMessage {
  /** The id of the send, so that it is known again. */
  readonly sendId?: string;
  /** Unix ms, never before what was known then. */
  readonly at: number;
  readonly text: string;
  readonly attachments: readonly SentAttachment[];
}

/** A message of a session as far as it is known: its id always, its body once it was read, what was sent if sent from here. */
export interface KnownMessage {
  readonly id: string;
  readonly message?: StoredMessage;
  readonly sent?: SentMessage;
}

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
  return {
    id,
    ...field('role', message.role),
    ...field('createdAt', message.createdAt),
    ...field('updatedAt', message.updatedAt),
    ...field('parentId', message.parentId),
    ...field('visibility', message.visibility),
    ...(message.isUserVisible === false ? { isUserVisible: false } : {}),
    ...(message.isError === true ? { isError: true } : {}),
    ...field('providerAPhase', message.providerAPhase),
    ...(hidden ? {} : field('providerAReasoningSummary', message.providerAReasoningSummary)),
    ...(hidden ? {} : field('chatCompletionReasoningContent', message.chatCompletionReasoningContent)),
    content: hidden ? [] : (message.content ?? []).map(item => toItem(item)),
  };
}

function field<K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } {
  return (value === undefined || value === '' ? {} : { [key]: value }) as { readonly [P in K]?: V };
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

export const sentAttachment = () => ({
  name: z.string(),
  kind: z.enum(['image', 'pdf', 'text']),
  size: z.number(),
});

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
        content: z.array(openObject({ type: z.string() })),
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

/** What is known from two readings of the same message: the newer body, and never less than before. */
export function merged(one: KnownMessage | undefined, other: KnownMessage): KnownMessage {
  if (one === undefined) return other;
  const newer =
    one.message === undefined ||
    (other.message !== undefined && (other.message.updatedAt ?? 0) >= (one.message.updatedAt ?? 0))
      ? other.message
      : one.message;
  const sent = one.sent ?? other.sent;
  return {
    id: one.id,
    ...(newer === undefined ? {} : { message: newer }),
    ...(sent === undefined ? {} : { sent }),
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
