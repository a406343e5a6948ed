import assert from 'node:assert/strict';
import fc from 'fast-check';
import { canonical, compareSettings, directions, sets } from '../../../src/organization/changes';
import { settingsOf, stableText, type Settings } from '../../../src/organization/changes';
import { changeSpoken, changeText, summaryText } from '../../../src/organization/rows';

const texts = (before: Settings, after: Settings): string[] => compareSettings(before, after).map(changeText);

describe('what a revision changed', () => {
  const [shop, site] = [{ repo: 'shop' }, { repo: 'site' }];
  const a = { id: 'a', apiKey: '[redacted 11111111]', extraHeaders: { h: '[redacted 22222222]' } };
  const b = { id: 'b', maxOutputTokens: 5 };
  type Case = readonly [before: Settings, after: Settings, told?: string];
  const cases: Readonly<Record<string, Case>> = {
    'each setting by its path': [
      { maxAutonomyLevel: 'medium', modelPolicy: { allowCustomModels: false }, gone: { a: 1 } },
      {
        ...{ maxAutonomyLevel: 'high', 'odd.name': null, x: '' },
        modelPolicy: { allowCustomModels: true, tomorrow: [1] },
      },
      `gone.a: 1 → not set
       maxAutonomyLevel: medium → high
       modelPolicy.allowCustomModels: false → true
       modelPolicy.tomorrow: not set → [1]
       ["odd.name"]: not set → null
       x: not set → ""`,
    ],
    'lists as sets where order has no meaning': [
      { strictKnownMarketplaces: [shop], commandAllowlist: ['a', 'b'] },
      {
        ...{ commandAllowlist: ['c', 'b', 'd'], commandDenylist: [] },
        strictKnownMarketplaces: [{ ...shop }, site],
      },
      `commandAllowlist: +c, +d, −a
       commandDenylist: not set → []
       strictKnownMarketplaces: +{"repo":"site"}`,
    ],
    'the same sets': [
      { commandAllowlist: ['a', 'b'], strictKnownMarketplaces: [{ a: 1, b: 2 }] },
      { commandAllowlist: ['b', 'a', 'a'], strictKnownMarketplaces: [{ b: 2, a: 1 }] },
    ],
    'other lists as sequences': [
      { tomorrow: ['a', 'b'] },
      { tomorrow: ['b', 'a'] },
      'tomorrow: [a, b] → [b, a]',
    ],
    'models in another order': [
      { customModels: [a, b] },
      { customModels: [b, a] },
      'customModels: order changed',
    ],
    'models by name when they move or change': [
      { customModels: [a, b] },
      { customModels: [{ ...a, apiKey: '[redacted 33333333]' }, { id: 'c', index: 1 }, b] },
      `customModels[a].apiKey: secret changed
       customModels[c].id: not set → c
       customModels[c].index: not set → 1`,
    ],
    'models without a name': [{ customModels: [{}, {}, 5] }, { customModels: [{}, {}, 5] }],
    'null of a known setting': [{ cloudSessionSync: null, sandbox: { mode: null } }, { sandbox: {} }],
    'null of what only the service knows': [
      { tomorrow: null, enabledPlugins: { x: true } },
      { enabledPlugins: { x: null }, later: { a: null } },
      `enabledPlugins.x: true → null
       later.a: not set → null
       tomorrow: null → not set`,
    ],
  };
  it('is told with the values before and after', () => {
    for (const [what, [before, after, told = '']] of Object.entries(cases))
      assert.equal(texts(before, after).join('\n'), told.replace(/^ +/gm, ''), what);
    const [policy] = compareSettings({ missionPolicy: null }, { missionPolicy: { restrictedAccess: true } });
    assert.deepEqual([policy?.path, policy?.direction], ['missionPolicy.restrictedAccess', 'tightens']);
    assert.equal(changeSpoken(policy!), 'missionPolicy.restrictedAccess: from not set to true');
  });

  it('lists all settings of the first revision, without directions', () => {
    const changes = compareSettings(undefined, { missionPolicy: { restrictedAccess: true }, sandbox: {} });
    assert.deepEqual(
      changes.map(change => [changeText(change), change.direction]),
      [
        ['missionPolicy.restrictedAccess: not set → true', undefined],
        ['sandbox: not set → {}', undefined],
      ],
    );
  });

  it('is summed up, cut where it is long, and free of hidden characters', () => {
    const changes = compareSettings(
      { maxAutonomyLevel: 'low', commandAllowlist: ['a'], x: 1 },
      { maxAutonomyLevel: 'high', commandAllowlist: ['a', 'b'], x: 2 },
    );
    assert.equal(summaryText(changes), 'commandAllowlist, +2');
    assert.equal(summaryText([]), 'no change');
    const [long = ''] = texts({ ['x'.repeat(90)]: 'y'.repeat(90) }, {});
    assert.ok(long.length <= 120 && long.endsWith('…'), long);
    assert.deepEqual(settingsOf(compareSettings({}, { enabledPlugins: { 'a@b': true, 'c.d': 1 } })), [
      'enabledPlugins',
    ]);
    const [text = ''] = texts({}, { 'na\u202eme\n': 'a\u0007\u2066b' });
    assert.doesNotMatch(text, /[\u0000-\u001f\u202a-\u202e\u2066-\u2069]/);
  });

  it('differs exactly when the JSON does, for any settings; never throws', () => {
    const value = fc.jsonValue({ maxDepth: 3 });
    const settings = fc.dictionary(fc.string(), value, { maxKeys: 4 });
    fc.assert(
      fc.property(settings, settings, (before, after) => {
        const clean = (each: Settings): unknown => JSON.parse(JSON.stringify(each));
        const changes = texts(before, after);
        assert.equal(compareSettings(before, before).length, 0);
        assert.equal(changes.length === 0, canonical(clean(before)) === canonical(clean(after)));
      }),
      { numRuns: 300 },
    );
    const names =
      'customModels commandAllowlist modelPolicy sandbox mcpPolicy maxAutonomyLevel enabledPlugins';
    const known = fc.record(Object.fromEntries(names.split(' ').map(name => [name, value])), {
      requiredKeys: [],
    });
    fc.assert(
      fc.property(known, known, (before, after) => {
        texts(before, after);
        JSON.parse(stableText(before));
      }),
      { numRuns: 300 },
    );
  });
});

describe('settings as text', () => {
  it('is the same for the same controls, and writes hidden characters so that they are seen', () => {
    const one = stableText({ b: ['z', 'a'], commandAllowlist: ['z', 'a'], a: { d: 1, c: [] } });
    assert.equal(one, stableText({ a: { c: [], d: 1 }, commandAllowlist: ['a', 'z'], b: ['z', 'a'] }));
    const ordered = { a: { c: [], d: 1 }, b: ['z', 'a'], commandAllowlist: ['a', 'z'] };
    assert.equal(one, `${JSON.stringify(ordered, undefined, 2)}\n`);
    const text = stableText({ a: 'x\u202ey\u200bz\u2028' });
    assert.ok(text.includes('x\\u202ey\\u200bz\\u2028'));
    assert.deepEqual(JSON.parse(text), { a: 'x\u202ey\u200bz\u2028' });
  });
});

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
