import assert from 'node:assert/strict';
import type { ApiError } from '../../../src/api';
import { memoryGate } from '../../../src/api/retryAfter';
import { FaultServer, type Fault } from '../../fakes/faultServer';
import { clientOf, COMPUTER, failureOf, NOON, SESSION } from './support';

const GOOD: Fault = { kind: 'answer', body: { computers: [COMPUTER] } };
const DAY = 24 * 60 * 60 * 1000;

describe('retries and pauses', () => {
  let server: FaultServer;

  before(async () => (server = await FaultServer.start()));
  after(() => server.close());

  /** Fails the first `times` requests. */
  function failing(times: number, fault: Fault, good: Fault = GOOD): void {
    server.answer((_, count) => (count <= times ? fault : good));
  }

  it('a GET that fails twice succeeds on the third try, with growing, jittered waits', async () => {
    for (const fault of [
      { kind: 'answer', status: 503 },
      { kind: 'resetBeforeHead' },
      { kind: 'truncated' },
    ] as const) {
      failing(2, fault);
      const { api, waits, log } = clientOf(server);
      assert.equal((await api.computers.list()).items.length, 1);
      assert.deepEqual(waits, [250, 500]);
      assert.match(log.lines.join('\n'), /retry 1 of 2 in 250 ms[\s\S]*retry 2 of 2 in 500 ms/);
    }
  });

  it('a POST with a surprise on the way home is not taken for one that never left', async () => {
    const closed = (): never => {
      throw new Error('Channel has been closed');
    };
    for (const fault of [{ kind: 'resetBeforeHead' }, { kind: 'answer', status: 200 }] as const) {
      server.answer(fault);
      const log = { trace: closed, debug: closed, info: closed, warn: closed, error: closed };
      const { api } = clientOf(server, { log });
      const error = await failureOf(
        api.messages.sendBody(SESSION.sessionId, JSON.stringify({ text: 'Once' })),
      );
      assert.equal(error.kind, 'outcomeUnknown');
      assert.equal(server.hits.length, 1);
    }
  });

  it('full jitter: the wait is anything from nothing to the whole', async () => {
    for (const [random, expected] of [
      [0, []],
      [0.999, [500, 999]],
    ] as const) {
      failing(2, { kind: 'answer', status: 500 });
      const { api, waits } = clientOf(server, { random: () => random });
      await api.computers.list();
      assert.deepEqual(waits.map(Math.round), expected);
    }
  });

  it('really waits when no waits are given', async () => {
    failing(1, { kind: 'answer', status: 500 });
    const { api } = clientOf(server, { delay: undefined, now: undefined, random: () => 0.1 });
    const began = performance.now();
    await api.computers.list();
    assert.ok(performance.now() - began >= 45);
  });

  it('Retry-After in seconds is waited for, without an earlier request', async () => {
    failing(1, { kind: 'rateLimited', retryAfter: '7' });
    const { api, waits } = clientOf(server);
    await api.computers.list();
    assert.equal(server.hits.length, 2);
    assert.equal(waits.filter(ms => ms > 0).length, 1);
    assert.ok(Math.max(...waits) >= 7_000 && Math.max(...waits) <= 7_250, String(waits));
  });

  it('Retry-After as a date is read against the clock of the service', async () => {
    const theirs = Date.UTC(2030, 0, 1);
    failing(1, {
      kind: 'answer',
      status: 503,
      headers: {
        date: new Date(theirs).toUTCString(),
        'retry-after': new Date(theirs + 20_000).toUTCString(),
      },
    });
    const { api, waits } = clientOf(server);
    await api.computers.list();
    assert.ok(Math.max(...waits) >= 20_000 && Math.max(...waits) <= 20_250, String(waits));
  });

  it('Retry-After that says nothing usable falls back to the usual waits', async () => {
    for (const retryAfter of ['soon', '-5', '1.5', 'Thu, 01 Jan 1970 00:00:00 GMT', '0']) {
      failing(1, { kind: 'rateLimited', retryAfter });
      const { api, waits } = clientOf(server);
      await api.computers.list();
      assert.deepEqual(waits, [250], retryAfter);
    }
  });

  it('Retry-After beyond 60 s stops, and nothing leaves before it, from any client that shares the gate', async () => {
    failing(1, { kind: 'rateLimited', retryAfter: '61' });
    const gate = memoryGate();
    const first = clientOf(server, { gate });
    const error = await failureOf(first.api.computers.list());
    assert.deepEqual([error.kind, error.status, error.retryAt], ['rateLimited', 429, NOON + 61_000]);
    assert.equal(first.waits.length, 0);

    const second = clientOf(server, { gate });
    for (const work of [
      () => second.api.computers.list(),
      () => second.api.sessions.create({ computerId: 'c1' }),
    ]) {
      const paused = await failureOf(work());
      assert.deepEqual(
        [paused.kind, paused.code, paused.status, paused.retryAt],
        ['rateLimited', 'paused', undefined, NOON + 61_000],
      );
    }
    assert.equal(server.hits.length, 1, 'only the first request was sent');

    second.clock.now = NOON + 61_000;
    await second.api.computers.list();
    assert.equal(server.hits.length, 2);
  });

  it('a day is the longest a service can shut people out', async () => {
    failing(1, { kind: 'rateLimited', retryAfter: '99999999999' });
    const error = await failureOf(clientOf(server).api.computers.list());
    assert.equal(error.retryAt, NOON + DAY);
  });

  it('a pause for one address does not hold the other', async () => {
    const other = await FaultServer.start();
    try {
      failing(1, { kind: 'rateLimited', retryAfter: '3600' });
      other.answer({ kind: 'answer', body: { reports: [] } });
      const { api } = clientOf(server, { appUrl: other.origin });
      await failureOf(api.computers.list());
      for await (const page of api.readiness.reports()) assert.equal(page.hasMore, false);
      assert.equal(other.hits.length, 1);
    } finally {
      await other.close();
    }
  });

  it('the waits of one call are capped in all', async () => {
    server.answer({ kind: 'rateLimited', retryAfter: '40' });
    const { api, waits, clock } = clientOf(server);
    const error = await failureOf(api.computers.list());
    assert.equal(error.kind, 'rateLimited');
    assert.equal(server.hits.length, 2, 'a second wait of 40 s would be 80 s in all');
    assert.ok(waits.reduce((sum, ms) => sum + ms, 0) <= 60_250);
    assert.equal(error.retryAt, clock.now + 40_000);
  });

  it('a short pause holds a POST back, a longer one refuses it unsent', async () => {
    const gate = memoryGate();
    server.answer({ kind: 'answer', status: 201, body: SESSION });
    const { api, waits } = clientOf(server, { gate });
    gate.pause(server.origin, NOON + 4_000);
    assert.equal((await api.sessions.create({ computerId: 'c1' })).sessionId, 's1');
    assert.equal(waits.length, 1);
    assert.ok((waits[0] ?? 0) >= 4_000);
  });

  it('POST is never repeated, whatever Retry-After says', async () => {
    server.answer({ kind: 'answer', status: 503, headers: { 'retry-after': '1' } });
    const { api } = clientOf(server);
    const error = await failureOf(api.sessions.create({ computerId: 'c1' }));
    assert.deepEqual([error.kind, error.status, server.hits.length], ['outcomeUnknown', 503, 1]);
  });

  describe('401', () => {
    const REJECTED: Fault = { kind: 'answer', status: 401, body: { requestId: 'req_1' } };

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
      assert.equal((await api.computers.list()).items.length, 1);
      assert.deepEqual(
        server.hits.map(hit => hit.headers.authorization),
        ['Bearer stale', 'Bearer fresh'],
      );
      assert.deepEqual([asked.length, asked[0]?.requestId], [1, 'req_1']);
    });

    it('a second 401 is the end, and is told too', async () => {
      server.answer(REJECTED);
      let asked = 0;
      const { api } = clientOf(server, { onUnauthorized: () => Promise.resolve(++asked > 0) });
      const error = await failureOf(api.computers.list());
      assert.deepEqual([error.kind, asked, server.hits.length], ['unauthorized', 2, 2]);
    });

    it('with the same key nothing is sent again', async () => {
      server.answer(REJECTED);
      const { api } = clientOf(server, { onUnauthorized: () => Promise.resolve(false) });
      assert.equal((await failureOf(api.computers.list())).kind, 'unauthorized');
      assert.equal(server.hits.length, 1);
    });

    it('a question that fails counts as no', async () => {
      server.answer(REJECTED);
      const { api } = clientOf(server, { onUnauthorized: () => Promise.reject(new Error('storage')) });
      assert.equal((await failureOf(api.computers.list())).kind, 'unauthorized');
      assert.equal(server.hits.length, 1);
    });

    it('a POST is told of, not repeated', async () => {
      server.answer(REJECTED);
      let asked = 0;
      const { api } = clientOf(server, { onUnauthorized: () => Promise.resolve(++asked > 0) });
      const error = await failureOf(api.messages.sendBody('s1', JSON.stringify({ text: 'hi' })));
      assert.deepEqual([error.kind, asked, server.hits.length], ['unauthorized', 1, 1]);
    });

    it('a JWT where an API key is needed is no rejected key', async () => {
      server.answer(REJECTED);
      let asked = 0;
      const { api } = clientOf(server, {
        key: () => Promise.resolve('eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl'),
        onUnauthorized: () => Promise.resolve(++asked > 0),
      });
      const range = { startDate: '2026-11-01', endDate: '2026-11-02' };
      const error = await failureOf(api.analytics.tokens(range));
      assert.deepEqual([error.kind, error.reason, asked], ['unauthorized', 'jwt', 0]);
      assert.equal((await failureOf(api.computers.list())).reason, undefined);
      assert.equal(asked, 2);
    });
  });

  it('without a usable key nothing is sent', async () => {
    server.answer(GOOD);
    for (const [key, reason] of [
      [() => Promise.resolve(undefined), 'noKey'],
      [() => Promise.resolve(''), 'noKey'],
      [() => Promise.reject(new Error('the keyring is locked')), 'noKey'],
      [() => Promise.resolve('two words'), 'noKey'],
      [() => Promise.resolve('line\nbreak'), 'noKey'],
      [() => Promise.resolve('schlüssel'), 'noKey'],
    ] as const) {
      const error = await failureOf(clientOf(server, { key }).api.computers.list());
      assert.deepEqual([error.kind, error.reason, error.status], ['unauthorized', reason, undefined]);
    }
    assert.equal(server.hits.length, 0);
  });
});
