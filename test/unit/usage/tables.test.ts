import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { copyOf, csvOf, jsonOf } from '../../../src/usage/report/table';
import { shown } from '../../../src/usage/report/table';
import type { Cell, Figure, Row, Table, TabReport } from '../../../src/usage/report/types';
import { hostileNames } from '../../fakes/usage';
import { query } from './support';

const figure: Figure = { id: 'f', label: 'F', value: 3, unit: 'count', explanation: '' };

function withRows(rows: readonly (readonly Cell[])[], more: Partial<TabReport> = {}): TabReport {
  const columns = [
    { id: 'name', label: 'Name', kind: 'text' },
    { id: 'calls', label: 'Calls', kind: 'count' },
    { id: 'day', label: 'Last day', kind: 'day' },
  ] as const;
  const made = rows.map((cells, at) => ({ id: String(at), cells, person: 'user_secret' }));
  return {
    query: query('tokens', '2026-11-01', '2026-11-02', { person: 'u1', pseudonyms: true }),
    through: '2026-11-20',
    isComparable: true,
    missing: [],
    unread: 0,
    figures: [figure],
    sections: [
      { id: 's', title: 'T', explanation: '', table: { columns, rows: made, total: ['Total', 4, ''] } },
    ],
    markers: [],
    ...more,
  };
}

const FACTS = 'start,end,data through,time zone';
const days = '2026-11-01,2026-11-02,2026-11-20,UTC';
const file = (names: string, ...lines: readonly string[]): string =>
  [`${names},${FACTS}`, ...lines.map(line => `${line},${days}`), ''].join('\r\n');

describe('exports', () => {
  it('CSV of a section is its table, each line with its days and that they are UTC', () => {
    const made = withRows([
      ['a, "b"', 1, null],
      ['=1+1', 0, 'never'],
    ]);
    const lines = ['"a, ""b""",1,', "'=1+1,0,never", 'Total,4,'];
    assert.equal(csvOf(made, made.sections[0]!), file('Name,Calls,Last day', ...lines));
  });

  it('a copied table has a line a row and a cell a tab, whatever is in the cells, and none is a formula', () => {
    const evil = ['\t=1+1', '\r\n-2', ' @x', '\uff0b1', '\uff0d1', '\uff201', '\uff1d1', ...hostileNames];
    const cell = fc.oneof(fc.string(), fc.constantFrom(...evil), fc.integer());
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell, cell), { maxLength: 20 }), rows => {
        const made = withRows(rows);
        const lines = copyOf(made, made.sections[0]!).split('\n');
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

  it('says in every file what is missing, and of what only a part is known; names nobody the tables do not', () => {
    const part = { value: 7000, known: 29, of: 30 };
    const figures = [
      { ...figure, value: part },
      { ...figure, value: undefined },
    ];
    const made = withRows([['a', part, null]], { figures });
    assert.ok(csvOf(made, made.sections[0]!).includes('\r\na,7000 (29 of 30),,'));
    assert.ok(copyOf(made, made.sections[0]!).includes('\na\t7000 (29 of 30)\t\t'));
    assert.doesNotMatch(jsonOf(made), /user_secret|"u1"/);
    const json = JSON.parse(jsonOf(made)) as typeof made & { sections: { rows: unknown }[] };
    assert.deepEqual(
      json.figures.map(({ value }) => value),
      [part, null],
    );
    assert.deepEqual(json.sections[0]?.rows, [{ name: 'a', calls: part, day: null }]);
  });
});

const table: Table = {
  columns: [
    { id: 'name', label: 'Name', kind: 'text' },
    { id: 'tokens', label: 'Tokens', kind: 'count' },
    { id: 'ratio', label: 'Ratio', kind: 'ratio' },
    { id: 'mode', label: 'Mode', kind: 'text' },
  ],
  rows: [
    { id: '1', cells: ['Zoë', 30, 1.5, 'auto-high'] },
    { id: '2', cells: ['adam', null, 2, 'manual'], person: 'p2' },
    { id: '3', cells: ['Item 10', { value: 5, known: 1, of: 2 }, null, null] },
    { id: '4', cells: ['item 9', 200, 0.5, 'manual'] },
  ],
  // Of all together: no sum of the ratios above.
  total: ['Total', { value: 235, known: 2, of: 4 }, 0.8, ''],
};
const names = (rows: readonly Row[]): readonly (Cell | undefined)[] => rows.map(({ cells }) => cells[0]);

describe('a view of a table', () => {
  it('sorts text as people do, numbers by size, and puts what is not known last both ways', () => {
    const by = (column: string, descending: boolean) =>
      names(shown(table, { sort: { column, descending } }, 'en').rows);
    assert.deepEqual(by('name', false), ['adam', 'item 9', 'Item 10', 'Zoë']);
    assert.deepEqual(by('tokens', true), ['item 9', 'Zoë', 'Item 10', 'adam']);
    assert.deepEqual(by('tokens', false), ['Item 10', 'Zoë', 'item 9', 'adam']);
    assert.deepEqual(by('gone', false), names(table.rows));
  });

  it('finds rows that have all words, whatever the case and the accents', () => {
    const found = (search: string) => names(shown(table, { search }).rows);
    assert.deepEqual(found('ZOE'), ['Zoë']);
    assert.deepEqual(found('manual item'), ['item 9']);
    assert.deepEqual(found('  '), names(table.rows));
    assert.deepEqual(found('30'), []);
  });

  it('sums exactly the rows it shows, where the table sums at all', () => {
    assert.deepEqual(shown(table, {}).total, table.total);
    assert.deepEqual(shown(table, { search: 'item' }).total, [
      'Total',
      { value: 205, known: 1, of: 2 },
      null,
      '',
    ]);
    // Of what is not known there is no sum, not even 0.
    assert.deepEqual(shown(table, { search: 'adam' }).total, ['Total', null, null, '']);
    assert.equal(shown({ columns: table.columns, rows: table.rows }, { search: 'item' }).total, undefined);
  });
});
