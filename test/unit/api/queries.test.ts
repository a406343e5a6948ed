import assert from 'node:assert/strict';
import fc from 'fast-check';
import { EARLIEST_DAY, latestDay, parseAddress, proposeAppUrl, QueryError } from '../../../src/api';
import { looksLikeJwt } from '../../../src/api/address';
import type { QueryProblem } from '../../../src/api/errors';
import { FaultServer } from '../../fakes/faultServer';
import { clientOf, collect } from './support';

describe('queries', () => {
  let server: FaultServer;

  before(async () => (server = await FaultServer.start()));
  after(() => server.close());

  async function refused(
    work: () => Promise<unknown>,
    problem: QueryProblem,
    parameter: string,
  ): Promise<void> {
    server.answer({ kind: 'answer', body: { data: [] } });
    await assert.rejects(work, (error: unknown) => {
      assert.ok(error instanceof QueryError);
      assert.deepEqual([error.name, error.problem, error.parameter], ['QueryError', problem, parameter]);
      assert.ok(error.message.startsWith(`${parameter}: `));
      return true;
    });
    assert.equal(server.hits.length, 0, 'nothing is sent');
  }

  it('days the service would refuse are not asked for, by any of the calls', async () => {
    const { api } = clientOf(server);
    type Range = { readonly startDate: string; readonly endDate: string };
    const { tokens, tools, activity, productivity } = api.analytics;
    const calls: readonly ((range: Range) => Promise<unknown>)[] = [
      ...[tokens, tools, activity, productivity],
      range => collect(api.analytics.users(range)),
    ];
    const cases: readonly (readonly [string, string, QueryProblem, string])[] = [
      ['2026-11-21', '2026-11-21', 'dateNotFinished', 'startDate'],
      ['2026-11-01', '2026-11-21', 'dateNotFinished', 'endDate'],
      ['2026-01-13', '2026-11-20', 'dateTooEarly', 'startDate'],
      ['2026-11-20', '2026-11-19', 'datesReversed', 'startDate'],
      ['2026-02-30', '2026-11-20', 'dateFormat', 'startDate'],
      ['2026-11-01', '20.11.2026', 'dateFormat', 'endDate'],
      ['2026-11-01', '2026-11-20T00:00:00Z', 'dateFormat', 'endDate'],
      ['', '2026-11-20', 'dateFormat', 'startDate'],
      ['2026-11-1', '2026-11-20', 'dateFormat', 'startDate'],
    ];
    for (const call of calls) {
      for (const [startDate, endDate, problem, parameter] of cases) {
        await refused(() => call({ startDate, endDate }), problem, parameter);
      }
      server.answer({ kind: 'answer', body: { data: [], meta: { has_more: false } } });
      await call({ startDate: EARLIEST_DAY, endDate: '2026-11-20' });
      assert.equal(server.hits.length, 1, 'the whole legal range is fine');
    }
  });

  it('the latest day is yesterday in UTC, at any time of day and in any year', () => {
    assert.equal(latestDay(Date.UTC(2026, 10, 21, 0, 0, 0)), '2026-11-20');
    assert.equal(latestDay(Date.UTC(2026, 10, 21, 23, 59, 59, 999)), '2026-11-20');
    assert.equal(latestDay(Date.UTC(2027, 0, 1)), '2026-12-31');
    assert.equal(latestDay(Date.UTC(2028, 2, 1)), '2028-02-29');
  });

  it('page sizes out of range are not asked for', async () => {
    const { api } = clientOf(server);
    const range = { startDate: '2026-11-01', endDate: '2026-11-02' };
    for (const limit of [0, -1, 101, 1.5, NaN, Infinity]) {
      await refused(() => collect(api.organization.users({ limit })), 'limit', 'limit');
      await refused(() => collect(api.organization.controlHistory({ limit })), 'limit', 'limit');
      await refused(() => collect(api.analytics.users({ ...range, limit })), 'limit', 'limit');
      if (limit !== 101) await refused(() => collect(api.readiness.reports({ limit })), 'limit', 'limit');
    }
  });
});

describe('addresses', function () {
  it('reads what people type', () => {
    const cases: readonly (readonly [string, string])[] = [
      ['https://api.example.com', 'https://api.example.com'],
      ['  https://API.Example.com/  ', 'https://api.example.com'],
      ['api.example.com', 'https://api.example.com'],
      ['api.example.com:8443/base/', 'https://api.example.com:8443/base'],
      ['https://example.com:443', 'https://example.com'],
      ['http://127.0.0.1:4000', 'http://127.0.0.1:4000'],
      ['http://localhost:4000/', 'http://localhost:4000'],
      ['localhost:4000', 'http://localhost:4000'],
      ['http://[::1]:4000', 'http://[::1]:4000'],
      ['https://bücher.example', 'https://xn--bcher-kva.example'],
    ];
    for (const [typed, ok] of cases) assert.deepEqual(parseAddress(typed), { ok }, typed);
  });

  it('says what is wrong with the rest', () => {
    for (const [typed, problem] of [
      ['', 'empty'],
      ['   ', 'empty'],
      ['https://', 'notAnAddress'],
      ['not an address', 'notAnAddress'],
      ['https:/one-slash.example', 'notAnAddress'],
      ['https://exa\u202emple.com', 'notAnAddress'],
      ['https://host\\@evil.example', 'notAnAddress'],
      ['http://example.com', 'notHttps'],
      ['http://127.0.0.1.evil.example', 'notHttps'],
      ['http://api.localhost:4000', 'notHttps'],
      ['http://localhost.evil.example', 'notHttps'],
      ['http://192.168.0.1', 'notHttps'],
      ['ftp://example.com', 'notHttps'],
      ['javascript://example.com/%0aalert(1)', 'notHttps'],
      ['https://user:secret@example.com', 'credentials'],
      ['https://token@example.com', 'credentials'],
      ['https://example.com/?key=1', 'query'],
      ['https://example.com/#x', 'query'],
    ] as const) {
      assert.deepEqual(parseAddress(typed), { problem }, typed);
    }
  });

  it('never throws, and what it accepts it accepts again unchanged', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.webUrl(),
          fc.webUrl().map(url => url.replace('http:', 'https:')),
        ),
        typed => {
          const first = parseAddress(typed);
          if ('problem' in first) return;
          assert.deepEqual(parseAddress(first.ok), first);
          assert.match(first.ok, /^https:|^http:\/\/(localhost|127\.|\[::1\])/);
          assert.doesNotMatch(first.ok, /[/?#]$/);
          assert.doesNotThrow(() => proposeAppUrl(first.ok));
        },
      ),
    );
  });

  it('proposes the web application’s address', () => {
    assert.equal(proposeAppUrl('https://api.example.com'), 'https://app.example.com');
    assert.equal(proposeAppUrl('https://api.example.com:8443/base'), 'https://app.example.com:8443');
    assert.equal(proposeAppUrl('https://agents.example.com/api'), 'https://agents.example.com/api');
    assert.equal(proposeAppUrl('http://127.0.0.1:4000'), 'http://127.0.0.1:4000');
  });

  it('knows a JWT from an API key', () => {
    assert.ok(looksLikeJwt('eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln'));
    assert.ok(!looksLikeJwt('fk-eyJhbGciOiJIUzI1NiJ9'));
    assert.ok(!looksLikeJwt('eyJhbGciOiJIUzI1NiJ9'));
  });
});
