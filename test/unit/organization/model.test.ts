import assert from 'node:assert/strict';
import { activityOf, nameOf, type Person, type UsageOfPeople } from '../../../src/organization/data';
import { compareSettings } from '../../../src/organization/changes';
import { historyCsv, peopleCsv, personFacts, personStatus } from '../../../src/organization/words';
import { Formatter } from '../../../src/util/format';

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
    const format = new Formatter('en');
    for (const lastSignInAt of [undefined, '', 'soon']) {
      const person: Person = { id: 'x', createdAt: ago(400), lastSignInAt };
      assert.equal(personStatus(person, undefined, format, NOW), 'activity unknown');
      assert.equal(peopleCsv([person], undefined, NOW).split('\r\n')[1]?.split(',')[6], '');
      const used = { lastActiveDay: '2026-11-19', tokens: { value: 1500, known: 29, of: 30 } };
      const status = 'last sign-in unknown · 1.5K (29 of 30 days) tokens';
      assert.equal(personStatus(person, used, format, NOW), status);
      const row = /,false,2026-11-19,1500 \(29 of 30\)\r\n$/;
      assert.match(peopleCsv([person], new Map([['x', used]]), NOW), row);
    }
    const facts = new Map(personFacts({ id: 'x' }, undefined, format));
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
