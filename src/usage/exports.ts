import { csvLine, formulaSafe } from '../util/csv';
import { plain } from '../util/text';
import type { Cell, Section, Table, TabReport } from './report';

/** The report as CSV: its facts and figures, then its sections with their titles; with `sectionId` that section alone, after the facts. */
export function csvOf(report: TabReport, sectionId?: string): string {
  const facts = factsOf(report).map(csvLine);
  if (sectionId !== undefined) {
    const section = report.sections.find(({ id }) => id === sectionId);
    return section === undefined ? '' : [...facts, '\r\n', ...sectionLines(section).map(csvLine)].join('');
  }
  const figures = report.figures.map(({ label, value }) => csvLine([label, value]));
  const parts = [
    [...facts, ...figures],
    ...report.sections.map(section => sectionLines(section).map(csvLine)),
  ];
  return parts.map(lines => lines.join('')).join('\r\n');
}

/** One section for the clipboard, after the report's facts: cells between tabs, a line a row, the total last. No text in it runs as a formula. */
export function copyOf(report: TabReport, section: Section): string {
  const lines: (readonly Cell[])[] = [...factsOf(report), [], ...sectionLines(section)];
  return `${lines.map(cells => cells.map(cellText).join('\t')).join('\n')}\n`;
}

/** The report as JSON: figures and tables, rows as objects by column id. Names nobody that the tables do not name. */
export function jsonOf(report: TabReport): string {
  const { query, previousRange, orgId, through, fetchedAt, missing, figures, sections, notes } = report;
  const { tab, range, folded, pseudonyms } = query;
  const value = {
    tab,
    range,
    previousRange,
    dataThrough: through ?? null,
    timeZone: 'UTC',
    organization: orgId,
    fetchedAt: fetchedAt === undefined ? undefined : new Date(fetchedAt).toISOString(),
    folded,
    pseudonyms,
    missing,
    figures,
    sections: sections.map(({ id, title, explanation, table }: Section) => ({
      id,
      title,
      explanation,
      columns: table.columns.map(column => ({ id: column.id, label: column.label, kind: column.kind })),
      rows: table.rows.map(({ cells }) => named(table, cells)),
      ...(table.total === undefined ? {} : { total: named(table, table.total) }),
    })),
    notes,
  };
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

function named({ columns }: Table, cells: readonly Cell[]): Record<string, Cell> {
  return Object.fromEntries(columns.map(({ id }, index) => [id, cells[index] ?? null]));
}

/** What figures mean nothing without: which days, whose, and how far they go. */
function factsOf({ query, through, orgId, missing, previousRange }: TabReport): Cell[][] {
  const { tab, range } = query;
  return [
    ['tab', tab],
    ['start', range.start],
    ['end', range.end],
    ...(previousRange === undefined
      ? []
      : [
          ['compared start', previousRange.start],
          ['compared end', previousRange.end],
        ]),
    ['data through', through ?? null],
    ['time zone', 'UTC'],
    ...(orgId === undefined ? [] : [['organization', orgId]]),
    ...(missing === undefined || missing.days.length === 0 ? [] : [['missing days', missing.days.join(' ')]]),
  ];
}

function sectionLines({ title, table: { columns, rows, total } }: Section): (readonly Cell[])[] {
  return [
    [title],
    columns.map(({ label }) => label),
    ...rows.map(({ cells }) => cells),
    ...(total === undefined ? [] : [total]),
  ];
}

function cellText(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  return plain(formulaSafe(cell.replace(/[\t\r\n]+/g, ' ')), 100_000);
}
