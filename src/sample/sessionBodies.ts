import { randomUUID } from 'node:crypto';
import { type Attachment } from './agent';
import { type ContentItem } from './records';
import {
  anyObject,
  base64,
  base64Bytes,
  count,
  filledText,
  invalid,
  list,
  object,
  oneOf,
  text,
  type Check,
} from './validate';

/** Interface 2.8, as it may be sent: no `tokenUsage`. What the enumerations allow is not shown, so any word passes. */
const sessionSettings = object(
  {},
  {
    model: filledText,
    reasoningEffort: filledText,
    interactionMode: filledText,
    autonomyLevel: filledText,
    autonomyMode: filledText,
    specModeModel: filledText,
    specModeReasoningEffort: filledText,
    providerLock: filledText,
    providerLockTimestamp: text,
    apiProviderLock: filledText,
    assistantActiveTimeMs: count,
    archivedAt: text,
    tags: list(object({ name: filledText }, { metadata: anyObject })),
    enabledToolIds: list(filledText),
    disabledToolIds: list(filledText),
  },
);

/** Interface 4.5. */
export const newSession = object({ computerId: filledText }, { sessionSettings });

const imageType = oneOf('image/jpeg', 'image/png', 'image/gif', 'image/webp');

/** PDFs and text files are the kinds the interface names. */
const fileType: Check<string> = (value, where) => {
  const read = text(value, where);
  return /^(application\/pdf|text\/[a-z0-9][a-z0-9.+-]*)$/.test(read)
    ? read
    : invalid(`${where} must be application/pdf or a text type.`);
};

const image = object({ type: oneOf('base64'), data: base64, mediaType: imageType }, {});
const file = object(
  { type: oneOf('base64'), data: base64, mediaType: fileType },
  { parsedData: text, name: filledText, path: filledText },
);

/** Interface 4.7. Which fields of a file are required is not shown: here `type`, `mediaType` and `data`. */
export const message = object(
  { text: filledText },
  { images: list(image), files: list(file), computerId: filledText },
);

/** Attachments above this are described in the stored message instead of being part of it. */
const KEPT_DATA = 512 * 1024;
/** Text files up to this size are read by the agent. */
const READ_BYTES = 256 * 1024;

/** The content of the message as it is stored, and what the agent gets to see of the attachments. */
export function storedMessage(body: ReturnType<typeof message>): {
  readonly content: readonly ContentItem[];
  readonly attachments: readonly Attachment[];
} {
  const content: ContentItem[] = [{ type: 'text', text: body.text, id: randomUUID() }];
  const attachments: Attachment[] = [];
  for (const [index, { data, mediaType }] of (body.images ?? []).entries()) {
    const attachment: Attachment = {
      kind: 'image',
      name: `image ${index + 1}`,
      mediaType,
      bytes: base64Bytes(data),
    };
    attachments.push(attachment);
    content.push(stored('image', attachment, data));
  }
  for (const [index, { data, mediaType, name, path }] of (body.files ?? []).entries()) {
    const bytes = base64Bytes(data);
    const readable = mediaType.startsWith('text/') && bytes <= READ_BYTES;
    const attachment: Attachment = {
      kind: 'file',
      name: name ?? path ?? `file ${index + 1}`,
      mediaType,
      bytes,
      ...(readable ? { text: Buffer.from(data, 'base64').toString('utf8') } : {}),
    };
    attachments.push(attachment);
    content.push(stored('document', attachment, data));
  }
  return { content, attachments };
}

function stored(
  type: 'image' | 'document',
  { name, mediaType, bytes }: Attachment,
  data: string,
): ContentItem {
  const id = randomUUID();
  if (data.length > KEPT_DATA) {
    return { type: 'text', id, text: `Attached: ${name} (${mediaType}, ${bytes} bytes)` };
  }
  return {
    type,
    id,
    source: { type: 'base64', mediaType, data },
    ...(type === 'document' ? { name } : {}),
  };
}
