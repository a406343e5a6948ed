import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import type { ApiClient, ApiError } from '../../../src/api';
import type { Fault } from '../../fakes/faultServer';
import {
  COMPUTER,
  ENDPOINTS,
  type Endpoint,
  NOON,
  SESSION,
  clientOf,
  failureOf,
  testServer,
} from './support';
import { until } from '../../until';

const GOOD: Fault = { kind: 'answer', body: { computers: [COMPUTER] } };
const REJECTED: Fault = { kind: 'answer', status: 401, body: { requestId: 'req_1' } };
const paused = (retryAfter: string): Fault => ({ kind: 'rateLimit', retryAfter });

describe('retries and pauses', () => {
  const [server, other] = [testServer(), testServer()];

  /** Fails the first `times` requests. */
  const failing = (times: number, fault: Fault): void =>
    server.answer((_, count) => (count <= times ? fault : GOOD));

  it('a GET that fails twice succeeds on the third try, with growing, jittered waits', async () => {
    for (const fault of [{ kind: 'answer', status: 503 }, { kind: 'reset' }, { kind: 'truncate' }] as const)
      for (const [random, expected] of [
        [0.5, [250, 500]],
        [0, []],
        [0.999, [500, 999]],
      ] as const) {
        failing(2, fault);
        const { api, waits, log } = clientOf(server, { random: () => random });
        assert.equal((await api.list('computers')).items.length, 1);
        assert.deepEqual(waits.map(Math.round), expected);
        const [first = 0, second = 0] = expected;
        assert.ok(
          log.lines.join('\n').match(new RegExp(`retry 1 of 2 in ${first} [^]*retry 2 of 2 in ${second} `)),
        );
      }
  });

  it('a POST with a surprise on the way home is not taken for one that never left', async () => {
    const closed = (): never => {
      throw new Error('Channel has been closed');
    };
    const log = { trace: closed, debug: closed, info: closed, warn: closed, error: closed };
    for (const fault of [{ kind: 'reset' }, { kind: 'answer', status: 200 }] as const) {
      server.answer(fault);
      const { api } = clientOf(server, { log });
      const error = await failureOf(
        api.one('sendMessage', { ids: { sessionId: 's1' }, body: '{"text":"Once"}' }),
      );
      assert.deepEqual([error.kind, server.hits.length], ['outcomeUnknown', 1]);
    }
  });

  const theirs = Date.UTC(2030, 0, 1);
  const date = new Date(theirs).toUTCString();
  for (const [name, fault, least, most] of [
    ['in seconds is waited for', paused('7'), 7_000, 7_250],
    [
      'as a date is read against the clock of the service',
      {
        kind: 'answer',
        status: 503,
        headers: { date, 'retry-after': new Date(theirs + 20_000).toUTCString() },
      },
      20_000,
      20_250,
    ],
    ...['soon', '-5', '1.5', 'Thu, 01 Jan 1970 00:00:00 GMT', '0'].map(
      value => [`of ${value} says nothing usable`, paused(value), 250, 250] as const,
    ),
  ] as const)
    it(`Retry-After ${name}, without an earlier request`, async () => {
      failing(1, fault);
      const { api, waits } = clientOf(server);
      await api.list('computers');
      const [wait = 0, ...others] = waits.filter(ms => ms > 0);
      assert.deepEqual([server.hits.length, others], [2, []]);
      assert.ok(wait >= least && wait <= most, String(wait));
    });

  it('Retry-After beyond 60 s stops, and nothing leaves before it, from any client that shares the gate', async () => {
    failing(1, paused('61'));
    const until = new Map<string, number>();
    const gate = {
      pausedUntil: (origin: string) => until.get(origin) ?? 0,
      pause: (origin: string, untilMs: number) => void until.set(origin, untilMs),
    };
    const first = clientOf(server, { gate });
    const error = await failureOf(first.api.list('computers'));
    assert.deepEqual([error.kind, error.status, error.retryAt], ['rateLimited', 429, NOON + 61_000]);
    assert.equal(first.waits.length, 0);

    const { api, clock } = clientOf(server, { gate });
    for (const work of [() => api.list('computers'), () => api.createSession({ computerId: 'c1' })]) {
      const { kind, code, status, retryAt } = await failureOf(work());
      assert.deepEqual([kind, code, status, retryAt], ['rateLimited', 'paused', undefined, NOON + 61_000]);
    }
    assert.equal(server.hits.length, 1, 'only the first request was sent');

    clock.now = NOON + 61_000;
    await api.list('computers');
    assert.equal(server.hits.length, 2);
  });

  it('a day is the longest a service can shut people out', async () => {
    failing(1, paused('99999999999'));
    const error = await failureOf(clientOf(server).api.list('computers'));
    assert.equal(error.retryAt, NOON + 24 * 60 * 60 * 1000);
  });

  it('a pause for one address does not hold the other', async () => {
    failing(1, paused('3600'));
    other.answer({ kind: 'answer', body: { reports: [] } });
    const { api } = clientOf(server, { appUrl: other.origin });
    await failureOf(api.list('computers'));
    for await (const page of api.pages('reports')) assert.equal(page.cursor, undefined);
    assert.equal(other.hits.length, 1);
  });

  it('the waits of one call are capped in all', async () => {
    server.answer(paused('40'));
    const { api, waits, clock } = clientOf(server);
    const error = await failureOf(api.list('computers'));
    assert.equal(error.kind, 'rateLimited');
    assert.equal(server.hits.length, 2, 'a second wait of 40 s would be 80 s in all');
    assert.ok(waits.reduce((sum, ms) => sum + ms, 0) <= 60_250);
    assert.equal(error.retryAt, clock.now + 40_000);
  });

  it('a short pause holds a POST back', async () => {
    server.answer((_, count) => (count === 1 ? paused('4') : { kind: 'answer', status: 201, body: SESSION }));
    const { api, waits } = clientOf(server);
    await failureOf(api.createSession({ computerId: 'c1' }));
    assert.equal((await api.createSession({ computerId: 'c1' })).sessionId, 's1');
    assert.ok(waits.length === 1 && (waits[0] ?? 0) >= 4_000);
  });

  describe('401', () => {
    it('asks once; with a changed key the GET is tried once more', async () => {
      failing(1, REJECTED);
      let key = 'stale';
      const asked: ApiError[] = [];
      const { api } = clientOf(server, {
        key: () => Promise.resolve(key),
        onUnauthorized: error => {
          asked.push(error);
          key = 'fresh';
          return Promise.resolve(true);
        },
      });
      assert.equal((await api.list('computers')).items.length, 1);
      const sent = server.hits.map(hit => hit.headers.authorization);
      assert.deepEqual(sent, ['Bearer stale', 'Bearer fresh']);
      assert.deepEqual([asked.length, asked[0]?.requestId], [1, 'req_1']);
    });

    const list = (api: ApiClient) => api.list('computers');
    const create = (api: ApiClient) => api.createSession({ computerId: 'c1' });
    const days = { startDate: '2026-11-01', endDate: '2026-11-02' };
    const analytics = (api: ApiClient) => api.list('tokens', { query: days });
    const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl';
    for (const [what, work, answer, times, hits, reason] of [
      ['of a GET is the end when it comes a second time, and is told too', list, true, 2, 2],
      ['with the same key sends nothing again', list, false, 1, 1],
      ['with a question that fails counts as no', list, new Error('storage'), 1, 1],
      ['of a POST is told of, not repeated', create, true, 1, 1],
      ['for a JWT where an API key is needed is no rejected key', analytics, true, 0, 1, 'jwt'],
    ] as const)
      it(what, async () => {
        server.answer(REJECTED);
        let asked = 0;
        const onUnauthorized = (): Promise<boolean> => {
          asked++;
          return typeof answer === 'boolean' ? Promise.resolve(answer) : Promise.reject(answer);
        };
        const { api } = clientOf(server, { onUnauthorized, key: () => Promise.resolve(jwt) });
        const error = await failureOf(work(api));
        const told = [error.kind, error.reason, asked, server.hits.length];
        assert.deepEqual(told, ['unauthorized', reason, times, hits]);
      });
  });

  it('without a usable key nothing is sent', async () => {
    server.answer(GOOD);
    const locked = (): Promise<never> => Promise.reject(new Error('the keyring is locked'));
    const given = [undefined, '', 'two words', 'line\nbreak', 'schlüssel'].map(
      key => () => Promise.resolve(key),
    );
    for (const key of [locked, ...given]) {
      const error = await failureOf(clientOf(server, { key }).api.list('computers'));
      assert.deepEqual([error.kind, error.reason, error.status], ['unauthorized', 'noKey', undefined]);
    }
    assert.equal(server.hits.length, 0);
  });
});

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
});
