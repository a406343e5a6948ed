import type * as z from 'zod/mini';
import { flag, lazily, list, map, number, open, optional, text } from './schema';

/** A model an organization adds (section 2.12). `apiKey` and all values of `extraHeaders` and `extraArgs` arrive redacted. */
export type CustomModel = z.output<ReturnType<typeof customModelSchema>>;

/** Section 2.12, second table. Unknown settings are kept. */
export type ControlSettings = z.output<ReturnType<typeof controlSettingsSchema>>;

/** One revision of the enterprise controls: the settings as they were after it (section 2.12). */
export type ControlChange = z.output<ReturnType<typeof controlChangeSchema>>;

const texts = () => optional(list(text()));

const customModelSchema = lazily(() =>
  open({
    model: optional(text()),
    baseUrl: optional(text()),
    apiKey: optional(text()),
    provider: optional(text()),
    id: optional(text()),
    index: optional(number()),
    displayName: optional(text()),
    maxContextLimit: optional(number()),
    enableThinking: optional(flag()),
    thinkingMaxTokens: optional(number()),
    maxOutputTokens: optional(number()),
    reasoningEffort: optional(text()),
    extraHeaders: optional(map()),
    extraArgs: optional(map()),
    noImageSupport: optional(flag()),
  }),
);

const sandboxSchema = lazily(() =>
  open({
    enabled: optional(flag()),
    mode: optional(text()),
    filesystem: optional(
      open({
        allowWrite: texts(),
        allowRead: texts(),
        denyWrite: texts(),
        denyRead: texts(),
      }),
    ),
    network: optional(
      open({
        allowedDomains: texts(),
        allowUnixSockets: texts(),
        allowAllUnixSockets: optional(flag()),
        allowLocalBinding: optional(flag()),
        httpProxyPort: optional(number()),
        socksProxyPort: optional(number()),
      }),
    ),
  }),
);

const sessionDefaultsSchema = lazily(() =>
  open({
    model: optional(text()),
    reasoningEffort: optional(text()),
    interactionMode: optional(text()),
    autonomyLevel: optional(text()),
    autonomyMode: optional(text()),
    specModeModel: optional(text()),
    specModeReasoningEffort: optional(text()),
  }),
);

const modelPolicySchema = lazily(() =>
  open({
    allowedModelIds: texts(),
    blockedModelIds: texts(),
    allowCustomModels: optional(flag()),
    allowedBaseUrls: texts(),
    allowAllFactoryModels: optional(flag()),
    isFastModelsAllowed: optional(flag()),
  }),
);

const controlSettingsSchema = lazily(() =>
  open({
    sessionDefaultSettings: optional(sessionDefaultsSchema()),
    maxAutonomyLevel: optional(text()),
    mcpAutonomyOverrides: optional(map()),
    cloudSessionSync: optional(flag()),
    wikiCloudSync: optional(flag()),
    includeCoAuthoredByAgent: optional(flag()),
    enableAgentShield: optional(flag()),
    ideAutoConnect: optional(flag()),
    commandAllowlist: texts(),
    commandDenylist: texts(),
    customModels: optional(list(customModelSchema())),
    modelPolicy: optional(modelPolicySchema()),
    mcpPolicy: optional(open({ enabled: optional(flag()), allowlist: texts() })),
    missionPolicy: optional(open({ restrictedAccess: optional(flag()), allowedUserIds: texts() })),
    userModelPolicies: optional(map()),
    enabledPlugins: optional(map()),
    extraKnownMarketplaces: optional(map()),
    strictKnownMarketplaces: optional(list(open({ source: optional(text()), repo: optional(text()) }))),
    networkPolicy: optional(open({ allowedIps: texts() })),
    sandbox: optional(sandboxSchema()),
    restrictMemberVisibility: optional(flag()),
    managedComputersEnabled: optional(flag()),
    byomComputersEnabled: optional(flag()),
    sessionRetentionDays: optional(number()),
  }),
);

export const controlChangeSchema = lazily(() =>
  open({
    revision: number(),
    settings: controlSettingsSchema(),
    user: optional(open({ id: optional(text()), email: optional(text()), name: optional(text()) })),
    updatedAt: optional(text()),
  }),
);
