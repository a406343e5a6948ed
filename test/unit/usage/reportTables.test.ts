import assert from 'node:assert/strict';
import type { UserDay } from '../../../src/api';
import { DayRecord } from '../../../src/usage/days/day';
import { activityOfPeople } from '../../../src/usage/report/people';
import type { KnownDays } from '../../../src/usage/report/report';
import {
  agrees,
  cell,
  DAYS,
  extras,
  figure,
  known,
  range,
  report,
  section,
  series,
  type Loose,
} from './reports';
import { query } from './support';

describe('the tables of a usage report', () => {
  it('has in the table of days what its chart shows: the period before and the marks', () => {
    const revisions = [
      { revision: 7, day: '2026-11-02', who: 'Ann', changed: ['mcpPolicy'] },
      { revision: 8, day: '2026-11-02', changed: [] },
    ];
    const rows = ['2026-10-25', '2026-10-26', '2026-11-01', '2026-11-02'].map((day, at) => [
      day,
      [{ git_commits: at + 1, git_prs_created: 10 * at }],
    ]);
    const days = known('productivity', Object.fromEntries(rows) as Record<string, Loose[]>);
    const asked = query('productivity', '2026-11-01', '2026-11-02', { compare: true });
    const made = report(asked, days, { ...extras, revisions });
    const git = section(made, 'git');
    assert.deepEqual(
      git.table.rows.map(row =>
        ['day', 'day:before', 'commits', 'commits:before', 'controls'].map(id => cell(git, row, id)),
      ),
      [
        ['2026-11-01', '2026-10-25', 3, 1, ''],
        ['2026-11-02', '2026-10-26', 4, 2, 'Controls, revision 7 · mcpPolicy · Ann; Controls, revision 8'],
      ],
    );
    agrees(made);
    const plainly = section(report({ ...asked, compare: false }, days, extras), 'git');
    assert.ok(plainly.table.columns.every(({ id }) => id !== 'controls' && !id.endsWith(':before')));
    const person = known('people', {
      '2026-11-01': [{ user_id: 'u1', billable_tokens: 5, user_messages: 2, autonomy_ratio: 3 }],
      '2026-10-25': [{ user_id: 'u1', billable_tokens: 2 }],
    });
    const own = section(
      report(query('people', '2026-11-01', '2026-11-01', { compare: true, person: 'u1' }), person, {
        ...extras,
        revisions,
      }),
      'person',
    );
    assert.equal(cell(own, own.table.rows[0], 'billable_tokens:before'), 2);
    assert.equal(own.table.total?.[own.table.columns.findIndex(({ id }) => id === 'autonomy_ratio')], 3);
    for (const row of [own.table.total, ...own.table.rows.map(({ cells }) => cells)])
      assert.equal(row.length, own.table.columns.length);
  });

  it('reads autonomy levels in parts of one and of a hundred, and their names as foreign text', () => {
    const made = report(
      range('tools'),
      known('tools', {
        [DAYS[0]!]: [{ tool_autonomy_level_ratio: { auto_high: 0.25, manual: 0.75 } }],
        [DAYS[1]!]: [{ tool_autonomy_level_ratio: { auto_high: 25, manual: 25, 'x\u202ey': 50 } }],
        [DAYS[2]!]: [{ tool_autonomy_level_ratio: { auto_high: 0, manual: 0 } }],
      }),
      extras,
    );
    const { table } = section(made, 'levels');
    const values = (id: string) => series(made, 'levels').find(each => each.id === `level=${id}`)?.values;
    assert.deepEqual(values('auto_high'), [0.25, 0.25, 0]);
    assert.deepEqual(values('manual'), [0.75, 0.25, 0]);
    assert.equal(table.columns.find(({ id }) => id.startsWith('level=x'))?.label, 'x\ufffdy');
  });

  it('says of people without activity when they last were, and "never" only when every day is known', () => {
    const directory = ['u1', 'u2', 'u3'].map(id => ({ id, email: `${id}@acme.example` }));
    const bounds = { start: '2026-10-30', end: '2026-11-02' };
    const ask = (days: KnownDays) =>
      section(
        report(query('people', '2026-11-01', '2026-11-02'), days, { ...extras, bounds, directory }),
        'inactive',
      ).table.rows.map(({ cells }) => cells.slice(0, 2));
    const days = {
      '2026-10-31': [{ user_id: 'u2', billable_tokens: 5 }],
      '2026-11-01': [{ user_id: 'u1', billable_tokens: 5 }],
      '2026-11-02': [{ user_id: 'u1', billable_tokens: 5 }],
    };
    const more = [{ user_id: 'u2', billable_tokens: 1 }];
    assert.deepEqual(ask(known('people', days)), [
      ['u2@acme.example', '2026-10-31'],
      ['u3@acme.example', 'none from 2026-10-31 on'],
    ]);
    // The service has nothing of a day: somebody may have been active on it.
    assert.deepEqual(ask(known('people', { ...days, '2026-10-30': [] }))[1], [
      'u3@acme.example',
      'none from 2026-10-31 on',
    ]);
    assert.deepEqual(ask(known('people', { ...days, '2026-10-30': more })), [
      ['u2@acme.example', '2026-10-31'],
      ['u3@acme.example', 'never'],
    ]);
    const nothing = report(query('people', '2026-11-01', '2026-11-02'), known('people', {}), {
      ...extras,
      directory,
    });
    assert.equal(figure(nothing, 'inactive'), undefined);
    assert.ok(nothing.sections.every(({ id }) => id !== 'inactive'));
    assert.deepEqual(ask(known('people', { '2026-10-30': more, '2026-11-01': more })).at(-1), [
      'u3@acme.example',
      null,
    ]);
  });

  it('draws of the days before also models that are used no more', () => {
    const row = (model_id: string, billable_tokens: number) => ({
      billable_tokens,
      by_model: [{ model_id, billable_tokens }],
    });
    const days = known('tokens', {
      '2026-10-25': [row('old', 40)],
      '2026-10-26': [row('kept', 30)],
      '2026-11-01': [row('kept', 50)],
      '2026-11-02': [row('kept', 60)],
    });
    const drawn = (compare: boolean) => {
      const made = report(query('tokens', '2026-11-01', '2026-11-02', { compare }), days, extras);
      return series(made, 'days').map(({ id, values, previous }) => [id, values, previous]);
    };
    assert.deepEqual(drawn(true), [
      ['model=kept', [50, 60], [0, 30]],
      ['model=old', [0, 0], [40, 0]],
    ]);
    assert.equal(drawn(false).length, 1);
  });

  it('tells what could not be read, without names among pseudonyms', () => {
    const unread = new DayRecord(
      'people',
      Date.parse('2026-11-20'),
      [],
      ['ann@acme.example: user_messages: no number'],
    );
    const noted = (pseudonyms: boolean): string =>
      JSON.stringify(report(range('people', { pseudonyms }), new Map([[DAYS[0]!, unread]]), extras).notes);
    assert.match(noted(false), /ann@acme/);
    assert.match(noted(true), /could not be read/);
    assert.doesNotMatch(noted(true), /ann/);
  });

  it('counts no missing day and no missing figure of a person as none', () => {
    const user = (user_id: string, billable_tokens?: number) => ({ user_id, billable_tokens });
    const first = [user('a', 5), user('b'), user('c', 1)];
    const last = [user('a', 7), user('b'), user('c')];
    const read = (days: Parameters<typeof known>[1]) =>
      Object.fromEntries(
        activityOfPeople(DAYS.map(day => (known('people', days).get(day)?.rows ?? []) as readonly UserDay[])),
      );
    const whole = read({ [DAYS[0]!]: first, [DAYS[1]!]: [user('d', 1)], [DAYS[2]!]: last });
    assert.deepEqual(whole['a'], { lastActiveDay: DAYS[2], tokens: 12 });
    assert.deepEqual(whole['b'], { lastActiveDay: DAYS[2], tokens: undefined });
    assert.deepEqual(whole['c']?.tokens, { value: 1, known: 2, of: 3 });
    assert.deepEqual(whole['d']?.tokens, 1);
    assert.deepEqual(read({ [DAYS[0]!]: first, [DAYS[1]!]: [], [DAYS[2]!]: last })['a']?.tokens, {
      value: 12,
      known: 2,
      of: 3,
    });
  });
});
