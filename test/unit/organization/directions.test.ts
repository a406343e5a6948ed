import assert from 'node:assert/strict';
import { directions, sets, type Settings } from '../../../src/organization/catalogue';
import { compareSettings } from '../../../src/organization/changes';

type Word = 'loosens' | 'tightens' | undefined;

function settingsWith(path: string, value: unknown, around: Settings): Settings {
  const settings = structuredClone(around) as Record<string, unknown>;
  const names = path.split('.');
  const last = names.pop() ?? '';
  let place = settings;
  for (const name of names) place = (place[name] ??= {}) as Record<string, unknown>;
  if (value !== undefined) place[last] = value;
  return settings;
}

function directionOf(path: string, before: unknown, after: unknown, around: Settings = {}): Word {
  const changes = compareSettings(
    settingsWith(path, before, around),
    settingsWith(path, after, around),
  ).filter(change => change.path === path);
  assert.equal(changes.length, 1, `${path}: ${JSON.stringify(before)} -> ${JSON.stringify(after)}`);
  return changes[0]?.direction;
}

const sandbox = { sandbox: { enabled: true } };

/** Every setting with a direction: what loosens it, what tightens it, in what surroundings. */
const DIRECTED: readonly (readonly [path: string, less: unknown, more: unknown, around?: Settings])[] = [
  ['maxAutonomyLevel', 'low', 'high'],
  ['maxAutonomyLevel', 'off', 'low'],
  ['maxAutonomyLevel', 'auto-low', 'auto-high'],
  ['maxAutonomyLevel', 'medium', 'auto-high'],
  ['commandAllowlist', ['a'], ['b', 'a']],
  ['commandDenylist', ['a', 'b'], ['b']],
  ['commandDenylist', ['a'], []],
  ['modelPolicy.allowedModelIds', ['a'], ['a', 'b']],
  ['modelPolicy.blockedModelIds', ['a', 'b'], ['a']],
  ['modelPolicy.allowCustomModels', false, true],
  ['modelPolicy.allowedBaseUrls', ['https://a'], ['https://b', 'https://a']],
  ['modelPolicy.allowAllFactoryModels', false, true],
  ['modelPolicy.isFastModelsAllowed', false, true],
  ['mcpPolicy.allowlist', ['a'], ['a', 'b'], { mcpPolicy: { enabled: true } }],
  ['missionPolicy.restrictedAccess', true, false],
  ['missionPolicy.restrictedAccess', true, undefined],
  ['missionPolicy.allowedUserIds', ['a'], ['a', 'b'], { missionPolicy: { restrictedAccess: true } }],
  ['networkPolicy.allowedIps', ['::1'], ['::1', '::2']],
  ['sandbox.enabled', true, false],
  ['sandbox.filesystem.allowWrite', ['a'], ['a', 'b'], sandbox],
  ['sandbox.filesystem.allowRead', ['a'], ['a', 'b'], sandbox],
  ['sandbox.filesystem.denyWrite', ['a', 'b'], ['a'], sandbox],
  ['sandbox.filesystem.denyRead', ['a', 'b'], [], sandbox],
  ['sandbox.network.allowedDomains', ['a'], ['a', 'b'], sandbox],
  ['sandbox.network.allowUnixSockets', ['a'], ['a', 'b'], sandbox],
  ['sandbox.network.allowAllUnixSockets', false, true, sandbox],
  ['sandbox.network.allowLocalBinding', false, true, sandbox],
  ['restrictMemberVisibility', true, false],
  ['managedComputersEnabled', false, true],
  ['byomComputersEnabled', false, true],
];

/** Changes of which nobody can be certain. */
const UNCERTAIN: readonly (readonly [path: string, before: unknown, after: unknown, around?: Settings])[] = [
  ['maxAutonomyLevel', 'low', 'turbo'],
  ['maxAutonomyLevel', undefined, 'high'],
  ['maxAutonomyLevel', 'high', undefined],
  ['commandAllowlist', ['a'], ['b']],
  ['commandAllowlist', [], ['a']],
  ['commandAllowlist', ['a'], []],
  ['commandAllowlist', undefined, ['a']],
  ['commandDenylist', undefined, ['a']],
  ['commandDenylist', ['a'], ['b']],
  ['modelPolicy.allowedModelIds', ['a'], ['a', 'b'], { modelPolicy: { allowAllFactoryModels: true } }],
  ['modelPolicy.allowedBaseUrls', ['a'], ['a', 'b'], { modelPolicy: { allowCustomModels: false } }],
  ['modelPolicy.allowedModelIds', ['a'], ['a', 'b'], { modelPolicy: { allowAllFactoryModels: 'some' } }],
  ['modelPolicy.allowCustomModels', undefined, true],
  ['modelPolicy.allowCustomModels', 'no', true],
  ['commandAllowlist', 'a', ['a', 'b']],
  ['mcpPolicy.enabled', false, true],
  ['mcpPolicy.allowlist', ['a'], ['a', 'b'], { mcpPolicy: { enabled: false } }],
  ['mcpPolicy.allowlist', ['a'], ['a', 'b']],
  ['missionPolicy.allowedUserIds', ['a'], ['a', 'b']],
  ['sandbox.filesystem.allowWrite', ['a'], ['a', 'b'], { sandbox: { enabled: false } }],
  [
    'sandbox.network.allowUnixSockets',
    ['a'],
    ['a', 'b'],
    { sandbox: { enabled: true, network: { allowAllUnixSockets: true } } },
  ],
  ['sandbox.enabled', undefined, true],
  ['sandbox.mode', 'per-command', 'other'],
  ['cloudSessionSync', false, true],
  ['wikiCloudSync', false, true],
  ['includeCoAuthoredByAgent', false, true],
  ['enableAgentShield', false, true],
  ['ideAutoConnect', false, true],
  ['sessionRetentionDays', 30, 90],
  ['sessionDefaultSettings.autonomyLevel', 'low', 'high'],
  ['strictKnownMarketplaces', [{ repo: 'a' }], [{ repo: 'a' }, { repo: 'b' }]],
  ['sandbox.network.httpProxyPort', 1, 2],
  ['aSettingOfTomorrow', false, true],
];

describe('settings of the controls', () => {
  it('loosen or tighten where that is certain', () => {
    for (const [path, less, more, around] of DIRECTED) {
      const what = `${path}: ${JSON.stringify(less)} -> ${JSON.stringify(more)}`;
      assert.equal(directionOf(path, less, more, around), 'loosens', what);
      assert.equal(directionOf(path, more, less, around), 'tightens', what);
    }
    for (const [path, before, after, around] of UNCERTAIN)
      assert.equal(directionOf(path, before, after, around), undefined, `${path}: ${String(after)}`);
  });

  it('are all tried here where they have a rule', () => {
    const ruled = [...directions, ...sets].flatMap(([path, rule]) => (rule === undefined ? [] : [path]));
    assert.deepEqual(ruled.sort(), [...new Set(DIRECTED.map(([path]) => path))].sort());
  });
});
