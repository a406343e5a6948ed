import type * as z from 'zod';
import { flag, lazily, list, map, number, open, text } from './schema';

/** A model an organization adds (section 2.12). `apiKey` and all values of `extraHeaders` and `extraArgs` arrive redacted. */
export type CustomModel = z.output<ReturnType<typeof customModelSchema>>;

/** Section 2.12, second table. Unknown settings are kept. */
export type ControlSettings = z.output<ReturnType<typeof controlSettingsSchema>>;

/** One revision of the enterprise controls: the settings as they were after it (section 2.12). */
export type ControlChange = z.output<ReturnType<typeof controlChangeSchema>>;

const texts = () => list(text()).optional();

const customModelSchema = lazily(() =>
  open({
    model: text().optional(),
    baseUrl: text().optional(),
    apiKey: text().optional(),
    provider: text().optional(),
    id: text().optional(),
    index: number().optional(),
    displayName: text().optional(),
    maxContextLimit: number().optional(),
    enableThinking: flag().optional(),
    thinkingMaxTokens: number().optional(),
    maxOutputTokens: number().optional(),
    reasoningEffort: text().optional(),
    extraHeaders: map().optional(),
    extraArgs: map().optional(),
    noImageSupport: flag().optional(),
  }),
);

const sandboxSchema = lazily(() =>
  open({
    enabled: flag().optional(),
    mode: text().optional(),
    filesystem: open({
      allowWrite: texts(),
      allowRead: texts(),
      denyWrite: texts(),
      denyRead: texts(),
    }).optional(),
    network: open({
      allowedDomains: texts(),
      allowUnixSockets: texts(),
      allowAllUnixSockets: flag().optional(),
      allowLocalBinding: flag().optional(),
      httpProxyPort: number().optional(),
      socksProxyPort: number().optional(),
    }).optional(),
  }),
);

const sessionDefaultsSchema = lazily(() =>
  open({
    model: text().optional(),
    reasoningEffort: text().optional(),
    interactionMode: text().optional(),
    autonomyLevel: text().optional(),
    autonomyMode: text().optional(),
    specModeModel: text().optional(),
    specModeReasoningEffort: text().optional(),
  }),
);

const modelPolicySchema = lazily(() =>
  open({
    allowedModelIds: texts(),
    blockedModelIds: texts(),
    allowCustomModels: flag().optional(),
    allowedBaseUrls: texts(),
    allowAllFactoryModels: flag().optional(),
    isFastModelsAllowed: flag().optional(),
  }),
);

const controlSettingsSchema = lazily(() =>
  open({
    sessionDefaultSettings: sessionDefaultsSchema().optional(),
    maxAutonomyLevel: text().optional(),
    mcpAutonomyOverrides: map().optional(),
    cloudSessionSync: flag().optional(),
    wikiCloudSync: flag().optional(),
    includeCoAuthoredByAgent: flag().optional(),
    enableAgentShield: flag().optional(),
    ideAutoConnect: flag().optional(),
    commandAllowlist: texts(),
    commandDenylist: texts(),
    customModels: list(customModelSchema()).optional(),
    modelPolicy: modelPolicySchema().optional(),
    mcpPolicy: open({ enabled: flag().optional(), allowlist: texts() }).optional(),
    missionPolicy: open({ restrictedAccess: flag().optional(), allowedUserIds: texts() }).optional(),
    userModelPolicies: map().optional(),
    enabledPlugins: map().optional(),
    extraKnownMarketplaces: map().optional(),
    strictKnownMarketplaces: list(open({ source: text().optional(), repo: text().optional() })).optional(),
    networkPolicy: open({ allowedIps: texts() }).optional(),
    sandbox: sandboxSchema().optional(),
    restrictMemberVisibility: flag().optional(),
    managedComputersEnabled: flag().optional(),
    byomComputersEnabled: flag().optional(),
    sessionRetentionDays: number().optional(),
  }),
);

export const controlChangeSchema = lazily(() =>
  open({
    revision: number(),
    settings: controlSettingsSchema(),
    user: open({ id: text().optional(), email: text().optional(), name: text().optional() }).optional(),
    updatedAt: text().optional(),
  }),
);
