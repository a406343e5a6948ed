import assert from 'node:assert/strict';
import fc from 'fast-check';
import { latestDay, parseAddress, proposeAppUrl } from '../../../src/api';
import { looksLikeJwt } from '../../../src/api/address';
import { clientOf, failureOf } from './support';

it('an id that would lead elsewhere is not sent', async () => {
  const hits: string[] = [];
  const fetch = (url: string): Promise<Response> => (hits.push(url), Promise.resolve(Response.json({})));
  const { api } = clientOf({ origin: 'https://api.example' }, { fetch });
  for (const id of ['', '  ', '.', '..', '\ud800'])
    for (const work of [
      api.one('computer', { ids: { computerId: id } }),
      api.one('session', { ids: { sessionId: id } }),
      api.one('sendMessage', { ids: { sessionId: id }, body: '{}' }),
      api.one('message', { ids: { sessionId: id, messageId: 'm' } }),
      api.one('message', { ids: { sessionId: 's', messageId: id } }),
    ]) {
      const { kind, code } = await failureOf(work);
      assert.deepEqual([kind, code], ['notFound', 'badId']);
    }
  assert.deepEqual(hits, []);
});

it('the latest day of analytics is yesterday, UTC', () => {
  for (const [now, day] of [
    [Date.UTC(2026, 10, 21), '2026-11-20'],
    [Date.UTC(2026, 10, 21, 23, 59, 59, 999), '2026-11-20'],
    [Date.UTC(2027, 0, 1), '2026-12-31'],
    [Date.UTC(2028, 2, 1), '2028-02-29'],
  ] as const)
    assert.equal(latestDay(now), day);
});

describe('addresses', () => {
  it('are read as people type them', () => {
    for (const [typed, ok] of [
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
    ] as const)
      assert.deepEqual(parseAddress(typed), { ok }, typed);
    const refused = {
      notAnAddress: [
        '',
        '   ',
        'https://',
        'not an address',
        'https:/one-slash.example',
        'https://exa\u202emple.com',
      ],
      notHttps: [
        'http://example.com',
        'http://127.0.0.1.evil.example',
        'http://api.localhost:4000',
        'http://localhost.evil.example',
        'http://192.168.0.1',
        'ftp://example.com',
        'javascript://example.com/%0aalert(1)',
      ],
      tooMuch: [
        'https://user:secret@example.com',
        'https://token@example.com',
        'https://example.com/?key=1',
        'https://example.com/#x',
      ],
    };
    for (const [problem, texts] of Object.entries(refused))
      for (const typed of texts) assert.deepEqual(parseAddress(typed), { problem }, typed);
    assert.deepEqual(parseAddress('https://host\\@evil.example'), { problem: 'notAnAddress' });
  });

  it('that are accepted are accepted again unchanged, and none throws', () => {
    const url = fc.webUrl();
    const any = fc.oneof(
      fc.string(),
      url,
      url.map(text => text.replace('http:', 'https:')),
    );
    fc.assert(
      fc.property(any, typed => {
        const first = parseAddress(typed);
        if ('problem' in first) return;
        assert.deepEqual(parseAddress(first.ok), first);
        assert.match(first.ok, /^https:.*[^/?#]$|^http:\/\/(localhost|127\.|\[::1\]).*[^/?#]$/);
        assert.doesNotThrow(() => proposeAppUrl(first.ok));
      }),
    );
  });

  it('of the web application are proposed, and a JWT is told from an API key', () => {
    for (const [base, app] of [
      ['https://api.example.com', 'https://app.example.com'],
      ['https://api.example.com:8443/base', 'https://app.example.com:8443'],
      ['https://agents.example.com/api', 'https://agents.example.com/api'],
      ['http://127.0.0.1:4000', 'http://127.0.0.1:4000'],
    ] as const)
      assert.equal(proposeAppUrl(base), app);
    assert.ok(looksLikeJwt('eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln'));
    assert.ok(!looksLikeJwt('fk-eyJhbGciOiJIUzI1NiJ9') && !looksLikeJwt('eyJhbGciOiJIUzI1NiJ9'));
  });
});
