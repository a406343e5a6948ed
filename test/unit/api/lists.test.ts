import assert from 'node:assert/strict';
import { isApiError, type Extra, type Page } from '../../../src/api';
import type { Fault, Hit } from '../../fakes/faultServer';
import { DAYS, SESSION, clientOf, failureOf, testServer } from './support';

const ok = (body: unknown): Fault => ({ kind: 'answer', body });
const page = (name: string, items: readonly unknown[], next?: string): Fault =>
  ok({
    [name]: items,
    pagination: { hasMore: next !== undefined, nextCursor: next },
    meta: { org_id: 'o', has_more: next !== undefined, next_cursor: next },
  });
/** The lists that come page by page: what they are called in an answer, and their items. */
const LISTS = {
  users: ['users', (id: string) => ({ id })],
  controlHistory: ['changes', (id: string) => ({ id, revision: id.charCodeAt(0), settings: {} })],
  people: ['data', (id: string) => ({ id, user_id: 'u', date: `2026-11-0${id.charCodeAt(0)}` })],
  reports: ['reports', (id: string) => ({ id, reportId: id === '7' ? 7 : id, report: {} })],
} as const;

describe('pages', () => {
  const server = testServer();

  // The pages of a service, what is read of them, and after what each was asked for.
  for (const [what, name, limit, pages, read, asked] of [
    ['an empty one with a cursor is not the end', 'users', 7, '>n|u', '|u', '|n'],
    ['overlapping ones give each item once', 'users', 7, 'ab>m|bcc>n|c', 'ab|c|', '|m|n'],
    ['one that cannot be had ends the list', 'users', 7, 'a>n|!', 'a forbidden', '|n'],
    ['there are more, and nothing leads to them', 'users', 7, 'a>n|b>', 'a brokenList', '|n'],
    [
      'one that does not say whether there are more is the last',
      'users',
      7,
      'a?n',
      'a hasMore is missing',
      '',
    ],
    ['nor does one without anything but items', 'users', 7, 'a?', 'a pagination is missing', ''],
    ...(['users', 'controlHistory', 'people'] as const).flatMap(
      each =>
        [
          ['they go on where they were', each, 2, 'a>m|b>n|c', 'a|b|c', '|m|n'],
          ['a cursor that comes again is no end', each, 7, 'a>m|b>n|c>m', 'a|b brokenList', '|m|n'],
          ['nor is the same under another cursor', each, 7, 'ab>m|ab>n', 'ab brokenList', '|m'],
        ] as const,
    ),
    [
      'a short one is not the last: a service may cap its pages',
      'reports',
      5,
      'ab|c|d|',
      'ab|c|d|',
      '|b|c|d',
    ],
    ['a service that does not page has given all it has', 'reports', 2, 'abc|abc', 'abc|', '|c'],
    ['overlapping ones give each report once', 'reports', 2, 'ab|bc|', 'ab|c|', '|b|c'],
    ['a last one without an id does not end the list', 'reports', 2, 'a7|b|', 'a reportId|b|', '|a|b'],
  ] as const)
    it(`of ${name}: ${what}`, async () => {
      const [called, item] = LISTS[name];
      // A page such as `ab>n` is its items and the cursor to the next; `?` does not say whether there are more, `!` refuses.
      server.answer((_, count) => {
        const [ids = '', mark, next] = (pages.split('|')[count - 1] ?? '!').split(/([>?!])/);
        if (mark === '!') return { kind: 'answer', status: 403 };
        const items = ids.split('').map(item);
        if (mark === '?') return ok({ users: items, ...(next && { pagination: { nextCursor: next } }) });
        return page(called, items, next);
      });
      const found: string[] = [];
      const query = name === 'people' ? DAYS : {};
      try {
        for await (const { items, problems, meta } of clientOf(server).api.pages(name, { query, limit })) {
          const reasons = problems.map(({ reason }) => ` ${/reportId|\w+ is missing/.exec(reason)?.[0]}`);
          found.push(items.map(item => Reflect.get(item, 'id') as string).join('') + reasons.join(''));
          assert.equal(server.hits.length, found.length, 'each is asked for when the one before is taken');
          assert.equal(meta.org_id, name === 'people' ? 'o' : undefined);
        }
      } catch (error) {
        if (!isApiError(error)) throw error;
        found.push(`${found.pop()} ${error.reason ?? error.kind}`);
      }
      assert.equal(found.join('|'), read);
      const cursors = server.hits.map(({ url }) => {
        const [rest, cursor = ''] = (url.split('?')[1] ?? '').split(/&(?:cursor|startAfter)=/);
        assert.equal(rest, new URLSearchParams({ ...query, limit: `${limit}` }).toString());
        return cursor;
      });
      assert.equal(cursors.join('|'), asked);
    });
});

const session = (sessionId: string) => ({ ...SESSION, sessionId });
const isOfOne = ({ url }: Hit): boolean => !url.endsWith('/messages') && /\/s1$/.test(url);

function given<T>(extra: Extra<Page<T>>): Page<T> {
  assert.notEqual(extra, 'missing');
  return extra as Page<T>;
}

describe('lists that only some services offer', () => {
  const server = testServer();

  for (const status of [403, 404, 405, 501])
    it(`are asked for once where the service answers ${status}, whoever asks, without an error`, async () => {
      server.answer(hit => (isOfOne(hit) ? ok(session('s1')) : { kind: 'answer', status }));
      const { extras } = clientOf(server).api;
      const asked = ['s1', 's2', 's3'].map(id => extras.messages(id));
      const later = [() => extras.messages('s2'), () => extras.sessions(), () => extras.sessions()];
      assert.deepEqual(await Promise.all(asked), ['missing', 'missing', 'missing']);
      for (const ask of later) assert.equal(await ask(), 'missing');
      assert.equal(server.hits.filter(hit => !isOfOne(hit)).length, 2);
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

  it('show what can be read of a page, each item once, name the rest, and let an agent be stopped until that is refused', async () => {
    const odd = { ...session('s2'), sessionId: 2, title: 'Fix it' };
    const rows = [session('s1'), session('s1'), odd, { ...session('s3'), title: null, odd: 1 }];
    server.answer(({ method }) => (method === 'GET' ? page('sessions', rows, 'c1') : ok({})));
    const { extras } = clientOf(server).api;
    assert.equal(extras.canInterrupt, false);
    const { items, problems, cursor } = given(await extras.sessions('c0'));
    const ids = items.map(({ sessionId }) => sessionId);
    assert.deepEqual([ids, problems[0]?.id, cursor], [['s1', 's3'], '2', 'c1']);
    // A page that leads to itself is no page.
    assert.equal((await failureOf(extras.sessions('c1'))).reason, 'brokenList');
    assert.equal(extras.canInterrupt, true);
    await extras.interrupt('s1');
    assert.deepEqual(
      server.hits.map(({ method, url }) => `${method} ${url.replace('/api/v0/sessions', '')}`),
      ['GET ?limit=100&cursor=c0', 'GET ?limit=100&cursor=c1', 'POST /s1/interrupt'],
    );
    server.answer({ kind: 'answer', status: 405 });
    await assert.rejects(extras.interrupt('s1'));
    assert.deepEqual([extras.canInterrupt, server.hits.length], [false, 1]);
  });
});
