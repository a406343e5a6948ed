import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { ApiClient, type Page, type ReadinessReport } from '../../../src/api';
import { ReportStore } from '../../../src/readiness/store';
import { startSampleService } from '../../../src/sample';
import { openStorage, type Storage } from '../../../src/storage';
import { silentLog } from '../../fakes/log';
import { startReports, type FakeReports } from './reportsServer';

const FOLDER = 'services/ab/readiness/app';

describe('kept readiness reports', () => {
  const cleanups: (() => unknown)[] = [];
  let root: string;
  let now: number;

  beforeEach(() => {
    root = fs.mkdtempSync(path.join(os.tmpdir(), 'agent-console-readiness-'));
    now = Date.UTC(2026, 10, 20);
    cleanups.push(() => fs.rmSync(root, { recursive: true, force: true }));
  });
  afterEach(async () => {
    for (const run of cleanups.splice(0).reverse()) await run();
  });

  /** A window: its own storage over the same folder. */
  async function open(): Promise<ReportStore> {
    const storage: Storage = openStorage({ root, log: silentLog() });
    const store = new ReportStore(storage, () => now);
    cleanups.push(async () => {
      store.dispose();
      await storage.settled();
      storage.dispose();
    });
    await store.use(FOLDER);
    return store;
  }
  function client(appUrl: string): ApiClient {
    const api = new ApiClient({
      baseUrl: appUrl,
      appUrl,
      key: () => Promise.resolve('key'),
      log: silentLog(),
      delay: () => Promise.resolve(),
    });
    cleanups.push(() => api.dispose());
    return api;
  }
  async function serve(
    options: Parameters<typeof startReports>[0],
  ): Promise<FakeReports & { api: ApiClient }> {
    const server = await startReports(options);
    cleanups.push(() => server.close());
    return Object.assign(server, { api: client(server.url) });
  }
  const ids = (store: ReportStore): string[] =>
    [...store.repositories.values()].flatMap(({ reports }) => reports.map(({ reportId }) => reportId)).sort();

  for (const order of ['newestFirst', 'oldestFirst', 'shuffled'] as const) {
    it(`are all read, then only what is new, from a service that lists ${order}`, async () => {
      const server = await serve({ count: 230, order });
      const store = await open();
      await store.refresh(server.api, false);
      assert.equal(ids(store).length, 230);
      assert.equal(server.queries.length, 3);
      assert.equal(store.reading?.order, order === 'shuffled' ? 'none' : order);
      for (const added of [0, 3, 60]) {
        server.add(added);
        server.queries.length = 0;
        await store.refresh(server.api, false);
        assert.equal(ids(store).length, server.reports.length, `${added} added`);
        const pages = server.queries.length;
        if (order !== 'shuffled')
          assert.ok(pages <= 1 + Math.ceil(added / 25), `${pages} pages for ${added}`);
      }
      assert.deepEqual(ids(store), server.reports.map(({ reportId }) => reportId).sort());
      assert.deepEqual(ids(await open()), ids(store), 'another window reads the same');
    });
  }

  for (const order of ['newestFirst', 'oldestFirst', 'shuffled'] as const) {
    for (const cap of [20, 50]) {
      it(`are all read from a service that lists ${order} and gives at most ${cap} at once`, async () => {
        const server = await serve({ count: 230, order });
        server.cap = cap;
        const store = await open();
        await store.refresh(server.api, false);
        for (const added of [0, 3, 60]) {
          server.add(added);
          await store.refresh(server.api, false);
          assert.deepEqual(
            ids(store),
            server.reports.map(({ reportId }) => reportId).sort(),
            `${added} added`,
          );
        }
      });
    }
  }

  for (const cap of [20, 50]) {
    it(`are lost by no reading when a service begins to give at most ${cap} at once`, async () => {
      const server = await serve({ count: 230, order: 'newestFirst' });
      const store = await open();
      await store.refresh(server.api, false);
      server.cap = cap;
      server.add(cap + 1);
      await store.refresh(server.api, false);
      assert.deepEqual(ids(store), server.reports.map(({ reportId }) => reportId).sort());
    });
  }

  it('are lost by no reading when pages are shorter than asked for in the middle of the list', async () => {
    const server = await serve({ count: 30, order: 'newestFirst' });
    const store = await open();
    await store.refresh(server.api, false);
    server.add(140);
    Object.defineProperty(server, 'cap', { get: () => (server.queries.length % 2 === 0 ? Infinity : 10) });
    await store.refresh(server.api, false);
    assert.deepEqual(ids(store), server.reports.map(({ reportId }) => reportId).sort());
  });

  it('leave no gap when a reading of new ones is interrupted', async () => {
    const server = await serve({ count: 30, order: 'newestFirst' });
    const store = await open();
    await store.refresh(server.api, false);
    server.add(80);
    server.failAfter = server.queries.length + 2;
    await assert.rejects(store.refresh(server.api, false));
    assert.ok(ids(store).length > 30 && ids(store).length < 110, 'what was read is kept');
    server.failAfter = Infinity;
    await store.refresh(server.api, false);
    assert.equal(ids(store).length, 110);
    assert.equal(store.reading?.order, 'newestFirst');
  });

  it('are read again from the beginning when the service does not know the last one any more', async () => {
    const server = await serve({ count: 40, order: 'oldestFirst' });
    const store = await open();
    await store.refresh(server.api, false);
    server.reports.pop();
    server.add(2);
    await store.refresh(server.api, false);
    assert.equal(ids(store).length, 42, 'the one that went away is kept');
  });

  it('of another organization take the place of the ones before', async () => {
    const store = await open();
    await store.refresh((await serve({ count: 30, order: 'newestFirst' })).api, false);
    const other = await serve({ count: 7, order: 'newestFirst', prefix: 'other' });
    await store.refresh(other.api, false);
    assert.deepEqual(ids(store), other.reports.map(({ reportId }) => reportId).sort());
    await store.refresh((await serve({ count: 0, order: 'newestFirst' })).api, false);
    assert.equal(ids(store).length, 7, 'an empty answer takes nothing away');
  });

  it('move with their repository when that is renamed at the service', async () => {
    const server = await serve({ count: 40, order: 'newestFirst', repositories: 2 });
    const store = await open();
    await store.refresh(server.api, false);
    // The old name comes after the new one in the alphabet: what was read last counts, not what is listed last.
    for (const report of server.reports) {
      if (!report.repoUrl.endsWith('/repo-1')) continue;
      Object.assign(report, { repoUrl: 'https://git.example.com/acme/a-new-name' });
    }
    await store.refresh(server.api, true);
    for (const each of [store, await open()]) {
      const sizes = [...each.repositories].map(([key, { reports }]) => `${key} ${reports.length}`);
      assert.deepEqual(sizes, ['git.example.com/acme/a-new-name 20', 'git.example.com/acme/repo-0 20']);
    }
    assert.equal(ids(store).length, 40);
  });

  it('that cannot be read are named, and hide nothing', async () => {
    const server = await serve({ count: 3, order: 'newestFirst' });
    Object.assign(server.reports[0]!, {
      report: {
        fine: { numerator: 1, denominator: 2, rationale: 'x' },
        over: { numerator: 3, denominator: 2, rationale: 'x' },
        none: { numerator: 0, denominator: 0, rationale: 'x' },
        empty: {},
      },
    });
    server.reports.push(
      { reportId: 'broken' } as unknown as ReadinessReport,
      null as unknown as ReadinessReport,
    );
    const store = await open();
    await store.refresh(server.api, false);
    assert.equal(ids(store).length, 3);
    const bad = [...store.repositories.values()]
      .flatMap(({ reports }) => reports)
      .find(({ unread }) => unread);
    assert.deepEqual(Object.keys(bad!.report), ['fine']);
    const fields = bad!.unread!.map(reason => /^report\.(\w+)/.exec(reason)?.[1]);
    assert.deepEqual([...new Set(fields)].sort(), ['empty', 'none', 'over']);
    assert.equal(store.reading?.problems.length, 2);
    assert.match(store.reading.problems.join(), /broken/);
    await store.refresh(server.api, false);
    assert.match((await open()).reading!.problems.join(), /broken/);
  });

  it('are asked for in smaller pages when an answer is too large', async () => {
    const server = await serve({ count: 120, order: 'newestFirst', rationale: 'r'.repeat(300_000) });
    const store = await open();
    await store.refresh(server.api, false);
    assert.equal(ids(store).length, 120);
    assert.ok(server.queries.some(query => query.get('limit') === '10'));
  }).timeout(120_000);

  it('are asked for once by all who ask at the same time', async () => {
    const server = await serve({ count: 5, order: 'newestFirst' });
    const store = await open();
    await Promise.all([store.refresh(server.api, false), store.refresh(server.api, false)]);
    // The second page tells that the first, a short one, was all.
    assert.deepEqual(
      server.queries.map(query => query.get('startAfter')),
      [null, 'report-1'],
    );
  });

  it('keep nothing of a reading that was given up', async () => {
    const store = await open();
    const abort = new AbortController();
    const never: AsyncGenerator<Page<ReadinessReport>, void> = (async function* (): AsyncGenerator<
      Page<ReadinessReport>,
      void
    > {
      await new Promise((_, reject) =>
        abort.signal.addEventListener('abort', () => reject(new Error('gone'))),
      );
      yield { items: [], problems: [], hasMore: false };
    })();
    const reading = store.refresh({ readiness: { reports: () => never } }, false, abort.signal);
    abort.abort(new Error('given up'));
    await assert.rejects(reading, /given up/);
    assert.equal(store.reading, undefined);
  });

  it('of the sample service are all there, and one of the open repository among them', async () => {
    const service = await startSampleService({
      openRepositoryUrl: 'git@git.example.org:team/app.git',
      openRepositoryCommits: [{ hash: 'c'.repeat(40), at: Date.UTC(2026, 2, 1) }],
    });
    cleanups.push(() => service.close());
    const api = new ApiClient({
      baseUrl: service.baseUrl,
      appUrl: service.appUrl,
      key: () => Promise.resolve(service.apiKey),
      log: silentLog(),
    });
    cleanups.push(() => api.dispose());
    const store = await open();
    await store.refresh(api, false);
    const repository = store.repositories.get('git.example.org/team/app');
    assert.equal(repository?.reports[0]?.commitHash, 'c'.repeat(40));
    const before = service.requests.length;
    await store.refresh(api, false);
    assert.equal(service.requests.length, before + 1);
    assert.ok(service.requests.every(({ status }) => status === 200));
  });

  it('are quick to read, keep and open: 5,000 of 40 repositories', async function () {
    const server = await serve({ count: 5_000, order: 'newestFirst', repositories: 40 });
    const store = await open();
    const times: [string, number][] = [];
    const time = async (what: string, run: () => Promise<unknown>): Promise<void> => {
      const began = performance.now();
      await run();
      times.push([what, Math.round(performance.now() - began)]);
    };
    let changes = 0;
    store.onDidChange(() => changes++);
    await time('read and kept', () => store.refresh(server.api, false));
    assert.equal(changes, 1, 'views draw once, not for each record');
    await time('asked again', () => store.refresh(server.api, false));
    let again: ReportStore | undefined;
    await time('opened', async () => (again = await open()));
    await time('grouped', () => Promise.resolve(again?.repositories));
    assert.equal(again?.repositories.size, 40);
    assert.equal(ids(again).length, 5_000);
    this.test!.title += `: ${times.map(([what, ms]) => `${what} in ${ms} ms`).join(', ')}; ${server.queries.length} requests`;
    assert.equal(server.queries.length, 52);
    assert.ok(Object.fromEntries(times)['opened']! < 10_000);
  }).timeout(120_000);
});
