import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ReadinessReport } from '../../../src/api';

/** A service of readiness reports (section 4.2) that lists in a chosen order. */
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
  readonly order: 'newestFirst' | 'oldestFirst' | 'shuffled';
  readonly repositories?: number;
}): Promise<FakeReports> {
  const { count, order, repositories = 3 } = options;
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
    for (let index = 0; index < more; index++) {
      const report = make();
      if (order === 'newestFirst') reports.unshift(report);
      else if (order === 'oldestFirst') reports.push(report);
      else reports.splice((made * 7919) % (reports.length || 1), 0, report);
    }
  };
  add(count);
  const fake = { cap: Infinity };
  const server = createServer((request, response) => {
    const query = new URL(request.url ?? '/', 'http://x').searchParams;
    const answer = (status: number, body: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    const startAfter = query.get('startAfter');
    const at =
      startAfter === null
        ? -1
        : (reports as readonly (ReadinessReport | null)[]).findIndex(row => row?.reportId === startAfter);
    const end = at + 1 + Math.min(fake.cap, Number(query.get('limit')));
    if (startAfter !== null && at < 0) answer(400, {});
    else answer(200, { reports: reports.slice(at + 1, end) });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(fake, {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    reports,
    add,
    close: () => new Promise<void>(resolve => server.close(() => resolve())),
  });
}
