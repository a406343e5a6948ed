import {
  allowlist,
  autonomy,
  denylist,
  permission,
  restriction,
  when,
  type DirectionRule,
} from './directions';

/**
 * How a setting is compared: `group` and `map` member by member, `set` without order, `sequence` with it, `value` as a whole.
 */
export type SettingKind = 'value' | 'set' | 'sequence' | 'group' | 'map';

export interface CatalogueEntry {
  readonly kind: SettingKind;
  /** Which way a change goes; absent where that is not certain from the setting's meaning. */
  readonly direction?: DirectionRule;
}

const sandboxed = (rule: DirectionRule): DirectionRule =>
  when('sandbox.enabled', value => value === true, rule);

/** Settings without a direction, by how they are compared. Dotted; `[]` stands for every item of a list. */
const UNDIRECTED: Readonly<Record<SettingKind, string>> = {
  value: `
    sessionDefaultSettings.model sessionDefaultSettings.reasoningEffort sessionDefaultSettings.interactionMode
    sessionDefaultSettings.autonomyLevel sessionDefaultSettings.autonomyMode sessionDefaultSettings.specModeModel
    sessionDefaultSettings.specModeReasoningEffort cloudSessionSync wikiCloudSync includeCoAuthoredByAgent
    enableAgentShield ideAutoConnect customModels[].model customModels[].baseUrl customModels[].apiKey
    customModels[].provider customModels[].id customModels[].index customModels[].displayName
    customModels[].maxContextLimit customModels[].enableThinking customModels[].thinkingMaxTokens
    customModels[].maxOutputTokens customModels[].reasoningEffort customModels[].noImageSupport mcpPolicy.enabled
    sandbox.mode sandbox.network.httpProxyPort sandbox.network.socksProxyPort sessionRetentionDays`,
  set: 'strictKnownMarketplaces',
  sequence: 'customModels',
  group: `sessionDefaultSettings modelPolicy mcpPolicy missionPolicy networkPolicy sandbox sandbox.filesystem
    sandbox.network`,
  map: `mcpAutonomyOverrides customModels[].extraHeaders customModels[].extraArgs userModelPolicies enabledPlugins
    extraKnownMarketplaces`,
};

const VALUES: Readonly<Record<string, DirectionRule>> = {
  maxAutonomyLevel: autonomy(),
  'modelPolicy.allowCustomModels': permission(),
  'modelPolicy.allowAllFactoryModels': permission(),
  'modelPolicy.isFastModelsAllowed': permission(),
  'missionPolicy.restrictedAccess': restriction(false),
  'sandbox.enabled': restriction(),
  'sandbox.network.allowAllUnixSockets': sandboxed(permission()),
  'sandbox.network.allowLocalBinding': sandboxed(permission()),
  restrictMemberVisibility: restriction(),
  managedComputersEnabled: permission(),
  byomComputersEnabled: permission(),
};

const SETS: Readonly<Record<string, DirectionRule>> = {
  commandAllowlist: allowlist(),
  commandDenylist: denylist(),
  'modelPolicy.allowedModelIds': when(
    'modelPolicy.allowAllFactoryModels',
    value => value !== true,
    allowlist(),
  ),
  'modelPolicy.blockedModelIds': denylist(),
  'modelPolicy.allowedBaseUrls': when('modelPolicy.allowCustomModels', value => value !== false, allowlist()),
  'mcpPolicy.allowlist': when('mcpPolicy.enabled', value => value === true, allowlist()),
  'missionPolicy.allowedUserIds': when(
    'missionPolicy.restrictedAccess',
    value => value === true,
    allowlist(),
  ),
  'networkPolicy.allowedIps': allowlist(),
  'sandbox.filesystem.allowWrite': sandboxed(allowlist()),
  'sandbox.filesystem.allowRead': sandboxed(allowlist()),
  'sandbox.filesystem.denyWrite': sandboxed(denylist()),
  'sandbox.filesystem.denyRead': sandboxed(denylist()),
  'sandbox.network.allowedDomains': sandboxed(allowlist()),
  'sandbox.network.allowUnixSockets': sandboxed(
    when('sandbox.network.allowAllUnixSockets', value => value !== true, allowlist()),
  ),
};

/** Every setting of section 2.12, by its path. */
export const catalogue: ReadonlyMap<string, CatalogueEntry> = new Map([
  ...Object.entries(UNDIRECTED).flatMap(([kind, paths]) =>
    paths
      .trim()
      .split(/\s+/)
      .map((path): [string, CatalogueEntry] => [path, { kind: kind as SettingKind }]),
  ),
  ...directed('value', VALUES),
  ...directed('set', SETS),
]);

function directed(
  kind: SettingKind,
  rules: Readonly<Record<string, DirectionRule>>,
): [string, CatalogueEntry][] {
  return Object.entries(rules).map(([path, direction]) => [path, { kind, direction }]);
}
