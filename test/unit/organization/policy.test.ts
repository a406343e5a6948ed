import assert from 'node:assert/strict';
import type { Settings } from '../../../src/organization/catalogue';
import { warningsOf, type SessionChoice } from '../../../src/organization/policy';

const warn = (choice: SessionChoice, settings: Settings): string[] =>
  warningsOf(choice, { revision: 7, settings });

describe('what the controls say against a session', () => {
  it('names the setting and the revision it is of', () => {
    assert.deepEqual(warn({ model: 'm' }, { modelPolicy: { blockedModelIds: ['m'] } }), [
      'The controls block the model m (modelPolicy.blockedModelIds, as of revision 7).',
    ]);
  });

  const policy = (modelPolicy: Settings, more: Settings = {}): Settings => ({ modelPolicy, ...more });
  const custom = { customModels: [{ id: 'm' }] };
  const rules: readonly (readonly [SessionChoice, Settings, RegExp | undefined])[] = [
    [{ model: 'm' }, policy({ allowedModelIds: ['n'] }), /do not allow the model m \(.*allowedModelIds/],
    [{ model: 'm' }, policy({ allowedModelIds: ['n', 'm'] }), undefined],
    [{ model: 'm' }, policy({ allowedModelIds: [] }), undefined],
    [{ model: 'm' }, policy({ allowedModelIds: ['n'], allowAllFactoryModels: true }), undefined],
    [{ model: 'm' }, policy({ allowedModelIds: ['m'], blockedModelIds: ['m'] }), /blockedModelIds/],
    [{ model: 'm' }, policy({ allowCustomModels: false }, custom), /allowCustomModels/],
    [
      { model: 'm' },
      policy({ allowCustomModels: false }, { customModels: [{ model: 'm' }] }),
      /CustomModels/,
    ],
    [{ model: 'm' }, policy({ allowCustomModels: true, allowedModelIds: ['n'] }, custom), undefined],
    [{ model: 'm' }, policy({ blockedModelIds: 'm', allowedModelIds: 5 }, { customModels: 'm' }), undefined],
    [{ model: 'm' }, policy({ allowedModelIds: ['n'], allowAllFactoryModels: 'some' }), undefined],
    [{ model: 'm' }, policy({ allowedModelIds: ['n', 5] }), undefined],
    [{ model: 'm' }, policy({ allowedModelIds: ['n'] }, { customModels: ['m'] }), undefined],
    [{ model: '' }, policy({ allowedModelIds: ['n'] }), undefined],
    [{ model: 'm', specModeModel: 'm' }, policy({ blockedModelIds: ['m'] }), /block the model m/],
    [{ autonomyLevel: 'high' }, { maxAutonomyLevel: 'medium' }, /up to medium, and high is above/],
    [{ autonomyLevel: 'medium' }, { maxAutonomyLevel: 'medium' }, undefined],
    [{ autonomyLevel: 'low' }, { maxAutonomyLevel: 'off' }, /up to off/],
    [{ autonomyLevel: 'turbo' }, { maxAutonomyLevel: 'low' }, undefined],
    [{ autonomyLevel: 'high' }, { maxAutonomyLevel: 'turbo' }, undefined],
    [{ autonomyLevel: 'high' }, { maxAutonomyLevel: 5 }, undefined],
    [{ autonomyLevel: 'high' }, {}, undefined],
    [{ autonomyLevel: 'high' }, { maxAutonomyLevel: 'auto-medium' }, /up to auto-medium/],
    [{ autonomyMode: 'auto-high' }, { maxAutonomyLevel: 'auto-low' }, /auto-high is above/],
    [{ autonomyMode: 'auto-medium' }, { maxAutonomyLevel: 'low' }, /auto-medium is above/],
    [{ autonomyMode: 'auto-low' }, { maxAutonomyLevel: 'low' }, undefined],
    [{ autonomyMode: 'spec' }, { maxAutonomyLevel: 'low' }, undefined],
    [{ computerProvider: 'byom' }, { byomComputersEnabled: false }, /own machines.*byomComputersEnabled/],
    [{ computerProvider: 'cloud' }, { managedComputersEnabled: false }, /hosted.*managedComputersEnabled/],
    [{ computerProvider: 'byom' }, { managedComputersEnabled: false }, undefined],
    [{ computerProvider: '' }, { managedComputersEnabled: false }, undefined],
    [{}, { maxAutonomyLevel: 'off' }, undefined],
  ];
  it('tells of models, autonomy and computers, and nothing that is not certain', () => {
    for (const [choice, settings, wanted] of rules) {
      const told = warn(choice, settings);
      const what = `${JSON.stringify(choice)} ${JSON.stringify(settings)}: ${told.join()}`;
      assert.equal(told.length, wanted === undefined ? 0 : 1, what);
      if (wanted !== undefined) assert.match(told[0] ?? '', wanted, what);
    }
    assert.deepEqual(warningsOf({ model: 'm' }, undefined), []);
  });

  it('makes no link of foreign text', () => {
    const evil = '[x](command:workbench.action.quit)';
    const [warning] = warn({ model: evil }, policy({ blockedModelIds: [evil] }));
    assert.ok(warning !== undefined && !warning.includes(']('), warning);
  });
});
