import { isPart, knownOf, sum } from '../../util/amount';
import type { Cell, Column, Row, Table, Value } from './types';

/** How a person looks at a table. */
export interface TableView {
  /** Rows whose text holds all these words. */
  readonly search?: string | undefined;
  readonly sort?: { readonly column: string; readonly descending: boolean } | undefined;
}

/** The rows that a view shows, in its order, and their sums. */
export function shown(table: Table, view: TableView, language?: string): Table {
  const { columns } = table;
  const rows = sorted(searched(table.rows, view.search ?? ''), columns, view.sort, language);
  return { columns, rows, total: totalOf(table, rows) };
}

function searched(rows: readonly Row[], search: string): readonly Row[] {
  const words = folded(search).split(/\s+/).filter(Boolean);
  if (words.length === 0) return rows;
  return rows.filter(({ cells }) => {
    const text = folded(cells.filter(cell => typeof cell === 'string').join('\n'));
    return words.every(word => text.includes(word));
  });
}

function folded(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

/** Unknown cells come last, whichever the direction; equal rows keep their order. */
function sorted(
  rows: readonly Row[],
  columns: readonly Column[],
  sort: TableView['sort'],
  language: string | undefined,
): readonly Row[] {
  const index = columns.findIndex(({ id }) => id === sort?.column);
  if (sort === undefined || index < 0) return rows;
  const { compare } = new Intl.Collator(language, { numeric: true });
  const direction = sort.descending ? -1 : 1;
  return [...rows].sort((first, second) => {
    const a = first.cells[index] ?? null;
    const b = second.cells[index] ?? null;
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    if (typeof a !== 'string' && typeof b !== 'string')
      return direction * ((knownOf(a) ?? 0) - (knownOf(b) ?? 0));
    return direction * compare(textOf(a), textOf(b));
  });
}

function totalOf(table: Table, rows: readonly Row[]): readonly Cell[] | undefined {
  const { total } = table;
  if (total === undefined || rows.length === table.rows.length) return total;
  return total.map((cell, index) => {
    // A ratio of rows is not made of their ratios.
    if (table.columns[index]?.kind === 'ratio') return null;
    return typeof cell === 'number' || isPart(cell)
      ? (sum(rows.map(({ cells }) => valueIn(cells[index]))) ?? null)
      : cell;
  });
}

function valueIn(cell: Cell | undefined): Value {
  return typeof cell === 'string' ? null : (cell ?? null);
}

function textOf(cell: Cell): string {
  return typeof cell === 'string' ? cell : String(knownOf(cell) ?? '');
}
