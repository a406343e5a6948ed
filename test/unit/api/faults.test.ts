import assert from 'node:assert/strict';
import { Blob } from 'node:buffer';
import fc from 'fast-check';
import { inspect } from 'node:util';
import { isApiError, type ApiError } from '../../../src/api';
import { sentTexts } from '../../../src/api/errors';
import { errorSentence } from '../../../src/util/errorSentence';
import { withoutEcho } from '../../../src/util/text';
import { type Fault, REQUEST_ID } from '../../fakes/faultServer';
import { BODY, ENDPOINTS, KEY, clientOf, failureOf, list, send, testServer } from './support';

/** `kind reason code status xHITS`, `-` for what is unknown; `*` for any code. */
type Outcome = string;
type Row = readonly [name: string, fault: Fault, get: Outcome, post: Outcome];

/** What a service says that quotes all it was sent. */
const ECHO = {
  title: `key ${KEY}, text ${BODY}`,
  detail: `Authorization: Bearer ${KEY} was refused. text: "${BODY}" is longer than allowed`,
  requestId: `req_${KEY}`,
};
const status = (code: number, get: string, post = get.replace(/x\d/, 'x1')): Row => [
  `status ${code}`,
  { kind: 'answer', status: code, body: { ...ECHO, status: code } },
  get,
  post,
];
const broken = (name: string, fault: Fault, code: string): Row => {
  const facts = `notThisService ${code} 200 x1`;
  return [name, fault, `malformedAnswer ${facts}`, `outcomeUnknown ${facts}`];
};
const lost = (name: string, fault: Fault, get: string, facts: string): Row => [
  name,
  fault,
  `${get} ${facts}`,
  `outcomeUnknown ${facts.replace(/x\d/, 'x1')}`,
];
const quoted = { 'x-request-id': `req_${KEY}` };

const ROWS: readonly Row[] = [
  status(401, 'unauthorized - - 401 x1'),
  status(403, 'forbidden - - 403 x1'),
  ...[400, 405, 409, 413, 422].map(code => status(code, `refused - - ${code} x1`)),
  status(408, 'refused - - 408 x3'),
  status(429, 'rateLimited - - 429 x3'),
  ...[500, 501, 502, 503, 504, 520].map(code =>
    status(code, `unavailable - - ${code} x3`, `outcomeUnknown - - ${code} x1`),
  ),
  broken('a web page', { kind: 'html' }, 'html'),
  broken('nothing', { kind: 'empty' }, 'empty'),
  broken('white space', { kind: 'answer', body: '   ' }, 'empty'),
  broken('cut JSON', { kind: 'answer', body: '{"a":' }, 'notJson'),
  broken('text', { kind: 'answer', body: `${KEY} ${BODY}`, headers: quoted }, 'notJson'),
  broken('a list', { kind: 'answer', body: [] }, 'wrongShape'),
  broken('a number', { kind: 'answer', body: 17 }, 'wrongShape'),
  broken('null', { kind: 'answer', body: 'null' }, 'wrongShape'),
  broken('another object', { kind: 'answer', body: ECHO }, 'wrongShape'),
  broken('bad gzip', { kind: 'badGzip' }, 'Z_DATA_ERROR'),
  lost('a body that ends early', { kind: 'truncate' }, 'malformedAnswer', 'broken UND_ERR_SOCKET 200 x3'),
  lost('a reset in the body', { kind: 'resetAfterHead' }, 'malformedAnswer', 'broken ECONNRESET 200 x3'),
  ...(['reset', 'close'] as const).map(kind => lost(kind, { kind }, 'unreachable', 'broken * - x3')),
  lost('what is not HTTP', { kind: 'notHttp' }, 'unreachable', 'notThisService * - x1'),
  lost('silence', { kind: 'silence' }, 'timedOut', '- timedOut - x1'),
  lost('a body that stalls', { kind: 'stall' }, 'timedOut', '- timedOut 200 x1'),
  ...[301, 302, 303, 307, 308].map(code =>
    lost(
      `a redirect (${code}) to another host`,
      { kind: 'redirect', status: code, to: 'ELSEWHERE' },
      'malformedAnswer',
      'redirect redirect - x1',
    ),
  ),
];

/** Neither the key nor the message stands in anything that can be read off an error, its hidden parts and causes included, or in the log. */
function assertQuotesNothing(error: ApiError, lines: readonly string[], isSent = true): void {
  const all = { depth: null, showHidden: true, getters: true, maxStringLength: null, maxArrayLength: null };
  const texts = [inspect(error, all), errorSentence(error), JSON.stringify(error), ...lines].join('\n');
  // Whoever was not sent the message cannot quote it.
  for (const secret of [KEY, 'Bearer', ...(isSent ? [BODY] : [])]) assert.ok(!texts.includes(secret), texts);
}

describe('every endpoint under every fault', () => {
  const [server, elsewhere] = [testServer(), testServer()];

  for (const [name, fault, get, post] of ROWS)
    for (const { name: what, method, path, call, good } of ENDPOINTS)
      it(`${what} under ${name} fails once, clearly, and quotes nothing that was sent`, async () => {
        const expected = method === 'GET' ? get : post;
        const isSlow = fault.kind === 'silence' || fault.kind === 'stall';
        const timeouts = isSlow ? { get: 200, post: 200, analytics: 200 } : undefined;
        const { api, log } = clientOf(server, { timeouts });
        elsewhere.answer({ kind: 'answer', body: good });
        const to = `${elsewhere.origin}/taken?${KEY}`;
        server.answer(fault.kind === 'redirect' ? { ...fault, to } : fault);

        const error = await failureOf(call(api));

        const { kind, reason, code, status: answered, request, requestId } = error;
        const shownCode = expected.includes('*') ? '*' : code;
        const facts = [kind, reason, shownCode, answered].map(fact => fact ?? '-');
        assert.equal(`${facts.join(' ')} x${server.hits.length}`, expected);
        assert.equal(elsewhere.hits.length, 0, 'nothing goes to another host');
        assert.deepEqual(request, { method, path, origin: server.origin });
        if (answered !== undefined) assert.ok(requestId?.startsWith('req_'), requestId);
        const retries = log.lines.filter(line => line.includes('retry')).length;
        assert.equal(retries, server.hits.length - 1, 'each retry is in the log');
        assert.ok(server.hits.every(hit => hit.method === method));
        assertQuotesNothing(error, log.lines, what === 'sendMessage');
      });

  it('quotes nothing that was sent where the network below does, nor a key that cannot be read or sent, with which nothing is', async () => {
    const quoting = (url: string, init: RequestInit): Promise<never> => {
      const cause = new Error(`bad header ${JSON.stringify(init.headers)} for ${url}`);
      Object.assign(cause, { code: 'ECONNRESET', request: init });
      return Promise.reject(new TypeError('fetch failed', { cause }));
    };
    const locked = () => Promise.reject(new Error(`cannot decrypt token=${KEY}`));
    const keys = [undefined, '', `${KEY} and more`, `${KEY}\n`, `${KEY}ü`].map(
      key => () => Promise.resolve(key),
    );
    server.answer({ kind: 'answer' });
    for (const [reason, options] of [
      ['broken', { fetch: quoting }],
      ...[locked, ...keys].map(key => ['noKey', { key }] as const),
    ] as const) {
      const { api, log } = clientOf(server, options);
      const error = await failureOf(send(api));
      assert.deepEqual([error.reason, error.status, server.hits.length], [reason, undefined, 0]);
      assertQuotesNothing(error, log.lines);
    }
  });

  it('takes what the error body says, and the request id from the header when it names none', async () => {
    const body = { title: 'T', message: 'M', requestId: 'req_body' };
    for (const [fault, expected] of [
      [{ kind: 'answer', status: 400, body }, ['refused', undefined, 'T', 'M', 'req_body']],
      [{ kind: 'answer', status: 410, body }, ['notFound', undefined, 'T', 'M', 'req_body']],
      [{ kind: 'html', status: 502 }, ['unavailable', 'html', undefined, undefined, REQUEST_ID]],
      [{ kind: 'html', status: 404 }, ['notFound', 'html', undefined, undefined, REQUEST_ID]],
      [{ kind: 'stall', status: 403 }, ['forbidden', undefined, undefined, undefined, REQUEST_ID]],
    ] as const) {
      server.answer(fault);
      const error = await failureOf(list(clientOf(server, { timeouts: { get: 200 } }).api));
      const { kind, code, title, detail, requestId } = error;
      assert.deepEqual([kind, code, title, detail, requestId], expected);
    }
  });

  it('404 is not found, once; the renamed readiness path is asked then, again where it could not answer, and alone where it did', async () => {
    for (const { name, call, path } of ENDPOINTS) {
      server.answer({ kind: 'answer', status: 404, body: {} });
      const { api } = clientOf(server);
      for (let round = 0; round < 2; round++) assert.equal((await failureOf(call(api))).kind, 'notFound');
      const renamed = name === 'reports' ? ['/api/organization/agent-readiness-reports'] : [];
      const asked = server.hits.map(hit => hit.url.split('?')[0]);
      assert.deepEqual(asked, [path, ...renamed, path], name);
    }
    let status = 403;
    server.answer(({ url }) => ({
      kind: 'answer',
      status: url.includes('agent-readiness') ? status : 404,
      body: { reports: [] },
    }));
    const { api } = clientOf(server);
    assert.equal((await failureOf(api.pages('reports').next())).kind, 'forbidden');
    status = 200;
    for (let round = 0; round < 2; round++) assert.equal((await api.pages('reports').next()).done, false);
    assert.deepEqual(
      server.hits.map(({ url }) => url.includes('agent-readiness')),
      [false, true, false, true, true],
    );
  });
});

describe('every endpoint with any JSON for an answer', () => {
  const server = testServer();

  /** Replaces any one value within `good` by `other`. */
  function mutate(good: unknown, path: number, other: unknown): unknown {
    const keys = typeof good === 'object' && good !== null ? Object.keys(good) : [];
    const key = keys[path % keys.length];
    if (key === undefined) return other;
    const copy = structuredClone(good) as Record<string, unknown>;
    copy[key] = path % 3 === 0 ? other : mutate(copy[key], Math.floor(path / 7), other);
    return copy;
  }

  for (const { name, call, good } of ENDPOINTS)
    it(`${name} gives an answer or one typed error`, async () => {
      const mutated = fc.tuple(fc.nat(10_000), fc.jsonValue());
      const bodies = fc.oneof(
        fc.jsonValue(),
        mutated.map(([path, other]) => mutate(good, path, other)),
      );
      await fc.assert(
        fc.asyncProperty(bodies, async body => {
          server.answer({ kind: 'answer', body: JSON.stringify(body) });
          const error = await call(clientOf(server).api).then(
            () => undefined,
            (thrown: unknown) => thrown,
          );
          if (error === undefined) return;
          assert.ok(isApiError(error));
          assert.ok(['malformedAnswer', 'outcomeUnknown'].includes(error.kind), error.message);
          assert.deepEqual([error.status, error.cause], [200, undefined], 'no code threw');
        }),
        { numRuns: 60 },
      );
    });
});

describe('what a service quotes of a message', () => {
  it('is found in a body of any form and left out of what it says, and the rest stays', async () => {
    const text = 'Please pay the invoice\nof "Vale & Sons" by Friday.';
    const body = JSON.stringify({
      text,
      files: [{ name: 'a.txt', parsedData: 'the secret plan', data: 'x' }],
    });
    const sent = ['Please pay the invoice of "Vale & Sons" by Friday.', 'the secret plan'];
    for (const form of [body, new TextEncoder().encode(body), new Blob([body])])
      assert.deepEqual(await sentTexts(form), sent);
    assert.deepEqual(await sentTexts(JSON.stringify({ computerId: 'c', text: 'no' })), []);
    const [short, large] = ['hello!', 'ab '.repeat(10_000_000)].map(each => JSON.stringify({ text: each }));
    const beginning = await sentTexts(large);
    assert.ok((beginning[0]?.length ?? 0) <= 64 * 1024);
    const other = 'files[0].mediaType: one of image/jpeg, image/png';
    for (const [said, left, of = sent] of [
      ['text: "Please pay the invoice\nof "Vale & Sons"…" is too long', 'text: "……" is too long'],
      ['the secret plan cannot be read', '… cannot be read'],
      [other, other],
      ['The invoice is overdue.', 'The invoice is overdue.'],
      ['hello! is not a task', '… is not a task', await sentTexts(short)],
      ['ab '.repeat(300), '…', beginning],
    ] as const)
      assert.equal(withoutEcho(said, of), left);
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
});
