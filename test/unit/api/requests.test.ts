import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import type { ApiClient } from '../../../src/api';
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
  gateOf,
  leavesNothing,
  list,
  outcomeOf,
  testServer,
} from './support';

const GOOD: Fault = { kind: 'answer', body: { computers: [COMPUTER] } };
const REJECTED: Fault = { kind: 'answer', status: 401, body: { requestId: 'req_1' } };
const paused = (retryAfter: string): Fault => ({ kind: 'rateLimit', retryAfter });

describe('retries and pauses', () => {
  const [server, other] = [testServer(), testServer()];

  /** Fails the first `times` requests. */
  const failing = (times: number, fault: Fault, then = GOOD): void =>
    server.answer((_, count) => (count <= times ? fault : then));

  it('a GET waits with full jitter before it is tried again', async () => {
    for (const [random, expected] of [
      [0, []],
      [0.99, [495, 990]],
    ] as const) {
      failing(2, { kind: 'reset' });
      const { api, waits } = clientOf(server, { random: () => random });
      await list(api);
      assert.deepEqual(waits, expected);
    }
  });

  const utc = (ms: number): string => new Date(Date.UTC(2030, 0, 1) + ms).toUTCString();
  const headers = { date: utc(0), 'retry-after': utc(20_000) };
  for (const [name, fault, wait] of [
    ['in seconds is waited for', paused('7'), 7_125],
    ['as a date is read against the clock of the service', { kind: 'answer', status: 503, headers }, 20_125],
    ...['soon', '-5', '1.5', 'Thu, 01 Jan 1970 00:00:00 GMT', '0'].map(
      value => [`of ${value} says nothing usable`, paused(value), 250] as const,
    ),
  ] as const)
    it(`Retry-After ${name}, without an earlier request`, async () => {
      failing(1, fault);
      const { api, waits } = clientOf(server);
      await list(api);
      assert.deepEqual([server.hits.length, waits], [2, [wait]]);
    });

  it('Retry-After beyond 60 s stops, and nothing leaves before it, from any client that shares the gate', async () => {
    failing(1, paused('61'));
    const gate = gateOf();
    const { api, clock, waits } = clientOf(server, { gate, appUrl: other.origin });
    other.answer({ kind: 'answer', body: { reports: [] } });
    for (const [call, asks, status, code] of [
      [list, api, 429],
      [list, clientOf(server, { gate }).api, undefined, 'paused'],
      [create, api, undefined, 'paused'],
    ] as const) {
      const error = await failureOf(call(asks));
      const said = [error.kind, error.status, error.code, error.retryAt, waits.length, server.hits.length];
      assert.deepEqual(said, ['rateLimited', status, code, NOON + 61_000, 0, 1]);
    }
    await api.pages('reports').next();
    assert.equal(other.hits.length, 1, 'another address is not held');
    clock.now = NOON + 61_000;
    await list(api);
    assert.equal(server.hits.length, 2);
  });

  it('a day is the longest a service can shut people out, a minute the longest that one call waits in all, and a POST waits, too', async () => {
    failing(1, paused('99999999999'));
    assert.equal((await failureOf(list(clientOf(server).api))).retryAt, NOON + 24 * 60 * 60 * 1000);
    server.answer(paused('40'));
    const { api, waits, clock } = clientOf(server);
    const error = await failureOf(list(api));
    assert.deepEqual([error.kind, error.retryAt], ['rateLimited', clock.now + 40_000]);
    assert.equal(server.hits.length, 2, 'a second wait of 40 s would be 80 s in all');
    assert.deepEqual(waits, [40_125]);
    failing(1, paused('4'), { kind: 'answer', status: 201, body: SESSION });
    const second = clientOf(server);
    await failureOf(create(second.api));
    await create(second.api);
    assert.deepEqual([second.waits, server.hits.length], [[4_125], 2]);
  });

  const analytics = (api: ApiClient) => api.list('tokens', { query: DAYS });
  const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl';
  for (const [what, work, answer, times, told, ...sent] of [
    ['of a GET with a changed key is tried once more with that', list, true, 1, 'read x1', jwt, 'fresh'],
    [
      'of a GET is the end when it comes a second time, and is told too',
      list,
      true,
      2,
      'unauthorized x2',
      jwt,
      'fresh',
    ],
    ['with the same key sends nothing again', list, false, 2, 'unauthorized x1', jwt],
    ['with a question that fails counts as no', list, new Error('storage'), 2, 'unauthorized x1', jwt],
    ['of a POST is told of, not repeated', create, true, 2, 'unauthorized x1', jwt],
    ['for a JWT where an API key is needed is no rejected key', analytics, true, 2, 'jwt x0', jwt],
  ] as const)
    it(`401 ${what}, and no key is kept`, async () => {
      failing(times, REJECTED);
      let [key, asked] = [jwt, 0];
      const { api } = clientOf(server, {
        key: () => Promise.resolve(key),
        onUnauthorized: ({ requestId }) => {
          asked++;
          assert.equal(requestId, 'req_1');
          key = 'fresh';
          return typeof answer === 'boolean' ? Promise.resolve(answer) : Promise.reject(answer);
        },
      });
      assert.equal(`${await outcomeOf(work(api))} x${asked}`, told);
      const keys = server.hits.map(hit => hit.headers.authorization);
      assert.equal(keys.join(), sent.map(each => `Bearer ${each}`).join());
      assert.doesNotMatch(inspect(api, { depth: null, showHidden: true }), /fresh/);
    });
});

describe('cancelling', () => {
  const server = testServer();
  const never = (): Promise<never> => new Promise(() => undefined);

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

  it('while waiting for the next try, or while the person is asked for another key: nothing is sent again', () =>
    leavesNothing(async abort => {
      server.answer(paused('60'));
      const { api, log } = clientOf(server, { delay: undefined, now: undefined });
      const failure = failureOf(list(api, abort.signal));
      await until(() => log.lines.some(line => line.includes('retry')));
      abort.abort();
      assert.deepEqual([(await failure).kind, server.hits.length], ['cancelled', 1]);
      server.answer(REJECTED);
      const second = new AbortController();
      const onUnauthorized = (): Promise<never> => (second.abort(), never());
      const asking = list(clientOf(server, { onUnauthorized }).api, second.signal);
      assert.deepEqual([(await failureOf(asking)).kind, server.hits.length], ['cancelled', 1]);
    }));
});
