import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import { seenOf } from './agent';
import { parseDay } from './days';
import { type Attachment, type ContentItem } from './records';

/** What the service answers instead of what was asked for; becomes `{title, detail, status, requestId}`. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;

  constructor(status: number, detail: string) {
    super(detail);
    this.status = status;
  }
}

/** An invalid request: 400 with the given sentence. */
export function invalid(detail: string): never {
  throw new Refusal(400, detail);
}

/** The value; 404 where there is none. */
export function found<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Refusal(404, `There is no such ${what}.`);
  return value;
}

/** A value as the schema reads it; 400 that names the place (`body.files.0.data`) where it does not fit. */
export function read<S extends z.ZodMiniType>(schema: S, value: unknown, where: string): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const unknown = issue?.code === 'unrecognized_keys' ? ` ${issue.keys.join(', ')} is not known.` : '';
  return invalid(
    `${[where, ...(issue?.path ?? [])].map(String).join('.')}: ${issue?.message ?? ''}${unknown}`,
  );
}

/** The query of a request: every name known, none twice. */
export function readQuery<F extends z.core.$ZodShape>(
  fields: F,
  parameters: URLSearchParams,
): z.output<z.ZodMiniObject<F>> {
  for (const name of new Set(parameters.keys())) {
    if (parameters.getAll(name).length > 1) invalid(`query.${name} must be given once.`);
  }
  return read(z.strictObject(fields), Object.fromEntries(parameters), 'query');
}

const words = z.string().check(z.regex(/\S/, 'It must not be empty.'));
const count = z.pipe(
  z.string().check(z.regex(/^[1-9]\d{0,8}$/, 'It must be a whole number of at least 1.')),
  z.transform(Number),
);
const day = z.pipe(
  z.string(),
  z.transform((text, context) => {
    const read = parseDay(text);
    if (read !== undefined) return read;
    context.issues.push({
      code: 'custom',
      message: 'It must be a date of the form YYYY-MM-DD.',
      input: text,
    });
    return z.NEVER;
  }),
);

/** The days of analytics (4.1), as days since 1970. */
export const dates = { startDate: day, endDate: day };
/** The one word by which rows may be grouped; none may be said where there is none. */
export const groupBy = (word: string | undefined) =>
  z.optional(word === undefined ? z.never() : z.literal(word));
/** A page of a list, by 20 unless told otherwise. */
export const page = {
  limit: z._default(z.pipe(count, z.number().check(z.lte(100, 'It must be at most 100.'))), 20),
  cursor: z.optional(words),
};
export const readinessPage = {
  repoId: z.optional(words),
  limit: z.optional(count),
  startAfter: z.optional(words),
};
export const messagesPage = { ...page, role: z.optional(z.enum(['user', 'assistant', 'tool', 'system'])) };
export const routedQuery = { computerId: z.optional(words) };

const tag = z.strictObject({ name: words, metadata: z.optional(z.record(z.string(), z.unknown())) });
/** Interface 2.8, as it may be sent: no `tokenUsage`. What the enumerations allow is not shown, so any word passes. */
const sessionSettings = z.strictObject({
  model: z.optional(words),
  reasoningEffort: z.optional(words),
  interactionMode: z.optional(words),
  autonomyLevel: z.optional(words),
  autonomyMode: z.optional(words),
  specModeModel: z.optional(words),
  specModeReasoningEffort: z.optional(words),
  providerLock: z.optional(words),
  providerLockTimestamp: z.optional(z.string()),
  apiProviderLock: z.optional(words),
  assistantActiveTimeMs: z.optional(z.int().check(z.gte(0))),
  archivedAt: z.optional(z.string()),
  tags: z.optional(z.array(tag)),
  enabledToolIds: z.optional(z.array(words)),
  disabledToolIds: z.optional(z.array(words)),
});

/** Interface 4.5. */
export const newSession = z.strictObject({
  computerId: words,
  sessionSettings: z._default(sessionSettings, {}),
});

const mediaType = z
  .string()
  .check(
    z.regex(/^(application\/pdf|text\/[a-z0-9][a-z0-9.+-]*)$/, 'It must be application/pdf or a text type.'),
  );
const image = z.strictObject({
  type: z.literal('base64'),
  data: z.string(),
  mediaType: z.enum(['image/jpeg', 'image/png', 'image/gif', 'image/webp']),
});
const file = z.strictObject({
  type: z.literal('base64'),
  data: z.string(),
  mediaType,
  parsedData: z.optional(z.string()),
  name: z.optional(words),
  path: z.optional(words),
});

/** Interface 4.7. Which fields of a file are required is not shown: here `type`, `mediaType` and `data`. */
export const newMessage = z.strictObject({
  text: words,
  images: z._default(z.array(image), []),
  files: z._default(z.array(file), []),
  computerId: z.optional(words),
});

/** Attachments above this are described in the stored message instead of being part of it. */
const KEPT_DATA = 512 * 1024;
/** Text files up to this size are read by the agent. */
const READ_BYTES = 256 * 1024;

/** The content of the message as it is stored, and what the agent gets to see of the attachments. */
export function storedMessage({ text, images, files }: z.output<typeof newMessage>): {
  readonly content: readonly ContentItem[];
  readonly attachments: readonly Attachment[];
} {
  const content: ContentItem[] = [{ type: 'text', text, id: randomUUID() }];
  const attachments: Attachment[] = [];
  const add = (kind: Attachment['kind'], name: string, type: string, data: string): void => {
    const bytes = Buffer.byteLength(data, 'base64');
    const isRead = type.startsWith('text/') && bytes <= READ_BYTES;
    const seen = isRead ? { seen: seenOf(Buffer.from(data, 'base64').toString('utf8')) } : {};
    attachments.push({ kind, name, mediaType: type, bytes, ...seen });
    const id = randomUUID();
    const source = { type: 'base64', mediaType: type, data };
    if (data.length > KEPT_DATA)
      content.push({ type: 'text', id, text: `Attached: ${name} (${type}, ${bytes} bytes)` });
    else if (kind === 'image') content.push({ type: 'image', id, source });
    else content.push({ type: 'document', id, source, name });
  };
  for (const [index, given] of images.entries())
    add('image', `image ${index + 1}`, given.mediaType, given.data);
  for (const [index, given] of files.entries())
    add('file', given.name ?? given.path ?? `file ${index + 1}`, given.mediaType, given.data);
  return { content, attachments };
}
