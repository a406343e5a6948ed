import { amountCell } from '../../util/amount';
import { csv, formulaSafe } from '../../util/csv';
import { plain } from '../../util/text';
import type { Cell, Section, Table, TabReport } from '../report/types';

/**
 * A section as CSV (RFC 4180: a header, then lines of as many fields). What is not known is empty; what is known in part says so, as
 * `7000 (29 of 30)`. Each line ends with the facts of the report.
 */
export function csvOf(report: TabReport, section: Section): string {
  const [names = [], ...rows] = linesOf(report, section).map(cells => cells.map(written));
  return csv(names.map(String), rows);
}

/** A section for the clipboard, as it is in CSV, with tabs between the cells. No text in it runs as a formula. */
export function copyOf(report: TabReport, section: Section): string {
  return linesOf(report, section)
    .map(cells => `${cells.map(cellText).join('\t')}\n`)
    .join('');
}

export function fileNameOf({ query }: TabReport, format: 'csv' | 'json', section?: string): string {
  const { tab, range, person } = query;
  const parts = ['usage', tab, person === undefined ? undefined : 'person', section, range.start, range.end];
  return `${parts.filter(part => part !== undefined).join('-')}.${format}`;
}

/** The names of the columns, the rows, and the total last. */
function linesOf(report: TabReport, { table: { columns, rows, total } }: Section): (readonly Cell[])[] {
  const facts = factsOf(report);
  const lines = [
    columns.map(({ label }) => label),
    ...rows.map(({ cells }) => cells),
    ...(total === undefined ? [] : [total]),
  ];
  return lines.map((cells, line) => [...cells, ...facts.map(fact => fact[line === 0 ? 0 : 1])]);
}

/**
 * The report as JSON: figures and tables, rows as objects by column id. What is not known is null, what is known in part an object:
 * `{ value, known, of }`. Names nobody that the tables do not name.
 */
export function jsonOf(report: TabReport): string {
  const { query, previousRange, orgId, through, fetchedAt, figures, sections } = report;
  const { tab, range, folded, pseudonyms } = query;
  const { missing: days, unread, problem } = report;
  const value = {
    ...{ tab, range, previousRange, dataThrough: through ?? null, timeZone: 'UTC' },
    ...{ organization: orgId, fetchedAt: fetchedAt && new Date(fetchedAt).toISOString() },
    ...{ folded, pseudonyms, missing: days.length === 0 ? undefined : { days, unread, problem } },
    figures: figures.map(figure => ({ ...figure, value: figure.value ?? null })),
    sections: sections.map(({ id, title, explanation, table }) => ({
      ...{ id, title, explanation },
      columns: table.columns.map(({ id, label, kind }) => ({ id, label, kind })),
      rows: table.rows.map(({ cells }) => named(table, cells)),
      total: table.total && named(table, table.total),
    })),
    unreadable: report.unreadable,
  };
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

function named({ columns }: Table, cells: readonly Cell[]): Record<string, Cell> {
  return Object.fromEntries(columns.map(({ id }, index) => [id, cells[index] ?? null]));
}

/** What figures mean nothing without: which days, whose, and how far they go. */
function factsOf({ query: { range }, through, orgId, missing, previousRange: before }: TabReport) {
  const facts: [string, Cell][] = [
    ['start', range.start],
    ['end', range.end],
  ];
  if (before !== undefined) facts.push(['compared start', before.start], ['compared end', before.end]);
  facts.push(['data through', through ?? null], ['time zone', 'UTC']);
  if (orgId !== undefined) facts.push(['organization', orgId]);
  if (missing.length > 0) facts.push(['missing days', missing.length]);
  return facts;
}

/** A number only where it is the whole one. */
function written(cell: Cell): string | number | null {
  return typeof cell === 'string' ? cell : amountCell(cell);
}

function cellText(cell: Cell): string {
  const text = written(cell);
  if (typeof text !== 'string') return String(text ?? '');
  return plain(formulaSafe(text.replace(/[\t\r\n]+/g, ' ')), 100_000);
}
