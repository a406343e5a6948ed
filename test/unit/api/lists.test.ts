import assert from 'node:assert/strict';
import type { Fault, Hit } from '../../fakes/faultServer';
import type { ApiClient, Extra, Page } from '../../../src/api';
import { DAYS, RANGE, SESSION, clientOf, collect, failureOf, testServer } from './support';

const query = (hit: Hit, name: string): string | null => new URL(hit.url, 'http://x').searchParams.get(name);
const ok = (body: unknown): Fault => ({ kind: 'answer', body });
const refused: Fault = { kind: 'answer', status: 403 };
const usersPage = (ids: string[], hasMore: unknown, nextCursor: unknown): Fault =>
  ok({ users: ids.map(id => ({ id })), pagination: { hasMore, nextCursor } });
const page = (name: string, items: readonly unknown[], nextCursor: string | null = null): Fault =>
  ok({ [name]: items, pagination: { hasMore: nextCursor !== null, nextCursor } });

describe('pages', () => {
  const server = testServer();

  /** Answers with these, one after another. */
  const inTurn = (...pages: Fault[]): void => server.answer((_, count) => pages[count - 1] ?? refused);
  const users = () => clientOf(server).api.pages('users');

  it('an empty page with a cursor is not the end, and overlapping pages give each item once', async () => {
    const empty = [usersPage([], true, 'n'), usersPage(['u'], false, null)];
    const overlapping = ['ab', 'bcc', 'c'].map(ids => usersPage(ids.split(''), ids !== 'c', ids));
    for (const [pages, items] of [
      [empty, '|u'],
      [overlapping, 'ab|c|'],
    ] as const) {
      inTurn(...pages);
      const read = await collect(users());
      assert.equal(read.map(page => page.items.map(({ id }) => id).join('')).join('|'), items);
    }
  });

  it('that do not say whether there are more end the list and say so', async () => {
    for (const [fault, reason] of [
      [usersPage(['u'], 'yes', 'c'), 'hasMore is missing: there may be more'],
      [ok({ users: [{ id: 'u' }] }), 'pagination is missing: there may be more'],
    ] as const) {
      server.answer(fault);
      const pages = await collect(users());
      assert.deepEqual([pages.length, pages[0]?.items.length, pages[0]?.cursor], [1, 1, undefined]);
      assert.deepEqual(pages[0]?.problems, [{ reason }]);
    }
  });

  type Read = (api: ApiClient) => AsyncIterable<{ items: readonly unknown[] }>;
  /** The lists that give a cursor, with a page of an item each. */
  const lists: Record<string, readonly [read: Read, answer: (id: string) => Fault]> = {
    users: [api => api.pages('users'), id => usersPage([id], true, id)],
    revisions: [
      api => api.pages('controlHistory'),
      id => page('changes', [{ revision: id.charCodeAt(0), settings: {} }], id),
    ],
    'days of people': [
      api => api.pages('people', { query: DAYS }),
      id => ok({ data: [{ user_id: id, date: '2026-11-01' }], meta: { has_more: true, next_cursor: id } }),
    ],
  };
  for (const [name, [read, answer]] of Object.entries(lists))
    it(`of ${name} that repeat or go in circles end with an error, not as a complete list`, async () => {
      for (const [ids, taken] of [
        ['aaaa', 1],
        ['abab', 2],
      ] as const) {
        server.answer((_, count) => answer(ids.charAt(count - 1)));
        let items = 0;
        const reading = async (): Promise<void> => {
          for await (const page of read(clientOf(server).api)) items += page.items.length;
        };
        const { kind, reason, status } = await failureOf(reading());
        assert.deepEqual([kind, reason, status], ['malformedAnswer', 'brokenList', 200]);
        assert.deepEqual([items, server.hits.length], [taken, taken + 1]);
      }
    });

  it('that lead nowhere, bring the same under cursors of their own, or fail end with an error, after the pages before', async () => {
    for (const [second, reason] of [
      ...[null, '', undefined].map(cursor => [usersPage(['u'], true, cursor), 'brokenList'] as const),
      [usersPage(['a'], true, 'm'), 'brokenList'],
      [refused, undefined],
    ] as const) {
      inTurn(usersPage(['a'], true, 'n'), second);
      const pages = users();
      assert.equal((await pages.next()).done, false);
      assert.equal((await failureOf(pages.next())).reason, reason);
      assert.equal(server.hits.length, 2);
    }
  });

  it('are asked for as they are taken, with the same dates and limit, and carry what is said of all', async () => {
    server.answer((_, count) =>
      ok({
        data: [{ user_id: `u${count}`, date: '2026-11-01', user_email: null }],
        meta: { org_id: 'o', has_more: count < 3, next_cursor: count < 3 ? `u${count}` : null },
      }),
    );
    const seen: unknown[] = [];
    for await (const page of clientOf(server).api.pages('people', { query: DAYS, limit: 2 })) {
      const [day] = page.items;
      seen.push([day?.user_id, day?.user_email, page.meta.org_id, page.cursor]);
      assert.equal(server.hits.length, seen.length);
    }
    assert.deepEqual(
      server.hits.map(hit => hit.url),
      ['', '&cursor=u1', '&cursor=u2'].map(cursor => `/api/v1/analytics/users?${RANGE}&limit=2${cursor}`),
    );
    assert.deepEqual(
      seen,
      [1, 2, 3].map(n => [`u${n}`, undefined, 'o', n < 3 ? `u${n}` : undefined]),
    );
  });

  describe('of readiness reports', () => {
    const reports = (...ids: unknown[]): Fault =>
      ok({ reports: ids.map(reportId => ({ reportId, createdAt: 1, repoUrl: 'r', apps: {}, report: {} })) });

    // Pages of one letter a report, what is read of them, and after which report each was asked for.
    for (const [name, limit, pages, ids, hits] of [
      ['a short one is not the last: a service may cap its pages', 5, 'ab|c|d|', 'abcd', '|b|c|d'],
      ['an empty one is the last', 2, 'ab|', 'ab', '|b'],
      ['a service that does not page has given all it has', 3, 'ab|ab', 'ab', '|b'],
      ['overlapping ones give each report once', 2, 'ab|bc|', 'abc', '|b|c'],
      ['a last report without an id does not end the list', 2, 'a7|b|', 'ab', '|a|b'],
      ['a full one that repeats is no end', 2, 'ab|ab', 'brokenList', '|b'],
    ] as const)
      it(name, async () => {
        const letters = pages.split('|').map(page => page.split('').map(id => (id === '7' ? 7 : id)));
        inTurn(...letters.map(page => reports(...page)));
        const reading = collect(clientOf(server).api.pages('reports', { limit }));
        if (ids === 'brokenList') assert.equal((await failureOf(reading)).reason, ids);
        else {
          const read = await reading;
          assert.equal(read.flatMap(page => page.items.map(({ reportId }) => reportId)).join(''), ids);
          assert.ok(read.every((page, at) => (page.cursor !== undefined) === at < read.length - 1));
        }
        assert.equal(server.hits.map(hit => query(hit, 'startAfter') ?? '').join('|'), hits);
      });
  });
});

const session = (sessionId: string) => ({ ...SESSION, sessionId });

function given<T>(extra: Extra<Page<T>>): Page<T> {
  assert.notEqual(extra, 'missing');
  return extra as Page<T>;
}

describe('lists that only some services offer', () => {
  const server = testServer();

  for (const status of [403, 404, 405, 501])
    it(`are asked for once where the service answers ${status}, whoever asks, without an error`, async () => {
      server.answer(({ url }) =>
        url.endsWith('/s1') ? { kind: 'answer', body: session('s1') } : { kind: 'answer', status },
      );
      const { extras } = clientOf(server).api;
      const lists = () => server.hits.filter(({ url }) => !url.endsWith('/s1')).length;
      const asked = [extras.messages('s1'), extras.messages('s2'), extras.messages('s3')];
      assert.deepEqual(await Promise.all(asked), ['missing', 'missing', 'missing']);
      assert.equal(await extras.messages('s2'), 'missing');
      assert.equal(lists(), 1);
      assert.equal(await extras.sessions(), 'missing');
      assert.equal(await extras.sessions(), 'missing');
      assert.equal(lists(), 2);
    });

  it('are not taken for missing because one session is gone, by a question that was cancelled, nor for ever because all is out of order', async () => {
    let isBroken = true;
    server.answer(({ url }) => {
      if (isBroken) return { kind: 'answer', status: 503 };
      return url.includes('/sessions/gone') ? { kind: 'answer', status: 404 } : page('messages', []);
    });
    const { api, clock } = clientOf(server);
    const { extras } = api;
    for (let round = 0; round < 2; round++) assert.equal(await extras.messages('s1'), 'missing');
    assert.equal(server.hits.length, 1, 'not tried again at once');
    isBroken = false;
    clock.now += 5 * 60_000;
    assert.equal(await extras.messages('gone'), 'missing');
    assert.equal(await extras.messages('s1', undefined, { signal: AbortSignal.abort() }), 'missing');
    assert.deepEqual(given(await extras.messages('s1')).items, []);
    // Now they are known to exist, and fail like any call.
    assert.equal((await failureOf(extras.messages('gone'))).kind, 'notFound');
  });

  it('show what can be read of a page, each item once, and name the rest', async () => {
    const odd = { ...session('s2'), sessionId: 2, title: 'Fix it' };
    const rows = [session('s1'), session('s1'), odd, { ...session('s3'), title: null, odd: 1 }];
    server.answer(page('sessions', rows, 'c1'));
    const { extras } = clientOf(server).api;
    const { items, problems, cursor } = given(await extras.sessions('c0'));
    const ids = items.map(({ sessionId }) => sessionId);
    assert.deepEqual([ids, problems[0]?.id, cursor], [['s1', 's3'], '2', 'c1']);
    assert.match(server.hits[0]?.url ?? '', /\/api\/v0\/sessions\?limit=100&cursor=c0$/);
    // A page that leads to itself is no page.
    assert.equal((await failureOf(extras.sessions('c1'))).reason, 'brokenList');
  });

  it('an agent can be stopped where sessions are listed, until that is refused', async () => {
    server.answer(({ method }) => (method === 'GET' ? page('sessions', []) : { kind: 'answer', body: {} }));
    const { extras } = clientOf(server).api;
    assert.equal(extras.canInterrupt, false);
    await extras.sessions();
    assert.equal(extras.canInterrupt, true);
    await extras.interrupt('s1');
    assert.deepEqual(
      [server.hits[1]?.method, server.hits[1]?.url],
      ['POST', '/api/v0/sessions/s1/interrupt'],
    );
    server.answer({ kind: 'answer', status: 405 });
    await assert.rejects(extras.interrupt('s1'));
    assert.deepEqual([extras.canInterrupt, server.hits.length], [false, 1]);
  });
});
