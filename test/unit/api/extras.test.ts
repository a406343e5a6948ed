import assert from 'node:assert/strict';
import { isApiError, type Extra, type Page } from '../../../src/api';
import type { Fault } from '../../fakes/faultServer';
import { clientOf, SESSION, testServer } from './support';

const page = (name: string, items: readonly unknown[], nextCursor: string | null = null): Fault => ({
  kind: 'answer',
  body: { [name]: items, pagination: { hasMore: nextCursor !== null, nextCursor } },
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

  it('are not taken for missing because one session is gone, nor by a question that was cancelled', async () => {
    server.answer(({ url }) =>
      url.includes('/sessions/gone') ? { kind: 'answer', status: 404 } : page('messages', []),
    );
    const { extras } = clientOf(server).api;
    assert.equal(await extras.messages('gone'), 'missing');
    assert.equal(await extras.messages('s1', undefined, { signal: AbortSignal.abort() }), 'missing');
    assert.deepEqual(given(await extras.messages('s1')).items, []);
    // Now they are known to exist, and fail like any call.
    await assert.rejects(extras.messages('gone'), error => isApiError(error) && error.kind === 'notFound');
  });

  it('are not taken for missing for ever by a service that is out of order', async () => {
    server.answer({ kind: 'answer', status: 503 });
    const { api, clock } = clientOf(server);
    assert.equal(await api.extras.sessions(), 'missing');
    assert.equal(await api.extras.sessions(), 'missing');
    assert.equal(server.hits.length, 1, 'not tried again at once');
    server.answer(page('sessions', [session('s1')]));
    clock.now += 5 * 60_000;
    assert.equal(given(await api.extras.sessions()).items[0]?.sessionId, 's1');
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
    await assert.rejects(extras.sessions('c1'), error => isApiError(error) && error.reason === 'brokenList');
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
