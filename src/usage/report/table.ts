import { amountCell, isPart, knownOf, sum } from '../../util/amount';
import { csv, formulaSafe } from '../../util/csv';
import type { Formatter } from '../../util/format';
import { plain } from '../../util/text';
import type { Cell, Row, Section, Table, TabReport } from './types';

/** What people make of a table: they search and sort it, copy it, save it. */

/** How a person looks at a table. */
export interface TableView {
  /** Rows whose text holds all these words. */
  readonly search?: string | undefined;
  readonly sort?: { readonly column: string; readonly descending: boolean } | undefined;
}

/** The rows that a view shows, in its order, and their sums. A day is found as it is written and as `words` shows it. */
export function shown(table: Table, { search = '', sort }: TableView, words: Formatter): Table {
  const { columns, total } = table;
  const wanted = folded(search).split(/\s+/).filter(Boolean);
  const rows = table.rows.filter(({ cells }) => {
    if (wanted.length === 0) return true;
    const texts = cells.flatMap((cell, at) => {
      if (typeof cell !== 'string') return [];
      return columns[at]?.kind === 'day' ? [cell, words.day(cell)] : [cell];
    });
    const text = folded(texts.join('\n'));
    return wanted.every(word => text.includes(word));
  });
  const by = columns.findIndex(({ id }) => id === sort?.column);
  const collator = new Intl.Collator(words.language, { numeric: true });
  const direction = sort?.descending === true ? -1 : 1;
  // Unknown cells come last, whichever the direction; equal rows keep their order.
  const order = ({ cells: first }: Row, { cells: second }: Row): number => {
    const [a = null, b = null] = [first[by], second[by]];
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    if (typeof a !== 'string' && typeof b !== 'string')
      return direction * ((knownOf(a) ?? 0) - (knownOf(b) ?? 0));
    return direction * collator.compare(textOf(a), textOf(b));
  };
  if (by >= 0) rows.sort(order);
  const sums = total?.map((cell, at) => {
    // A ratio of rows is not made of their ratios.
    if (columns[at]?.kind === 'ratio') return null;
    if (typeof cell !== 'number' && !isPart(cell)) return cell;
    const cells = rows.map(row => row.cells[at] ?? null);
    return sum(cells.map(each => (typeof each === 'string' ? null : each))) ?? null;
  });
  return { columns, rows, total: rows.length === table.rows.length ? total : sums };
}

function folded(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

function textOf(cell: Cell): string {
  return typeof cell === 'string' ? cell : String(knownOf(cell) ?? '');
}

/**
 * A section as CSV (RFC 4180: a header, then lines of as many fields). What is not known is empty; what is known in part says so, as
 * `7000 (29 of 30)`. Each line ends with the facts of the report.
 */
export function csvOf(report: TabReport, section: Section): string {
  const [names = [], ...rows] = linesOf(report, section);
  return csv(names.map(String), rows);
}

/** A section for the clipboard, as it is in CSV, with tabs between the cells. No text in it runs as a formula. */
export function copyOf(report: TabReport, section: Section): string {
  const textOf = (cell: string | number | null): string =>
    typeof cell === 'string'
      ? plain(formulaSafe(cell.replace(/[\t\r\n]+/g, ' ')), 100_000)
      : String(cell ?? '');
  const lines = linesOf(report, section).map(cells => `${cells.map(textOf).join('\t')}\n`);
  return lines.join('');
}

export function fileNameOf({ query }: TabReport, format: 'csv' | 'json', section?: string): string {
  const { tab, range, person } = query;
  const parts = ['usage', tab, person === undefined ? undefined : 'person', section, range.start, range.end];
  return `${parts.filter(part => part !== undefined).join('-')}.${format}`;
}

/** The names of the columns, the rows, and the total last; each with what figures mean nothing without. */
function linesOf(report: TabReport, { table }: Section): (string | number | null)[][] {
  const { query, through, orgId, missing, previousRange: before } = report;
  const facts = {
    start: query.range.start,
    end: query.range.end,
    ...(before && { 'compared start': before.start, 'compared end': before.end }),
    'data through': through ?? null,
    'time zone': 'UTC',
    ...(orgId !== undefined && { organization: orgId }),
    ...(missing.length > 0 && { 'missing days': missing.length }),
  };
  const lines = [...table.rows.map(({ cells }) => cells), ...(table.total ? [table.total] : [])];
  return [
    [...table.columns.map(({ label }) => label), ...Object.keys(facts)],
    // A number only where it is the whole one.
    ...lines.map(cells => [
      ...cells.map(cell => (typeof cell === 'string' ? cell : amountCell(cell))),
      ...Object.values(facts),
    ]),
  ];
}

/**
 * The report as JSON: figures and tables, rows as objects by column id. What is not known is null, what is known in part an object:
 * `{ value, known, of }`. Names nobody that the tables do not name.
 */
export function jsonOf(report: TabReport): string {
  const { query, previousRange, orgId, through, fetchedAt, figures, sections } = report;
  const { tab, range, folded, pseudonyms } = query;
  const { missing: days, unread, problem, unreadable } = report;
  const value = {
    ...{ tab, range, previousRange, dataThrough: through ?? null, timeZone: 'UTC' },
    ...{ organization: orgId, fetchedAt: fetchedAt && new Date(fetchedAt).toISOString() },
    ...{ folded, pseudonyms, missing: days.length === 0 ? undefined : { days, unread, problem } },
    figures: figures.map(figure => ({ ...figure, value: figure.value ?? null })),
    sections: sections.map(({ id, title, explanation, table: { columns, rows, total } }) => {
      const named = (cells: readonly Cell[]) =>
        Object.fromEntries(columns.map(({ id }, at) => [id, cells[at] ?? null]));
      return {
        ...{ id, title, explanation, columns: columns.map(({ id, label, kind }) => ({ id, label, kind })) },
        ...{ rows: rows.map(({ cells }) => named(cells)), total: total && named(total) },
      };
    }),
    unreadable,
  };
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
