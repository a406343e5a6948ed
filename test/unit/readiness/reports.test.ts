import assert from 'node:assert/strict';
import type { ApiClient, ReadinessReport } from '../../../src/api';
import { isPartlyRead, reportKind } from '../../../src/readiness/reports';
import { RemoteList } from '../../../src/sync/remoteList';
import { cleanUp, later, temporaryFolder } from '../../fakes/cleanUp';
import { silentLog } from '../../fakes/log';
import { openStorage } from '../../fakes/storage';
import { clientOf } from '../api/support';
import { startReports, type FakeReports } from './reportsServer';

const PATH = 'services/ab/lists/readiness/app';
const HOUR = 3_600_000;

describe('kept readiness reports', () => {
  let root: string;
  let now: number;

  beforeEach(() => {
    root = temporaryFolder();
    now = Date.UTC(2026, 10, 20);
  });
  afterEach(cleanUp);

  interface Window {
    readonly list: RemoteList<ReadinessReport>;
    readonly ids: () => string[];
    /** As the view asks by itself, an hour later. */
    readonly look: () => Promise<unknown>;
  }
  /** A window: its own storage over the same folder. */
  async function open(api?: ApiClient): Promise<Window> {
    const storage = openStorage({ root, log: silentLog() });
    const list = new RemoteList<ReadinessReport>({
      storage,
      log: silentLog(),
      ...reportKind,
      pages: signal => api?.pages('reports', { signal }),
      failureOf: error => ({ sentence: String(error) }),
      now: () => now,
    });
    later(async () => {
      list.dispose();
      await storage.settled();
      storage.dispose();
    });
    await list.use(PATH);
    return {
      list,
      ids: () => list.state.current.items.map(({ reportId }) => reportId).sort(),
      look: () => {
        now += HOUR;
        return list.readInTurn({ usualMs: HOUR }, new AbortController().signal);
      },
    };
  }
  async function serve(count: number): Promise<FakeReports & { api: ApiClient }> {
    const server = await startReports({ count });
    later(() => server.close());
    return Object.assign(server, { api: clientOf(server).api });
  }

  it('are all read from a service that gives at most 20 at once, and read the same in another window', async () => {
    const server = await serve(230);
    server.cap = 20;
    const window = await open(server.api);
    for (const added of [0, 3, 60]) {
      server.add(added);
      await window.look();
      assert.deepEqual(window.ids(), server.reports.map(({ reportId }) => reportId).sort(), `${added} added`);
    }
    assert.deepEqual((await open()).ids(), window.ids());
  });

  it('that cannot be read are named, hide nothing, and are not named any more once they can be read', async () => {
    const server = await serve(230);
    const [first, last] = [server.reports[0]!, server.reports.at(-1)!];
    const whole = { ...last.report };
    Object.assign(first.report, { over: { numerator: 3, denominator: 2 }, empty: {} });
    Object.assign(last.report, { none: { numerator: 0, denominator: 0 } });
    server.reports.splice(
      150,
      0,
      null as unknown as ReadinessReport,
      { repoUrl: 'x/repo-9' } as ReadinessReport,
    );
    const window = await open(server.api);
    await window.look();
    assert.equal(window.ids().length, 230);
    const { problems } = window.list.state.current;
    const parts = problems.flatMap(({ id, field }) => (field === undefined ? [] : [`${id} ${field}`]));
    assert.deepEqual(parts.sort(), [
      'report-1 report.none',
      'report-230 report.empty',
      'report-230 report.over',
    ]);
    assert.equal(problems.length - parts.length, 2);
    for (const [report, base, isPartly] of [
      [first, undefined, true],
      [server.reports[1], last, true],
      [server.reports[1], server.reports[2], false],
    ] as const)
      assert.equal(isPartlyRead(window.list.state.current, [report, base]), isPartly);
    assert.match(JSON.stringify(problems), /repo-9/, 'by the name they have');
    assert.deepEqual((await open()).list.state.current.problems, problems, 'another window says the same');
    server.reports.splice(150, 2);
    last.report = whole;
    const [removed] = server.reports.splice(100, 1);
    await window.look();
    assert.ok(
      window.ids().includes(removed!.reportId),
      'a report that is no longer listed stays in its trend',
    );
    assert.ok(window.list.state.current.problems.every(({ id }) => id === first.reportId));
  });
});
