import assert from 'node:assert/strict';
import type { ApiClient, ReadinessReport } from '../../../src/api';
import { Reports } from '../../../src/readiness/reports';
import { cleanUp, later, temporaryFolder } from '../../fakes/cleanUp';
import { FakeConnection } from '../../fakes/connection';
import { silentLog } from '../../fakes/log';
import { openStorage } from '../../fakes/storage';
import { clientOf } from '../api/support';
import { startReports } from './support';

describe('kept readiness reports', () => {
  let root: string;

  beforeEach(() => {
    root = temporaryFolder();
  });
  afterEach(cleanUp);

  /** A window: its own storage over the same folder. */
  async function open(appUrl: string, api?: ApiClient) {
    const [log, storage] = [silentLog(), openStorage({ root, log: silentLog() })];
    const connection = Object.assign(new FakeConnection({} as never, { baseUrl: appUrl, appUrl }), { api });
    const reports = new Reports({ connection, storage, log });
    later(async () => {
      reports.dispose();
      await storage.settled();
      storage.dispose();
    });
    await reports.open();
    reports.list.state.onDidChange(() => reports.changed());
    const { list } = reports;
    const ids = (): string[] => list.state.current.items.map(({ reportId }) => reportId).sort();
    return { list, ids, shown: (id?: string) => reports.shown({ key: '', reportId: id ?? '' }) };
  }
  async function serve(count: number) {
    const server = await startReports({ count });
    later(() => server.close());
    return { server, ...server, api: clientOf(server).api };
  }

  it('are all read from a service that gives at most 20 at once, and read the same in another window', async () => {
    const { server, reports, origin, api } = await serve(230);
    server.cap = 20;
    const window = await open(origin, api);
    for (const added of [0, 3, 60]) {
      server.add(added);
      await window.list.refresh();
      assert.deepEqual(window.ids(), reports.map(({ reportId }) => reportId).sort(), `${added} added`);
    }
    assert.deepEqual((await open(origin)).ids(), window.ids());
  });

  it('that cannot be read are named, hide nothing, and are not named any more once they can be read', async () => {
    const { reports, origin, api } = await serve(230);
    const [first, second, last] = [reports[0]!, reports[1]!, reports.at(-1)!];
    const whole = { ...last.report };
    Object.assign(first.report, { over: { numerator: 3, denominator: 2 }, empty: {} });
    Object.assign(last.report, { none: { numerator: 0, denominator: 0 } });
    const unreadable = [null, { repoUrl: 'x/repo-9' }] as unknown as ReadinessReport[];
    reports.splice(150, 0, ...unreadable);
    const window = await open(origin, api);
    await window.list.refresh();
    assert.equal(window.ids().length, 230);
    const { problems } = window.list.state.current;
    const parts = problems.flatMap(({ id, field }) => (field === undefined ? [] : [`${id} ${field}`]));
    assert.deepEqual(parts.sort(), [
      'report-1 report.none',
      'report-230 report.empty',
      'report-230 report.over',
    ]);
    assert.equal(problems.length - parts.length, 2);
    const partly = ['report-230', 'report-4', 'report-229'].map(id => window.shown(id)?.isPartial);
    assert.deepEqual(partly, [true, true, false], 'itself, or what it is compared with');
    assert.equal(window.shown(second.reportId)?.report.reportId, second.reportId);
    assert.match(JSON.stringify(problems), /repo-9/, 'by the name they have');
    const other = await open(origin);
    assert.deepEqual(other.list.state.current.problems, problems, 'another window says the same');
    reports.splice(150, 2);
    last.report = whole;
    const [removed] = reports.splice(100, 1);
    await window.list.refresh();
    assert.ok(window.ids().includes(removed!.reportId), 'what is no longer listed stays in its trend');
    assert.ok(window.list.state.current.problems.every(({ id }) => id === first.reportId));
  });
});
