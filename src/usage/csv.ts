import type { Cell, Section, Table, TabReport } from './report';

/** One section as plain CSV; without `sectionId` all sections one below the other, each with its title, after the report's facts. */
export function csvOf(report: TabReport, sectionId?: string): string {
  if (sectionId !== undefined) {
    const section = report.sections.find(({ id }) => id === sectionId);
    return section === undefined ? '' : tableLines(section.table).join('');
  }
  const { query, through, orgId, missing } = report;
  const facts: Cell[][] = [
    ['tab', query.tab],
    ['start', query.range.start],
    ['end', query.range.end],
    ['data through', through ?? null],
    ['time zone', 'UTC'],
    ...(orgId === undefined ? [] : [['organization', orgId]]),
    ...(missing === undefined || missing.days.length === 0 ? [] : [['missing days', missing.days.join(' ')]]),
  ];
  const figures: Cell[][] = report.figures.map(({ label, value }) => [label, value ?? null]);
  const parts = [
    [...facts, ...figures].map(line),
    ...report.sections.map(({ title, table }) => [line([title]), ...tableLines(table)]),
  ];
  return parts.map(lines => lines.join('')).join('\r\n');
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

function tableLines({ columns, rows, total }: Table): string[] {
  return [
    line(columns.map(({ label }) => label)),
    ...rows.map(({ cells }) => line(cells)),
    ...(total === undefined ? [] : [line(total)]),
  ];
}

/** RFC 4180: fields parted by commas, lines ended by CRLF. */
function line(cells: readonly Cell[]): string {
  return `${cells.map(field).join(',')}\r\n`;
}

/** What a spreadsheet would take for a formula gets an apostrophe in front; numbers stay numbers. */
function field(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const safe = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]|^\s|\s$|^$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
