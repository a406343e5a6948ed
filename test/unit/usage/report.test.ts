import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { DayRecord } from '../../../src/usage/days/day';
import type { KnownDays } from '../../../src/usage/report/report';
import type { TabReport } from '../../../src/usage/report/types';
import { knownOf, type Amount } from '../../../src/util/amount';
import {
  agrees,
  BOUNDS,
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

const count = fc.integer({ min: 0, max: 1_000_000 });
const name = fc.constantFrom('a', 'b', 'A', 'B', 'c', '__proto__', 'x\ny', '');

describe('a usage report', () => {
  it('adds up tokens as an independent calculation does, and its totals are those of its rows', () => {
    const model = fc.record(
      { model_id: name, model_tier: name, billable_tokens: count, input_tokens: count, output_tokens: count },
      { requiredKeys: ['model_id'] },
    );
    const day = fc.record(
      {
        billable_tokens: count,
        cache_read_tokens: count,
        by_model: fc.array(model, { maxLength: 12 }),
        by_user: fc.array(
          fc.record(
            { user_id: name, billable_tokens: count, by_model: fc.array(model, { maxLength: 3 }) },
            { requiredKeys: ['user_id'] },
          ),
          { maxLength: 6 },
        ),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(day, { minLength: 3, maxLength: 3 }), rows => {
        const made = report(range('tokens'), known('tokens', byDay(rows)), extras);
        agrees(made);
        let billable: number | undefined;
        for (const row of rows) {
          if (row.billable_tokens !== undefined) billable = (billable ?? 0) + row.billable_tokens;
        }
        assert.equal(figure(made, 'billable'), billable);
        const models = section(made, 'models');
        for (const wanted of new Set(rows.flatMap(row => row.by_model ?? []).map(each => each.model_id))) {
          const input = rows
            .flatMap(row => row.by_model ?? [])
            .filter(each => each.model_id === wanted)
            .reduce((sum, each) => sum + (each.input_tokens ?? 0), 0);
          const shown = models.table.rows
            .filter(row => row.id.split('\u0000')[0] === wanted)
            .reduce((sum, row) => sum + (knownOf(cell(models, row, 'input') as Amount) ?? 0), 0);
          assert.equal(shown, input);
        }
        rows.forEach(({ by_model }, at) => {
          if (by_model === undefined) return;
          const stacked = series(made, 'days').reduce(
            (sum, { values }) => sum + (knownOf(values[at] ?? null) ?? 0),
            0,
          );
          assert.equal(
            stacked,
            by_model.reduce((sum, each) => sum + (each.billable_tokens ?? 0), 0),
          );
        });
      }),
      { numRuns: 150 },
    );
  });

  it('adds up people, and weighs ratios by messages', () => {
    const row = fc.record({
      user_id: name.filter(id => id !== ''),
      billable_tokens: count,
      tool_calls: count,
      sessions: count,
      user_messages: fc.integer({ min: 0, max: 500 }),
      autonomy_ratio: fc.integer({ min: 0, max: 40 }),
    });
    const day = fc.uniqueArray(row, { selector: each => each.user_id, maxLength: 6 });
    fc.assert(
      fc.property(fc.array(day, { minLength: 3, maxLength: 3 }), rows => {
        const days = known('people', Object.fromEntries(DAYS.map((each, at) => [each, rows[at]!])));
        const made = report(range('people'), days, extras);
        agrees(made);
        const all = rows.flat();
        const people = section(made, 'people');
        assert.equal(people.table.rows.length, new Set(all.map(each => each.user_id)).size);
        for (const shown of people.table.rows) {
          const own = all.filter(each => each.user_id === shown.person);
          assert.equal(cell(people, shown, 'days'), own.length);
          assert.equal(
            cell(people, shown, 'tool_calls'),
            own.reduce((sum, each) => sum + each.tool_calls, 0),
          );
          const messages = own.reduce((sum, each) => sum + each.user_messages, 0);
          const weighted = own.reduce((sum, each) => sum + each.autonomy_ratio * each.user_messages, 0);
          const ratio = cell(people, shown, 'autonomy_ratio');
          if (messages === 0) assert.equal(ratio, null);
          else assert.ok(Math.abs(Number(ratio) - weighted / messages) < 1e-9);
        }
      }),
      { numRuns: 150 },
    );
  });

  it('counts a person once a day, also where that day was stored twice', () => {
    const row = { user_id: 'u1', billable_tokens: 450_000 };
    const made = report(range('people'), known('people', { [DAYS[0]!]: [row, row] }), extras);
    assert.equal(figure(made, 'billable_tokens'), 450_000);
    assert.equal(section(made, 'people').table.rows[0]?.cells[1], 1);
  });

  it('folds servers by letter case and rare odd tools, says so, and takes it back', () => {
    const days = known('tools', {
      [DAYS[0]!]: [
        {
          tool_calls: 10_003,
          by_tool: [
            { tool: 'Read', invocations: 10_000 },
            { tool: 'Read</tool>\n<x', invocations: 2 },
          ],
          mcp_by_server: [
            { server: 'docs', invocations: 5 },
            { server: 'Docs', invocations: 3 },
            { server: 'web', invocations: 1 },
          ],
        },
      ],
    });
    const folded = report(range('tools'), days, extras);
    assert.deepEqual(
      section(folded, 'servers').table.rows.map(({ cells }) => cells.slice(0, 2)),
      [
        ['docs', 8],
        ['web', 1],
      ],
    );
    assert.deepEqual(
      section(folded, 'tools').table.rows.map(({ cells }) => cells.slice(0, 2)),
      [
        ['Read', 10_000],
        ['Other (odd names: 1)', 2],
      ],
    );
    assert.deepEqual(
      folded.notes.map(({ id, names }) => [id, names.map(({ name, count }) => `${name} ${count}`)]),
      [
        ['tools', ['Read</tool>\\n<x 2']],
        ['servers', ['docs 5', 'Docs 3']],
      ],
    );
    assert.deepEqual(
      folded.notes.map(({ sentence }) => /: ([^:]*)$/.exec(sentence)?.[1]),
      ['1 name, 2 calls.', '2 spellings, 1 server.'],
    );
    const raw = report(range('tools', { folded: false }), days, extras);
    assert.deepEqual(raw.notes, []);
    assert.equal(section(raw, 'servers').table.rows.length, 3);
    for (const each of [folded, raw]) agrees(each);
  });

  it('never adds up people or averages over days', () => {
    const activity = known('activity', {
      [DAYS[0]!]: [
        { daily_active_users: 3, weekly_active_users: 5, daily_active_users_by_client: { web: 2, tv: 1 } },
      ],
      [DAYS[2]!]: [{ daily_active_users: 4, weekly_active_users: 6 }],
    });
    const made = report(range('activity'), activity, extras);
    assert.equal(figure(made, 'daily'), 3.5);
    assert.equal(figure(made, 'weekly'), 6);
    assert.equal(section(made, 'active').table.total, undefined);
    assert.deepEqual(made.missing?.days, [DAYS[1]]);
    assert.deepEqual(series(made, 'active')[0]?.values, [3, null, 4]);
    assert.ok(section(made, 'clients').table.columns.some(({ id }) => id === 'client=tv'));
    const tools = known(
      'tools',
      Object.fromEntries(DAYS.map((day, at) => [day, [{ autonomy_ratio_avg: [1, 9, 2][at] }]])),
    );
    const ratios = report(range('tools'), tools, extras);
    assert.equal(figure(ratios, 'autonomyAverage'), 2);
  });

  it('compares with the period before only where that is known in full', () => {
    const rows = (from: string, to: string): KnownDays => {
      const days: Record<string, Loose[]> = {};
      for (let at = Date.parse(from); at <= Date.parse(to); at += 86_400_000)
        days[new Date(at).toISOString().slice(0, 10)] = [{ git_commits: 1 }];
      return known('productivity', days);
    };
    const ask = (start: string, end: string, days: KnownDays): TabReport =>
      report(query('productivity', start, end, { compare: true }), days, extras);
    const full = ask('2026-11-01', '2026-11-02', rows('2026-10-25', '2026-11-02'));
    assert.deepEqual(full.previousRange, { start: '2026-10-25', end: '2026-10-26' });
    assert.equal(full.figures.find(({ id }) => id === 'commits')?.previous, 2);
    const partly = ask('2026-11-01', '2026-11-02', rows('2026-10-26', '2026-11-02'));
    assert.equal(partly.figures.find(({ id }) => id === 'commits')?.previous, undefined);
    assert.deepEqual(series(partly, 'git')[0]?.previous, [null, 1]);
    assert.equal(partly.unfinished, 'before');
    assert.equal(full.unfinished, undefined);
    assert.equal(ask('2026-01-14', '2026-01-15', rows('2026-01-14', '2026-01-15')).previousRange, undefined);
  });

  it('does not take a range with days missing, or with a day that is not there yet, for a fall', () => {
    const day = (index: number): string => new Date(Date.UTC(2026, 10, 7 + index)).toISOString().slice(0, 10);
    const asked = query('tokens', day(7), day(13), { compare: true });
    const ask = (days: KnownDays): [number | undefined, number | undefined, unknown] => {
      const made = report(asked, days, extras);
      const [billable] = made.figures;
      return [knownOf(billable?.value), billable?.previous, made.unfinished];
    };
    const rows = Array.from({ length: 14 }, (_, index) => [day(index), [{ billable_tokens: 100 }]]);
    const all = known('tokens', Object.fromEntries(rows) as Record<string, Loose[]>);
    assert.deepEqual(ask(all), [700, 700, undefined]);
    // An hour after its end the service has nothing of the last day.
    const settling = new DayRecord('tokens', Date.parse('2026-11-21T01:00:00Z'), []);
    assert.deepEqual(ask(new Map([...all, [day(13), settling]])), [600, undefined, 'range']);
    assert.deepEqual(ask(new Map([...all, [day(6), settling]])), [700, undefined, 'before']);
    // Where the same days of both are missing, the others are set against each other.
    assert.deepEqual(ask(new Map([...all, [day(3), settling], [day(10), settling]])), [600, 600, undefined]);
    assert.deepEqual(ask(new Map([...all].slice(0, 10))), [300, undefined, 'range']);
  });

  it('reads a day of which the service has nothing as missing, in every tab, and says so', () => {
    for (const [tab, id, row] of [
      ['tokens', 'billable', { billable_tokens: 100 }],
      ['tools', 'calls', { tool_calls: 100 }],
      ['activity', 'sessions', { sessions: 100 }],
      ['productivity', 'commits', { git_commits: 100 }],
      ['people', 'billable_tokens', { user_id: 'u1', billable_tokens: 100 }],
    ] as const) {
      const days = known(tab, { [DAYS[0]!]: [row], [DAYS[1]!]: [], [DAYS[2]!]: [row] });
      // Long after the day the service is through with it.
      const records = new Map([...days, [DAYS[1]!, new DayRecord(tab, Date.parse('2026-11-20'), [])]]);
      const made = report(range(tab), records, extras);
      const wanted = { value: 200, known: 2, of: 3 };
      assert.deepEqual(made.figures.find(each => each.id === id)?.value, wanted, tab);
      assert.deepEqual(made.missing, { days: [DAYS[1]], unread: 0, problem: undefined }, tab);
      const { table } = made.sections.find(each => each.table.columns.some(column => column.id === id))!;
      const at = table.columns.findIndex(column => column.id === id);
      if (table.rows.length === 3) assert.equal(table.rows[1]?.cells[at], null, tab);
      if (tab === 'people')
        assert.deepEqual(section(made, 'days').table.rows[1]?.cells.slice(1, 3), [null, null]);
    }
  });

  it('shows a figure that is missing of a person as missing: in rows, sums, shares and order', () => {
    const user = (user_id: string, billable_tokens?: number) => ({ user_id, billable_tokens });
    const days = known('tokens', {
      [DAYS[0]!]: [{ billable_tokens: 100, by_user: [user('a'), user('b', 30), user('c', 10)] }],
      [DAYS[1]!]: [{ billable_tokens: 100, by_user: [user('a'), user('b', 20), user('c')] }],
    });
    const users = section(report(range('tokens'), days, extras), 'users').table;
    assert.deepEqual(
      users.rows.map(({ cells }) => cells.slice(0, 3)),
      [
        ['b', 50, null],
        ['c', { value: 10, known: 1, of: 2 }, null],
        ['a', null, null],
      ],
    );
    assert.deepEqual(users.total?.slice(1, 3), [{ value: 60, known: 1, of: 3 }, null]);
    const people = known('people', {
      [DAYS[0]!]: [
        { user_id: 'a', tool_calls: 1 },
        { user_id: 'b', billable_tokens: 0 },
      ],
    });
    const everybody = section(report(range('people'), people, extras), 'people');
    assert.deepEqual(
      everybody.table.rows.map(row => [row.id, cell(everybody, row, 'billable_tokens')]),
      [
        ['b', 0],
        ['a', null],
      ],
    );
    assert.deepEqual(section(report(range('people'), people, extras), 'days').table.rows[0]?.cells[2], {
      value: 0,
      known: 1,
      of: 2,
    });
  });

  it('says of how many days a breakdown is known', () => {
    const by_language = [{ language: 'Go', count: 1 }];
    const rows = [{ by_language }, { git_commits: 1 }, { by_language }];
    const made = report(range('productivity'), known('productivity', byDay(rows)), extras);
    assert.match(section(made, 'languages').explanation, / Known of 2 of 3 days\.$/);
    const all = known('productivity', byDay(rows.map(row => ({ ...row, by_language }))));
    assert.doesNotMatch(
      section(report(range('productivity'), all, extras), 'languages').explanation,
      /Known/,
    );
  });

  it('does not stack a model without a figure as one without tokens', () => {
    const by_model = [{ model_id: 'm' }, { model_id: 'n', billable_tokens: 5 }];
    const days = known('tokens', { [DAYS[0]!]: [{ billable_tokens: 9, by_model }] });
    const made = report(range('tokens'), days, extras);
    const drawn = series(made, 'days').map(({ id, values }) => [id, values[0]]);
    assert.deepEqual(Object.fromEntries(drawn), { 'model=m': null, 'model=n': 5 });
  });

  it('names people by made-up names that stay the same, and nobody else', () => {
    const days = known('people', {
      [DAYS[0]!]: [{ user_id: 'u1', user_email: 'ann@acme.example', billable_tokens: 5 }],
    });
    const people = [{ id: 'u2', email: 'bob@acme.example', name: 'Bob' }];
    const ask = (salt: string): TabReport =>
      report(range('people', { pseudonyms: true }), days, { ...extras, directory: people, salt });
    const first = ask('one');
    const cells = JSON.stringify(
      first.sections.map(({ title, table }) => [title, table.columns, table.rows.map(row => row.cells)]),
    );
    assert.doesNotMatch(cells, /ann|bob|u1|u2/i);
    assert.match(cells, /Person [2-9A-Z]{6}/);
    assert.deepEqual(ask('one'), first);
    assert.notDeepEqual(ask('two').sections, first.sections);
  });

  it('shows one person’s days', () => {
    const days = known('people', {
      [DAYS[0]!]: [
        { user_id: 'u1', billable_tokens: 5, languages: ['Go'], user_messages: 2, autonomy_ratio: 3 },
        { user_id: 'u2', billable_tokens: 70 },
      ],
      [DAYS[1]!]: [],
      [DAYS[2]!]: [{ user_id: 'u2', billable_tokens: 70 }],
    });
    const made = report(range('people', { person: 'u1' }), days, extras);
    assert.equal(figure(made, 'billable_tokens'), 5);
    assert.equal(figure(made, 'days'), 1);
    const shown = section(made, 'person');
    assert.equal(shown.table.rows.length, 3);
    // The service has nothing of the second day; on the third only others worked.
    assert.deepEqual(
      shown.table.rows.map(row => cell(shown, row, 'billable_tokens')),
      [5, null, 0],
    );
    assert.equal(cell(shown, shown.table.rows[0], 'languages'), 'Go');
    assert.equal(cell(shown, shown.table.rows[0], 'autonomy_ratio'), 3);
    for (const row of shown.table.rows) assert.equal(row.cells.length, shown.table.columns.length);
    assert.equal(shown.table.total?.length, shown.table.columns.length);
  });

  it('says through which day there is data: the last one known, not yesterday', () => {
    const through = (days: KnownDays) => report(range('tokens'), days, extras).through;
    assert.equal(through(known('tokens', { [DAYS[0]!]: [{ billable_tokens: 1 }] })), DAYS[0]);
    assert.equal(through(known('tokens', {})), undefined);
    const settling = new DayRecord('tokens', Date.parse('2026-11-21'), []);
    const only = report(query('tokens', BOUNDS.end, BOUNDS.end), new Map([[BOUNDS.end, settling]]), extras);
    assert.equal(only.through, undefined);
  });

  it('marks changes of controls, without names among pseudonyms', () => {
    const revisions = [
      { revision: 7, day: DAYS[1]!, who: 'Ann', changed: ['maxAutonomyLevel', 'mcpPolicy'] },
      { revision: 6, day: '2026-01-20', changed: [] },
    ];
    const ask = (pseudonyms: boolean) =>
      report(range('activity', { pseudonyms }), known('activity', {}), { ...extras, revisions }).markers;
    assert.deepEqual(ask(false), [
      { day: DAYS[1], label: 'Controls, revision 7 · maxAutonomyLevel, +1 · Ann' },
    ]);
    assert.deepEqual(ask(true), [{ day: DAYS[1], label: 'Controls, revision 7 · maxAutonomyLevel, +1' }]);
  });
});

function byDay(rows: readonly Loose[]): Record<string, Loose[]> {
  return Object.fromEntries(DAYS.map((day, at) => [day, [rows[at]!]]));
}
