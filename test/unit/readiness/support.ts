import type { ReadinessReport } from '../../../src/api';
import type { Repository } from '../../../src/readiness/model';
import { FaultServer } from '../../fakes/faultServer';

export const score = (numerator: number, denominator = 2, rationale = 'Because.') => ({
  numerator,
  denominator,
  rationale,
});

let count = 0;
/** A report, a second later than the one before. */
export function report(
  criteria: ReadinessReport['report'] = {},
  more: Partial<ReadinessReport> = {},
): ReadinessReport {
  count++;
  const [reportId, createdAt] = [`r${count}`, count * 1_000];
  return { reportId, createdAt, repoUrl: 'https://h.x/acme/shop', report: criteria, ...more };
}

export function repositoryOf(...reports: readonly [ReadinessReport, ...ReadinessReport[]]): Repository {
  return { key: 'h.x/acme/shop', name: 'acme/shop', url: 'x', reports };
}

const HOUR = 3_600_000;

export type FakeReports = Awaited<ReturnType<typeof startReports>>;

/**
 * A service of readiness reports (section 4.2) that lists the newest first, `cap` at once however many are asked for; `add` makes
 * newer ones.
 */
export async function startReports({ count = 0, repositories = 3 }) {
  const reports: ReadinessReport[] = [];
  let made = 0;
  const make = (): ReadinessReport => {
    made++;
    const criteria = Array.from({ length: 20 }, (_, index) => [
      `criterion_${index}`,
      score((made + index) % 2, 1, 'Because of `apps/web`.'),
    ]);
    return {
      reportId: `report-${made}`,
      createdAt: Date.UTC(2026, 0, 20) + made * HOUR,
      repoUrl: `https://git.example.com/acme/repo-${made % repositories}`,
      apps: { 'apps/web': { description: 'Shop' } },
      report: Object.fromEntries(criteria) as ReadinessReport['report'],
    };
  };
  const add = (more: number): void => {
    for (let index = 0; index < more; index++) reports.unshift(make());
  };
  add(count);
  const fake = { cap: Infinity };
  const server = await FaultServer.start();
  server.answer(({ url }) => {
    const query = new URL(url, server.origin).searchParams;
    const startAfter = query.get('startAfter');
    const rows: readonly (ReadinessReport | null)[] = reports;
    const at = startAfter === null ? -1 : rows.findIndex(row => row?.reportId === startAfter);
    if (startAfter !== null && at < 0) return { kind: 'status', status: 400 };
    const end = at + 1 + Math.min(fake.cap, Number(query.get('limit')));
    return { kind: 'answer', body: { reports: reports.slice(at + 1, end) } };
  });
  const { origin } = server;
  return Object.assign(fake, { origin, reports, add, close: () => server.close() });
}
