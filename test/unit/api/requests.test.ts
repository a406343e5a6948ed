import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { inspect } from 'node:util';
import type { ApiClient, ApiError } from '../../../src/api';
import type { Fault } from '../../fakes/faultServer';
import { until } from '../../until';
import {
  COMPUTER,
  DAYS,
  ENDPOINTS,
  NOON,
  SESSION,
  clientOf,
  create,
  failureOf,
  list,
  send,
  testServer,
} from './support';

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
        assert.equal((await list(api)).items.length, 1);
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
      const error = await failureOf(send(api));
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
      await list(api);
      const [wait = 0, ...others] = waits.filter(ms => ms > 0);
      assert.deepEqual([server.hits.length, others], [2, []]);
      assert.ok(wait >= least && wait <= most, String(wait));
    });

  it('Retry-After beyond 60 s stops, and nothing leaves before it, from any client that shares the gate', async () => {
    failing(1, paused('61'));
    const ends = new Map<string, number>();
    const gate = {
      pausedUntil: (origin: string) => ends.get(origin) ?? 0,
      pause: (origin: string, end: number) => void ends.set(origin, end),
    };
    const first = clientOf(server, { gate });
    const error = await failureOf(list(first.api));
    assert.deepEqual([error.kind, error.status, error.retryAt], ['rateLimited', 429, NOON + 61_000]);
    assert.equal(first.waits.length, 0);

    other.answer({ kind: 'answer', body: { reports: [] } });
    const { api, clock } = clientOf(server, { gate, appUrl: other.origin });
    for (const call of [list, create]) {
      const { kind, code, status, retryAt } = await failureOf(call(api));
      assert.deepEqual([kind, code, status, retryAt], ['rateLimited', 'paused', undefined, NOON + 61_000]);
    }
    assert.equal(server.hits.length, 1, 'only the first request was sent');
    await api.pages('reports').next();
    assert.equal(other.hits.length, 1, 'another address is not held');

    clock.now = NOON + 61_000;
    await list(api);
    assert.equal(server.hits.length, 2);
  });

  it('a day is the longest a service can shut people out, and a minute the longest that one call waits in all', async () => {
    failing(1, paused('99999999999'));
    assert.equal((await failureOf(list(clientOf(server).api))).retryAt, NOON + 24 * 60 * 60 * 1000);
    server.answer(paused('40'));
    const { api, waits, clock } = clientOf(server);
    const error = await failureOf(list(api));
    assert.deepEqual([error.kind, error.retryAt], ['rateLimited', clock.now + 40_000]);
    assert.equal(server.hits.length, 2, 'a second wait of 40 s would be 80 s in all');
    assert.ok(waits.reduce((sum, ms) => sum + ms, 0) <= 60_250);
  });

  it('a short pause holds a POST back', async () => {
    server.answer((_, count) => (count === 1 ? paused('4') : { kind: 'answer', status: 201, body: SESSION }));
    const { api, waits } = clientOf(server);
    await failureOf(create(api));
    assert.equal((await create(api)).sessionId, 's1');
    assert.ok(waits.length === 1 && (waits[0] ?? 0) >= 4_000);
  });

  describe('401', () => {
    it('asks once; with a changed key, which is not kept, the GET is tried once more', async () => {
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
      assert.equal((await list(api)).items.length, 1);
      const sent = server.hits.map(hit => hit.headers.authorization);
      assert.deepEqual(sent, ['Bearer stale', 'Bearer fresh']);
      assert.deepEqual([asked.length, asked[0]?.requestId], [1, 'req_1']);
      assert.ok(!inspect(api, { depth: null, showHidden: true }).includes('fresh'));
    });

    const analytics = (api: ApiClient) => api.list('tokens', { query: DAYS });
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
});

describe('cancelling', () => {
  const server = testServer();
  const never = (): Promise<never> => new Promise(() => undefined);

  /** Timers that keep the process alive, whoever made them; the deadline of a test runs once it has begun to wait. */
  const timers = async (): Promise<number> => {
    await Promise.resolve();
    return process.getActiveResourcesInfo().filter(name => name === 'Timeout').length;
  };
  /** Fails where `work` leaves a listener or a timer. */
  async function leavesNothing(work: (abort: AbortController) => Promise<unknown>): Promise<void> {
    const abort = new AbortController();
    const before = await timers();
    await work(abort);
    assert.equal(getEventListeners(abort.signal, 'abort').length, 0);
    assert.equal(await timers(), before, 'no timer is left');
  }

  for (const [name, fault] of [
    ['while nothing comes', { kind: 'silence' }],
    ['within a body', { kind: 'stall' }],
    ['within an endless body', { kind: 'large', bytes: 1e9, declared: false }],
  ] as const satisfies readonly (readonly [string, Fault])[])
    for (const { name: what, method, call } of ENDPOINTS)
      it(`${what} ${name}`, () =>
        leavesNothing(async abort => {
          server.answer(fault);
          const before = await timers();
          const failure = failureOf(call(clientOf(server).api, abort.signal));
          await server.arrived(1);
          assert.ok((await timers()) > before, 'a deadline runs');
          abort.abort();
          const { kind, code } = await failure;
          assert.deepEqual([kind, code], [method === 'POST' ? 'outcomeUnknown' : 'cancelled', 'cancelled']);
        }));

  it('before it begins, or while the key is being read: nothing is sent', async () => {
    server.answer({ kind: 'answer' });
    for (const { call } of ENDPOINTS)
      await leavesNothing(async abort => {
        const failure = failureOf(call(clientOf(server, { key: never }).api, abort.signal));
        abort.abort();
        for (const each of [failure, failureOf(call(clientOf(server).api, abort.signal))])
          assert.equal((await each).kind, 'cancelled');
      });
    assert.equal(server.hits.length, 0);
  });

  it('while waiting for the next try', () =>
    leavesNothing(async abort => {
      server.answer(paused('60'));
      const { api, log } = clientOf(server, { delay: undefined, now: undefined });
      const failure = failureOf(list(api, abort.signal));
      await until(() => log.lines.some(line => line.includes('retry')));
      abort.abort();
      assert.equal((await failure).kind, 'cancelled');
      assert.equal(server.hits.length, 1);
    }));

  it('while the person is asked for another key', async () => {
    server.answer(REJECTED);
    const abort = new AbortController();
    const onUnauthorized = (): Promise<never> => (abort.abort(), never());
    const { api } = clientOf(server, { onUnauthorized });
    assert.equal((await failureOf(list(api, abort.signal))).kind, 'cancelled');
  });

  it('a call that succeeds leaves nothing behind either', () =>
    leavesNothing(async ({ signal }) => {
      for (const { good, call } of ENDPOINTS) {
        server.answer({ kind: 'answer', body: good });
        await call(clientOf(server).api, signal);
      }
    }));
});
