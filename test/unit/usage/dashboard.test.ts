import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { inTurns } from '../../../src/usage/data';
import { addDays, firstState, Formatter, lengthOf, pageState, queryOf } from '../../../src/usage/protocol';
import type { Preset, UsageProtocol } from '../../../src/usage/protocol';
import { periodBefore } from '../../../src/usage/report/calendar';
import { copyOf, csvOf, jsonOf, shown } from '../../../src/usage/report/table';
import type { Cell, Steps, Table, TabReport } from '../../../src/usage/report/types';
import { pageSide } from '../../../src/webview/ipc';
import { later } from '../../fakes/cleanUp';
import { bounds, FakeDashboard, hostileNames } from '../../fakes/usage';
import { until } from '../../until';
import { query as queryFor } from './support';

/** Most of them are within what may be asked for. */
const day = fc
  .date({ min: new Date('2025-12-01'), max: new Date('2027-01-01'), noInvalidDate: true })
  .map(date => date.toISOString().slice(0, 10));

describe('the dashboard', () => {
  const query = queryOf(firstState, bounds);

  it('has days that lie within what may be asked for, whatever is chosen, and are compared with as many some whole weeks before', () => {
    const preset = fc.constantFrom<Preset>('7', '30', '90', 'all', 'custom');
    fc.assert(
      fc.property(preset, day, day, (chosen, a, b) => {
        const custom = a <= b ? { start: a, end: b } : { start: b, end: a };
        const { range } = queryOf({ ...firstState, preset: chosen, custom }, bounds);
        assert.ok(range.start >= bounds.start && range.end <= bounds.end && range.start <= range.end);
        if (chosen !== 'custom' && chosen !== 'all') assert.equal(lengthOf(range), Number(chosen));
        const before = periodBefore(range);
        assert.equal(lengthOf(before), lengthOf(range));
        assert.ok(before.end < range.start && addDays(before.end, 7) >= range.start, 'as near as can be');
        assert.equal(new Date(before.start).getUTCDay(), new Date(range.start).getUTCDay());
      }),
    );
  });

  /** A dashboard, and a page's end that talks with it. */
  const open = () => {
    const heard: string[] = [];
    const made: FakeDashboard = new FakeDashboard(message => page.receive(message));
    const page = pageSide<UsageProtocol>(
      {
        changed: ({ bounds: { end }, state }) => heard.push(`${state.kind} through ${end}`),
        fetching: now => heard.push(now ?? 'over'),
      },
      message => made.panel?.receive(message),
    );
    later(() => made.dashboard.dispose());
    return Object.assign(made, { heard, page });
  };

  it('ends a fetch for a newer one, when it is cancelled, and when the page goes', async () => {
    const { dashboard, page, problems, source } = open();
    source.fetchGate = new Promise(() => undefined);
    for (const act of [
      () => page.notify('fetch', { query, again: true }),
      () => page.notify('cancel', {}),
      () => dashboard.pageGone(),
      () => page.notify('ready', {}),
    ]) {
      const { ended } = source;
      const given = page.request('fetch', { query, again: true });
      await until(() => source.running === 1);
      act();
      assert.equal(await given, false);
      assert.ok(source.ended > ended);
      dashboard.pageGone();
      await until(() => source.running === 0);
    }
    assert.deepEqual(problems, []);
  });

  it('tells of changes, and of another finished day when somebody looks again', () => {
    const { dashboard, heard, source } = open();
    source.become({ kind: 'forbidden', sentence: 'No.' });
    dashboard.lookAgain();
    source.bounds = { ...bounds, end: addDays(bounds.end, 1) };
    for (let time = 0; time < 2; time++) dashboard.lookAgain();
    dashboard.dispose();
    source.become({ kind: 'ready' });
    assert.deepEqual(heard, ['forbidden through 2026-11-20', 'forbidden through 2026-11-21']);
  });

  it('begins anew where a page has kept what makes no sense, and saves under a name of its own only', async () => {
    const real = { start: '2026-02-27', end: '2026-03-01' };
    assert.ok(pageState({ ...firstState, custom: real }));
    for (const odd of [
      { custom: { ...real, start: '2026-02-30' } },
      { custom: { start: real.end, end: real.start } },
    ])
      assert.ok(!pageState({ ...firstState, ...odd }), JSON.stringify(odd));
    const { copied, page, problems, saved } = open();
    const file = { name: 'usage-tools-2026-11-01.csv', text: 'abc' };
    await page.request('save', file);
    await page.request('copy', { text: 'abcd' });
    for (const name of ['../usage-x.csv', 'usage-x.exe', 'usage-x/y.csv'])
      await assert.rejects(page.request('save', { name, text: '' }));
    assert.deepEqual([saved, copied, problems.length], [[file], ['abcd'], 3]);
  });

  it('lets others have their turn while a report is made', async () => {
    let others = 0;
    const other = setInterval(() => others++);
    later(() => clearInterval(other));
    function* work(): Steps<ReadonlySet<number>> {
      const seen = new Set<number>();
      for (let step = 0; step < 4; step++) {
        seen.add(others);
        for (const end = performance.now() + 10; performance.now() < end;);
        yield;
      }
      return seen;
    }
    assert.equal((await inTurns(work())).size, 4, 'somebody else between any two steps');
  });
});

describe('exports', () => {
  const part = { value: 7000, known: 29, of: 30 };
  const made = (rows: readonly (readonly Cell[])[]) => {
    const columns = [
      { id: 'name', label: 'Name', kind: 'text' },
      { id: 'calls', label: 'Calls', kind: 'count' },
      { id: 'day', label: 'Last day', kind: 'day' },
    ] as const;
    const section = {
      ...{ id: 's', title: 'T', explanation: '' },
      table: {
        ...{ columns, total: ['Total', 4, ''] },
        rows: rows.map((cells, at) => ({ id: String(at), cells, person: 'user_secret' })),
      },
    };
    const report: TabReport = {
      query: queryFor('tokens', '2026-11-01', '2026-11-02', { person: 'u1', pseudonyms: true }),
      ...{ through: '2026-11-20', isComparable: true, missing: [], unread: 0, markers: [] },
      figures: [part, undefined].map(value => ({
        id: 'f',
        label: 'F',
        value,
        unit: 'count',
        explanation: '',
      })),
      sections: [section],
    };
    return { json: jsonOf(report), csv: csvOf(report, section), copied: copyOf(report, section).split('\n') };
  };
  const days = '2026-11-01,2026-11-02,2026-11-20,UTC';

  it('hold their tables, the days, that these are UTC, what is missing, and of what only a part is known; and name nobody else', () => {
    const { csv, json } = made([
      ['a, "b"', 1, null],
      ['=1+1', part, 'never'],
    ]);
    const lines = ['"a, ""b""",1,', "'=1+1,7000 (29 of 30),never", 'Total,4,'].map(line => `${line},${days}`);
    const head = 'Name,Calls,Last day,start,end,data through,time zone';
    assert.equal(csv, [head, ...lines, ''].join('\r\n'));
    assert.doesNotMatch(json, /user_secret|"u1"/);
    const { figures, sections } = JSON.parse(json) as Record<string, Record<string, unknown>[]>;
    assert.deepEqual([figures?.[0]?.['value'], figures?.[1]?.['value']], [part, null]);
    assert.deepEqual(sections?.[0]?.['rows'], [
      { name: 'a, "b"', calls: 1, day: null },
      { name: '=1+1', calls: part, day: 'never' },
    ]);
  });

  it('as a copied table have a line a row and a cell a tab, whatever is in the cells, and none is a formula', () => {
    const evil = ['\t=1+1', '\r\n-2', ' @x', '\uff0b1', '\uff0d1', '\uff201', '\uff1d1', ...hostileNames];
    const cell = fc.oneof(fc.string(), fc.constantFrom(...evil), fc.integer());
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell, cell), { maxLength: 20 }), rows => {
        const lines = made(rows).copied;
        assert.equal(lines.length, rows.length + 3);
        for (const line of lines.slice(1, -1)) assert.ok(line.endsWith(`\t${days.replaceAll(',', '\t')}`));
        for (const [index, row] of rows.entries()) {
          const cells = lines[index + 1]!.split('\t');
          assert.equal(cells.length, 7);
          for (const [place, sent] of row.entries()) {
            if (typeof sent === 'number') assert.equal(cells[place], String(sent));
            else assert.doesNotMatch(cells[place]!, /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]/);
          }
        }
      }),
    );
  });
});

describe('a view of a table', () => {
  const table: Table = {
    columns: (['text', 'count', 'ratio', 'text'] as const).map((kind, at) => ({
      id: `${at}`,
      label: '',
      kind,
    })),
    rows: [
      { id: '1', cells: ['Zoë', 30, 1.5, 'auto-high'] },
      { id: '2', cells: ['adam', null, 2, 'manual'], person: 'p2' },
      { id: '3', cells: ['Item 10', { value: 5, known: 1, of: 2 }, null, null] },
      { id: '4', cells: ['item 9', 200, 0.5, 'manual'] },
    ],
    // Of all together: no sum of the ratios above.
    total: ['Total', { value: 235, known: 2, of: 4 }, 0.8, ''],
  };

  const words = new Formatter('en');

  it('sorts as people do, unknown last both ways, finds all words in any case, and sums the rows it shows', () => {
    for (const [wanted, how] of [
      ['2,4,3,1', { sort: { column: '0', descending: false } }],
      ['4,1,3,2', { sort: { column: '1', descending: true } }],
      ['3,1,4,2', { sort: { column: '1', descending: false } }],
      ['1,2,3,4', { sort: { column: 'gone', descending: false } }],
      ['1', { search: 'ZOE' }],
      ['4', { search: 'manual item' }],
      ['1,2,3,4', { search: '  ' }],
      ['', { search: '30' }],
    ] as const) {
      const { rows, total } = shown(table, how, words);
      assert.equal(rows.map(({ id }) => id).join(), wanted, JSON.stringify(how));
      if (rows.length === 4) assert.deepEqual(total, table.total);
    }
    const total = (search: string) => shown(table, { search }, words).total;
    assert.deepEqual(total('item'), ['Total', { value: 205, known: 1, of: 2 }, null, '']);
    // Of what is not known there is no sum, not even 0.
    assert.deepEqual(total('adam'), ['Total', null, null, '']);
    assert.equal(shown({ ...table, total: undefined }, { search: 'item' }, words).total, undefined);
  });
});
