import assert from 'node:assert/strict';
import {
  boolean,
  dateTime,
  day,
  email,
  integer,
  list,
  map,
  nullable,
  number,
  object,
  oneOf,
  record,
  string,
  uuid,
  type Shape,
} from './shapes';

/** Section 2 of the interface, field by field, written down apart from both the service and the client. */

const perModel = object({
  model_id: string,
  model_tier: string,
  billable_tokens: number,
  input_tokens: number,
  output_tokens: number,
});

export const tokenRow = object({
  date: day,
  billable_tokens: number,
  input_tokens: number,
  output_tokens: number,
  cache_read_tokens: number,
  cache_write_tokens: number,
  by_model: list(perModel),
  by_user: list(
    object({ user_id: string, user_email: string, billable_tokens: number, by_model: list(perModel) }),
  ),
});
export const groupedTokenRow = object({
  date: day,
  group_key: string,
  billable_tokens: number,
  input_tokens: number,
  output_tokens: number,
});

const named = list(object({ name: string, count: number }));
export const toolRow = object({
  date: day,
  tool_calls: number,
  by_tool: list(object({ tool: string, invocations: number })),
  mcp_users_with_mcp: number,
  mcp_by_server: list(object({ server: string, invocations: number })),
  skills_invocations: number,
  skills_by_name: named,
  slash_commands_invocations: number,
  slash_commands_by_name: named,
  hooks_invocations: number,
  hooks_by_event: list(object({ event: string, matcher: string, command: string, count: number })),
  web_users: number,
  autonomy_ratio_avg: number,
  autonomy_ratio_p50: number,
  autonomy_ratio_p90: number,
  tool_calls_per_session_avg: number,
  user_turns_per_session_avg: number,
  tool_autonomy_level_ratio: object({
    auto_high: number,
    auto_medium: number,
    auto_low: number,
    manual: number,
  }),
});
export const groupedToolRow = object({ date: day, group_key: string, tool_calls: number });

export const activityRow = object({
  date: day,
  daily_active_users: number,
  weekly_active_users: number,
  monthly_active_users: number,
  daily_active_users_by_client: object({ 'terminal-ui': number, web: number, 'non-interactive-cli': number }),
  sessions: number,
  messages: number,
  user_messages: number,
});
export const groupedActivityRow = object({
  date: day,
  group_key: oneOf('terminal-ui', 'web', 'non-interactive-cli'),
  daily_active_users: number,
});

export const productivityRow = object({
  date: day,
  files_created: number,
  files_edited: number,
  by_extension: list(object({ extension: string, count: number })),
  by_language: list(object({ language: string, count: number })),
  git_commits: number,
  git_prs_created: number,
});

export const userRow = object({
  user_id: string,
  user_email: nullable(string),
  date: day,
  tool_calls: number,
  billable_tokens: number,
  primary_model: string,
  primary_model_tier: oneOf('standard', 'thinking'),
  files_created: number,
  files_edited: number,
  git_commits: number,
  git_prs_created: number,
  mcp_calls: number,
  skill_calls: number,
  slash_commands: number,
  hooks: number,
  sessions: number,
  messages: number,
  user_messages: number,
  assistant_messages: number,
  autonomy_ratio: number,
  delegation_level: oneOf('auto-high', 'auto-medium', 'auto-low', 'spec', 'manual'),
  languages: list(string),
});

const meta = { org_id: string, start_date: day, end_date: day };
export const envelope = <T>(row: Shape<T>) => object({ data: list(row), meta: object(meta) });
/** The `/users` envelope; the cursor of a last page is null. */
export const userRows = object({
  data: list(userRow),
  meta: object({ ...meta, has_more: boolean, next_cursor: nullable(string) }),
});

export const readinessReports = object({
  reports: list(
    object(
      {
        reportId: uuid,
        createdAt: number,
        repoUrl: string,
        apps: map(object({ description: string })),
        report: map(object({ numerator: integer, denominator: integer, rationale: string })),
      },
      {
        commitHash: string,
        branch: string,
        hasLocalChanges: boolean,
        hasNonRemoteCommits: boolean,
        modelUsed: object({ id: string, reasoningEffort: oneOf('low', 'medium', 'high', 'off') }),
        agentVersion: string,
      },
    ),
  ),
});

export const session = object(
  {
    sessionId: string,
    status: oneOf('idle', 'pending', 'running'),
    messageCount: integer,
    createdAt: integer,
    updatedAt: integer,
  },
  {
    title: string,
    completedAt: integer,
    computerId: string,
    sessionSettings: object(
      {},
      {
        model: string,
        reasoningEffort: string,
        interactionMode: string,
        autonomyLevel: string,
        autonomyMode: string,
        specModeModel: string,
        specModeReasoningEffort: string,
        providerLock: string,
        providerLockTimestamp: string,
        apiProviderLock: string,
        archivedAt: string,
        assistantActiveTimeMs: integer,
        tokenUsage: object({
          inputTokens: integer,
          outputTokens: integer,
          cacheCreationTokens: integer,
          cacheReadTokens: integer,
          thinkingTokens: integer,
        }),
        tags: list(object({ name: string }, { metadata: record })),
        enabledToolIds: list(string),
        disabledToolIds: list(string),
      },
    ),
  },
);

const textItem = object({ type: oneOf('text'), id: string, text: string });
/** Only items of type `text` carry text. */
const item: Shape<{ type: string; id: string; text?: string }> = (value, where = 'item') => {
  const fields = record(value, where);
  if (fields.type === 'text') return textItem(value, where);
  assert.ok(!('text' in fields), `${where}: only items of type text carry text`);
  return { ...fields, type: string(fields.type, `${where}.type`), id: string(fields.id, `${where}.id`) };
};
export const message = object(
  {
    id: string,
    role: oneOf('user', 'assistant', 'tool', 'system'),
    content: list(item),
    createdAt: number,
    updatedAt: number,
  },
  {
    parentId: string,
    visibility: oneOf('both', 'llm_only', 'user_only'),
    providerAMessageId: string,
    providerAPhase: oneOf('commentary', 'final_answer', null),
    providerAEncryptedContent: string,
    providerAReasoningId: string,
    providerAReasoningSummary: string,
    providerBThoughtSignature: string,
    chatCompletionReasoningField: oneOf('reasoning', 'reasoning_content'),
    chatCompletionReasoningContent: string,
    isUserVisible: boolean,
    isError: boolean,
  },
);
export const sent = object({ messageId: string, status: oneOf('idle', 'pending', 'running') });

/** `status` has one word more than the interface names, as services have them. */
export const computer = object(
  { id: string, name: string, providerType: string, createdAt: number },
  {
    hostname: string,
    status: oneOf('provisioning', 'active', 'error', 'paused'),
    provisioningSteps: list(
      object(
        { id: string, name: string, status: string },
        { error: string, startedAt: number, completedAt: number },
      ),
    ),
    relayClientUrl: string,
    relayAgentUrl: string,
    remoteUser: string,
  },
);

export const computers = object({ computers: list(computer) });

/** Interface-notes 8: the cursor of a last page is null. */
const pagination = object({ hasMore: boolean, nextCursor: nullable(string) });
export const users = object({
  users: list(
    object(
      { id: string, email, createdAt: dateTime, metadata: record },
      { firstName: string, lastName: string, lastSignInAt: dateTime },
    ),
  ),
  pagination,
});

const strings = list(string);
const customModel = object(
  { model: string, baseUrl: string, apiKey: string, provider: string },
  {
    id: string,
    index: integer,
    displayName: string,
    maxContextLimit: integer,
    enableThinking: boolean,
    thinkingMaxTokens: integer,
    maxOutputTokens: integer,
    reasoningEffort: string,
    extraHeaders: record,
    extraArgs: record,
    noImageSupport: boolean,
  },
);
/** Every setting of 2.12, by dotted path. */
export const controlSettings = {
  sessionDefaultSettings: object(
    {},
    {
      model: string,
      reasoningEffort: string,
      interactionMode: string,
      autonomyLevel: string,
      autonomyMode: string,
      specModeModel: string,
      specModeReasoningEffort: string,
    },
  ),
  maxAutonomyLevel: string,
  mcpAutonomyOverrides: record,
  cloudSessionSync: boolean,
  wikiCloudSync: boolean,
  includeCoAuthoredByAgent: boolean,
  enableAgentShield: boolean,
  ideAutoConnect: boolean,
  commandAllowlist: strings,
  commandDenylist: strings,
  customModels: list(customModel),
  modelPolicy: object(
    {},
    {
      allowedModelIds: strings,
      blockedModelIds: strings,
      allowCustomModels: boolean,
      allowedBaseUrls: strings,
      allowAllFactoryModels: boolean,
      isFastModelsAllowed: boolean,
    },
  ),
  mcpPolicy: object({ enabled: boolean, allowlist: strings }),
  missionPolicy: object({}, { restrictedAccess: boolean, allowedUserIds: strings }),
  userModelPolicies: record,
  enabledPlugins: record,
  extraKnownMarketplaces: record,
  strictKnownMarketplaces: list(object({ source: string, repo: string })),
  networkPolicy: object({ allowedIps: strings }),
  sandbox: object(
    {},
    {
      enabled: boolean,
      mode: oneOf('per-command'),
      filesystem: object(
        {},
        { allowWrite: strings, allowRead: strings, denyWrite: strings, denyRead: strings },
      ),
      network: object(
        {},
        {
          allowedDomains: strings,
          allowUnixSockets: strings,
          allowAllUnixSockets: boolean,
          allowLocalBinding: boolean,
          httpProxyPort: integer,
          socksProxyPort: integer,
        },
      ),
    },
  ),
  restrictMemberVisibility: boolean,
  managedComputersEnabled: boolean,
  byomComputersEnabled: boolean,
  sessionRetentionDays: integer,
};
export const changes = object({
  changes: list(
    object({
      revision: integer,
      settings: object({}, controlSettings),
      user: object({ id: string, email, name: string }),
      updatedAt: dateTime,
    }),
  ),
  pagination,
});

export const error = object({ title: string, detail: string, status: integer, requestId: string });
