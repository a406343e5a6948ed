import * as z from 'zod/mini';
import { oneLine } from '../util/text';
import { isRecord, list, mapOf, mapOfEach, maybe, openObject } from './decode';

/** Optional fields of one kind. */
const each =
  <F>(field: F) =>
  <K extends string>(...names: K[]) =>
    Object.fromEntries(names.map(name => [name, field])) as Readonly<Record<K, F>>;
const texts = each(maybe(z.string()));
const numbers = each(maybe(z.number()));
const flags = each(maybe(z.boolean()));
/** An object whose inner shape the interface does not show. */
const anyObject = mapOf(z.unknown());

/** The resources of the interface (section 2): every enumeration open, every figure that was left out undefined, never zero. */

/** The earliest day with analytics data (section 8), UTC. */
export const EARLIEST_DAY = '2026-01-14';

/** The latest day analytics can be asked for: yesterday, UTC. `now` is Unix ms. */
export function latestDay(now: number): string {
  return new Date(now - 24 * 60 * 60 * 1000).toISOString().slice(0, 10);
}

/** Section 2.1. */
export type AnalyticsMeta = z.output<typeof metaSchema>;
export type ModelTokens = z.output<typeof modelTokensSchema>;
/** Sections 2.2 to 2.6. */
export type TokenDay = z.output<typeof tokenDaySchema>;
export type ToolDay = z.output<typeof toolDaySchema>;
export type ActivityDay = z.output<typeof activityDaySchema>;
export type ProductivityDay = z.output<typeof productivityDaySchema>;
/** One person's day. */
export type UserDay = z.output<typeof userDaySchema>;

export const metaSchema = openObject(texts('org_id', 'start_date', 'end_date'));

const modelTokensSchema = openObject({
  model_id: z.string(),
  ...texts('model_tier'),
  ...numbers('billable_tokens', 'input_tokens', 'output_tokens'),
});

const userTokensSchema = openObject({
  user_id: z.string(),
  ...texts('user_email'),
  ...numbers('billable_tokens'),
  by_model: list(modelTokensSchema),
});

export const tokenDaySchema = openObject({
  date: z.string(),
  ...numbers('billable_tokens', 'input_tokens', 'output_tokens', 'cache_read_tokens', 'cache_write_tokens'),
  by_model: list(modelTokensSchema),
  by_user: list(userTokensSchema),
});

export const toolDaySchema = openObject({
  date: z.string(),
  ...numbers('tool_calls', 'mcp_users_with_mcp', 'skills_invocations', 'slash_commands_invocations'),
  ...numbers('hooks_invocations', 'web_users', 'autonomy_ratio_avg', 'autonomy_ratio_p50'),
  ...numbers('autonomy_ratio_p90', 'tool_calls_per_session_avg', 'user_turns_per_session_avg'),
  by_tool: list(openObject({ tool: z.string(), invocations: z.number() })),
  mcp_by_server: list(openObject({ server: z.string(), invocations: z.number() })),
  skills_by_name: list(openObject({ name: z.string(), count: z.number() })),
  slash_commands_by_name: list(openObject({ name: z.string(), count: z.number() })),
  hooks_by_event: list(openObject({ event: z.string(), ...texts('matcher', 'command'), count: z.number() })),
  tool_autonomy_level_ratio: maybe(openObject(numbers('auto_high', 'auto_medium', 'auto_low', 'manual'))),
});

export const activityDaySchema = openObject({
  date: z.string(),
  ...numbers('daily_active_users', 'weekly_active_users', 'monthly_active_users'),
  daily_active_users_by_client: maybe(mapOfEach(z.number())),
  ...numbers('sessions', 'messages', 'user_messages'),
});

export const productivityDaySchema = openObject({
  date: z.string(),
  ...numbers('files_created', 'files_edited', 'git_commits', 'git_prs_created'),
  by_extension: list(openObject({ extension: z.string(), count: z.number() })),
  by_language: list(openObject({ language: z.string(), count: z.number() })),
});

export const userDaySchema = openObject({
  user_id: z.string(),
  ...texts('user_email'),
  date: z.string(),
  ...numbers('tool_calls', 'billable_tokens', 'files_created', 'files_edited', 'git_commits'),
  ...numbers('git_prs_created', 'mcp_calls', 'skill_calls', 'slash_commands', 'hooks', 'sessions'),
  ...numbers('messages', 'user_messages', 'assistant_messages', 'autonomy_ratio'),
  ...texts('primary_model', 'primary_model_tier', 'delegation_level'),
  languages: list(z.string()),
});

/** `numerator` of `denominator` sub-applications pass; 0 <= numerator <= denominator, denominator >= 1. */
export type CriterionEvaluation = z.output<typeof criterionSchema>;

const criterionSchema = openObject({
  numerator: z.number(),
  denominator: z.number(),
  ...texts('rationale'),
}).check(
  z.refine(({ denominator }) => denominator >= 1, { error: 'denominator below 1' }),
  z.refine(({ numerator, denominator }) => numerator >= 0 && numerator <= denominator, {
    error: 'numerator not between 0 and denominator',
  }),
);

export const reportSchema = openObject({
  reportId: z.string(),
  ...numbers('createdAt'),
  ...texts('repoUrl', 'commitHash', 'branch', 'agentVersion'),
  apps: maybe(mapOfEach(openObject(texts('description')))),
  report: mapOfEach(criterionSchema),
  ...flags('hasLocalChanges', 'hasNonRemoteCommits'),
  modelUsed: maybe(openObject(texts('id', 'reasoningEffort'))),
});

/** Section 2.7. `createdAt` is Unix ms; `apps` is keyed by path, `report` by criterion id. */
export type ReadinessReport = z.output<typeof reportSchema>;

/** A report without credentials in its repository's address, and with the version where that goes by a product's name. */
export function tidyReport(row: unknown): unknown {
  if (!isRecord(row)) return row;
  const { repoUrl, agentVersion } = row;
  const renamed = Object.entries(row).find(
    ([name, value]) => name !== 'schemaVersion' && /^[a-z]+Version$/.test(name) && typeof value === 'string',
  );
  const version = agentVersion ?? renamed?.[1];
  return {
    ...row,
    ...(typeof repoUrl === 'string' ? { repoUrl: withoutCredentials(repoUrl) } : {}),
    ...(typeof version === 'string' ? { agentVersion: version } : {}),
  };
}

/** An address without user name and password; what is no address stays as it is. Keeps the user name of ssh addresses. */
function withoutCredentials(address: string): string {
  return address
    .replace(/^(https?:\/\/)[^/?#]*@/i, '$1')
    .replace(/^([a-z][a-z0-9+.-]*:\/\/[^/?#:@]*):[^/?#]*@/i, '$1@');
}

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
  tags: list(openObject({ name: z.string(), metadata: maybe(anyObject) })),
  ...each(list(z.string()))('enabledToolIds', 'disabledToolIds'),
});

export const sessionSchema = openObject({
  sessionId: z.string(),
  ...texts('status', 'title', 'computerId'),
  ...numbers('messageCount', 'createdAt', 'updatedAt', 'completedAt'),
  sessionSettings: maybe(settingsSchema),
});

/** Body of section 4.5. */
export interface CreateSession {
  readonly computerId: string;
  /** Sent as it is, without `tokenUsage`, which only answers have, and without undefined fields. */
  readonly sessionSettings?: Omit<SessionSettings, 'tokenUsage'> | undefined;
}

/**
 * A part of a message. `text` is the type that carries text (section 2.9); the fields of other types seen at services
 * (interface-notes, extras) are named but not interpreted.
 */
export type ContentItem = z.output<typeof contentSchema>;
/** Section 2.9, without what only the model's provider reads. Times are Unix ms. */
export type Message = z.output<typeof messageSchema>;
/** Answer of section 4.7. */
export type SentMessage = z.output<typeof sentSchema>;

const contentSchema = openObject({
  ...texts('type', 'text', 'id'),
  ...each(z.optional(z.unknown()))('thinking', 'name', 'input', 'toolUseId', 'content', 'isError', 'source'),
});

export const messageSchema = openObject({
  id: z.string(),
  content: list(contentSchema),
  ...texts('role', 'parentId', 'visibility'),
  ...numbers('createdAt', 'updatedAt'),
  ...texts('providerAPhase', 'providerAReasoningSummary', 'chatCompletionReasoningContent'),
  ...flags('isUserVisible', 'isError'),
});

export const sentSchema = openObject({ messageId: z.string(), ...texts('status') });

/** A step of setting a computer up; `status` is open, `startedAt` and `completedAt` are Unix ms (section 2.10). */
export type ProvisioningStep = z.output<typeof stepSchema>;
/** Section 2.10. `createdAt` is Unix ms; relay addresses arrive redacted. */
export type Computer = z.output<typeof computerSchema>;

const stepSchema = openObject({
  ...texts('id', 'name', 'status', 'error'),
  ...numbers('startedAt', 'completedAt'),
});

export const computerSchema = openObject({
  id: z.string(),
  ...texts('name', 'providerType', 'hostname', 'status', 'relayClientUrl', 'relayAgentUrl', 'remoteUser'),
  ...numbers('createdAt'),
  provisioningSteps: list(stepSchema),
});

/** What a computer goes by: its name, else its host's, else its id. */
export function computerName({ name, hostname, id }: Pick<Computer, 'id' | 'name' | 'hostname'>): string {
  return oneLine(name ?? '') || oneLine(hostname ?? '') || oneLine(id);
}

/** Section 2.11. Times are texts as the service writes them. */
export type OrganizationUser = z.output<typeof userSchema>;
/** One revision of the enterprise controls: the settings as they were after it (section 2.12). */
export type ControlChange = z.output<typeof controlChangeSchema>;

export const userSchema = openObject({
  id: z.string(),
  ...texts('email', 'createdAt', 'firstName', 'lastName', 'lastSignInAt'),
  metadata: maybe(anyObject),
});

export const controlChangeSchema = openObject({
  revision: z.number(),
  /** As the service sends them: settings come and go with its versions. Secrets among them arrive redacted. */
  settings: anyObject,
  user: maybe(openObject(texts('id', 'email', 'name'))),
  ...texts('updatedAt'),
});
