import assert from 'node:assert/strict';
import { historyCsv, peopleCsv } from '../../../src/organization/exports';
import {
  choosePeople,
  groupByDay,
  nameOf,
  passesHistory,
  sortRevisions,
  timeOf,
  type PeopleFilter,
  type Person,
  type Revision,
  type UsageOfPeople,
} from '../../../src/organization/model';
import { compareSettings } from '../../../src/organization/changes';
import { exportedText, filterText, personFacts, personStatus } from '../../../src/organization/words';
import { Formatter } from '../../../src/util/format';

const NOW = Date.UTC(2026, 10, 21, 12);
const DAY_MS = 24 * 60 * 60 * 1000;
const ago = (days: number): string => new Date(NOW - days * DAY_MS).toISOString();

const people: readonly Person[] = [
  {
    id: 'u1',
    firstName: 'Åsa',
    lastName: 'Berg',
    email: 'asa@acme.example',
    lastSignInAt: ago(2),
    createdAt: ago(400),
  },
  { id: 'u2', email: 'nobody@acme.example', lastSignInAt: ago(90), createdAt: ago(400) },
  { id: 'u3', firstName: 'Zoë', createdAt: ago(400), lastSignInAt: 'never' },
  { id: 'u4', firstName: 'Bo', createdAt: ago(3) },
  { id: 'u5', firstName: '  ', lastName: '\u202egnp.exe', lastSignInAt: ago(40) },
];
const usage: UsageOfPeople = new Map([['u2', { lastActiveDay: '2026-11-19', tokens: 1_234_567 }]]);
const context = (joined?: UsageOfPeople) => ({
  usage: joined,
  now: NOW,
  compare: new Intl.Collator('en').compare,
});
const choose = (filter: PeopleFilter, joined?: UsageOfPeople): string[] =>
  choosePeople(people, filter, context(joined)).map(({ id }) => id);

describe('users', () => {
  it('have a name whatever is missing', () => {
    assert.deepEqual(people.map(nameOf), ['Åsa Berg', 'nobody@acme.example', 'Zoë', 'Bo', '\u202egnp.exe']);
  });

  it('are sorted by name', () => {
    assert.deepEqual(
      choose({}).filter(id => id !== 'u5'),
      ['u1', 'u4', 'u2', 'u3'],
    );
  });

  it('are inactive when neither they nor their agents were seen for 30 days', () => {
    assert.deepEqual(choose({ activity: 'inactive' }).sort(), ['u2', 'u5']);
    assert.deepEqual(choose({ activity: 'inactive' }, usage).sort(), ['u5']);
  });

  it('of whom no sign-in and no use is known are not known, wherever they are shown', () => {
    const format = new Formatter('en');
    assert.deepEqual(choose({ activity: 'unknown' }).sort(), ['u3', 'u4']);
    assert.equal(filterText({ activity: 'unknown' }, {}, []), 'activity unknown');
    for (const lastSignInAt of [undefined, '', 'soon']) {
      const person: Person = {
        id: 'x',
        createdAt: ago(400),
        ...(lastSignInAt === undefined ? {} : { lastSignInAt }),
      };
      assert.equal(personStatus(person, undefined, format, NOW), 'activity unknown');
      assert.equal(peopleCsv([person], undefined, NOW).split('\r\n')[1]?.split(',')[6], '');
      const used = { lastActiveDay: '2026-11-19', tokens: { value: 1500, known: 29, of: 30 } };
      assert.equal(
        personStatus(person, used, format, NOW),
        'last sign-in unknown · 1.5K (29 of 30 days) tokens',
      );
      assert.match(
        peopleCsv([person], new Map([['x', used]]), NOW),
        /,false,2026-11-19,1500 \(29 of 30\)\r\n$/,
      );
    }
    const facts = new Map(personFacts({ id: 'x' }, undefined, format));
    for (const name of ['Last sign-in', 'Last active day (UTC)', 'Tokens, last 30 days (UTC)']) {
      assert.equal(facts.get(name), 'not known');
    }
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

const revisions: readonly Revision[] = sortRevisions([
  { revision: 1, settings: {}, updatedAt: '2026-11-10T12:00:00', user: { id: 'a', name: 'Ann' } },
  {
    revision: 3,
    settings: { maxAutonomyLevel: 'high' },
    updatedAt: '2026-11-12T12:00:00',
    user: { id: 'b' },
  },
  { revision: 4, settings: {}, updatedAt: 'soon' },
  {
    revision: 2,
    settings: { modelPolicy: { allowCustomModels: false } },
    updatedAt: '2026-11-12T10:00:00',
    user: { id: 'a' },
  },
]);
const changesOf = (revision: Revision) => {
  const before = revisions[revisions.indexOf(revision) + 1];
  return compareSettings(before ?? { settings: {} }, revision);
};
const filtered = (filter: Parameters<typeof passesHistory>[1]): number[] =>
  revisions.filter(each => passesHistory(each, filter, changesOf)).map(({ revision }) => revision);

describe('control history', () => {
  it('is newest first, by local day', () => {
    assert.deepEqual(
      revisions.map(({ revision }) => revision),
      [4, 3, 2, 1],
    );
    assert.deepEqual(
      [...groupByDay(revisions)].map(([day, each]) => [day, each.map(({ revision }) => revision)]),
      [
        ['', [4]],
        ['2026-11-12', [3, 2]],
        ['2026-11-10', [1]],
      ],
    );
  });

  it('is filtered by person and setting, together', () => {
    assert.deepEqual(filtered({ person: 'a' }), [2, 1]);
    assert.deepEqual(filtered({ setting: 'modelPolicy' }), [3, 2]);
    assert.deepEqual(filtered({ setting: 'modelPolicy.allowCustomModels' }), [3, 2]);
    assert.deepEqual(filtered({ setting: 'model' }), []);
    assert.deepEqual(filtered({ person: 'a', setting: 'modelPolicy' }), [2]);
    assert.deepEqual(filtered({}), [4, 3, 2, 1]);
  });

  it('says what it is filtered by', () => {
    assert.equal(filterText({}, {}, revisions), '');
    assert.equal(
      filterText({ activity: 'inactive' }, { person: 'a', setting: 'modelPolicy' }, revisions),
      'inactive · a · modelPolicy',
    );
  });

  it('is exported one changed setting a line', () => {
    assert.equal(
      historyCsv(revisions.slice(1, 2), changesOf, () => ({ revision: 1, settings: {} })),
      'revision,time,person,email,setting,change,before,after,direction,compared_with\r\n' +
        `3,${new Date('2026-11-12T12:00:00').toISOString()},b,,maxAutonomyLevel,added,,"""high""",,1\r\n` +
        `3,${new Date('2026-11-12T12:00:00').toISOString()},b,,modelPolicy.allowCustomModels,removed,false,,,1\r\n`,
    );
  });

  it('exports a line also of a revision that changed no setting', () => {
    const same: Revision = {
      revision: 3,
      settings: {},
      user: { name: 'b' },
      updatedAt: '2026-11-12T12:00:00Z',
    };
    const lines = historyCsv(
      [same],
      () => [],
      () => ({ revision: 2, settings: {} }),
    ).split('\r\n');
    assert.deepEqual(lines.slice(1), ['3,2026-11-12T12:00:00.000Z,b,,,,,,,2', '']);
  });

  it('takes no text for a time that is none', () => {
    assert.equal(timeOf('soon'), undefined);
    assert.equal(timeOf(undefined), undefined);
    assert.equal(timeOf('2026-11-20T10:00:00Z'), Date.UTC(2026, 10, 20, 10));
  });
});

describe('the sentence after an export', () => {
  it('counts one row as one', () => {
    const format = new Formatter('en');
    assert.equal(exportedText(1, 1, format), '1 row exported.');
    assert.equal(exportedText(1200, 1200, format), '1,200 rows exported.');
    assert.equal(exportedText(1, 8, format), '1 of 8 rows exported: those the filter shows.');
  });
});
