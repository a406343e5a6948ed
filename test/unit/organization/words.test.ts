import assert from 'node:assert/strict';
import { activityOf, nameOf, type Person, type UsageOfPeople } from '../../../src/organization/data';
import { compareSettings, type Settings } from '../../../src/organization/changes';
import { warningsOf, type SessionChoice } from '../../../src/organization/policy';
import { historyCsv, peopleCsv, personFacts, personStatus } from '../../../src/organization/rows';

const NOW = Date.UTC(2026, 10, 21, 12);
const DAY_MS = 24 * 60 * 60 * 1000;
const ago = (days: number): string => new Date(NOW - days * DAY_MS).toISOString();

const people: readonly Person[] = [
  { id: 'u1', firstName: 'Åsa', lastName: 'Berg', email: 'asa@acme.example', lastSignInAt: ago(2) },
  { id: 'u2', email: 'nobody@acme.example', lastSignInAt: ago(90), createdAt: ago(400) },
  { id: 'u3', firstName: 'Zoë', lastSignInAt: 'never' },
  { id: 'u4', firstName: 'Bo', createdAt: ago(3) },
  { id: 'u5', firstName: '  ', lastName: '\u202egnp.exe', lastSignInAt: ago(40) },
];
const usage: UsageOfPeople = new Map([['u2', { lastActiveDay: '2026-11-19', tokens: 1_234_567 }]]);
const activity = (joined?: UsageOfPeople): string[] =>
  people.map(person => activityOf(person, joined?.get(person.id), NOW));

describe('users', () => {
  it('have a name whatever is missing, and are inactive when neither they nor their agents were seen for 30 days', () => {
    assert.deepEqual(people.map(nameOf), ['Åsa Berg', 'nobody@acme.example', 'Zoë', 'Bo', '\u202egnp.exe']);
    assert.deepEqual(activity(), ['active', 'inactive', 'unknown', 'unknown', 'inactive']);
    assert.deepEqual(activity(usage), ['active', 'active', 'unknown', 'unknown', 'inactive']);
  });

  it('of whom no sign-in and no use is known are not known, wherever they are shown', () => {
    for (const lastSignInAt of [undefined, '', 'soon']) {
      const person: Person = { id: 'x', createdAt: ago(400), lastSignInAt };
      assert.equal(personStatus(person, undefined, NOW), 'activity unknown');
      assert.equal(peopleCsv([person], undefined, NOW).split('\r\n')[1]?.split(',')[6], '');
      const used = { lastActiveDay: '2026-11-19', tokens: { value: 1500, known: 29, of: 30 } };
      const status = 'last sign-in unknown · 1.5K (29 of 30 days) tokens';
      assert.equal(personStatus(person, used, NOW), status);
      const row = /,false,2026-11-19,1500 \(29 of 30\)\r\n$/;
      assert.match(peopleCsv([person], new Map([['x', used]]), NOW), row);
    }
    const facts = new Map(personFacts({ id: 'x' }, undefined));
    for (const name of ['Last sign-in', 'Last active day (UTC)', 'Tokens, last 30 days (UTC)'])
      assert.equal(facts.get(name), 'not known');
  });

  it('are exported with what is known, and nothing a spreadsheet would run', () => {
    const text = peopleCsv([{ ...people[1]!, firstName: '=HYPERLINK("x")' }], usage, NOW);
    assert.equal(
      text,
      'id,email,first_name,last_name,joined,last_sign_in,inactive,last_active_day_utc,billable_tokens_30_days_utc\r\n' +
        `u2,nobody@acme.example,"'=HYPERLINK(""x"")",,${ago(400)},${ago(90)},false,2026-11-19,1234567\r\n`,
    );
    assert.ok(!peopleCsv(people, undefined, NOW).includes('tokens'));
  });
});

describe('control history', () => {
  it('is exported one changed setting a line, and one line for a revision that changed none', () => {
    const made = (revision: number, settings: object) => ({
      revision,
      settings: { ...settings },
      user: { name: 'b' },
      updatedAt: '2026-11-12T12:00:00Z',
    });
    const [third, second, first] = [
      made(3, { maxAutonomyLevel: 'high' }),
      made(2, { modelPolicy: { allowCustomModels: false } }),
      made(1, { modelPolicy: { allowCustomModels: false } }),
    ] as const;
    const known = (before: typeof first, revision: typeof first) => ({
      ...{ ...revision, before },
      changes: compareSettings(before.settings, revision.settings),
    });
    const start = '2026-11-12T12:00:00.000Z,b,';
    assert.deepEqual(historyCsv([known(second, third), known(first, second)]).split('\r\n'), [
      'revision,time,person,email,setting,change,before,after,direction,compared_with',
      `3,${start},maxAutonomyLevel,added,,"""high""",,2`,
      `3,${start},modelPolicy.allowCustomModels,removed,false,,,2`,
      `2,${start},,,,,,1`,
      '',
    ]);
  });
});

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
