import assert from 'node:assert/strict';
import { pastSessions } from '../../fakes/pastSessions';
import { base64, NOW, Sample, type Session } from './harness';

const RANGE = { startDate: '2026-01-14', endDate: '2026-11-20' };
const DATES = `startDate=${RANGE.startDate}&endDate=${RANGE.endDate}`;
const TOKENS = 'billable_tokens input_tokens output_tokens';
const META = 'meta.org_id meta.start_date meta.end_date';
const PAGE = 'pagination.hasMore pagination.nextCursor';

/** The fields of interface section 2 by endpoint, all of which the sample has and no others; `*` names what varies. */
const ENDPOINTS: readonly (readonly [path: string, fields: string])[] = [
  [
    '/api/v1/analytics/tokens?',
    `${META} ${within('data', `date ${TOKENS} cache_read_tokens cache_write_tokens`)} ${within(
      'data.by_model',
      `model_id model_tier ${TOKENS}`,
    )} ${within('data.by_user', 'user_id user_email billable_tokens')} ${within(
      'data.by_user.by_model',
      `model_id model_tier ${TOKENS}`,
    )}`,
  ],
  ['/api/v1/analytics/tokens?group_by=model&', `${META} ${within('data', `date group_key ${TOKENS}`)}`],
  [
    '/api/v1/analytics/tools?',
    `${META} ${within(
      'data',
      `date tool_calls by_tool.tool by_tool.invocations mcp_users_with_mcp mcp_by_server.server
       mcp_by_server.invocations skills_invocations skills_by_name.name skills_by_name.count
       slash_commands_invocations slash_commands_by_name.name slash_commands_by_name.count hooks_invocations
       hooks_by_event.event hooks_by_event.matcher hooks_by_event.command hooks_by_event.count web_users
       autonomy_ratio_avg autonomy_ratio_p50 autonomy_ratio_p90 tool_calls_per_session_avg
       user_turns_per_session_avg tool_autonomy_level_ratio.auto_high tool_autonomy_level_ratio.auto_medium
       tool_autonomy_level_ratio.auto_low tool_autonomy_level_ratio.manual`,
    )}`,
  ],
  ['/api/v1/analytics/tools?group_by=tool_name&', `${META} ${within('data', 'date group_key tool_calls')}`],
  [
    '/api/v1/analytics/activity?',
    `${META} ${within(
      'data',
      `date daily_active_users weekly_active_users monthly_active_users sessions messages user_messages
       daily_active_users_by_client.terminal-ui daily_active_users_by_client.web
       daily_active_users_by_client.non-interactive-cli`,
    )}`,
  ],
  [
    '/api/v1/analytics/activity?group_by=client&',
    `${META} ${within('data', 'date group_key daily_active_users')}`,
  ],
  [
    '/api/v1/analytics/productivity?',
    `${META} ${within(
      'data',
      `date files_created files_edited by_extension.extension by_extension.count by_language.language
       by_language.count git_commits git_prs_created`,
    )}`,
  ],
  [
    '/api/v1/analytics/users?',
    `${META} meta.has_more meta.next_cursor ${within(
      'data',
      `user_id user_email date tool_calls billable_tokens primary_model primary_model_tier files_created
       files_edited git_commits git_prs_created mcp_calls skill_calls slash_commands hooks sessions messages
       user_messages assistant_messages autonomy_ratio delegation_level languages`,
    )}`,
  ],
  [
    '/api/organization/maturity-level-reports?',
    within(
      'reports',
      `reportId createdAt repoUrl apps.*.description report.*.numerator report.*.denominator
       report.*.rationale commitHash branch hasLocalChanges hasNonRemoteCommits modelUsed.id
       modelUsed.reasoningEffort agentVersion`,
    ),
  ],
  [
    '/api/v0/organization/users?limit=100&',
    `${PAGE} ${within('users', 'id email createdAt metadata.department firstName lastName lastSignInAt')}`,
  ],
  [
    '/api/v0/computers?',
    within(
      'computers',
      `id name providerType createdAt hostname status provisioningSteps.id provisioningSteps.name
       provisioningSteps.status provisioningSteps.error provisioningSteps.startedAt
       provisioningSteps.completedAt relayClientUrl relayAgentUrl remoteUser`,
    ),
  ],
];

/** The fields of a control change (2.12) whose names are fixed; of the last line only that they are there. */
const CONTROLS = `revision updatedAt user.id user.email user.name ${within(
  'settings',
  `${within(
    'sessionDefaultSettings',
    'model reasoningEffort interactionMode autonomyLevel autonomyMode specModeModel specModeReasoningEffort',
  )} maxAutonomyLevel cloudSessionSync wikiCloudSync includeCoAuthoredByAgent enableAgentShield ideAutoConnect
   commandAllowlist commandDenylist restrictMemberVisibility managedComputersEnabled byomComputersEnabled
   sessionRetentionDays networkPolicy.allowedIps mcpPolicy.enabled mcpPolicy.allowlist
   missionPolicy.restrictedAccess missionPolicy.allowedUserIds strictKnownMarketplaces.source
   strictKnownMarketplaces.repo ${within(
     'customModels',
     `model baseUrl apiKey provider id index displayName maxContextLimit enableThinking thinkingMaxTokens
      maxOutputTokens reasoningEffort noImageSupport extraHeaders extraArgs`,
   )} ${within(
     'modelPolicy',
     `allowedModelIds blockedModelIds allowCustomModels allowedBaseUrls allowAllFactoryModels
      isFastModelsAllowed`,
   )} sandbox.enabled sandbox.mode ${within(
     'sandbox.filesystem',
     'allowWrite allowRead denyWrite denyRead',
   )} ${within(
     'sandbox.network',
     'allowedDomains allowUnixSockets allowAllUnixSockets allowLocalBinding httpProxyPort socksProxyPort',
   )} mcpAutonomyOverrides userModelPolicies enabledPlugins extraKnownMarketplaces`,
)}`;
const OPEN =
  /^(settings\.(?:mcpAutonomyOverrides|userModelPolicies|enabledPlugins|extraKnownMarketplaces)|settings\.customModels\.(?:extraHeaders|extraArgs))\..*/;

function within(place: string, fields: string): string {
  return words(fields)
    .map(field => `${place}.${field}`)
    .join(' ');
}

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}

/** The names of all values in an answer; those of an application or a criterion are `*`, lists have none. */
function namesIn(value: unknown, place = ''): string[] {
  if (Array.isArray(value)) return value.flatMap(item => namesIn(item, place));
  if (typeof value !== 'object' || value === null) return [place];
  return Object.entries(value).flatMap(([name, inner]) => {
    const varies = place.endsWith('.apps') || place.endsWith('.report');
    return namesIn(inner, `${place}${place === '' ? '' : '.'}${varies ? '*' : name}`);
  });
}

function assertFields(answer: unknown, fields: string): void {
  const names = namesIn(answer).map(name => name.replace(OPEN, '$1'));
  assert.deepEqual([...new Set(names)].sort(), words(fields).sort());
}

describe('the sample and the interface', () => {
  const sample = new Sample();

  for (const [path, fields] of ENDPOINTS) {
    it(`${path} has the fields of section 2`, async () => {
      const isReadiness = path.startsWith('/api/organization');
      const dates = path.includes('analytics') ? DATES : '';
      assertFields(await sample.ok(path + dates, { app: isReadiness }), fields);
    });
  }

  it('control history has every setting', async () => {
    const path = '/api/v0/organization/enterprise-controls/history';
    assertFields(await sample.all(path, 'changes', 100), CONTROLS);
  });

  it('creates a session with every documented setting and gives all of them back', async () => {
    const sessionSettings = {
      model: 'onyx-large',
      reasoningEffort: 'high',
      interactionMode: 'auto',
      autonomyLevel: 'low',
      autonomyMode: 'auto-low',
      specModeModel: 'lumen-thinking',
      specModeReasoningEffort: 'medium',
      providerLock: 'a',
      providerLockTimestamp: '2026-11-21T00:00:00Z',
      apiProviderLock: 'b',
      assistantActiveTimeMs: 5,
      archivedAt: '2026-11-21T00:00:00Z',
      tags: [{ name: 'x', metadata: { any: ['thing'] } }, { name: 'y' }],
      enabledToolIds: ['read'],
      disabledToolIds: [],
    };
    const computerId = await sample.computerId();
    const { status, body } = await sample.call('/api/v0/sessions', { body: { computerId, sessionSettings } });
    const { sessionId, ...created } = body as Session;
    const { tokenUsage, ...kept } = created.sessionSettings;
    assert.equal(status, 201);
    assert.deepEqual(kept, sessionSettings);
    assert.deepEqual(Object.values(tokenUsage as object), [0, 0, 0, 0, 0]);
    const { status: state, messageCount, createdAt, updatedAt, title } = created;
    assert.deepEqual([state, messageCount, createdAt, updatedAt, title], ['idle', 0, NOW, NOW, undefined]);
    assert.deepEqual(await sample.ok(`/api/v0/sessions/${sessionId}?computerId=${computerId}`), {
      sessionId,
      ...created,
    });
  });

  it('a client reads everything without a complaint', async () => {
    const { api, complaints } = sample;
    const drain = async (pages: AsyncIterable<unknown>): Promise<void> => {
      for await (const page of pages) assert.ok(page);
    };
    await api.analytics.tokens(RANGE);
    await api.analytics.tools(RANGE);
    await api.analytics.activity(RANGE);
    await api.analytics.productivity(RANGE);
    await drain(api.analytics.users(RANGE));
    await drain(api.organization.users());
    await drain(api.organization.controlHistory());
    await drain(api.readiness.reports());
    await api.computers.list();
    const computer = await api.computers.get(await sample.computerId());
    const { sessionId } = await api.sessions.create({ computerId: computer.id });
    const image = { type: 'base64' as const, data: base64('bytes'), mediaType: 'image/png' };
    const { messageId } = await api.messages.sendBody(
      sessionId,
      JSON.stringify({ text: 'Look at this', images: [image] }),
    );
    sample.time += 20_000;
    assert.equal((await api.sessions.get(sessionId)).status, 'idle');
    assert.equal((await api.messages.get(sessionId, messageId)).role, 'user');
    for (const { sessionId: id } of await sample.sessions()) {
      for (const { id: message } of await sample.messages(id)) await api.messages.get(id, message);
    }
    const odd = new Sample({ sessions: pastSessions });
    for (const { sessionId: id } of await odd.sessions()) {
      await odd.api.sessions.get(id);
      for (const { id: message } of await odd.messages(id)) await odd.api.messages.get(id, message);
    }
    assert.deepEqual([...complaints, ...odd.complaints], []);
  });
});
