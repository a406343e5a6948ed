import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import type { Fault } from '../../fakes/faultServer';
import { until } from '../../until';
import { clientOf, ENDPOINTS, failureOf, type Endpoint, testServer } from './support';

describe('cancelling', () => {
  /** Timers that keep the process alive, whoever made them; the deadline of a test runs once it has begun to wait. */
  const timers = async (): Promise<number> => {
    await Promise.resolve();
    return process.getActiveResourcesInfo().filter(name => name === 'Timeout').length;
  };
  const server = testServer();

  async function cancelled(endpoint: Endpoint, options: Parameters<typeof clientOf>[1] = {}): Promise<void> {
    const { api } = clientOf(server, options);
    const abort = new AbortController();
    const before = await timers();
    const failure = failureOf(endpoint.call(api, abort.signal));
    if (options.key === undefined) await server.arrived(1);
    if (options.key === undefined) assert.ok((await timers()) > before, 'a deadline runs');
    abort.abort();
    const error = await failure;
    const sent = endpoint.method === 'POST' && options.key === undefined;
    assert.deepEqual([error.kind, error.code], [sent ? 'outcomeUnknown' : 'cancelled', 'cancelled']);
    assert.equal(getEventListeners(abort.signal, 'abort').length, 0);
    assert.equal(await timers(), before, 'no timer is left');
  }

  for (const [name, fault] of [
    ['while nothing comes', { kind: 'silence' }],
    ['within a body', { kind: 'stall' }],
    ['within an endless body', { kind: 'large', bytes: 1e9, declared: false }],
  ] as const satisfies readonly (readonly [string, Fault])[]) {
    for (const endpoint of ENDPOINTS) {
      it(`${endpoint.name} ${name}`, async () => {
        server.answer(fault);
        await cancelled(endpoint);
      });
    }
  }

  it('while the key is being read: nothing was sent', async () => {
    server.answer({ kind: 'answer' });
    for (const endpoint of ENDPOINTS) await cancelled(endpoint, { key: () => new Promise(() => undefined) });
    assert.equal(server.hits.length, 0);
  });

  it('while waiting for the next try', async () => {
    server.answer({ kind: 'rateLimit', retryAfter: '60' });
    const abort = new AbortController();
    const before = await timers();
    const { api, log } = clientOf(server, { delay: undefined, now: undefined });
    const failure = failureOf(api.list('computers', { signal: abort.signal }));
    await server.arrived(1);
    await until(() => log.lines.some(line => line.includes('retry')));
    abort.abort();
    assert.equal((await failure).kind, 'cancelled');
    assert.equal(server.hits.length, 1);
    assert.equal(getEventListeners(abort.signal, 'abort').length, 0);
    assert.equal(await timers(), before);
  });

  it('while the person is asked for another key', async () => {
    server.answer({ kind: 'answer', status: 401 });
    const abort = new AbortController();
    const { api } = clientOf(server, {
      onUnauthorized: () => {
        abort.abort();
        return new Promise(() => undefined);
      },
    });
    assert.equal((await failureOf(api.list('computers', { signal: abort.signal }))).kind, 'cancelled');
  });

  it('before it begins: nothing is sent', async () => {
    server.answer({ kind: 'answer' });
    for (const endpoint of ENDPOINTS) {
      const error = await failureOf(endpoint.call(clientOf(server).api, AbortSignal.abort()));
      assert.equal(error.kind, 'cancelled');
    }
    assert.equal(server.hits.length, 0);
  });

  it('disposing the client gives up what is under way and refuses what comes later', async () => {
    server.answer({ kind: 'silence' });
    const { api } = clientOf(server);
    const failures = [
      failureOf(api.list('computers')),
      failureOf(api.one('session', { ids: { sessionId: 's1' } })),
    ];
    await server.arrived(2);
    api.dispose();
    for (const failure of failures) assert.equal((await failure).kind, 'cancelled');
    assert.equal((await failureOf(api.list('computers'))).kind, 'cancelled');
    assert.equal(server.hits.length, 2);
  });

  it('a call that succeeds leaves nothing behind either', async () => {
    const abort = new AbortController();
    const before = await timers();
    for (const endpoint of ENDPOINTS) {
      server.answer({ kind: 'answer', body: endpoint.good });
      await endpoint.call(clientOf(server).api, abort.signal);
    }
    assert.equal(getEventListeners(abort.signal, 'abort').length, 0);
    assert.equal(await timers(), before);
  });

  it('leaving an iteration asks for no further page', async () => {
    server.answer({
      kind: 'answer',
      body: { users: [{ id: 'u' }], pagination: { hasMore: true, nextCursor: 'n' } },
    });
    for await (const page of clientOf(server).api.pages('users')) {
      assert.equal(page.items.length, 1);
      break;
    }
    assert.equal(server.hits.length, 1);
  });
});
