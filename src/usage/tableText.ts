import type { Cell, Table } from './report';

/** Text that a spreadsheet would take for a formula. */
const FORMULA = /^[\s]*[=+\-@]/;

/** A table for the clipboard: cells between tabs, a line a row, the total last. No text in it runs as a formula. */
export function tableText({ columns, rows, total }: Table): string {
  const lines: (readonly Cell[])[] = [columns.map(({ label }) => label), ...rows.map(({ cells }) => cells)];
  if (total !== undefined) lines.push(total);
  return `${lines.map(cells => cells.map(cellText).join('\t')).join('\n')}\n`;
}

function cellText(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const line = cell.replace(/[\t\r\n]+/g, ' ');
  return FORMULA.test(line) ? `'${line}` : line;
}
