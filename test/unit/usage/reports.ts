import assert from 'node:assert/strict';
import { DayRecord, readDay, type Endpoint } from '../../../src/usage/days/day';
import { report as steps, type Extras, type KnownDays } from '../../../src/usage/report/report';
import type { Cell, Section, TabId, TabReport, UsageQuery } from '../../../src/usage/report/types';
import { knownOf } from '../../../src/util/amount';
import { chartOf } from '../../../media/usage/plot';
import { query } from './support';

export const BOUNDS = { start: '2026-01-14', end: '2026-11-20' };
export const [FIRST, SECOND, THIRD] = ['2026-10-31', '2026-11-01', '2026-11-02'] as const;
const DAYS = [FIRST, SECOND, THIRD];

type Loose = Record<string, unknown>;
/** Rows of each day: of the three above in their order, or by day; a list of them where each is a person's. */
export type Days = readonly (Loose | readonly Loose[])[] | Readonly<Record<string, Loose | readonly Loose[]>>;

/** As they are stored and read back. */
export function known(endpoint: Endpoint, days: Days): Map<string, DayRecord> {
  const entries = Array.isArray(days)
    ? (days as readonly (Loose | readonly Loose[])[]).map((rows, at) => [DAYS[at]!, rows] as const)
    : Object.entries(days);
  return new Map(
    entries.map(([day, given]) => {
      const rows = (Array.isArray(given) ? given : [given]) as readonly Loose[];
      const stored = new DayRecord(
        1,
        rows.map(row => ({ date: day, ...row })),
      );
      return [day, readDay(endpoint, JSON.parse(JSON.stringify(stored)), text => text)];
    }),
  );
}

/** A report without a pause, of the three days where nothing else is asked for. */
export function report(
  tab: TabId,
  days: Days | KnownDays,
  asked: Partial<UsageQuery> = {},
  more: Partial<Extras> = {},
): TabReport {
  const work = steps(
    query(tab, FIRST, THIRD, asked),
    days instanceof Map ? (days as KnownDays) : known(tab, days as Days),
    { bounds: BOUNDS, directory: [], revisions: [], salt: 's', ...more },
  );
  for (let step = work.next(); ; step = work.next()) if (step.done === true) return step.value;
}

export function section(made: TabReport, id: string): Section {
  const found = made.sections.find(each => each.id === id);
  assert.ok(found, `no section ${id}`);
  return found;
}

/** The cells of these columns, row by row, the total last where there is one. */
export function cells(made: TabReport, id: string, ...columns: readonly string[]): (Cell | undefined)[][] {
  const { table } = section(made, id);
  const places = columns.map(name => table.columns.findIndex(column => column.id === name));
  const rows = table.rows.map(row => row.cells);
  for (const row of [...rows, ...(table.total === undefined ? [] : [table.total])])
    assert.equal(row.length, table.columns.length);
  return rows.map(row => places.map(place => row[place]));
}

export function totals(made: TabReport, id: string, ...columns: readonly string[]): (Cell | undefined)[] {
  const { table } = section(made, id);
  return columns.map(name => table.total?.[table.columns.findIndex(column => column.id === name)]);
}

/** What the page draws of a section. */
export function series(made: TabReport, id: string) {
  return chartOf(section(made, id), made.markers).series;
}

export function figure(made: TabReport, id: string): number | undefined {
  return knownOf(made.figures.find(each => each.id === id)?.value);
}

/** Every column with a total agrees with its rows. */
export function agrees(made: TabReport): void {
  for (const { id, table } of made.sections) {
    table.total?.forEach((total, index) => {
      const column = table.columns[index]!;
      if (typeof total !== 'number' || column.kind === 'ratio') return;
      const rows = table.rows.map(row => row.cells[index]).filter(value => typeof value === 'number');
      const sum = rows.reduce((all, value) => all + value, 0);
      assert.ok(Math.abs(sum - total) < 1e-6, `${id}.${column.id}: ${sum} of rows, ${total} in total`);
    });
  }
}
