import assert from 'node:assert/strict';
import fc from 'fast-check';
import { inspect } from 'node:util';
import { Blob } from 'node:buffer';
import { errorSentence } from '../../../src/util/errorSentence';
import type { Fault } from '../../fakes/faultServer';
import { ENDPOINTS, KEY, clientOf, failureOf, testServer } from './support';
import { sentTexts } from '../../../src/api/errors';
import { withoutEcho } from '../../../src/util/text';

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

describe('what a service quotes of a message', () => {
  const text = 'Please pay the invoice\nof "Vale & Sons" by Friday.';
  const body = JSON.stringify({ text, files: [{ name: 'a.txt', parsedData: 'the secret plan', data: 'x' }] });

  it('is found in a body of any form and left out of what it says, and the rest stays', async () => {
    const sent = ['Please pay the invoice of "Vale & Sons" by Friday.', 'the secret plan'];
    for (const form of [body, new TextEncoder().encode(body), new Blob([body])])
      assert.deepEqual(await sentTexts(form), sent);
    assert.deepEqual(await sentTexts(JSON.stringify({ computerId: 'c', text: 'no' })), []);
    const other = 'files[0].mediaType: one of image/jpeg, image/png';
    for (const [said, left] of [
      ['text: "Please pay the invoice\nof "Vale & Sons"…" is too long', 'text: "……" is too long'],
      ['the secret plan cannot be read', '… cannot be read'],
      [other, other],
      ['The invoice is overdue.', 'The invoice is overdue.'],
    ] as const)
      assert.equal(withoutEcho(said, sent), left);
    const short = await sentTexts('{"text":"hello!"}');
    assert.equal(withoutEcho('hello! is not a task', short), '… is not a task');
  });

  it('leaves no run of it, wherever it is quoted and however it is cut', async () => {
    const words = fc
      .string({ minLength: 12, maxLength: 200, unit: 'grapheme' })
      .filter(each => each.trim().length > 11);
    await fc.assert(
      fc.asyncProperty(words, fc.string(), fc.string(), fc.nat(20), async (secret, before, after, from) => {
        const sent = await sentTexts(JSON.stringify({ text: secret }));
        const quoted = secret.slice(from).replace(/\s+/g, ' ').trim();
        const run = quoted.slice(0, 12);
        const left = withoutEcho(`${before} ${quoted} ${after}`, sent);
        assert.ok(quoted.length < 12 || !left.includes(run) || `${before} ${after}`.includes(run));
      }),
      { numRuns: 300 },
    );
  });

  it('is looked for in no more than the beginning of a large message', async () => {
    const sent = await sentTexts(JSON.stringify({ text: 'ab '.repeat(10_000_000) }));
    assert.ok((sent[0]?.length ?? 0) <= 64 * 1024);
    assert.equal(withoutEcho('ab '.repeat(300), sent), '…');
  });
});
