import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { addDays } from '../../../src/usage/report/calendar';
import { activityOfPeople } from '../../../src/usage/report/people';
import { knownOf, type Amount } from '../../../src/util/amount';
import { bounds, tokenRows, userRows } from '../../fakes/usage';
import { cells, DAYS, FIRST, SECOND, THIRD, type Days } from './support';
import { figure, inSteps, known, lines, report, section, series, sumOf } from './support';

const count = fc.integer({ min: 0, max: 1_000_000 });
const name = fc.constantFrom('a', 'b', 'A', 'B', 'c', '__proto__', 'x\ny', '');
/** The service has nothing of a day, long after it is through with it. */
const nothing = { at: Date.parse('2026-11-20'), rows: [], problems: [] };
const user = (user_id: string, billable_tokens?: number) => ({ user_id, billable_tokens });
const LAST_TWO = { range: { start: SECOND, end: THIRD } };

describe('a usage report', () => {
  it('adds up tokens as an independent calculation does', () => {
    const model = { model_id: name, model_tier: name, billable_tokens: count, input_tokens: count };
    const by_model = fc.array(fc.record(model, { requiredKeys: ['model_id'] }), { maxLength: 6 });
    const person = { user_id: name, billable_tokens: count, by_model };
    const by_user = fc.array(fc.record(person, { requiredKeys: ['user_id'] }), { maxLength: 6 });
    const day = fc.record({ billable_tokens: count, by_model, by_user }, { requiredKeys: [] });
    fc.assert(
      fc.property(fc.tuple(day, day, day), rows => {
        const made = report('tokens', rows);
        const billable = rows.flatMap(row => row.billable_tokens ?? []);
        const wanted = billable.length === 0 ? undefined : sumOf(billable, each => each);
        assert.equal(figure(made, 'billable'), wanted);
        const models = rows.flatMap(row => row.by_model ?? []);
        const ids = section(made, 'models').table.rows.map(({ id }) => id.split('\u0000')[0]);
        const inputs = cells(made, 'models', 'input').map(([input]) => knownOf(input as Amount));
        for (const { model_id: id } of models) {
          const wanted = sumOf(models, each => (each.model_id === id ? each.input_tokens : 0));
          const shown = sumOf(inputs, (input, at) => (ids[at] === id ? input : 0));
          assert.equal(shown, wanted);
        }
        rows.forEach(({ by_model: own }, at) => {
          const stacked = sumOf(series(made, 'days'), ({ values }) => knownOf(values[at] ?? null));
          const wanted = own === undefined ? stacked : sumOf(own, each => each.billable_tokens);
          assert.equal(stacked, wanted);
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
      user_messages: fc.integer({ min: 0, max: 500 }),
      autonomy_ratio: fc.integer({ min: 0, max: 40 }),
    });
    const day = fc.uniqueArray(row, { selector: each => each.user_id, maxLength: 6 });
    fc.assert(
      fc.property(fc.tuple(day, day, day), rows => {
        const made = report('people', rows);
        const shown = section(made, 'people').table.rows;
        assert.equal(shown.length, new Set(rows.flat().map(each => each.user_id)).size);
        const values = cells(made, 'people', 'days', 'tool_calls', 'autonomy_ratio');
        for (const [at, { person }] of shown.entries()) {
          const own = rows.flat().filter(each => each.user_id === person);
          const messages = sumOf(own, each => each.user_messages);
          const weighted = sumOf(own, each => each.autonomy_ratio * each.user_messages);
          const [days, calls, ratio] = values[at]!;
          assert.deepEqual([days, calls], [own.length, sumOf(own, each => each.tool_calls)]);
          if (messages === 0) assert.equal(ratio, null);
          else assert.ok(Math.abs(Number(ratio) - weighted / messages) < 1e-9);
        }
      }),
      { numRuns: 150 },
    );
  });

  it('folds servers by letter case and rare odd tools, says so, and takes it back', () => {
    const named =
      (field: string) =>
      ([name, invocations]: [string, number]) => ({ [field]: name, invocations });
    const day = {
      by_tool: Object.entries({ Read: 10_000, 'Read</tool>\n<x': 2 }).map(named('tool')),
      mcp_by_server: Object.entries({ docs: 5, Docs: 3, web: 1 }).map(named('server')),
    };
    const tools = ['Read | 10000', 'Other (odd names: 1) | 2', 'Total | 10002'];
    const [folded, raw] = [report('tools', [day]), report('tools', [day], { folded: false })];
    for (const [id, wanted, explained] of [
      ['servers', ['docs | 8', 'web | 1', 'Total | 9'], /: 2 spellings\.$/],
      ['tools', tools, / less than 0\.1% of the calls, .* in one row\.$/],
    ] as const) {
      assert.deepEqual(lines(folded, id, 'name0', 'count'), wanted);
      assert.match(section(folded, id).explanation, explained);
      assert.doesNotMatch(section(raw, id).explanation, explained);
      assert.equal(section(raw, id).table.rows.length, id === 'servers' ? 3 : 2);
      assert.ok(section(raw, id).isFoldable);
    }
    assert.ok(!section(raw, 'skills').isFoldable);
  });

  it('never adds up people or averages over days', () => {
    const clients = { daily_active_users_by_client: { web: 2, tv: 1 } };
    const made = report('activity', {
      [FIRST]: { daily_active_users: 3, weekly_active_users: 5, ...clients },
      [THIRD]: { daily_active_users: 4, weekly_active_users: 6 },
    });
    assert.deepEqual([figure(made, 'daily'), figure(made, 'weekly')], [3.5, 6]);
    assert.equal(section(made, 'active').table.total, undefined);
    assert.deepEqual(made.missing, [SECOND]);
    assert.deepEqual(series(made, 'active')[0]?.values, [3, null, 4]);
    assert.equal(lines(made, 'clients', 'client=tv')[0], '1');
    const ratios = [1, 9, 2].map(ratio => ({ autonomy_ratio_avg: ratio }));
    assert.equal(figure(report('tools', ratios), 'autonomyAverage'), 2);
  });

  it('compares with the period before only where every day of both is known', () => {
    const day = (index: number): string => addDays('2026-11-07', index);
    const range = { start: day(7), end: day(13) };
    const rows = Array.from({ length: 14 }, (_, index) => [day(index), { billable_tokens: 100 }]);
    const all = known(Object.fromEntries(rows) as Days);
    // An hour after its end the service has nothing of a day.
    const settling = { at: Date.parse('2026-11-21T01:00:00Z'), rows: [], problems: [] };
    for (const [days, now, before, isComparable] of [
      [all, 700, 700, true],
      [new Map([...all, [day(13), settling]]), 600, undefined, false],
      [new Map([...all, [day(6), settling]]), 700, undefined, false],
      [new Map([...all].slice(0, 10)), 300, undefined, false],
    ] as const) {
      const made = report('tokens', days, { range, compare: true });
      const [billable] = made.figures;
      const told = [knownOf(billable?.value), billable?.previous, made.isComparable, made.previousRange];
      assert.deepEqual(told, [now, before, isComparable, { start: day(0), end: day(6) }]);
    }
    const late = report('tokens', new Map([...all].slice(2)), { range });
    assert.equal(late.unread, 2, 'of the days compared with');
    const earliest = { range: { start: bounds.start, end: '2026-01-15' }, compare: true };
    assert.equal(report('tokens', all, earliest).previousRange, undefined);
  });

  it('compares people over days on which nobody worked, unless they may still come or could not be read', () => {
    const range = { start: '2026-11-07', end: '2026-11-13' };
    const weekend = ['2026-10-31', '2026-11-01', '2026-11-07', '2026-11-08'];
    const days = Array.from({ length: 14 }, (_, at) => addDays('2026-10-31', at));
    const worked = days.filter(day => !weekend.includes(day)).map(day => [day, [user('u1', 10)]]);
    const all = known(Object.fromEntries(worked) as Days);
    for (const day of weekend) all.set(day, nothing);
    const made = report('people', all, { range, compare: true });
    assert.deepEqual([figure(made, 'billable_tokens'), made.figures[1]?.previous], [50, 50]);
    assert.deepEqual(lines(made, 'days', 'people', 'billable_tokens').slice(1, 3), ['0 | 0', '1 | 10']);
    const early = Date.parse('2026-11-08T01:00:00Z');
    for (const unsure of [{ at: early }, { problems: ['user_id is missing'] }]) {
      const less = report('people', new Map([...all, ['2026-11-07', { ...nothing, ...unsure }]]), { range });
      assert.deepEqual([less.missing, less.isComparable], [['2026-11-07'], false]);
      assert.equal(lines(less, 'days', 'people')[0], '–');
    }
  });

  it('reads a day of which the service has no row as missing, and says so, on every other tab', () => {
    for (const [tab, id, row] of [
      ['tokens', 'billable', { billable_tokens: 100 }],
      ['tools', 'calls', { tool_calls: 100 }],
      ['activity', 'sessions', { sessions: 100 }],
      ['productivity', 'commits', { git_commits: 100 }],
    ] as const) {
      const made = report(tab, known([row, row, row]).set(SECOND, nothing));
      const { value } = made.figures.find(each => each.id === id) ?? {};
      assert.deepEqual([value, made.missing], [{ value: 200, known: 2, of: 3 }, [SECOND]], tab);
      const daily = made.sections.find(({ table }) => table.columns.some(column => column.id === id));
      assert.equal(lines(made, daily!.id, id)[1], '–', tab);
    }
  });

  it('shows a figure that is missing of a person as missing: in rows, sums, shares and order', () => {
    const first = [user('a'), user('b', 30), user('c', 10)];
    const days = [first, [user('a'), user('b', 20), user('c')]];
    const made = report(
      'tokens',
      days.map(by_user => ({ billable_tokens: 100, by_user })),
    );
    const users = ['b | 50 | –', 'c | 10 (1 of 2) | –', 'a | – | –', 'Total | 60 (1 of 3) | –'];
    assert.deepEqual(lines(made, 'users', 'name0', 'billable', 'share'), users);
    const everybody = report('people', [[{ user_id: 'a', tool_calls: 1 }, user('b', 0)]]);
    const order = ['b | 0', 'a | –'];
    assert.deepEqual(lines(everybody, 'people', 'person', 'billable_tokens').slice(0, 2), order);
    assert.equal(lines(everybody, 'days', 'billable_tokens')[0], '0 (1 of 2)');
  });

  it('counts days of a person without a figure as not known, not as days without use', () => {
    const days = [
      [user('a', 5), user('b'), user('c', 1)],
      [user('d', 1)],
      [user('a', 7), user('b'), user('c')],
    ].map((rows, at) => rows.map(each => ({ ...each, date: DAYS[at]! })));
    const { people } = activityOfPeople(days);
    assert.deepEqual(people.get('a'), { lastActiveDay: THIRD, tokens: 12 });
    assert.deepEqual(people.get('b'), { lastActiveDay: THIRD, tokens: undefined });
    assert.deepEqual(people.get('c')?.tokens, { value: 1, known: 2, of: 3 });
    assert.equal(people.get('d')?.tokens, 1);
    const without = (day?: []) => activityOfPeople([days[0]!, day, days[2]!]).people.get('a')?.tokens;
    assert.deepEqual([without(), without([])], [{ value: 12, known: 2, of: 3 }, 12]);
  });

  it('says of how many days a breakdown is known', () => {
    const by_language = [{ language: 'Go', count: 1 }];
    const explained = (second: object): string => {
      const made = report('productivity', [{ by_language }, { ...second }, { by_language }]);
      return section(made, 'languages').explanation;
    };
    assert.match(explained({ git_commits: 1 }), / Known for 2 of 3 days\.$/);
    assert.doesNotMatch(explained({ by_language }), /Known for/);
  });

  it('draws models as the service has them: without a figure, and of the days before also those used no more', () => {
    const drawn = (days: Days, compare = false) =>
      series(report('tokens', days, { compare, ...LAST_TWO }), 'days').map(({ id, values, previous }) =>
        compare ? [id, values, previous] : [id, values],
      );
    const model = (model_id: string, billable_tokens?: number) => ({ model_id, billable_tokens });
    const unknown = { billable_tokens: 9, by_model: [model('m'), model('n', 5)] };
    assert.deepEqual(drawn({ [SECOND]: unknown, [THIRD]: {} }), [
      ['model=n', [5, null]],
      ['model=m', [null, null]],
    ]);
    const days = {
      '2026-10-25': { by_model: [model('old', 40)] },
      '2026-10-26': { by_model: [model('kept', 30)] },
      [SECOND]: { by_model: [model('kept', 50)] },
      [THIRD]: { by_model: [model('kept', 60)] },
    };
    assert.deepEqual(drawn(days, true), [
      ['model=kept', [50, 60], [0, 30]],
      ['model=old', [0, 0], [40, 0]],
    ]);
    assert.equal(drawn(days).length, 1);
  });

  it('names people by made-up names that stay the same, and nobody else, not even in what could not be read', () => {
    const row = { user_id: 'u1', user_email: 'ann@acme.example', billable_tokens: 5 };
    const directory = [{ id: 'u2', name: 'bob@acme.example' }];
    const ask = (salt: string) => report('people', [[row]], { pseudonyms: true }, { directory, salt });
    const first = ask('one');
    const shown = JSON.stringify(
      first.sections.map(({ title, table }) => [title, table.columns, table.rows.map(each => each.cells)]),
    );
    assert.doesNotMatch(shown, /ann|bob|u1|u2/i);
    assert.match(shown, /Person [2-9A-Z]{6}/);
    assert.deepEqual(ask('one'), first);
    assert.notDeepEqual(ask('two').sections, first.sections);
    const problems = ['ann@acme.example: user_messages: no number'];
    for (const pseudonyms of [false, true]) {
      const made = report('people', new Map([[FIRST, { ...nothing, problems }]]), { pseudonyms });
      assert.deepEqual(made.unreadable, { count: 1, names: pseudonyms ? [] : problems });
    }
  });

  it('shows one person’s days', () => {
    const other = { user_id: 'u2', billable_tokens: 70 };
    const own = { user_id: 'u1', billable_tokens: 5, languages: ['Go'], user_messages: 2, autonomy_ratio: 3 };
    const made = report('people', [[own, other], [], [other]], { person: 'u1' });
    assert.deepEqual([figure(made, 'billable_tokens'), figure(made, 'days')], [5, 1]);
    // The second day may still come; on the third only others worked.
    const days = ['5 | Go | 3', '– |  | –', '0 |  | –', '5 (2 of 3) |  | 3 (2 of 3)'];
    assert.deepEqual(lines(made, 'person', 'billable_tokens', 'languages', 'autonomy_ratio'), days);
  });

  it('marks changes of controls, without names among pseudonyms, in the table of days too', () => {
    const revisions = [
      { revision: 7, day: THIRD, who: 'Ann', changed: ['mcpPolicy', 'maxAutonomyLevel'] },
      { revision: 8, day: THIRD, changed: [] },
      { revision: 6, day: '2026-01-20', changed: [] },
    ];
    const dates = ['2026-10-25', '2026-10-26', SECOND, THIRD];
    const days = Object.fromEntries(dates.map((day, at) => [day, { git_commits: at + 1 }]));
    const asked = { ...LAST_TWO, compare: true };
    const marked = report('productivity', days, asked, { revisions });
    const mark = 'Controls, revision 7 · mcpPolicy, +1 · Ann';
    assert.deepEqual(marked.markers[0], { day: THIRD, label: mark });
    assert.deepEqual(lines(marked, 'git', 'day', 'day:before', 'commits', 'commits:before', 'controls'), [
      `${SECOND} | 2026-10-25 | 3 | 1 | `,
      `${THIRD} | 2026-10-26 | 4 | 2 | ${mark}; Controls, revision 8`,
      'Total | – | 7 | 3 | ',
    ]);
    const { columns } = section(report('productivity', days, { ...asked, compare: false }), 'git').table;
    assert.ok(columns.every(({ id }) => id !== 'controls' && !id.endsWith(':before')));
    const hidden = report('productivity', days, { ...asked, pseudonyms: true }, { revisions });
    assert.equal(hidden.markers[0]?.label, 'Controls, revision 7 · mcpPolicy, +1');
  });

  it('reads autonomy levels in parts of one and of a hundred, and their names as foreign text', () => {
    const levels = { auto_high: 25, manual: 25, 'x\u202ey': 50 };
    const days = [{ auto_high: 0.25, manual: 0.75 }, levels, { auto_high: 0, manual: 0 }];
    const made = report(
      'tools',
      days.map(day => ({ tool_autonomy_level_ratio: day })),
    );
    const shares = ['0.25 | 0.75', '0.25 | 0.25', '0 | 0'];
    assert.deepEqual(lines(made, 'levels', 'level=auto_high', 'level=manual'), shares);
    assert.ok(section(made, 'levels').table.columns.some(({ label }) => label === 'x\ufffdy'));
  });

  it('says of people without activity when they last were, where that is known', () => {
    const more = { directory: ['u1', 'u2', 'u3'].map(id => ({ id, name: `${id}@acme.example` })) };
    const days = { [FIRST]: [user('u2', 5)], [SECOND]: [user('u1', 5)], '2026-10-30': [user('u2', 5)] };
    const inactive = lines(report('people', days, LAST_TWO, more), 'inactive', 'person', 'last');
    assert.deepEqual(inactive, [`u2@acme.example | ${FIRST}`, 'u3@acme.example | –']);
    const made = report('people', {}, LAST_TWO, more);
    assert.equal(figure(made, 'inactive'), undefined);
    assert.ok(made.sections.every(({ id }) => id !== 'inactive'));
  });

  it('of people, and of tokens, never reads all of its days and people at once', () => {
    let reads = 0;
    /** Each read of a field is told. */
    const watched = (value: object): object =>
      new Proxy(value, {
        get: (target, name) => {
          const field: unknown = Reflect.get(target, name);
          if (typeof name === 'string') reads++;
          return typeof field === 'object' && field !== null ? watched(field) : field;
        },
      });
    const range = { start: '2026-01-14', end: '2026-02-12' };
    for (const [tab, made] of [
      ['people', userRows],
      ['tokens', tokenRows],
    ] as const) {
      const rows = Map.groupBy(made({ days: 30, people: 100 }), ({ date }) => date as string);
      const recordOf = (of: readonly object[]) => ({ ...nothing, rows: of.map(watched) as never });
      const days = new Map([...rows].map(([day, of]) => [day, recordOf(of)]));
      const steps = inSteps(tab, days, { range }, { bounds: range, directory: [{ id: 'somebody else' }] });
      const each: number[] = [];
      for (let isDone = false; !isDone; reads = 0) {
        isDone = steps.next().done === true;
        each.push(reads);
      }
      const all = sumOf(each, count => count);
      assert.ok(all > 30_000, `${all} reads of ${tab}`);
      assert.ok(Math.max(...each) < all / 5, `${Math.max(...each)} of ${all} reads of ${tab} in one step`);
    }
  });
});
