import assert from 'node:assert/strict';
import { historyCsv, peopleCsv } from '../../../src/organization/exports';
import {
  choosePeople,
  groupByDay,
  isInactive,
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
import { personFacts, personStatus } from '../../../src/organization/facts';
import { readDays } from '../../../src/organization/pickers';
import { filterText, permalinkText, revisionsExported, usersExported } from '../../../src/organization/words';
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
const usage: UsageOfPeople = new Map([['u2', { lastActiveDay: '2026-11-19', billableTokens: 1_234_567 }]]);
const context = (joined?: UsageOfPeople) => ({
  usage: joined,
  now: NOW,
  inactiveDays: 30,
  compare: new Intl.Collator('en').compare,
});
const choose = (filter: Partial<PeopleFilter>, joined?: UsageOfPeople): string[] =>
  choosePeople(people, { sort: 'name', ...filter }, context(joined)).map(({ id }) => id);

describe('users', () => {
  it('have a name whatever is missing', () => {
    assert.deepEqual(people.map(nameOf), ['Åsa Berg', 'nobody@acme.example', 'Zoë', 'Bo', '\u202egnp.exe']);
  });

  it('are found by any part of name, e-mail or id, in any letter case', () => {
    assert.deepEqual(choose({ text: ' åSA b' }), ['u1']);
    assert.deepEqual(choose({ text: 'NOBODY@' }), ['u2']);
    assert.deepEqual(choose({ text: 'U3' }), ['u3']);
    assert.deepEqual(choose({ text: 'nothing like it' }), []);
  });

  it('are sorted by name or by last sign-in; who has no known sign-in comes last, or first when the longest ago is asked for', () => {
    assert.deepEqual(choose({ sort: 'latest' }), ['u1', 'u5', 'u2', 'u4', 'u3']);
    assert.deepEqual(choose({ sort: 'longestAgo' }).slice(2), ['u2', 'u5', 'u1']);
    assert.deepEqual(
      choose({}).filter(id => id !== 'u5'),
      ['u1', 'u4', 'u2', 'u3'],
    );
  });

  it('are inactive when neither they nor their agents were seen; newcomers are not', () => {
    assert.deepEqual(choose({ seen: 'inactive' }).sort(), ['u2', 'u3', 'u5']);
    assert.deepEqual(choose({ seen: 'inactive' }, usage).sort(), ['u3', 'u5']);
    assert.deepEqual(choose({ seen: 'unknown' }).sort(), ['u3', 'u4']);
    assert.equal(isInactive({ id: 'x' }, undefined, NOW, 30), false, 'nothing is known');
  });

  it('nobody is said never to have signed in: the service may only not tell', () => {
    const format = new Formatter('en');
    for (const lastSignInAt of [undefined, '', 'soon']) {
      const person: Person = { id: 'x', ...(lastSignInAt === undefined ? {} : { lastSignInAt }) };
      assert.equal(
        personStatus(person, undefined, isInactive(person, undefined, NOW, 30), format, NOW),
        'last sign-in not known',
      );
    }
    const signIn = personFacts({ id: 'x' }, undefined, format).find(([name]) => name === 'Last sign-in');
    assert.equal(signIn?.[1], 'not known');
    assert.equal(filterText({ sort: 'name', seen: 'unknown' }, {}, []), 'last sign-in not known');
  });

  it('are exported with what is known, and nothing a spreadsheet would run', () => {
    const text = peopleCsv([{ ...people[1]!, firstName: '=HYPERLINK("x")' }], usage, NOW, 30);
    assert.equal(
      text,
      'id,email,first_name,last_name,joined,last_sign_in,inactive,last_active_day_utc,billable_tokens_30_days_utc\r\n' +
        `u2,nobody@acme.example,"'=HYPERLINK(""x"")",,${ago(400)},${ago(90)},false,2026-11-19,1234567\r\n`,
    );
    assert.ok(!peopleCsv(people, undefined, NOW, 30).includes('tokens'));
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
  {
    revision: 2,
    settings: { modelPolicy: { allowCustomModels: true } },
    updatedAt: '2026-11-12T09:00:00',
    user: { id: 'a' },
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
  it('is newest first, each revision once, by local day', () => {
    assert.deepEqual(
      revisions.map(({ revision }) => revision),
      [4, 3, 2, 1],
    );
    assert.equal(revisions[2]?.updatedAt, '2026-11-12T10:00:00', 'the last one read counts');
    assert.deepEqual(
      [...groupByDay(revisions)].map(([day, each]) => [day, each.map(({ revision }) => revision)]),
      [
        ['', [4]],
        ['2026-11-12', [3, 2]],
        ['2026-11-10', [1]],
      ],
    );
  });

  it('is filtered by person, setting and days, together', () => {
    assert.deepEqual(filtered({ person: 'a' }), [2, 1]);
    assert.deepEqual(filtered({ setting: 'modelPolicy' }), [3, 2]);
    assert.deepEqual(filtered({ setting: 'modelPolicy.allowCustomModels' }), [3, 2]);
    assert.deepEqual(filtered({ setting: 'model' }), []);
    assert.deepEqual(filtered({ from: '2026-11-11' }), [3, 2]);
    assert.deepEqual(filtered({ to: '2026-11-10' }), [1]);
    assert.deepEqual(filtered({ person: 'a', from: '2026-11-11', setting: 'modelPolicy' }), [2]);
    assert.deepEqual(filtered({}), [4, 3, 2, 1]);
  });

  it('says what it is filtered by', () => {
    assert.equal(filterText({ sort: 'name' }, {}, revisions), '');
    assert.equal(
      filterText(
        { sort: 'name', text: 'ber', seen: 'inactive' },
        { person: 'a', setting: 'modelPolicy', from: '2026-11-01', to: '2026-11-02' },
        revisions,
      ),
      'ber · inactive · a · modelPolicy · 2026-11-01 – 2026-11-02',
    );
    assert.equal(filterText({ sort: 'name' }, { from: '2026-11-01' }, revisions), '2026-11-01 –');
  });

  it('reads days as people write them', () => {
    assert.deepEqual(readDays('2026-11-01 2026-11-20'), { from: '2026-11-01', to: '2026-11-20' });
    assert.deepEqual(readDays(' 2026-11-01 … 2026-11-20'.replace('…', '...')), {
      from: '2026-11-01',
      to: '2026-11-20',
    });
    assert.deepEqual(readDays('2026-11-01'), { from: '2026-11-01', to: '2026-11-01' });
    for (const text of [
      '',
      'yesterday',
      '2026-13-01',
      '2026-02-30',
      '2026-11-20 2026-11-01',
      '2026-11-01 x',
    ]) {
      assert.equal(readDays(text), undefined, text);
    }
  });

  it('is passed on as text with revision, person and exact time', () => {
    const revision: Revision = {
      revision: 45,
      settings: {},
      updatedAt: '2026-11-20T10:00:00+02:00',
      user: { name: 'Ann\nEvil', email: 'ann@acme.example' },
    };
    const changes = compareSettings(
      { settings: { maxAutonomyLevel: 'high' } },
      { settings: { maxAutonomyLevel: 'low' } },
    );
    assert.equal(
      permalinkText(revision, { revision: 44, settings: {} }, changes, 'api.acme.example'),
      'Control revision 45 by Ann Evil <ann@acme.example> at 2026-11-20T08:00:00.000Z\n' +
        'Service: api.acme.example\n- maxAutonomyLevel: high → low (tightens)',
    );
    assert.match(
      permalinkText(revision, { revision: 40, settings: {} }, changes, undefined),
      /\nChanges since revision 40; those in between are not known, and others may have made them:\n- max/,
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
  it('counts one user and one revision as one', () => {
    const format = new Formatter('en');
    assert.equal(usersExported(1, 1, format), '1 user exported.');
    assert.equal(usersExported(1200, 1200, format), '1,200 users exported.');
    assert.equal(usersExported(1, 8, format), '1 of 8 users exported: those that the filter shows.');
    assert.equal(revisionsExported(1, 1, format), '1 revision exported.');
    assert.equal(revisionsExported(2, 2, format), '2 revisions exported.');
  });
});
