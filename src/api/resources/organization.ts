import * as z from 'zod/mini';
import { flags, list, maps, maybe, numbers, openObject, textLists, texts } from '../tolerant';

/** Section 2.11. Times are texts as the service writes them. */
export type OrganizationUser = z.output<typeof userSchema>;
/** One revision of the enterprise controls: the settings as they were after it (section 2.12). */
export type ControlChange = z.output<typeof controlChangeSchema>;

export const userSchema = openObject({
  id: z.string(),
  ...texts('email', 'createdAt', 'firstName', 'lastName', 'lastSignInAt'),
  ...maps('metadata'),
});

/** A model an organization adds (section 2.12). `apiKey` and all values of `extraHeaders` and `extraArgs` arrive redacted. */
const customModelSchema = openObject({
  ...texts('model', 'baseUrl', 'apiKey', 'provider', 'id', 'displayName', 'reasoningEffort'),
  ...numbers('index', 'maxContextLimit', 'thinkingMaxTokens', 'maxOutputTokens'),
  ...flags('enableThinking', 'noImageSupport'),
  ...maps('extraHeaders', 'extraArgs'),
});

const sandboxSchema = openObject({
  ...flags('enabled'),
  ...texts('mode'),
  filesystem: maybe(openObject(textLists('allowWrite', 'allowRead', 'denyWrite', 'denyRead'))),
  network: maybe(
    openObject({
      ...textLists('allowedDomains', 'allowUnixSockets'),
      ...flags('allowAllUnixSockets', 'allowLocalBinding'),
      ...numbers('httpProxyPort', 'socksProxyPort'),
    }),
  ),
});

const sessionDefaultsSchema = openObject({
  ...texts('model', 'reasoningEffort', 'interactionMode', 'autonomyLevel', 'autonomyMode'),
  ...texts('specModeModel', 'specModeReasoningEffort'),
});

const modelPolicySchema = openObject({
  ...textLists('allowedModelIds', 'blockedModelIds', 'allowedBaseUrls'),
  ...flags('allowCustomModels', 'allowAllFactoryModels', 'isFastModelsAllowed'),
});

/** Section 2.12, second table. Unknown settings are kept. */
const settingsSchema = openObject({
  sessionDefaultSettings: maybe(sessionDefaultsSchema),
  ...texts('maxAutonomyLevel'),
  ...flags('cloudSessionSync', 'wikiCloudSync', 'includeCoAuthoredByAgent', 'enableAgentShield'),
  ...flags('ideAutoConnect', 'restrictMemberVisibility', 'managedComputersEnabled', 'byomComputersEnabled'),
  ...textLists('commandAllowlist', 'commandDenylist'),
  ...maps('mcpAutonomyOverrides', 'userModelPolicies', 'enabledPlugins', 'extraKnownMarketplaces'),
  customModels: list(customModelSchema),
  modelPolicy: maybe(modelPolicySchema),
  mcpPolicy: maybe(openObject({ ...flags('enabled'), ...textLists('allowlist') })),
  missionPolicy: maybe(openObject({ ...flags('restrictedAccess'), ...textLists('allowedUserIds') })),
  strictKnownMarketplaces: list(openObject(texts('source', 'repo'))),
  networkPolicy: maybe(openObject(textLists('allowedIps'))),
  sandbox: maybe(sandboxSchema),
  ...numbers('sessionRetentionDays'),
});

export const controlChangeSchema = openObject({
  revision: z.number(),
  settings: maybe(settingsSchema),
  user: maybe(openObject(texts('id', 'email', 'name'))),
  ...texts('updatedAt'),
});
