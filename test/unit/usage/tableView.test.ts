import assert from 'node:assert/strict';
import type { Cell, Row, Table } from '../../../src/usage/report/types';
import { shown } from '../../../src/usage/report/tableView';

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
