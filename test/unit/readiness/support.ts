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

export type FakeReports = Awaited<ReturnType<typeof startReports>>;

/** A service of readiness reports (section 4.2) that lists the newest first. */
export async function startReports({ count = 0, repositories = 3 }) {
  const reports = Array.from({ length: count }, (_, index): ReadinessReport => {
    const made = count - index;
    const criteria = Array.from({ length: 20 }, (_each, at) => [
      `criterion_${at}`,
      score((made + at) % 2, 1, 'Because of `apps/web`.'),
    ]);
    return {
      reportId: `report-${made}`,
      createdAt: Date.UTC(2026, 0, 20, made),
      repoUrl: `https://git.example.com/acme/repo-${made % repositories}`,
      apps: { 'apps/web': { description: 'Shop' } },
      report: Object.fromEntries(criteria) as ReadinessReport['report'],
    };
  });
  const server = await FaultServer.start();
  const { origin } = server;
  server.answer(({ url }) => {
    const query = new URL(url, origin).searchParams;
    const after = query.get('startAfter');
    const from = after === null ? 0 : reports.findIndex(({ reportId }) => reportId === after) + 1;
    return { kind: 'answer', body: { reports: reports.slice(from, from + Number(query.get('limit'))) } };
  });
  return { origin, reports, close: () => server.close() };
}
