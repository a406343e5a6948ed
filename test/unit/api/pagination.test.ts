import assert from 'node:assert/strict';
import fc from 'fast-check';
import { FaultServer, type Fault, type Hit } from '../../fakes/faultServer';
import { clientOf, collect, failureOf } from './support';

const DAYS = { startDate: '2026-11-01', endDate: '2026-11-20' };

describe('pages', () => {
  let server: FaultServer;

  before(async () => (server = await FaultServer.start()));
  after(() => server.close());

  const query = (hit: Hit, name: string): string | null =>
    new URL(hit.url, 'http://x').searchParams.get(name);
  const ok = (body: unknown): Fault => ({ kind: 'answer', body });
  const usersPage = (ids: string[], hasMore: unknown, nextCursor: unknown): Fault =>
    ok({ users: ids.map(id => ({ id })), pagination: { hasMore, nextCursor } });

  it('follows cursors to the end, one request a page, asked for as they are taken', async () => {
    server.answer(hit => {
      const at = Number(query(hit, 'cursor') ?? 0);
      return usersPage([`u${at}`], at < 3, at < 3 ? String(at + 1) : null);
    });
    const seen: unknown[] = [];
    for await (const page of clientOf(server).api.organization.users({ limit: 1 })) {
      seen.push([page.items.map(({ id }) => id), page.cursor, page.hasMore]);
      assert.equal(server.hits.length, seen.length);
    }
    assert.deepEqual(seen, [
      [['u0'], '1', true],
      [['u1'], '2', true],
      [['u2'], '3', true],
      [['u3'], undefined, false],
    ]);
    assert.deepEqual(
      server.hits.map(hit => query(hit, 'limit')),
      ['1', '1', '1', '1'],
    );
  });

  it('an empty page with a cursor is not the end', async () => {
    server.answer((_, count) =>
      count === 1 ? usersPage([], true, 'next') : usersPage(['u'], false, undefined),
    );
    const pages = await collect(clientOf(server).api.organization.users());
    assert.deepEqual(
      pages.map(page => page.items.length),
      [0, 1],
    );
  });

  it('a page that does not say whether there are more ends the list and says so', async () => {
    for (const [fault, reason] of [
      [usersPage(['u'], 'yes', 'c'), 'hasMore is missing: there may be more'],
      [ok({ users: [{ id: 'u' }] }), 'pagination is missing: there may be more'],
    ] as const) {
      server.answer(fault);
      const pages = await collect(clientOf(server).api.organization.users());
      assert.deepEqual([pages.length, pages[0]?.items.length, pages[0]?.hasMore], [1, 1, false]);
      assert.deepEqual(pages[0]?.problems, [{ reason }]);
    }
  });

  /** The lists that give a cursor, with an item of each. */
  const lists = {
    users: (id: string) => usersPage([id], true, id),
    revisions: (id: string) =>
      ok({
        changes: [{ revision: id.charCodeAt(0), settings: {} }],
        pagination: { hasMore: true, nextCursor: id },
      }),
    'days of people': (id: string) =>
      ok({ data: [{ user_id: id, date: '2026-11-01' }], meta: { has_more: true, next_cursor: id } }),
  };
  for (const [name, answer] of Object.entries(lists)) {
    const read = async (ids: (count: number) => string): Promise<readonly [number, unknown]> => {
      server.answer((_, count) => answer(ids(count)));
      const { organization, analytics } = clientOf(server).api;
      const pages: AsyncIterable<{ items: readonly unknown[] }> =
        name === 'users'
          ? organization.users()
          : name === 'revisions'
            ? organization.controlHistory()
            : analytics.users(DAYS);
      let items = 0;
      const error = await failureOf(
        (async () => {
          for await (const page of pages) items += page.items.length;
        })(),
      );
      return [items, [error.kind, error.reason, error.status, server.hits.length]];
    };

    it(`${name} that repeat or go in circles end with an error, not as a complete list`, async () => {
      const broken = (hits: number): unknown => ['malformedAnswer', 'brokenList', 200, hits];
      assert.deepEqual(await read(() => 'a'), [1, broken(2)]);
      assert.deepEqual(await read(count => 'abab'.charAt(count - 1)), [2, broken(3)]);
    });
  }

  it('pages that lead nowhere end with an error', async () => {
    for (const cursor of [null, '', undefined]) {
      server.answer(usersPage(['u'], true, cursor));
      const error = await failureOf(collect(clientOf(server).api.organization.users()));
      assert.equal(error.reason, 'brokenList');
    }
  });

  it('overlapping pages give each item once', async () => {
    const pages = [
      usersPage(['a', 'b'], true, 'b'),
      usersPage(['b', 'c', 'c'], true, 'c'),
      usersPage(['c'], false, null),
    ];
    server.answer((_, count) => pages[count - 1] ?? { kind: 'answer', status: 500 });
    const read = await collect(clientOf(server).api.organization.users());
    assert.deepEqual(
      read.map(({ items }) => items.map(({ id }) => id)),
      [['a', 'b'], ['c'], []],
    );
  });

  it('a failing page ends with its error after the pages before it', async () => {
    server.answer((_, count) =>
      count === 1 ? usersPage(['u'], true, 'n') : { kind: 'answer', status: 403 },
    );
    const seen: unknown[] = [];
    const error = await failureOf(
      (async () => {
        for await (const page of clientOf(server).api.organization.users()) seen.push(page);
      })(),
    );
    assert.deepEqual([error.kind, seen.length], ['forbidden', 1]);
  });

  it('people’s days keep dates and limit from page to page and carry meta', async () => {
    server.answer((_, count) =>
      ok({
        data: [{ user_id: `u${count}`, date: '2026-11-01', user_email: null }],
        meta: { org_id: 'o', has_more: count < 3, next_cursor: count < 3 ? `u${count}` : null },
      }),
    );
    const pages = await collect(clientOf(server).api.analytics.users({ ...DAYS, limit: 2 }));
    assert.deepEqual(
      server.hits.map(hit => hit.url),
      ['', '&cursor=u1', '&cursor=u2'].map(
        cursor => `/api/v1/analytics/users?startDate=2026-11-01&endDate=2026-11-20&limit=2${cursor}`,
      ),
    );
    assert.deepEqual(
      pages.map(page => [page.items[0]?.user_id, page.items[0]?.user_email, page.meta.org_id, page.hasMore]),
      [
        ['u1', null, 'o', true],
        ['u2', null, 'o', true],
        ['u3', null, 'o', false],
      ],
    );
  });

  describe('readiness', () => {
    const report = (reportId: unknown): unknown => ({
      reportId,
      createdAt: 1,
      repoUrl: 'r',
      apps: {},
      report: {},
    });
    const reports = (...ids: unknown[]): Fault => ok({ reports: ids.map(report) });

    async function read(limit: number): Promise<{ ids: (string | undefined)[]; hits: (string | null)[] }> {
      const pages = await collect(clientOf(server).api.readiness.reports({ limit }));
      assert.deepEqual(
        pages.map(page => page.hasMore),
        pages.map((_, index) => index < pages.length - 1),
      );
      return {
        ids: pages.flatMap(page => page.items.map(({ reportId }) => reportId)),
        hits: server.hits.map(hit => query(hit, 'startAfter')),
      };
    }

    it('a short page is not the last: a service may cap its pages', async () => {
      server.answer((_, count) =>
        count === 1 ? reports('a', 'b') : count === 2 ? reports('c') : count === 3 ? reports('d') : reports(),
      );
      assert.deepEqual(await read(5), { ids: ['a', 'b', 'c', 'd'], hits: [null, 'b', 'c', 'd'] });
    });

    it('an empty page is the last', async () => {
      server.answer((_, count) => (count === 1 ? reports('a', 'b') : reports()));
      assert.deepEqual(await read(2), { ids: ['a', 'b'], hits: [null, 'b'] });
    });

    it('a service that does not page has given all it has', async () => {
      server.answer(reports('a', 'b'));
      assert.deepEqual(await read(3), { ids: ['a', 'b'], hits: [null, 'b'] });
    });

    it('a full page that repeats is no end', async () => {
      server.answer(reports('a', 'b'));
      assert.equal((await failureOf(read(2))).reason, 'brokenList');
    });

    it('overlapping pages give each report once', async () => {
      server.answer((_, count) =>
        count === 1 ? reports('a', 'b') : count === 2 ? reports('b', 'c') : reports(),
      );
      assert.deepEqual(await read(2), { ids: ['a', 'b', 'c'], hits: [null, 'b', 'c'] });
    });

    it('a last report without an id does not end the list', async () => {
      server.answer((_, count) => (count === 1 ? reports('a', 7) : reports('b')));
      assert.deepEqual(await read(2), { ids: ['a', 'b'], hits: [null, 'a', 'b'] });
    });

    it('remembers the path that answered', async () => {
      server.answer(hit =>
        hit.url.includes('/agent-readiness-reports') ? reports('a') : { kind: 'answer', status: 404 },
      );
      const { api } = clientOf(server);
      for (let round = 0; round < 2; round++) {
        assert.equal((await collect(api.readiness.reports()))[0]?.items.length, 1);
      }
      // Each round asks whether its one short page was all.
      assert.equal(server.hits.filter(({ url }) => !url.includes('/agent-readiness-reports')).length, 1);
      assert.equal(server.hits.length, 5);
    });
  });

  it('any list cut into any pages is read whole', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.string({ minLength: 1 }), { maxLength: 20 }),
        fc.integer({ min: 1, max: 6 }),
        async (ids, size) => {
          server.answer(hit => {
            const from = Number(query(hit, 'cursor') ?? 0);
            const more = from + size < ids.length;
            return usersPage(ids.slice(from, from + size), more, more ? String(from + size) : undefined);
          });
          const pages = await collect(clientOf(server).api.organization.users({ limit: size }));
          assert.deepEqual(
            pages.flatMap(page => page.items.map(({ id }) => id)),
            ids,
          );
          assert.equal(server.hits.length, Math.max(1, Math.ceil(ids.length / size)));
        },
      ),
      { numRuns: 40 },
    );
  });
});
