import type { ReadinessReport } from '../../../src/api';
import { FaultServer } from '../../fakes/faultServer';

/** A service of readiness reports (section 4.2) that lists the newest first. */
export interface FakeReports {
  readonly origin: string;
  /** In the service's order. */
  readonly reports: ReadinessReport[];
  /** The most reports it gives at once, however many are asked for. */
  cap: number;
  /** Makes newer reports. */
  add(count: number): void;
  close(): Promise<void>;
}

const HOUR = 3_600_000;

export async function startReports(options: {
  readonly count: number;
  readonly repositories?: number;
}): Promise<FakeReports> {
  const { count, repositories = 3 } = options;
  const reports: ReadinessReport[] = [];
  let made = 0;
  const make = (): ReadinessReport => {
    made++;
    return {
      reportId: `report-${made}`,
      createdAt: Date.UTC(2026, 0, 20) + made * HOUR,
      repoUrl: `https://git.example.com/acme/repo-${made % repositories}`,
      apps: { 'apps/web': { description: 'Shop' } },
      report: Object.fromEntries(
        Array.from({ length: 20 }, (_, index) => [
          `criterion_${index}`,
          { numerator: (made + index) % 2, denominator: 1, rationale: 'Because of `apps/web`.' },
        ]),
      ),
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
