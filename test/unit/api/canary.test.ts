import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { errorSentence } from '../../../src/util/errorSentence';
import type { Fault } from '../../fakes/faultServer';
import { clientOf, ENDPOINTS, failureOf, KEY, testServer } from './support';

const BODY = 'canary-of-a-message-body';

describe('the key and what is sent', function () {
  const server = testServer();
  const echo = {
    title: `key ${KEY}, text ${BODY}`,
    detail: `Authorization: Bearer ${KEY} was refused. text: "${BODY}" is longer than allowed`,
    requestId: `req ${KEY}`,
    status: 400,
  };

  /** Everything that can be read off an error, hidden properties and causes included. */
  function everythingIn(error: Error): string {
    const seen = new Set<unknown>();
    const parts: string[] = [];
    const walk = (value: unknown): void => {
      if ((typeof value !== 'object' && typeof value !== 'function') || value === null) {
        parts.push(String(value));
        return;
      }
      if (seen.has(value)) return;
      seen.add(value);
      for (const key of Reflect.ownKeys(value)) {
        parts.push(String(key));
        walk(Reflect.get(value, key));
      }
    };
    walk(error);
    const shown = inspect(error, { depth: null, showHidden: true, getters: true });
    const sentence = errorSentence(error);
    return [...parts, shown, sentence, error.message, String(error.stack), JSON.stringify(error)].join('\n');
  }

  const faults: readonly (readonly [string, () => Fault])[] = [
    ['echo 400', () => ({ kind: 'answer', status: 400, body: echo })],
    ['echo 401', () => ({ kind: 'answer', status: 401, body: echo, headers: { 'x-request-id': KEY } })],
    ['echo 403', () => ({ kind: 'answer', status: 403, body: echo })],
    ['echo 404', () => ({ kind: 'answer', status: 404, body: echo })],
    ['echo 429', () => ({ kind: 'answer', status: 429, body: echo })],
    ['echo 500', () => ({ kind: 'answer', status: 500, body: echo })],
    ['echo 200', () => ({ kind: 'answer', body: echo })],
    ['text', () => ({ kind: 'answer', body: `${KEY} ${BODY}` })],
    ['page', () => ({ kind: 'html' })],
    ['reset', () => ({ kind: 'reset' })],
    ['broken off', () => ({ kind: 'resetAfterHead' })],
    ['redirect', () => ({ kind: 'redirect', to: `http://127.0.0.1:9/?${KEY}` })],
    ['not HTTP', () => ({ kind: 'notHttp' })],
    ['silence', () => ({ kind: 'silence' })],
    ['bad gzip', () => ({ kind: 'badGzip' })],
  ];

  for (const [name, fault] of faults) {
    it(`appear in no error, log line or sentence: ${name}`, async () => {
      for (const endpoint of ENDPOINTS) {
        server.answer(fault());
        const { api, log } = clientOf(server, {
          timeouts: { get: 30, post: 30, analytics: 30 },
          onUnauthorized: () => Promise.resolve(true),
        });
        const error = await failureOf(
          endpoint.name === 'messages.send'
            ? api.one('sendMessage', { ids: { sessionId: 's1' }, body: JSON.stringify({ text: BODY }) })
            : endpoint.call(api),
        );
        for (const text of [everythingIn(error), log.lines.join('\n')]) {
          assert.ok(!text.includes(KEY), `${endpoint.name}: ${text}`);
          // Whoever was not sent it cannot quote it.
          assert.ok(endpoint.name !== 'messages.send' || !text.includes(BODY), `${endpoint.name}: ${text}`);
          assert.ok(!text.includes('Bearer'), `${endpoint.name}: ${text}`);
        }
        assert.ok(log.lines.length > 0);
      }
    });
  }

  it('appear nowhere when the network layer below quotes them', async () => {
    const { api, log } = clientOf(server, {
      fetch: (url, init) =>
        Promise.reject(
          new TypeError('fetch failed', {
            cause: Object.assign(new Error(`bad header ${JSON.stringify(init.headers)} for ${url}`), {
              code: 'ECONNRESET',
              request: init,
            }),
          }),
        ),
    });
    const error = await failureOf(
      api.one('sendMessage', { ids: { sessionId: 's1' }, body: JSON.stringify({ text: BODY }) }),
    );
    assert.equal(error.reason, 'broken');
    for (const text of [everythingIn(error), log.lines.join('\n')]) {
      assert.ok(!text.includes(KEY) && !text.includes(BODY), text);
    }
  });

  it('appear nowhere when the key itself cannot be sent or read', async () => {
    for (const key of [
      () => Promise.resolve(`${KEY}\n`),
      () => Promise.reject(new Error(`cannot decrypt Bearer ${KEY}x`)),
    ]) {
      const { api, log } = clientOf(server, { key });
      const error = await failureOf(api.list('computers'));
      const text = everythingIn(error) + log.lines.join('\n');
      assert.ok(!text.includes(`${KEY}\n`) && !text.includes(`Bearer ${KEY}`), text);
    }
  });

  it('are asked for each request and not kept', async () => {
    server.answer({ kind: 'answer', body: { computers: [] } });
    let asked = 0;
    const { api } = clientOf(server, { key: () => Promise.resolve(`key-${++asked}`) });
    await api.list('computers');
    await api.list('computers');
    assert.deepEqual(
      server.hits.map(hit => hit.headers.authorization),
      ['Bearer key-1', 'Bearer key-2'],
    );
    assert.ok(!inspect(api, { depth: null, showHidden: true }).includes('key-2'));
  });
});
