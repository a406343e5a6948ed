import { plain } from './text';

export type CsvCell = string | number | boolean | null | undefined;

/** What a spreadsheet would take for the beginning of a formula, full-width forms included. */
const FORMULA = /^[\s\u0000-\u001f]*[=+\-@\uff0b\uff0d\uff1d\uff20|]/u;

/**
 * A table as RFC 4180 text: a line of names, then a line a row, each ended by CRLF; a row shorter than the names is filled up.
 * Texts are foreign: control and bidi characters become U+FFFD, and what a spreadsheet would run gets an apostrophe before it.
 * Numbers and booleans stay as they are; nothing is written for `null` and `undefined`.
 */
export function csv(columns: readonly string[], rows: Iterable<readonly CsvCell[]>): string {
  let text = csvLine(columns);
  for (const row of rows) text += csvLine(columns.map((_, index) => row[index]));
  return text;
}

/** Text that no spreadsheet runs: an apostrophe before what it would take for a formula. */
export function formulaSafe(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(cell).join(',')}\r\n`;
}

function cell(value: CsvCell): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : '';
  if (typeof value === 'boolean') return String(value);
  const safe = plain(formulaSafe(value), 100_000);
  return /[",\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
