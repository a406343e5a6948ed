import { isPart, knownOf, sum } from '../../util/amount';
import type { Cell, Column, Row, Table, Value } from './types';

/** How a person looks at a table. */
export interface TableView {
  /** Rows whose text holds all these words. */
  readonly search?: string | undefined;
  readonly sort?: { readonly column: string; readonly descending: boolean } | undefined;
  /** Ids of the columns shown; the table's own choice when left out. */
  readonly columns?: readonly string[] | undefined;
}

/** A column with its place in the rows. */
export interface ShownColumn extends Column {
  readonly index: number;
}

export interface ShownTable {
  readonly columns: readonly ShownColumn[];
  /** Whole rows; `column.index` finds a cell. */
  readonly rows: readonly Row[];
  /** Sums of exactly these rows, whole as well. */
  readonly total?: readonly Cell[] | undefined;
}

/** The part of a table that a view shows, in its order. The first column is always shown: it names the row. */
export function shown(table: Table, view: TableView, language?: string): ShownTable {
  const chosen = view.columns === undefined ? undefined : new Set(view.columns);
  const columns = table.columns
    .map((column, index) => ({ ...column, index }))
    .filter(({ id, hidden, index }) => index === 0 || (chosen?.has(id) ?? hidden !== true));
  const rows = sorted(searched(table.rows, view.search ?? ''), table.columns, view.sort, language);
  return { columns, rows, total: totalOf(table, rows) };
}

/** A table of exactly what is shown, to be exported or copied. */
export function tableOf({ columns, rows, total }: ShownTable): Table {
  const pick = (cells: readonly Cell[]): Cell[] => columns.map(({ index }) => cells[index] ?? null);
  return {
    columns: columns.map(({ id, label, kind }) => ({ id, label, kind })),
    rows: rows.map(row => ({ ...row, cells: pick(row.cells) })),
    ...(total === undefined ? {} : { total: pick(total) }),
  };
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
