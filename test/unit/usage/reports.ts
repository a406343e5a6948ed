import assert from 'node:assert/strict';
import { DayRecord, readDay, type Endpoint } from '../../../src/usage/days/day';
import { report as steps, type Extras, type KnownDays } from '../../../src/usage/report/report';
import type { Row, Section, TabReport, UsageQuery } from '../../../src/usage/report/types';
import { knownOf } from '../../../src/util/amount';
import { chartOf } from '../../../media/usage/plot';
import { query } from './support';

export const BOUNDS = { start: '2026-01-14', end: '2026-11-20' };
export const DAYS = ['2026-10-31', '2026-11-01', '2026-11-02'];
export const extras: Extras = { bounds: BOUNDS, directory: [], revisions: [], salt: 's' };

export type Loose = Record<string, unknown>;

/** A report without a pause. */
export function report(asked: UsageQuery, days: KnownDays, more: Extras): TabReport {
  const work = steps(asked, days, more);
  for (let step = work.next(); ; step = work.next()) if (step.done === true) return step.value;
}

/** Stored and read back, as the cache has them. */
export function known(endpoint: Endpoint, days: Readonly<Record<string, readonly Loose[]>>): KnownDays {
  const records = new Map<string, DayRecord>();
  for (const [day, rows] of Object.entries(days)) {
    const stored = new DayRecord(
      endpoint,
      1,
      rows.map(row => ({ date: day, ...row })),
    );
    records.set(
      day,
      readDay(endpoint, JSON.parse(JSON.stringify(stored)), text => text),
    );
  }
  return records;
}

export const range = (tab: Parameters<typeof query>[0], more = {}) =>
  query(tab, DAYS[0]!, DAYS.at(-1)!, more);

export function section(made: TabReport, id: string): Section {
  const found = made.sections.find(each => each.id === id);
  assert.ok(found, `no section ${id}`);
  return found;
}

/** What the page draws of a section. */
export function series(made: TabReport, id: string) {
  return chartOf(section(made, id), made.markers).series;
}

export function cell(from: Section, row: Row | undefined, column: string): unknown {
  return row?.cells[from.table.columns.findIndex(({ id }) => id === column)];
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
      const rows = table.rows.map(({ cells }) => cells[index]).filter(value => typeof value === 'number');
      const sum = rows.reduce((all, value) => all + value, 0);
      assert.ok(Math.abs(sum - total) < 1e-6, `${id}.${column.id}: ${sum} of rows, ${total} in total`);
    });
  }
}
