import type { ReadinessReport } from '../../../src/api';
import { FaultServer } from '../../fakes/faultServer';

export const score = (numerator: number, denominator = 2, rationale = 'Because.') => ({
  ...{ numerator, denominator, rationale },
});

let made = 0;
/** A report, a second later than the one before. */
export function report(
  criteria: ReadinessReport['report'] = {},
  more: Partial<ReadinessReport> = {},
): ReadinessReport {
  made++;
  const [reportId, createdAt] = [`r${made}`, made * 1_000];
  return { reportId, createdAt, repoUrl: 'https://h.x/acme/shop', report: criteria, ...more };
}

export type FakeReports = Awaited<ReturnType<typeof startReports>>;

/** A service of readiness reports (section 4.2) that lists the newest first; `count` of them in turn of three repositories. */
export async function startReports({ count = 0 }) {
  const reports = Array.from({ length: count }, (_, at) => {
    const [n, repoUrl] = [count - at, `https://h.x/acme/${(count - at) % 3}`];
    return report({ tests: score(1) }, { reportId: `report-${n}`, repoUrl, createdAt: n });
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
