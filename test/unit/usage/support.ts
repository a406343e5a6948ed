import assert from 'node:assert/strict';
import { UsageData, type UsageDataDeps } from '../../../src/usage/data';
import type { DayRecord, KnownDays } from '../../../src/usage/days';
import { report as steps, type Extras } from '../../../src/usage/report/report';
import type { Cell, Section, TabId, TabReport, UsageQuery } from '../../../src/usage/report/types';
import { chartOf } from '../../../media/usage/plot';
import { amountCell, knownOf } from '../../../src/util/amount';
import { later, temporaryFolder } from '../../fakes/cleanUp';
import { FakeConnection } from '../../fakes/connection';
import { silentLog } from '../../fakes/log';
import { startSampleService } from '../../fakes/sampleService';
import { bounds, drained } from '../../fakes/usage';
import { clientOf, NOON } from '../api/support';
import { openWindow } from '../storage/support';

export const HOUR = 60 * 60 * 1000;
export type Window = ReturnType<Awaited<ReturnType<typeof begin>>['open']>;

/** A service and the windows that share its days, one of them open, at noon (UTC) after the latest day there is, 2026-11-20. */
export async function begin() {
  const clock = { now: NOON, read: (): number => clock.now };
  const root = temporaryFolder();
  const service = await startSampleService({ pace: 0, now: clock.read });
  later(() => service.close());

  /** What one window has, signed in with `apiKey`. */
  const open = (apiKey = (): string => service.apiKey, more: Partial<UsageDataDeps> = {}) => {
    const storage = openWindow(root, { now: clock.read });
    const client = () => {
      const key = () => Promise.resolve(apiKey());
      const { api } = clientOf({ origin: service.baseUrl }, { key, now: clock.read });
      later(() => api.dispose());
      return api;
    };
    const connection = new FakeConnection(client(), service);
    const data = new UsageData({ connection, storage, log: silentLog(), now: clock.read, ...more });
    later(() => {
      data.dispose();
      return storage.settled();
    });
    /** Another key takes the place of the one before. */
    const useKey = (mark: string): void => {
      connection.mark = mark;
      connection.go(client(), service, 'service');
    };
    return { data, storage, clock, useKey, reject: () => connection.reject('No.') };
  };
  /** From now on the service answers something else than it has. */
  const answer = (change: (body: Body) => object) =>
    service.fail({ kind: 'alter', alter: body => ({ ...(body as Body), ...change(body as Body) }) });
  /** The analytics requests it has seen, as `/path start..end`. */
  const calls = (): string[] =>
    service.requests.flatMap(({ path, query: { startDate, endDate } }) =>
      path.startsWith('/api/v1/analytics') ? `${path.slice(17)} ${startDate}..${endDate}` : [],
    );
  return { service, open, answer, calls, ...open() };
}

export interface Body {
  readonly data: readonly (Readonly<Record<string, unknown>> & { readonly date: string })[];
  readonly meta: { readonly start_date: string; readonly end_date: string };
}

export function query(tab: TabId, start: string, end = start, more: Partial<UsageQuery> = {}): UsageQuery {
  return { tab, range: { start, end }, compare: false, folded: true, pseudonyms: false, ...more };
}

/** The report after what was missing has been fetched, as far as that went. */
export async function fetched(
  data: UsageData,
  asked: UsageQuery,
  options: Partial<Parameters<UsageData['fetch']>[1]> = {},
): Promise<TabReport> {
  const problem = await data.fetch(asked, { signal: new AbortController().signal, ...options });
  const made = await data.report(asked);
  return problem === undefined ? made : { ...made, problem };
}

export const DAYS = ['2026-10-31', '2026-11-01', '2026-11-02'] as const;
export const [FIRST, SECOND, THIRD] = DAYS;

type Rows = Record<string, unknown>;
/** Rows of each day: of the three above in their order, or by day; a list of them where each is a person's. */
export type Days = readonly (Rows | readonly Rows[])[] | Readonly<Record<string, Rows | readonly Rows[]>>;

/** As they are stored and read back. */
export function known(days: Days): Map<string, DayRecord> {
  return new Map(
    Object.entries(days).map(([key, given]: [string, Rows | readonly Rows[]]) => {
      const date = DAYS[Number(key)] ?? key;
      const rows = [given].flat().map(row => ({ date, ...row }));
      return [date, { at: 1, rows: rows as never, problems: [] }];
    }),
  );
}

type Asked = [tab: TabId, days: Days | KnownDays, asked?: Partial<UsageQuery>, more?: Partial<Extras>];

/** A report of the three days where nothing else is asked for. */
export function inSteps(...[tab, days, asked, more]: Asked) {
  const records = days instanceof Map ? (days as KnownDays) : known(days as Days);
  const extras = { bounds, directory: [], revisions: [], salt: 's', ...more };
  return steps(query(tab, FIRST, THIRD, asked), records, extras);
}

/** The same, of which every column with a total agrees with its rows. */
export function report(...asked: Asked): TabReport {
  const made = drained(inSteps(...asked));
  for (const { id, table } of made.sections) {
    for (const { cells } of table.rows) assert.equal(cells.length, table.columns.length);
    table.total?.forEach((total, index) => {
      const { id: name, kind } = table.columns[index]!;
      if (typeof total !== 'number' || kind === 'ratio') return;
      const sum = sumOf(table.rows, ({ cells }) => (typeof cells[index] === 'number' ? cells[index] : 0));
      assert.ok(Math.abs(sum - total) < 1e-6, `${id}.${name}: ${sum} of rows, ${total} in total`);
    });
  }
  return made;
}

export const sumOf = <T>(items: readonly T[], of: (item: T, at: number) => number | undefined): number =>
  items.reduce((sum, item, at) => sum + (of(item, at) ?? 0), 0);

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
