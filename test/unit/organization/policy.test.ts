import assert from 'node:assert/strict';
import type { Settings } from '../../../src/organization/directions';
import type { Revision } from '../../../src/organization/model';
import { warningsOf, type SessionChoice } from '../../../src/organization/policy';
import { Formatter } from '../../../src/util/format';

const history = (...states: readonly Settings[]): Revision[] =>
  states
    .map((settings, index) => ({
      revision: index + 1,
      settings,
      user: { name: `Admin ${index + 1}` },
      updatedAt: new Date(2026, 10, 10 + index, 12).toISOString(),
    }))
    .reverse();

const warn = (choice: SessionChoice, ...states: readonly Settings[]): string[] =>
  warningsOf(choice, history(...states), new Formatter('en'));

describe('what the controls say against a session', () => {
  it('names the setting, and the revision, person and day it has been so since', () => {
    const blocked = { modelPolicy: { blockedModelIds: ['m'] } };
    assert.deepEqual(warn({ model: 'm' }, {}, blocked, { ...blocked, maxAutonomyLevel: 'low' }), [
      'The controls block the model m (modelPolicy.blockedModelIds, revision 2 by Admin 2, Nov 11, 2026).',
    ]);
    assert.deepEqual(warn({ model: 'm' }, blocked, {}), [], 'only the newest counts');
  });

  it('blames who forbade this choice, not who later changed the same setting for others', () => {
    const blocked = (...ids: string[]): Settings => ({ modelPolicy: { blockedModelIds: ids } });
    const by = (number: number): RegExp => new RegExp(`revision ${number} by Admin ${number},`);
    assert.match(warn({ model: 'x' }, {}, blocked('x'), blocked('x', 'y'))[0] ?? '', by(2));
    assert.match(warn({ model: 'y' }, {}, blocked('x'), blocked('x', 'y'))[0] ?? '', by(3));
    assert.match(warn({ model: 'x' }, blocked('x'), blocked('y'), blocked('y', 'x'))[0] ?? '', by(3), 'anew');
    const allowed = (...ids: string[]): Settings => ({ modelPolicy: { allowedModelIds: ids } });
    assert.match(
      warn({ model: 'x' }, allowed('x', 'a', 'b'), allowed('a', 'b'), allowed('a'))[0] ?? '',
      by(2),
    );
    // The list has stood since 1, but let everything in until 2.
    const open = { modelPolicy: { allowedModelIds: ['a'], allowAllFactoryModels: true } };
    assert.match(warn({ model: 'x' }, open, allowed('a'), allowed('b'))[0] ?? '', by(2));
    // The list forbade it all the time, also while it was blocked as well.
    const both = { modelPolicy: { allowedModelIds: ['a'], blockedModelIds: ['x'] } };
    assert.match(warn({ model: 'x' }, both, allowed('a'))[0] ?? '', by(1));
    const most = (maxAutonomyLevel: string): Settings => ({ maxAutonomyLevel });
    assert.match(warn({ autonomyLevel: 'high' }, most('high'), most('low'), most('medium'))[0] ?? '', by(2));
  });

  it('a setting that decides and could not be read forbids nothing and dates nothing', () => {
    const modelPolicy = { allowedModelIds: ['a'] };
    const of = (...revisions: readonly Revision[]): string | undefined =>
      warningsOf({ model: 'x' }, revisions, new Formatter('en'))[0];
    const flag = ['modelPolicy.allowAllFactoryModels'];
    assert.equal(of({ revision: 1, settings: { modelPolicy }, unread: flag }), undefined);
    const settings = { modelPolicy };
    assert.match(
      of({ revision: 3, settings }, { revision: 2, settings, unread: flag }, { revision: 1, settings: {} }) ??
        '',
      /set between revisions 1 and 3,/,
    );
  });

  it('names nobody where the revision that did it is not known', () => {
    const blocked = { modelPolicy: { blockedModelIds: ['m'] } };
    const of = (...revisions: readonly Revision[]): string | undefined =>
      warningsOf({ model: 'm' }, revisions, new Formatter('en'))[0];
    const made = (revision: number, settings: Settings, unread?: readonly string[]): Revision => ({
      revision,
      settings,
      user: { name: 'Admin' },
      updatedAt: new Date(2026, 10, 10, 12).toISOString(),
      ...(unread === undefined ? {} : { unread }),
    });
    const text = (since: string): string =>
      `The controls block the model m (modelPolicy.blockedModelIds, ${since}, Nov 10, 2026).`;
    assert.equal(of(made(9, blocked), made(8, blocked)), text('at least since revision 8'));
    const between = text('set between revisions 5 and 8');
    assert.equal(of(made(9, blocked), made(8, blocked), made(5, {})), between);
    const unread = ['modelPolicy.blockedModelIds'];
    assert.equal(
      of(made(8, blocked), made(7, {}, unread), made(6, {}, ['modelPolicy']), made(5, {})),
      between,
    );
    assert.equal(of(made(2, blocked), made(1, blocked)), text('revision 1 by Admin'));
  });

  it('models: blocked, not among the allowed, added where that is not allowed', () => {
    const policy = (modelPolicy: Settings, more: Settings = {}): Settings => ({ modelPolicy, ...more });
    const is = (pattern: RegExp | undefined, settings: Settings, model = 'm'): void => {
      const [warning] = warn({ model }, settings);
      if (pattern === undefined) assert.equal(warning, undefined);
      else assert.match(warning ?? '', pattern);
    };
    is(/allowedModelIds/, policy({ allowedModelIds: ['n'] }));
    is(undefined, policy({ allowedModelIds: ['n', 'm'] }));
    is(undefined, policy({ allowedModelIds: [] }));
    is(undefined, policy({ allowedModelIds: ['n'], allowAllFactoryModels: true }));
    is(/blockedModelIds/, policy({ allowedModelIds: ['m'], blockedModelIds: ['m'] }));
    is(/allowCustomModels/, policy({ allowCustomModels: false }, { customModels: [{ id: 'm' }] }));
    is(/allowCustomModels/, policy({ allowCustomModels: false }, { customModels: [{ model: 'm' }] }));
    is(
      undefined,
      policy({ allowCustomModels: true, allowedModelIds: ['n'] }, { customModels: [{ id: 'm' }] }),
    );
    is(undefined, policy({ blockedModelIds: 'm', allowedModelIds: 5 }, { customModels: 'm' }));
    is(undefined, policy({ allowedModelIds: ['n'] }), '');
  });

  it('autonomy above the most, in the order everybody knows; other words say nothing', () => {
    const of = (autonomyLevel: string, maxAutonomyLevel: unknown): number =>
      warn({ autonomyLevel }, { maxAutonomyLevel }).length;
    assert.deepEqual(
      [of('high', 'medium'), of('medium', 'medium'), of('low', 'medium'), of('low', 'off')],
      [1, 0, 0, 1],
    );
    assert.deepEqual(
      [of('turbo', 'low'), of('high', 'turbo'), of('high', undefined), of('high', 5)],
      [0, 0, 0, 0],
    );
  });

  it('the mode of autonomy and the model of the spec mode count as the level and the model do', () => {
    const of = (autonomyMode: string): number => warn({ autonomyMode }, { maxAutonomyLevel: 'low' }).length;
    assert.deepEqual(['auto-high', 'auto-medium', 'auto-low', 'normal', 'spec'].map(of), [1, 1, 0, 0, 0]);
    assert.match(
      warn({ autonomyMode: 'auto-high' }, { maxAutonomyLevel: 'low' })[0] ?? '',
      /auto-high is above/,
    );
    const limited = (choice: SessionChoice, maxAutonomyLevel: string): string | undefined =>
      warn(choice, { maxAutonomyLevel })[0];
    assert.match(
      limited({ autonomyLevel: 'high' }, 'auto-medium') ?? '',
      /up to auto-medium, and high is above/,
    );
    assert.match(limited({ autonomyMode: 'auto-high' }, 'auto-low') ?? '', /auto-high is above/);
    assert.equal(limited({ autonomyLevel: 'medium' }, 'auto-medium'), undefined);
    const blocked = { modelPolicy: { blockedModelIds: ['m'] } };
    assert.match(warn({ specModeModel: 'm' }, blocked)[0] ?? '', /block the model m/);
    assert.equal(warn({ model: 'm', specModeModel: 'm' }, blocked).length, 1, 'told once');
    assert.equal(warn({ model: 'n', specModeModel: 'm', autonomyLevel: 'low' }, blocked).length, 1);
  });

  it('computers: own machines and hosted ones, only where the controls say no', () => {
    const settings = { byomComputersEnabled: false, managedComputersEnabled: false };
    assert.match(warn({ computerProvider: 'byom' }, settings)[0] ?? '', /byomComputersEnabled/);
    assert.match(warn({ computerProvider: 'cloud' }, settings)[0] ?? '', /managedComputersEnabled/);
    assert.deepEqual(warn({ computerProvider: 'byom' }, { managedComputersEnabled: false }), []);
    assert.deepEqual(warn({ computerProvider: '' }, settings), []);
  });

  it('says nothing where nothing is known or chosen, and its text makes no link', () => {
    assert.deepEqual(warn({ model: 'm' }), []);
    assert.deepEqual(warn({}, { maxAutonomyLevel: 'off' }), []);
    const evil = '[x](command:workbench.action.quit)';
    const [warning] = warningsOf(
      { model: evil },
      [{ revision: 1, settings: { modelPolicy: { blockedModelIds: [evil] } }, user: { name: evil } }],
      new Formatter('en'),
    );
    assert.ok(warning?.includes('unknown time') && !warning.includes(']('), warning);
  });
});
