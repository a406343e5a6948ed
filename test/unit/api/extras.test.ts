import assert from 'node:assert/strict';
import { startSampleService, type SampleService } from '../../fakes/sampleService';
import { isApiError, type Extra, type Page } from '../../../src/api';
import { FaultServer } from '../../fakes/faultServer';
import { clientOf } from './support';

const page = (name: string, items: readonly unknown[], nextCursor: string | null = null): object => ({
  [name]: items,
  pagination: { hasMore: nextCursor !== null, nextCursor },
});
const session = (sessionId: string) => ({
  sessionId,
  status: 'idle',
  messageCount: 1,
  createdAt: 1,
  updatedAt: 2,
});

function given<T>(extra: Extra<Page<T>>): Page<T> {
  assert.notEqual(extra, 'missing');
  return extra as Page<T>;
}

describe('lists that only some services offer', () => {
  let server: FaultServer;
  beforeEach(async () => {
    server = await FaultServer.start();
  });
  afterEach(() => server.close());

  for (const status of [403, 404, 405, 501]) {
    it(`are asked for once where the service answers ${status}, without an error`, async () => {
      server.answer(({ url }) =>
        url.endsWith('/s1')
          ? { kind: 'answer', status: 200, body: session('s1') }
          : { kind: 'answer', status },
      );
      const { api } = clientOf(server);
      assert.equal(await api.extras.messages('s1'), 'missing');
      assert.equal(await api.extras.messages('s2'), 'missing');
      const lists = () => server.hits.filter(({ url }) => !url.endsWith('/s1')).length;
      assert.equal(lists(), 1);
      assert.equal(await api.extras.sessions(), 'missing');
      assert.equal(await api.extras.sessions(), 'missing');
      assert.equal(lists(), 2);
    });
  }

  it('are not taken for missing because one session is gone', async () => {
    const gone = /\/sessions\/gone/;
    server.answer(({ url }) =>
      gone.test(url)
        ? { kind: 'answer', status: 404 }
        : { kind: 'answer', status: 200, body: page('messages', []) },
    );
    const { api } = clientOf(server);
    assert.equal(await api.extras.messages('gone'), 'missing');
    assert.deepEqual(given(await api.extras.messages('s1')).items, []);
  });

  it('share the first try, whoever asks', async () => {
    server.answer(({ url }) =>
      url.includes('/messages')
        ? { kind: 'answer', status: 404 }
        : { kind: 'answer', status: 200, body: session('s1') },
    );
    const { api } = clientOf(server);
    const answers = await Promise.all([1, 2, 3].map(number => api.extras.messages(`s${number}`)));
    assert.deepEqual(answers, ['missing', 'missing', 'missing']);
    assert.equal(server.hits.filter(({ url }) => url.includes('/messages')).length, 1);
  });

  it('are not taken for missing for ever by a service that is out of order', async () => {
    server.answer({ kind: 'answer', status: 503 });
    const { api, clock } = clientOf(server);
    assert.equal(await api.extras.sessions(), 'missing');
    assert.equal(await api.extras.sessions(), 'missing');
    assert.equal(server.hits.length, 1, 'not tried again at once');
    server.answer({ kind: 'answer', status: 200, body: page('sessions', [session('s1')]) });
    clock.now += 5 * 60_000;
    assert.deepEqual(
      given(await api.extras.sessions()).items.map(({ sessionId }) => sessionId),
      ['s1'],
    );
  });

  it('are not taken for missing by a question that was cancelled', async () => {
    server.answer({ kind: 'answer', status: 200, body: page('sessions', []) });
    const { api } = clientOf(server);
    const abort = AbortSignal.abort();
    assert.equal(await api.extras.sessions(undefined, { signal: abort }), 'missing');
    assert.deepEqual(given(await api.extras.sessions()).items, []);
  });

  it('fail like any call once they are known to exist', async () => {
    server.answer({ kind: 'answer', status: 200, body: page('messages', []) });
    const { api } = clientOf(server);
    await api.extras.messages('s1');
    server.answer({ kind: 'answer', status: 404 });
    await assert.rejects(api.extras.messages('s2'), error => isApiError(error) && error.kind === 'notFound');
  });

  it('show what can be read of a page, and name the rest', async () => {
    const rows = [
      session('s1'),
      { ...session('s2'), sessionId: 2, title: 'Fix it' },
      { ...session('s3'), title: null, odd: 1 },
    ];
    server.answer({ kind: 'answer', status: 200, body: page('sessions', rows, 'c1') });
    const { api } = clientOf(server);
    const { items, problems, cursor, hasMore } = given(await api.extras.sessions('c0'));
    assert.deepEqual(
      items.map(({ sessionId }) => sessionId),
      ['s1', 's3'],
    );
    assert.equal(problems[0]?.id, '2');
    assert.deepEqual([cursor, hasMore], ['c1', true]);
    assert.match(server.hits[0]?.url ?? '', /\/api\/v0\/sessions\?limit=100&cursor=c0$/);
  });
});

describe('pages of lists that only some services offer', () => {
  it('hold each item once, and none that leads to itself is taken', async () => {
    const server = await FaultServer.start();
    try {
      const { api } = clientOf(server);
      const body = page('sessions', [session('s1'), session('s1'), session('s2')], 'c1');
      server.answer({ kind: 'answer', status: 200, body });
      assert.deepEqual(
        given(await api.extras.sessions()).items.map(({ sessionId }) => sessionId),
        ['s1', 's2'],
      );
      await assert.rejects(
        api.extras.sessions('c1'),
        error => isApiError(error) && error.reason === 'brokenList',
      );
    } finally {
      await server.close();
    }
  });
});

describe('the sample service with extras', () => {
  let service: SampleService;
  afterEach(() => service.close());

  it('pages through sessions and messages', async () => {
    service = await startSampleService({ pace: 0, extras: true });
    const { api } = clientOf({ origin: service.baseUrl }, { key: () => Promise.resolve(service.apiKey) });
    const { items } = given(await api.extras.sessions());
    assert.deepEqual(items.map(({ sessionId }) => sessionId).sort(), [...service.sessionIds].sort());
    for (const { sessionId, messageCount } of items) {
      const found: string[] = [];
      let cursor: string | undefined;
      do {
        const next = given(await api.extras.messages(sessionId, cursor));
        found.push(...next.items.map(({ id }) => id));
        cursor = next.cursor;
      } while (cursor !== undefined);
      assert.equal(new Set(found).size, messageCount);
    }
  });

  it('has none of them unless asked for', async () => {
    service = await startSampleService({ pace: 0 });
    const { api } = clientOf({ origin: service.baseUrl }, { key: () => Promise.resolve(service.apiKey) });
    assert.equal(await api.extras.sessions(), 'missing');
    assert.equal(await api.extras.messages(service.sessionIds[0] ?? ''), 'missing');
  });
});
