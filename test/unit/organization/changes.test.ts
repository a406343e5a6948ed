import assert from 'node:assert/strict';
import fc from 'fast-check';
import { canonical, compareSettings, settingsOf, stableText } from '../../../src/organization/changes';
import type { Settings } from '../../../src/organization/catalogue';
import { changeSpoken, changeText, summaryText } from '../../../src/organization/words';

const texts = (before: Settings, after: Settings): string[] => compareSettings(before, after).map(changeText);

describe('what a revision changed', () => {
  it('names each setting by its path, with the value before and after', () => {
    assert.deepEqual(
      texts(
        { maxAutonomyLevel: 'medium', modelPolicy: { allowCustomModels: false }, gone: { a: 1 } },
        {
          maxAutonomyLevel: 'high',
          modelPolicy: { allowCustomModels: true, tomorrow: [1] },
          'odd.name': null,
          x: '',
        },
      ),
      [
        'gone.a: 1 → not set',
        'maxAutonomyLevel: medium → high',
        'modelPolicy.allowCustomModels: false → true',
        'modelPolicy.tomorrow: not set → [1]',
        '["odd.name"]: not set → null',
        'x: not set → ""',
      ],
    );
  });

  it('compares lists as sets where order has no meaning', () => {
    const [shop, site] = [{ repo: 'shop' }, { repo: 'site' }];
    assert.deepEqual(
      texts({ strictKnownMarketplaces: [shop] }, { strictKnownMarketplaces: [{ ...shop }, site] }),
      ['strictKnownMarketplaces: +{"repo":"site"}'],
    );
    assert.deepEqual(texts({ commandAllowlist: ['a', 'b'] }, { commandAllowlist: ['b', 'a', 'a'] }), []);
    assert.deepEqual(texts({ commandAllowlist: ['a', 'b'] }, { commandAllowlist: ['c', 'b', 'd'] }), [
      'commandAllowlist: +c, +d, −a',
    ]);
    assert.deepEqual(
      texts({ strictKnownMarketplaces: [{ a: 1, b: 2 }] }, { strictKnownMarketplaces: [{ b: 2, a: 1 }] }),
      [],
    );
    assert.deepEqual(texts({}, { commandDenylist: [] }), ['commandDenylist: not set → []']);
  });

  it('compares other lists as sequences', () => {
    assert.deepEqual(texts({ tomorrow: ['a', 'b'] }, { tomorrow: ['b', 'a'] }), [
      'tomorrow: [a, b] → [b, a]',
    ]);
  });

  it('follows models by name when they move or change, and tells when only their order changed', () => {
    const [a, b] = [
      { id: 'a', apiKey: '[redacted 11111111]', extraHeaders: { h: '[redacted 22222222]' } },
      { id: 'b', maxOutputTokens: 5 },
    ];
    assert.deepEqual(texts({ customModels: [a, b] }, { customModels: [b, a] }), [
      'customModels: order changed',
    ]);
    assert.deepEqual(
      texts(
        { customModels: [a, b] },
        { customModels: [{ ...a, apiKey: '[redacted 33333333]' }, { id: 'c', index: 1 }, b] },
      ),
      [
        'customModels[a].apiKey: secret changed',
        'customModels[c].id: not set → c',
        'customModels[c].index: not set → 1',
      ],
    );
    const [header] = compareSettings(
      { customModels: [a] },
      { customModels: [{ ...a, extraHeaders: { h: '[redacted 44444444]' } }] },
    );
    assert.equal(header?.setting, 'customModels[].extraHeaders.*');
    assert.deepEqual(texts({ customModels: [{}, {}, 5] }, { customModels: [{}, {}, 5] }), []);
  });

  it('nothing and not being there are two things where only the service knows what nothing means', () => {
    assert.deepEqual(texts({ tomorrow: null }, {}), ['tomorrow: null → not set']);
    assert.deepEqual(texts({ cloudSessionSync: null, sandbox: { mode: null } }, { sandbox: {} }), []);
    const [policy] = compareSettings(
      { missionPolicy: null },
      { missionPolicy: { restrictedAccess: true }, maxAutonomyLevel: null },
    );
    assert.deepEqual([policy?.path, policy?.direction], ['missionPolicy.restrictedAccess', 'tightens']);
    assert.equal(changeSpoken(policy!), 'missionPolicy.restrictedAccess: from not set to true');
    assert.deepEqual(texts({}, { tomorrow: { a: null } }), ['tomorrow.a: not set → null']);
    assert.deepEqual(texts({ enabledPlugins: { x: true } }, { enabledPlugins: { x: null } }), [
      'enabledPlugins.x: true → null',
    ]);
  });

  it('lists all settings of the first revision, without directions', () => {
    const changes = compareSettings(undefined, { missionPolicy: { restrictedAccess: true }, sandbox: {} });
    assert.deepEqual(changes.map(changeText), [
      'missionPolicy.restrictedAccess: not set → true',
      'sandbox: not set → {}',
    ]);
    assert.ok(changes.every(change => change.direction === undefined));
  });

  it('is summed up, and cut where it is long', () => {
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
  });

  it('control and bidi characters of the service reach no row', () => {
    const [text] = texts({}, { 'na\u202eme\n': 'a\u0007\u2066b' });
    assert.ok(!/[\u0000-\u001f\u202a-\u202e\u2066-\u2069]/.test(text ?? ''), text);
  });

  it('differs exactly when the JSON does, for any settings of unknown names; never throws', () => {
    const value = fc.jsonValue({ maxDepth: 3 });
    const settings = fc.dictionary(fc.string(), value, { maxKeys: 4 });
    fc.assert(
      fc.property(settings, settings, (before, after) => {
        const clean = (each: Settings): unknown => JSON.parse(JSON.stringify(each));
        const changes = compareSettings(before, after);
        changes.forEach(change => assert.equal(typeof changeText(change), 'string'));
        assert.equal(compareSettings(before, before).length, 0);
        assert.equal(changes.length === 0, canonical(clean(before)) === canonical(clean(after)));
      }),
      { numRuns: 300 },
    );
    const known = fc.record(
      {
        customModels: value,
        commandAllowlist: value,
        modelPolicy: value,
        sandbox: value,
        mcpPolicy: value,
        maxAutonomyLevel: value,
        enabledPlugins: value,
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(known, known, (before, after) => {
        compareSettings(before, after).forEach(changeText);
        JSON.parse(stableText(before));
      }),
      { numRuns: 300 },
    );
  });
});

describe('settings as text', () => {
  it('is the same for the same controls: names in order, sets in order, sequences as they are', () => {
    const a = stableText({ b: ['z', 'a'], commandAllowlist: ['z', 'a'], a: { d: 1, c: [] } });
    const b = stableText({ a: { c: [], d: 1 }, commandAllowlist: ['a', 'z'], b: ['z', 'a'] });
    assert.equal(a, b);
    assert.equal(
      a,
      '{\n  "a": {\n    "c": [],\n    "d": 1\n  },\n  "b": [\n    "z",\n    "a"\n  ],\n  "commandAllowlist": [\n    "a",\n    "z"\n  ]\n}\n',
    );
  });

  it('writes hidden characters so that they are seen, and stays the same JSON', () => {
    const text = stableText({ a: 'x\u202ey\u200bz\u2028' });
    assert.ok(text.includes('x\\u202ey\\u200bz\\u2028'));
    assert.deepEqual(JSON.parse(text), { a: 'x\u202ey\u200bz\u2028' });
  });
});
