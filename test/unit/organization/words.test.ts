import assert from 'node:assert/strict';
import fc from 'fast-check';
import { activityOf, nameOf, type Person } from '../../../src/organization/data';
import { canonical, compareSettings, sets, settingsOf, stableText } from '../../../src/organization/changes';
import { directions, warningsOf, type SessionChoice, type Settings } from '../../../src/organization/changes';
import * as rows from '../../../src/organization/rows';
import type { UsageOfPeople } from '../../../src/shared';

const NOW = Date.UTC(2026, 10, 21, 12);
const ago = (days: number): string => new Date(NOW - days * 24 * 60 * 60 * 1000).toISOString();
const usage: UsageOfPeople = {
  people: new Map([
    ['u2', { lastActiveDay: '2026-11-19', tokens: 1_234_567 }],
    // The oldest of the 30 days.
    ['u4', { lastActiveDay: '2026-10-22', tokens: 1 }],
  ]),
  none: 0,
};

describe('users', () => {
  it('have a name whatever is missing, and are inactive when neither they nor their agents were seen for 30 days, which must be known', () => {
    for (const [person, name, activity] of [
      [{ id: 'u1', firstName: 'Åsa', lastName: 'Berg', lastSignInAt: ago(2) }, 'Åsa Berg', 'active'],
      [{ id: 'u2', email: 'nobody@x.example', lastSignInAt: ago(90) }, 'nobody@x.example', 'active'],
      [{ id: 'other', email: ' ', lastSignInAt: ago(90) }, 'other', 'inactive'],
      [{ id: 'u3', firstName: '  ', lastName: 'Bo', email: 'x', createdAt: ago(3) }, 'Bo', 'unknown'],
      [{ id: 'u4' }, 'u4', 'active'],
    ] as const)
      assert.deepEqual([nameOf(person), activityOf(person, usage, NOW)], [name, activity]);
    const longAgo = { id: 'other', lastSignInAt: ago(90) };
    const some = { ...usage, none: { value: 0, known: 29, of: 30 } };
    const told = [usage, some, undefined].map(of => rows.personStatus(longAgo, of, NOW));
    assert.deepEqual(told, ['90 days · inactive', '90 days', '90 days']);
  });

  it('of whom no sign-in and no use is known are not known, wherever they are shown', () => {
    const tokens = { value: 1500, known: 29, of: 30 };
    const none = { ...tokens, value: 0 };
    const used: UsageOfPeople = { people: new Map([['x', { lastActiveDay: '2026-11-19', tokens }]]), none };
    for (const lastSignInAt of [undefined, '', 'soon']) {
      const person: Person = { id: 'x', createdAt: ago(400), lastSignInAt };
      assert.equal(rows.personStatus(person, undefined, NOW), 'activity unknown');
      assert.equal(rows.peopleCsv([person], undefined, NOW).split('\r\n')[1]?.split(',')[6], '');
      const status = 'last sign-in unknown · 1.5K tokens (29 of 30 days)';
      assert.equal(rows.personStatus(person, used, NOW), status);
      const line = /,false,2026-11-19,1500 \(29 of 30\)\r\n$/;
      assert.match(rows.peopleCsv([person], used, NOW), line);
    }
    const facts = (of?: UsageOfPeople) =>
      rows
        .personFacts({ id: 'other' }, of)
        .slice(1, 4)
        .map(([, value]) => value);
    assert.deepEqual(facts(), ['not known', 'not known', 'not known']);
    assert.deepEqual(facts(used), ['not known', 'not known', '0 (29 of 30 days)']);
    assert.deepEqual(facts(usage), ['not known', 'none in the last 30 days', '0']);
  });

  it('are exported with what is known, and nothing a spreadsheet would run', () => {
    const person = { id: 'u2', email: 'a@x.example', firstName: '=HYPERLINK("x")', lastSignInAt: ago(90) };
    const exported = (of?: UsageOfPeople) => rows.peopleCsv([person], of, NOW).split('\r\n');
    const columns = 'id,email,first_name,last_name,joined,last_sign_in,inactive';
    const more = ',last_active_day_utc,billable_tokens_30_days_utc';
    const known = `u2,a@x.example,"'=HYPERLINK(""x"")",,,${ago(90)}`;
    assert.deepEqual(exported(), [columns, `${known},`, '']);
    assert.deepEqual(exported(usage), [`${columns}${more}`, `${known},false,2026-11-19,1234567`, '']);
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
const allSockets = { sandbox: { enabled: true, network: { allowAllUnixSockets: true } } };
const each = (names: string, less: unknown, more: unknown, around?: Settings): Change[] =>
  names.split(' ').map(name => [name, less, more, around]);

/** Every setting with a direction: what loosens it, what tightens it, in what surroundings. */
const DIRECTED: readonly Change[] = [
  ['maxAutonomyLevel', 'low', 'high'],
  ['maxAutonomyLevel', 'off', 'low'],
  ['maxAutonomyLevel', 'medium', 'auto-high'],
  ...each('modelPolicy.allowCustomModels modelPolicy.allowAllFactoryModels', false, true),
  ...each('modelPolicy.isFastModelsAllowed managedComputersEnabled byomComputersEnabled', false, true),
  ...each('restrictMemberVisibility sandbox.enabled missionPolicy.restrictedAccess', true, false),
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
  // What is not set, or of an odd kind, on one side; a list that lost something and got something else.
  ...DIRECTED.map(([path, , to, around]): Change => [path, 'odd', to, around]),
  ...DIRECTED.filter(([path]) => path !== 'missionPolicy.restrictedAccess').map(
    ([path, , to, around]): Change => [path, undefined, to, around],
  ),
  ...DIRECTED.filter(([, from]) => from === few).map(([path, , , around]): Change => [
    path,
    few,
    ['b'],
    around,
  ]),
  ['commandAllowlist', [], few],
  ['commandAllowlist', few, []],
  ['modelPolicy.allowedModelIds', few, many, { modelPolicy: { allowAllFactoryModels: true } }],
  ['modelPolicy.allowedBaseUrls', few, many, { modelPolicy: { allowCustomModels: false } }],
  ...each('mcpPolicy.allowlist missionPolicy.allowedUserIds sandbox.filesystem.allowWrite', few, many),
  ['sandbox.network.allowUnixSockets', few, many, allSockets],
  ...each('cloudSessionSync includeCoAuthoredByAgent mcpPolicy.enabled aSettingOfTomorrow', false, true),
  ...each('sessionRetentionDays sandbox.network.httpProxyPort', 30, 90),
  ...each('sessionDefaultSettings.autonomyLevel sandbox.mode', 'low', 'high'),
  ['strictKnownMarketplaces', [{ repo: 'a' }], [{ repo: 'a' }, { repo: 'b' }]],
];

const texts = (before: Settings | undefined, after: Settings): string[] =>
  compareSettings(before, after).map(rows.changeText);

describe('what a revision changed', () => {
  it('is told with the values before and after, lists as sets where order has no meaning, models by their names', () => {
    const a = { id: 'a', apiKey: '[redacted 11111111]', extraHeaders: { h: '[redacted 22222222]' } };
    const b = { id: 'b', maxOutputTokens: 5 };
    const models = (...customModels: readonly unknown[]): Settings => ({ customModels });
    const two = models(a, b);
    for (const [before, after, ...told] of [
      [{ maxAutonomyLevel: 'low' }, { maxAutonomyLevel: 'high' }, 'maxAutonomyLevel: low → high'],
      [{ gone: { a: 1 } }, { x: '' }, 'gone.a: 1 → not set', 'x: not set → ""'],
      [{ sequence: ['a', 'b'] }, { sequence: ['b', 'a'] }, 'sequence: [a, b] → [b, a]'],
      [{ commandAllowlist: ['a', 'b'] }, { commandAllowlist: ['b', 'a', 'a'] }],
      [{ commandAllowlist: ['a', 'b'] }, { commandAllowlist: ['c', 'b', 'b'] }, 'commandAllowlist: +c, −a'],
      [{ commandAllowlist: ['a'] }, { commandAllowlist: 'rm' }, 'commandAllowlist: [a] → rm'],
      [{}, { commandDenylist: [] }, 'commandDenylist: not set → []'],
      [
        { strictKnownMarketplaces: [{ a: 1, b: 2 }] },
        { strictKnownMarketplaces: [{ b: 2, a: 1 }, { c: 3 }] },
        'strictKnownMarketplaces: +{"c":3}',
      ],
      // Null says that it is not set.
      [{ tomorrow: null, sandbox: { mode: null } }, { sandbox: {} }],
      [{ enabledPlugins: { x: true } }, { enabledPlugins: { x: null } }, 'enabledPlugins.x: true → not set'],
      [{}, { 'odd.name': 1 }, '["odd.name"]: not set → 1'],
      [two, models(b, a), 'customModels: order changed'],
      [two, models(a), 'customModels[b].id: b → not set', 'customModels[b].maxOutputTokens: 5 → not set'],
      [two, models({ ...a, apiKey: '[redacted 3]' }, b), 'customModels[a].apiKey: secret changed'],
      [two, models(a, { id: 'c' }, b), 'customModels[c].id: not set → c'],
      [two, models(a, b, {}, 5), 'customModels[?]: not set → {}', 'customModels[? 2]: not set → 5'],
    ] as const)
      assert.deepEqual(texts(before, after), told);
    const restricted = { missionPolicy: { restrictedAccess: true } };
    const [first] = compareSettings(undefined, restricted);
    const [then] = compareSettings({ missionPolicy: null }, restricted);
    assert.deepEqual([first?.direction, then?.direction], [undefined, 'tightens']);
  });

  it('is summed up, cut where it is long, and free of hidden characters', () => {
    const [low, high] = ['low', 'high'].map((maxAutonomyLevel, a) => ({ a, maxAutonomyLevel }));
    assert.equal(rows.summaryText(compareSettings(low, high!)), 'maxAutonomyLevel, +1');
    assert.equal(rows.summaryText([]), 'no change');
    const plugins = compareSettings({}, { enabledPlugins: { 'a@b': true, 'c.d': 1 } });
    assert.deepEqual(settingsOf(plugins), ['enabledPlugins']);
    const [long = ''] = texts({ ['x'.repeat(90)]: 'y'.repeat(90) }, {});
    assert.ok(long.length <= 120 && long.endsWith('…'), long);
    const [text = ''] = texts({}, { 'na\u202eme\n': 'a\u0007\u2066b' });
    assert.doesNotMatch(text, /[\u0000-\u001f\u202a-\u202e\u2066-\u2069]/);
  });

  it('differs exactly when the JSON does, for any settings; never throws', () => {
    const value = fc.jsonValue({ maxDepth: 3 });
    // Null is the same as nothing.
    const there = value.map(each => JSON.parse(JSON.stringify(each), (_, it: unknown) => it ?? 0) as unknown);
    const settings = fc.dictionary(fc.string(), there, { maxKeys: 4 });
    const names = 'customModels commandAllowlist modelPolicy sandbox mcpPolicy enabledPlugins';
    const known = fc.dictionary(fc.constantFrom(...names.split(' ')), value);
    fc.assert(
      fc.property(settings, settings, known, known, (before, after, one, other) => {
        const clean = (each: Settings): string => canonical(JSON.parse(JSON.stringify(each)));
        assert.equal(compareSettings(before, before).length, 0);
        assert.equal(texts(before, after).length === 0, clean(before) === clean(after));
        texts(one, other);
        JSON.parse(stableText(one));
      }),
      { numRuns: 300 },
    );
  });

  it('is set out as a text that is the same for the same controls and writes hidden characters so that they are seen', () => {
    const one = stableText({ b: ['z', 'a'], commandAllowlist: ['z', 'a'], a: { d: 1, c: [] } });
    const ordered = { a: { c: [], d: 1 }, b: ['z', 'a'], commandAllowlist: ['a', 'z'] };
    assert.equal(one, `${JSON.stringify(ordered, undefined, 2)}\n`);
    const text = stableText({ a: 'x\u202ey\u200bz\u2028' });
    assert.ok(text.includes('x\\u202ey\\u200bz\\u2028'));
    assert.deepEqual(JSON.parse(text), { a: 'x\u202ey\u200bz\u2028' });
  });

  it('loosens or tightens where that is certain, and are all tried here where they have a rule', () => {
    for (const [path, less, more, around] of DIRECTED) {
      const what = `${path}: ${JSON.stringify(less)} -> ${JSON.stringify(more)}`;
      assert.equal(directionOf([path, less, more, around]), 'loosens', what);
      assert.equal(directionOf([path, more, less, around]), 'tightens', what);
    }
    for (const change of UNCERTAIN) assert.equal(directionOf(change), undefined, change[0]);
    const ruled = [...directions, ...sets].flatMap(([path, rule]) => (rule === undefined ? [] : [path]));
    assert.deepEqual(ruled.sort(), [...new Set(DIRECTED.map(([path]) => path))].sort());
  });

  it('is exported one changed setting a line, and one line for a revision that changed none', () => {
    const made = (revision: number, settings: Settings) => ({
      ...{ revision, settings, user: { name: 'b' }, updatedAt: '2026-11-12T12:00:00Z' },
    });
    const before = made(1, { modelPolicy: { allowCustomModels: false } });
    const history = [made(3, { maxAutonomyLevel: 'high' }), made(2, before.settings)].map(each => ({
      ...{ ...each, before, changes: compareSettings(before.settings, each.settings) },
    }));
    const start = '2026-11-12T12:00:00.000Z,b,';
    assert.deepEqual(rows.historyCsv(history).split('\r\n'), [
      'revision,time,person,email,setting,change,before,after,direction,compared_with',
      `3,${start},maxAutonomyLevel,added,,"""high""",,1`,
      `3,${start},modelPolicy.allowCustomModels,removed,false,,,1`,
      `2,${start},,,,,,1`,
      '',
    ]);
  });
});

it('the controls say against a session what they forbid of models, autonomy and computers, and nothing that is not certain, and make no link of foreign text', () => {
  const policy = (modelPolicy: Settings, more: Settings = {}): Settings => ({ modelPolicy, ...more });
  const m = { model: 'm' };
  const custom = { customModels: [{ id: 'm' }] };
  const rules: readonly (readonly [SessionChoice, Settings, RegExp | undefined])[] = [
    [m, policy({ blockedModelIds: ['m'] }), /^The controls block the model m \(modelPolicy\.block.* 7\)\.$/],
    [m, policy({ allowedModelIds: ['n'] }), /do not allow the model m \(.*allowedModelIds/],
    [m, policy({ allowedModelIds: ['n', 'm'] }), undefined],
    [m, policy({ allowedModelIds: [] }), undefined],
    [m, policy({ allowedModelIds: ['n'], allowAllFactoryModels: true }), undefined],
    [m, policy({ allowedModelIds: ['m'], blockedModelIds: ['m'] }), /blockedModelIds/],
    [m, policy({ allowCustomModels: false }, custom), /allowCustomModels/],
    [m, policy({ allowCustomModels: false }, { customModels: [{ model: 'm' }] }), /CustomModels/],
    [m, policy({ allowCustomModels: true, allowedModelIds: ['n'] }, custom), undefined],
    [m, policy({ blockedModelIds: 'm', allowedModelIds: ['n', 5] }), undefined],
    [m, policy({ allowedModelIds: ['n'] }, { customModels: ['m'] }), undefined],
    [{ model: '' }, policy({ allowedModelIds: ['n'] }), undefined],
    [{ model: 'm', specModeModel: 'm' }, policy({ blockedModelIds: ['m'] }), /block the model m/],
    [{ autonomyLevel: 'high' }, { maxAutonomyLevel: 'medium' }, /up to medium, and high is above/],
    [{ autonomyLevel: 'medium' }, { maxAutonomyLevel: 'medium' }, undefined],
    [{ autonomyLevel: 'turbo' }, { maxAutonomyLevel: 'low' }, undefined],
    [{ autonomyLevel: 'high' }, { maxAutonomyLevel: 'turbo' }, undefined],
    [{ autonomyMode: 'auto-high' }, { maxAutonomyLevel: 'auto-low' }, /auto-high is above/],
    [{ autonomyMode: 'auto-low' }, { maxAutonomyLevel: 'low' }, undefined],
    [{ computerProvider: 'byom' }, { byomComputersEnabled: false }, /own machines.*byomComputersEnabled/],
    [{ computerProvider: 'cloud' }, { managedComputersEnabled: false }, /hosted.*managedComputersEnabled/],
    [{ computerProvider: 'byom' }, { managedComputersEnabled: false }, undefined],
    [{}, { managedComputersEnabled: false, maxAutonomyLevel: 'off' }, undefined],
  ];
  for (const [choice, settings, wanted] of rules) {
    const told = warningsOf(choice, { revision: 7, settings });
    const what = `${JSON.stringify(choice)} ${JSON.stringify(settings)}: ${told.join()}`;
    assert.equal(told.length, wanted === undefined ? 0 : 1, what);
    if (wanted !== undefined) assert.match(told[0] ?? '', wanted, what);
  }
  assert.deepEqual(warningsOf({ model: 'm' }, undefined), []);
  const model = '[x](command:workbench.action.quit)';
  const [warning] = warningsOf({ model }, { revision: 7, settings: policy({ blockedModelIds: [model] }) });
  assert.ok(warning !== undefined && !warning.includes(']('), warning);
});
