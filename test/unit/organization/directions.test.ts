import assert from 'node:assert/strict';
import { directions, sets, type Settings } from '../../../src/organization/catalogue';
import { compareSettings } from '../../../src/organization/changes';

type Change = readonly [path: string, before: unknown, after: unknown, around?: Settings | undefined];

function settingsWith(path: string, value: unknown, around: Settings): Settings {
  const settings = structuredClone(around) as Record<string, unknown>;
  const names = path.split('.');
  const last = names.pop() ?? '';
  let place = settings;
  for (const name of names) place = (place[name] ??= {}) as Record<string, unknown>;
  if (value !== undefined) place[last] = value;
  return settings;
}

function directionOf([path, before, after, around = {}]: Change): string | undefined {
  const sides = [before, after].map(value => settingsWith(path, value, around)) as [Settings, Settings];
  const changes = compareSettings(...sides).filter(change => change.path === path);
  assert.equal(changes.length, 1, `${path}: ${JSON.stringify(before)} -> ${JSON.stringify(after)}`);
  return changes[0]?.direction;
}

const [few, many] = [['a'], ['b', 'a']];
const sandbox = { sandbox: { enabled: true } };
const each = (names: string, less: unknown, more: unknown, around?: Settings): Change[] =>
  names.split(' ').map(name => [name, less, more, around]);

/** Every setting with a direction: what loosens it, what tightens it, in what surroundings. */
const DIRECTED: readonly Change[] = [
  ['maxAutonomyLevel', 'low', 'high'],
  ['maxAutonomyLevel', 'off', 'low'],
  ['maxAutonomyLevel', 'auto-low', 'auto-high'],
  ['maxAutonomyLevel', 'medium', 'auto-high'],
  ...each('modelPolicy.allowCustomModels modelPolicy.allowAllFactoryModels', false, true),
  ...each('modelPolicy.isFastModelsAllowed managedComputersEnabled byomComputersEnabled', false, true),
  ...each('restrictMemberVisibility sandbox.enabled missionPolicy.restrictedAccess', true, false),
  ['missionPolicy.restrictedAccess', true, undefined],
  ...each('commandAllowlist networkPolicy.allowedIps', few, many),
  ...each('modelPolicy.allowedModelIds modelPolicy.allowedBaseUrls', few, many),
  ...each('commandDenylist modelPolicy.blockedModelIds', many, few),
  ['commandDenylist', few, []],
  ['mcpPolicy.allowlist', few, many, { mcpPolicy: { enabled: true } }],
  ['missionPolicy.allowedUserIds', few, many, { missionPolicy: { restrictedAccess: true } }],
  ...each('sandbox.filesystem.allowWrite sandbox.filesystem.allowRead', few, many, sandbox),
  ...each('sandbox.network.allowedDomains sandbox.network.allowUnixSockets', few, many, sandbox),
  ...each('sandbox.filesystem.denyWrite sandbox.filesystem.denyRead', many, [], sandbox),
  ...each('sandbox.network.allowAllUnixSockets sandbox.network.allowLocalBinding', false, true, sandbox),
];

/** Changes of which nobody can be certain. */
const UNCERTAIN: readonly Change[] = [
  ['maxAutonomyLevel', 'low', 'turbo'],
  ['maxAutonomyLevel', undefined, 'high'],
  ['commandAllowlist', few, ['b']],
  ['commandAllowlist', [], few],
  ['commandAllowlist', few, []],
  ['commandAllowlist', undefined, few],
  ['commandAllowlist', 'a', few],
  ['commandDenylist', undefined, few],
  ['commandDenylist', few, ['b']],
  ['modelPolicy.allowedModelIds', few, many, { modelPolicy: { allowAllFactoryModels: true } }],
  ['modelPolicy.allowedModelIds', few, many, { modelPolicy: { allowAllFactoryModels: 'some' } }],
  ['modelPolicy.allowedBaseUrls', few, many, { modelPolicy: { allowCustomModels: false } }],
  ['modelPolicy.allowCustomModels', undefined, true],
  ['modelPolicy.allowCustomModels', 'no', true],
  ['mcpPolicy.enabled', false, true],
  ['mcpPolicy.allowlist', few, many, { mcpPolicy: { enabled: false } }],
  ...each('mcpPolicy.allowlist missionPolicy.allowedUserIds sandbox.filesystem.allowWrite', few, many),
  [
    'sandbox.network.allowUnixSockets',
    few,
    many,
    { sandbox: { enabled: true, network: { allowAllUnixSockets: true } } },
  ],
  ['sandbox.enabled', undefined, true],
  ...each('cloudSessionSync wikiCloudSync includeCoAuthoredByAgent enableAgentShield', false, true),
  ...each('ideAutoConnect aSettingOfTomorrow', false, true),
  ...each('sessionRetentionDays sandbox.network.httpProxyPort', 30, 90),
  ...each('sessionDefaultSettings.autonomyLevel sandbox.mode', 'low', 'high'),
  ['strictKnownMarketplaces', [{ repo: 'a' }], [{ repo: 'a' }, { repo: 'b' }]],
];

describe('settings of the controls', () => {
  it('loosen or tighten where that is certain, and are all tried here where they have a rule', () => {
    for (const [path, less, more, around] of DIRECTED) {
      const what = `${path}: ${JSON.stringify(less)} -> ${JSON.stringify(more)}`;
      assert.equal(directionOf([path, less, more, around]), 'loosens', what);
      assert.equal(directionOf([path, more, less, around]), 'tightens', what);
    }
    for (const change of UNCERTAIN) assert.equal(directionOf(change), undefined, change[0]);
    const ruled = [...directions, ...sets].flatMap(([path, rule]) => (rule === undefined ? [] : [path]));
    assert.deepEqual(ruled.sort(), [...new Set(DIRECTED.map(([path]) => path))].sort());
  });
});
