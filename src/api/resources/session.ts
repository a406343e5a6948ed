import * as z from 'zod/mini';
import { decodeItem } from '../decode';
import { list, maps, maybe, numbers, openObject, textLists, texts } from '../tolerant';

/** What the model has used so far; counts of tokens. Only ever in answers. */
export type TokenUsage = z.output<typeof tokenUsageSchema>;
/** Section 2.8, second table: every field optional, every enumeration open. */
export type SessionSettings = z.output<typeof settingsSchema>;
/** Section 2.8. Times are Unix ms. */
export type Session = z.output<typeof sessionSchema>;

const tokenUsageSchema = openObject(
  numbers('inputTokens', 'outputTokens', 'cacheCreationTokens', 'cacheReadTokens', 'thinkingTokens'),
);

const settingsSchema = openObject({
  ...texts('model', 'reasoningEffort', 'interactionMode', 'autonomyLevel', 'autonomyMode', 'archivedAt'),
  ...texts('specModeModel', 'specModeReasoningEffort'),
  ...texts('providerLock', 'providerLockTimestamp', 'apiProviderLock'),
  ...numbers('assistantActiveTimeMs'),
  tokenUsage: maybe(tokenUsageSchema),
  tags: list(openObject({ name: z.string(), ...maps('metadata') })),
  ...textLists('enabledToolIds', 'disabledToolIds'),
});

/** What a client may send of them: all but what was used. */
export const settingNames = Object.keys(settingsSchema.shape).filter(name => name !== 'tokenUsage');

export const sessionSchema = openObject({
  sessionId: z.string(),
  ...texts('status', 'title', 'computerId'),
  ...numbers('messageCount', 'createdAt', 'updatedAt', 'completedAt'),
  sessionSettings: maybe(settingsSchema),
});

/** A session that was stored or comes from a file, read as tolerantly as an answer; `undefined` when it is none. */
export function readSession(value: unknown): Session | undefined {
  return decodeItem(sessionSchema, value).value;
}

/** Body of section 4.5. */
export interface CreateSession {
  readonly computerId: string;
  /** Sent as it is, without `tokenUsage`, which only answers have, and without undefined fields. */
  readonly sessionSettings?: Omit<SessionSettings, 'tokenUsage'> | undefined;
}
