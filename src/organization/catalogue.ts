import * as vscode from 'vscode';
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

/** One setting of section 2.12. */
export interface CatalogueEntry {
  /** Dotted; `[]` stands for every item of a list. */
  readonly path: string;
  readonly kind: SettingKind;
  /** One line for people. */
  readonly explain: () => string;
  /** Which way a change goes; absent where that is not certain from the setting's meaning. */
  readonly direction?: DirectionRule;
}

type Row = readonly [path: string, kind: SettingKind, explain: () => string, direction?: DirectionRule];

const sandboxed = (rule: DirectionRule): DirectionRule =>
  when('sandbox.enabled', value => value === true, rule);

/** Rows of the settings below one, which their paths leave out. */
function under(prefix: string, rows: readonly Row[]): readonly Row[] {
  return rows.map(([path, ...rest]) => [`${prefix}${path}`, ...rest]);
}

/** Parts before wholes are not needed: a setting is looked up by its path. */
const ROWS: readonly Row[] = [
  ['sessionDefaultSettings', 'group', () => vscode.l10n.t('What new sessions start with.')],
  ...under('sessionDefaultSettings.', [
    ['model', 'value', () => vscode.l10n.t('The model new sessions start with.')],
    ['reasoningEffort', 'value', () => vscode.l10n.t('How much new sessions reason at first.')],
    ['interactionMode', 'value', () => vscode.l10n.t('How new sessions work with a person at first.')],
    [
      'autonomyLevel',
      'value',
      () => vscode.l10n.t('How much new sessions do by themselves at first; not a limit.'),
    ],
    ['autonomyMode', 'value', () => vscode.l10n.t('The autonomy mode new sessions start in; not a limit.')],
    ['specModeModel', 'value', () => vscode.l10n.t('The model that plans in specification mode.')],
    [
      'specModeReasoningEffort',
      'value',
      () => vscode.l10n.t('How much planning in specification mode reasons.'),
    ],
  ]),
  ['maxAutonomyLevel', 'value', () => vscode.l10n.t('The most an agent may do without asking.'), autonomy()],
  ['mcpAutonomyOverrides', 'map', () => vscode.l10n.t('Autonomy for single MCP servers or tools.')],
  ['cloudSessionSync', 'value', () => vscode.l10n.t('Whether sessions are kept at the service.')],
  ['wikiCloudSync', 'value', () => vscode.l10n.t('Whether wikis are kept at the service.')],
  [
    'includeCoAuthoredByAgent',
    'value',
    () => vscode.l10n.t('Whether commits name the agent as a co-author.'),
  ],
  ['enableAgentShield', 'value', () => vscode.l10n.t('Whether the agent shield is on.')],
  ['ideAutoConnect', 'value', () => vscode.l10n.t('Whether the client connects to the editor by itself.')],
  ['commandAllowlist', 'set', () => vscode.l10n.t('Commands an agent may run without asking.'), allowlist()],
  ['commandDenylist', 'set', () => vscode.l10n.t('Commands an agent may not run by itself.'), denylist()],
  [
    'customModels',
    'sequence',
    () => vscode.l10n.t('Models the organization adds, with their own addresses and keys.'),
  ],
  ...under('customModels[].', [
    ['model', 'value', () => vscode.l10n.t('The model’s id at its provider.')],
    ['baseUrl', 'value', () => vscode.l10n.t('The address the model is reached at.')],
    ['apiKey', 'value', () => vscode.l10n.t('The key for the model; never shown, only whether it changed.')],
    ['provider', 'value', () => vscode.l10n.t('The kind of provider.')],
    ['id', 'value', () => vscode.l10n.t('The id of the added model.')],
    ['index', 'value', () => vscode.l10n.t('The model’s place in the list.')],
    ['displayName', 'value', () => vscode.l10n.t('The model’s name as people see it.')],
    ['maxContextLimit', 'value', () => vscode.l10n.t('The longest context, in tokens.')],
    ['enableThinking', 'value', () => vscode.l10n.t('Whether the model reasons.')],
    ['thinkingMaxTokens', 'value', () => vscode.l10n.t('The most tokens for reasoning.')],
    ['maxOutputTokens', 'value', () => vscode.l10n.t('The most tokens of an answer.')],
    ['reasoningEffort', 'value', () => vscode.l10n.t('How much the model reasons.')],
    [
      'extraHeaders',
      'map',
      () => vscode.l10n.t('Headers sent to the model; values are never shown, only whether they changed.'),
    ],
    [
      'extraArgs',
      'map',
      () => vscode.l10n.t('Arguments sent to the model; values are never shown, only whether they changed.'),
    ],
    ['noImageSupport', 'value', () => vscode.l10n.t('Whether the model takes no images.')],
  ]),
  ['modelPolicy', 'group', () => vscode.l10n.t('Which models may be used.')],
  ...under('modelPolicy.', [
    [
      'allowedModelIds',
      'set',
      () => vscode.l10n.t('Models that may be used.'),
      when('modelPolicy.allowAllFactoryModels', value => value !== true, allowlist()),
    ],
    ['blockedModelIds', 'set', () => vscode.l10n.t('Models that may not be used.'), denylist()],
    ['allowCustomModels', 'value', () => vscode.l10n.t('Whether added models may be used.'), permission()],
    [
      'allowedBaseUrls',
      'set',
      () => vscode.l10n.t('Addresses added models may be reached at.'),
      when('modelPolicy.allowCustomModels', value => value !== false, allowlist()),
    ],
    [
      'allowAllFactoryModels',
      'value',
      () => vscode.l10n.t('Whether all models supplied by the provider may be used.'),
      permission(),
    ],
    ['isFastModelsAllowed', 'value', () => vscode.l10n.t('Whether fast models may be used.'), permission()],
  ]),
  ['mcpPolicy', 'group', () => vscode.l10n.t('Which MCP servers may be used.')],
  ...under('mcpPolicy.', [
    ['enabled', 'value', () => vscode.l10n.t('Whether the MCP policy is on; off unless set.')],
    [
      'allowlist',
      'set',
      () => vscode.l10n.t('MCP servers that may be used.'),
      when('mcpPolicy.enabled', value => value === true, allowlist()),
    ],
  ]),
  ['missionPolicy', 'group', () => vscode.l10n.t('Who may start missions.')],
  ...under('missionPolicy.', [
    [
      'restrictedAccess',
      'value',
      () => vscode.l10n.t('Whether only named people may start missions; everybody unless set.'),
      restriction(false),
    ],
    [
      'allowedUserIds',
      'set',
      () => vscode.l10n.t('People who may start missions while access is restricted.'),
      when('missionPolicy.restrictedAccess', value => value === true, allowlist()),
    ],
  ]),
  ['userModelPolicies', 'map', () => vscode.l10n.t('Model policies for single people.')],
  ['enabledPlugins', 'map', () => vscode.l10n.t('Plugins that are on or off for everybody.')],
  ['extraKnownMarketplaces', 'map', () => vscode.l10n.t('Marketplaces added for everybody.')],
  [
    'strictKnownMarketplaces',
    'set',
    () => vscode.l10n.t('Marketplaces plugins may come from when the list is strict.'),
  ],
  ['networkPolicy', 'group', () => vscode.l10n.t('From where the service may be used.')],
  ...under('networkPolicy.', [
    [
      'allowedIps',
      'set',
      () => vscode.l10n.t('Network addresses the service may be used from.'),
      allowlist(),
    ],
  ]),
  ['sandbox', 'group', () => vscode.l10n.t('What commands of an agent can reach.')],
  ...under('sandbox.', [
    ['enabled', 'value', () => vscode.l10n.t('Whether commands run in a sandbox.'), restriction()],
    ['mode', 'value', () => vscode.l10n.t('How the sandbox is made, such as one for each command.')],
    ['filesystem', 'group', () => vscode.l10n.t('Files within reach of the sandbox.')],
  ]),
  ...under('sandbox.filesystem.', [
    ['allowWrite', 'set', () => vscode.l10n.t('Paths that may be written.'), sandboxed(allowlist())],
    ['allowRead', 'set', () => vscode.l10n.t('Paths that may be read.'), sandboxed(allowlist())],
    ['denyWrite', 'set', () => vscode.l10n.t('Paths that may not be written.'), sandboxed(denylist())],
    ['denyRead', 'set', () => vscode.l10n.t('Paths that may not be read.'), sandboxed(denylist())],
  ]),
  ...under('sandbox.', [['network', 'group', () => vscode.l10n.t('Networks within reach of the sandbox.')]]),
  ...under('sandbox.network.', [
    ['allowedDomains', 'set', () => vscode.l10n.t('Domains that may be reached.'), sandboxed(allowlist())],
    [
      'allowUnixSockets',
      'set',
      () => vscode.l10n.t('Unix sockets that may be used.'),
      sandboxed(when('sandbox.network.allowAllUnixSockets', value => value !== true, allowlist())),
    ],
    [
      'allowAllUnixSockets',
      'value',
      () => vscode.l10n.t('Whether all Unix sockets may be used.'),
      sandboxed(permission()),
    ],
    [
      'allowLocalBinding',
      'value',
      () => vscode.l10n.t('Whether local ports may be opened.'),
      sandboxed(permission()),
    ],
    ['httpProxyPort', 'value', () => vscode.l10n.t('Port of the HTTP proxy.')],
    ['socksProxyPort', 'value', () => vscode.l10n.t('Port of the SOCKS proxy.')],
  ]),
  [
    'restrictMemberVisibility',
    'value',
    () => vscode.l10n.t('Whether members see less of each other.'),
    restriction(),
  ],
  [
    'managedComputersEnabled',
    'value',
    () => vscode.l10n.t('Whether computers hosted by the service may be used.'),
    permission(),
  ],
  [
    'byomComputersEnabled',
    'value',
    () => vscode.l10n.t('Whether people may use machines of their own as computers.'),
    permission(),
  ],
  ['sessionRetentionDays', 'value', () => vscode.l10n.t('How many days sessions are kept.')],
];

/** Every setting of section 2.12, by its path. */
export const catalogue: ReadonlyMap<string, CatalogueEntry> = new Map(
  ROWS.map(([path, kind, explain, direction]) => [
    path,
    { path, kind, explain, ...(direction === undefined ? {} : { direction }) },
  ]),
);

/** What a setting is about: its own line, or that of the setting it is part of; unknown ones are called so. */
export function explanationOf(path: string): string {
  const own = catalogue.get(path);
  if (own !== undefined) return own.explain();
  for (let end = parentEnd(path); end > 0; end = parentEnd(path.slice(0, end))) {
    const parent = catalogue.get(path.slice(0, end));
    if (parent === undefined) continue;
    return parent.kind === 'map'
      ? parent.explain()
      : vscode.l10n.t('Part of {0}, not known to this version.', parent.path);
  }
  return vscode.l10n.t('A setting this version does not know.');
}

function parentEnd(path: string): number {
  return Math.max(path.lastIndexOf('.'), path.endsWith('[]') ? path.length - 2 : -1);
}
