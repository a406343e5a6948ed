import * as z from 'zod/mini';
import { anything, flags, list, numbers, openObject, texts } from '../tolerant';

/**
 * A part of a message. `text` is the type that carries text (section 2.9); the fields of other types seen at services
 * (interface-notes, extras) are named but not interpreted.
 */
export type ContentItem = z.output<typeof contentSchema>;
/** Section 2.9. Times are Unix ms. */
export type Message = z.output<typeof messageSchema>;
/** Answer of section 4.7. */
export type SentMessage = z.output<typeof sentSchema>;

const contentSchema = openObject({
  ...texts('type', 'text', 'id'),
  ...anything('thinking', 'name', 'input', 'toolUseId', 'content', 'isError', 'source'),
});

export const messageSchema = openObject({
  id: z.string(),
  content: list(contentSchema),
  ...texts('role', 'parentId', 'visibility'),
  ...numbers('createdAt', 'updatedAt'),
  ...texts('providerAMessageId', 'providerAPhase', 'providerAEncryptedContent', 'providerAReasoningId'),
  ...texts('providerAReasoningSummary', 'providerBThoughtSignature'),
  ...texts('chatCompletionReasoningField', 'chatCompletionReasoningContent'),
  ...flags('isUserVisible', 'isError'),
});

export const sentSchema = openObject({ messageId: z.string(), ...texts('status') });
