import type * as z from 'zod/mini';
import { lazily, list, mapOf, nullable, number, open, optional, text } from './schema';

/** Sections 2.2-2.6. Every row is one UTC day. A figure the service left out stays undefined: it is not zero. */

export type ModelTokens = z.output<ReturnType<typeof modelTokensSchema>>;
export type UserTokens = z.output<ReturnType<typeof userTokensSchema>>;
/** Section 2.2. */
export type TokenDay = z.output<ReturnType<typeof tokenDaySchema>>;
/** Section 2.2, grouped: `group_key` is the model. */
export type ModelTokenDay = z.output<ReturnType<typeof modelTokenDaySchema>>;
/** Section 2.3. */
export type ToolDay = z.output<ReturnType<typeof toolDaySchema>>;
/** Section 2.3, grouped: `group_key` is the tool. */
export type NamedToolDay = z.output<ReturnType<typeof namedToolDaySchema>>;
/** Section 2.4. */
export type ActivityDay = z.output<ReturnType<typeof activityDaySchema>>;
/** Section 2.4, grouped: `group_key` is the kind of client. */
export type ClientActivityDay = z.output<ReturnType<typeof clientActivityDaySchema>>;
/** Section 2.5. */
export type ProductivityDay = z.output<ReturnType<typeof productivityDaySchema>>;
/** Section 2.6: one person's day. */
export type UserDay = z.output<ReturnType<typeof userDaySchema>>;
/** Section 2.1. */
export type AnalyticsMeta = z.output<ReturnType<typeof metaSchema>>;

const count = () => optional(number());

const modelTokensSchema = lazily(() =>
  open({
    model_id: text(),
    model_tier: optional(text()),
    billable_tokens: count(),
    input_tokens: count(),
    output_tokens: count(),
  }),
);

const userTokensSchema = lazily(() =>
  open({
    user_id: text(),
    user_email: optional(text()),
    billable_tokens: count(),
    by_model: optional(list(modelTokensSchema())),
  }),
);

export const tokenDaySchema = lazily(() =>
  open({
    date: text(),
    billable_tokens: count(),
    input_tokens: count(),
    output_tokens: count(),
    cache_read_tokens: count(),
    cache_write_tokens: count(),
    by_model: optional(list(modelTokensSchema())),
    by_user: optional(list(userTokensSchema())),
  }),
);

export const modelTokenDaySchema = lazily(() =>
  open({
    date: text(),
    group_key: text(),
    billable_tokens: count(),
    input_tokens: count(),
    output_tokens: count(),
  }),
);

export const toolDaySchema = lazily(() =>
  open({
    date: text(),
    tool_calls: count(),
    by_tool: optional(list(open({ tool: text(), invocations: number() }))),
    mcp_users_with_mcp: count(),
    mcp_by_server: optional(list(open({ server: text(), invocations: number() }))),
    skills_invocations: count(),
    skills_by_name: optional(list(open({ name: text(), count: number() }))),
    slash_commands_invocations: count(),
    slash_commands_by_name: optional(list(open({ name: text(), count: number() }))),
    hooks_invocations: count(),
    hooks_by_event: optional(
      list(open({ event: text(), matcher: optional(text()), command: optional(text()), count: number() })),
    ),
    web_users: count(),
    autonomy_ratio_avg: count(),
    autonomy_ratio_p50: count(),
    autonomy_ratio_p90: count(),
    tool_calls_per_session_avg: count(),
    user_turns_per_session_avg: count(),
    tool_autonomy_level_ratio: optional(
      open({
        auto_high: count(),
        auto_medium: count(),
        auto_low: count(),
        manual: count(),
      }),
    ),
  }),
);

export const namedToolDaySchema = lazily(() =>
  open({ date: text(), group_key: text(), tool_calls: count() }),
);

export const activityDaySchema = lazily(() =>
  open({
    date: text(),
    daily_active_users: count(),
    weekly_active_users: count(),
    monthly_active_users: count(),
    daily_active_users_by_client: optional(mapOf(number())),
    sessions: count(),
    messages: count(),
    user_messages: count(),
  }),
);

export const clientActivityDaySchema = lazily(() =>
  open({ date: text(), group_key: text(), daily_active_users: count() }),
);

export const productivityDaySchema = lazily(() =>
  open({
    date: text(),
    files_created: count(),
    files_edited: count(),
    by_extension: optional(list(open({ extension: text(), count: number() }))),
    by_language: optional(list(open({ language: text(), count: number() }))),
    git_commits: count(),
    git_prs_created: count(),
  }),
);

export const userDaySchema = lazily(() =>
  open({
    user_id: text(),
    user_email: optional(nullable(text())),
    date: text(),
    tool_calls: count(),
    billable_tokens: count(),
    primary_model: optional(text()),
    primary_model_tier: optional(text()),
    files_created: count(),
    files_edited: count(),
    git_commits: count(),
    git_prs_created: count(),
    mcp_calls: count(),
    skill_calls: count(),
    slash_commands: count(),
    hooks: count(),
    sessions: count(),
    messages: count(),
    user_messages: count(),
    assistant_messages: count(),
    autonomy_ratio: count(),
    delegation_level: optional(text()),
    languages: optional(list(text())),
  }),
);

export const metaSchema = lazily(() =>
  open({ org_id: optional(text()), start_date: optional(text()), end_date: optional(text()) }),
);
