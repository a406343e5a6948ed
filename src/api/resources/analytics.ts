import * as z from 'zod/mini';
import { list, mapOf, maybe, numbers, openObject, textLists, texts } from '../tolerant';

/** Sections 2.2-2.6. Every row is one UTC day. A figure the service left out stays undefined: it is not zero. */

/** The earliest day with analytics data (section 8), UTC. */
export const EARLIEST_DAY = '2026-01-14';

/** The latest day analytics can be asked for: yesterday, UTC. `now` is Unix ms. */
export function latestDay(now: number): string {
  return new Date(now - 24 * 60 * 60 * 1000).toISOString().slice(0, 10);
}

export type ModelTokens = z.output<typeof modelTokensSchema>;
/** Section 2.2. */
export type TokenDay = z.output<typeof tokenDaySchema>;
/** Section 2.3. */
export type ToolDay = z.output<typeof toolDaySchema>;
/** Section 2.4. */
export type ActivityDay = z.output<typeof activityDaySchema>;
/** Section 2.5. */
export type ProductivityDay = z.output<typeof productivityDaySchema>;
/** Section 2.6: one person's day. */
export type UserDay = z.output<typeof userDaySchema>;
/** Section 2.1. */
export type AnalyticsMeta = z.output<typeof metaSchema>;

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
  ...numbers(
    'hooks_invocations',
    'web_users',
    'autonomy_ratio_avg',
    'autonomy_ratio_p50',
    'autonomy_ratio_p90',
  ),
  ...numbers('tool_calls_per_session_avg', 'user_turns_per_session_avg'),
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
  daily_active_users_by_client: mapOf(z.number()),
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
  user_email: maybe(z.nullable(z.string())),
  date: z.string(),
  ...numbers('tool_calls', 'billable_tokens', 'files_created', 'files_edited', 'git_commits'),
  ...numbers('git_prs_created', 'mcp_calls', 'skill_calls', 'slash_commands', 'hooks', 'sessions'),
  ...numbers('messages', 'user_messages', 'assistant_messages', 'autonomy_ratio'),
  ...texts('primary_model', 'primary_model_tier', 'delegation_level'),
  ...textLists('languages'),
});
