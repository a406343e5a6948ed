import assert from 'node:assert/strict';
import { UsageData, type UsageDataDeps } from '../../../src/usage/data';
import { readDay, type DayRecord, type KnownDays } from '../../../src/usage/days';
import { report as steps, type Extras } from '../../../src/usage/report/report';
import type { Cell, Section, TabId, TabReport, UsageQuery } from '../../../src/usage/report/types';
import { chartOf } from '../../../media/usage/plot';
import { amountCell, knownOf } from '../../../src/util/amount';
import { later, temporaryFolder } from '../../fakes/cleanUp';
import { FakeConnection } from '../../fakes/connection';
import { silentLog } from '../../fakes/log';
import { startSampleService, type SampleService } from '../../fakes/sampleService';
import { openStorage } from '../../fakes/storage';
import { bounds, drained } from '../../fakes/usage';
import { clientOf, NOON } from '../api/support';

export { NOON };

export type Clock = Awaited<ReturnType<typeof begin>>['clock'];
export type Window = ReturnType<Awaited<ReturnType<typeof begin>>['open']>;

/** A service and the windows that share its days, at noon (UTC) of a day; the latest that can be asked for is the day before, 2026-11-20. */
export async function begin() {
  const clock = { now: NOON, read: (): number => clock.now };
  const root = temporaryFolder();
  const service = await startSampleService({ pace: 0, now: clock.read });
  later(() => service.close());

  /** What one window has, signed in with `apiKey`. */
  const open = (apiKey = (): string => service.apiKey, more: Partial<UsageDataDeps> = {}) => {
    const log = silentLog();
    const storage = openStorage({ root, log, now: clock.read });
    const client = () => {
      const key = () => Promise.resolve(apiKey());
      const { api } = clientOf({ origin: service.baseUrl }, { key, now: clock.read });
      later(() => api.dispose());
      return api;
    };
    const connection = new FakeConnection(client(), service);
    const data = new UsageData({ connection, storage, log, now: clock.read, ...more });
    later(async () => {
      data.dispose();
      await storage.settled();
      storage.dispose();
    });
    /** Another key takes the place of the one before. */
    const useKey = (mark: string): void => {
      connection.mark = mark;
      connection.go(client(), service, 'service');
    };
    return { data, storage, useKey, reject: () => connection.reject('No.') };
  };
  return { clock, service, open };
}

interface Body {
  readonly data: readonly (Readonly<Record<string, unknown>> & { readonly date: string })[];
  readonly meta: { readonly start_date: string; readonly end_date: string };
}

/** The service answers something else than it has. */
export function answer(service: SampleService, change: (body: Body) => object) {
  return service.fail({ kind: 'alter', alter: body => ({ ...(body as Body), ...change(body as Body) }) });
}

export function query(tab: TabId, start: string, end: string, more: Partial<UsageQuery> = {}): UsageQuery {
  return { tab, range: { start, end }, compare: false, folded: true, pseudonyms: false, ...more };
}

/** The report after what was missing has been fetched, as far as that went. */
export async function fetched(
  data: UsageData,
  asked: UsageQuery,
  options: Partial<Parameters<UsageData['fetch']>[1]> = {},
): Promise<TabReport> {
  const { signal } = new AbortController();
  const problem = await data.fetch(asked, { signal, ...options });
  const made = await data.report(asked);
  return problem === undefined ? made : { ...made, problem };
}

/** The analytics requests a service has seen, as `path?start..end`. */
export function calls(service: SampleService): string[] {
  return service.requests
    .filter(({ path: asked }) => asked.startsWith('/api/v1/analytics'))
    .map(({ path: asked, query: parameters }) => {
      const given = parameters as Record<string, string>;
      return `${asked.replace('/api/v1/analytics', '')} ${given['startDate'] ?? ''}..${given['endDate'] ?? ''}`;
    });
}

export const [FIRST, SECOND, THIRD] = ['2026-10-31', '2026-11-01', '2026-11-02'] as const;
const DAYS = [FIRST, SECOND, THIRD];

type Rows = Record<string, unknown>;
/** Rows of each day: of the three above in their order, or by day; a list of them where each is a person's. */
export type Days = readonly (Rows | readonly Rows[])[] | Readonly<Record<string, Rows | readonly Rows[]>>;

/** As they are stored and read back. */
export function known(endpoint: TabId, days: Days): Map<string, DayRecord> {
  return new Map(
    Object.entries(days).map(([key, given]: [string, Rows | readonly Rows[]]) => {
      const date = DAYS[Number(key)] ?? key;
      const rows = [given].flat().map(row => ({ date, ...row }));
      return [date, readDay(endpoint, { at: 1, rows })];
    }),
  );
}

type Asked = [tab: TabId, days: Days | KnownDays, asked?: Partial<UsageQuery>, more?: Partial<Extras>];

/** A report of the three days where nothing else is asked for. */
export function inSteps(...[tab, days, asked, more]: Asked) {
  const records = days instanceof Map ? (days as KnownDays) : known(tab, days as Days);
  const extras = { bounds, directory: [], revisions: [], salt: 's', ...more };
  return steps(query(tab, FIRST, THIRD, asked), records, extras);
}

export const report = (...asked: Asked): TabReport => drained(inSteps(...asked));

export function section(made: TabReport, id: string): Section {
  const found = made.sections.find(each => each.id === id);
  assert.ok(found, `no section ${id}`);
  return found;
}

/** The cells of these columns, row by row, the total last where there is one. */
export function cells(made: TabReport, id: string, ...columns: readonly string[]): (Cell | undefined)[][] {
  const { table } = section(made, id);
  const places = columns.map(name => table.columns.findIndex(column => column.id === name));
  const rows = [...table.rows.map(row => row.cells), ...(table.total === undefined ? [] : [table.total])];
  for (const row of rows) assert.equal(row.length, table.columns.length);
  return rows.map(row => places.map(place => row[place]));
}

/** The same as text: what is not known is a dash. */
export function lines(...of: Parameters<typeof cells>): readonly string[] {
  const textOf = (cell: Cell | undefined): string =>
    String(typeof cell === 'string' ? cell : (amountCell(cell ?? null) ?? '–'));
  return cells(...of).map(row => row.map(textOf).join(' | '));
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
