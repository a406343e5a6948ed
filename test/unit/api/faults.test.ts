import assert from 'node:assert/strict';
import { Blob } from 'node:buffer';
import { subscribe } from 'node:diagnostics_channel';
import fc from 'fast-check';
import { mock } from 'node:test';
import { inspect } from 'node:util';
import { isApiError, type ApiError } from '../../../src/api';
import { errorSentence } from '../../../src/util/errorSentence';
import { type Fault, REQUEST_ID } from '../../fakes/faultServer';
import { until } from '../../until';
import {
  BODY,
  ENDPOINTS,
  KEY,
  clientOf,
  failureOf,
  leavesNothing,
  list,
  outcomeOf,
  send,
  testServer,
  timers,
} from './support';

/** What comes of it as `kind reason code status xHITS`: `-` for what is not said, `*` for anything. */
type Row = readonly [name: string, fault: Fault, get: string, post: string];

/** What a service says that quotes all it was sent. */
const ECHO = {
  title: `key ${KEY}, text ${BODY}`,
  detail: `Authorization: Bearer ${KEY} was refused. text: "${BODY}" is longer than allowed`,
  requestId: `req_${KEY}`,
};
/** A POST is sent once. */
const row = (name: string, fault: Fault, get: string, post = get): Row => [
  name,
  fault,
  get,
  post.replace(/x3$/, 'x1'),
];
/** One that may have been carried out. */
const unsure = (name: string, fault: Fault, get: string): Row =>
  row(name, fault, get, get.replace(/^\w+/, 'outcomeUnknown'));
const status = (code: number, get: string, make = row): Row =>
  make(`status ${code}`, { kind: 'answer', status: code, body: { ...ECHO, status: code } }, get);
const unreadable = (name: string, fault: Fault, code: string): Row =>
  unsure(name, fault, `malformedAnswer notThisService ${code} 200 x1`);
const quoted = { 'x-request-id': `req_${KEY}` };

const ROWS: readonly Row[] = [
  status(401, 'unauthorized - - 401 x1'),
  status(403, 'forbidden - - 403 x1'),
  ...[404, 410].map(code => status(code, `notFound - - ${code} x1`)),
  ...[400, 405, 409, 413, 422].map(code => status(code, `refused - - ${code} x1`)),
  status(408, 'refused - - 408 x3'),
  status(429, 'rateLimited - - 429 x3'),
  ...[500, 501, 502, 503, 504, 520].map(code => status(code, `unavailable - - ${code} x3`, unsure)),
  unreadable('a web page', { kind: 'html' }, 'html'),
  unreadable('nothing', { kind: 'empty' }, 'empty'),
  unreadable('white space', { kind: 'answer', body: '   ' }, 'empty'),
  unreadable('cut JSON', { kind: 'answer', body: '{"a":' }, 'notJson'),
  unreadable('text', { kind: 'answer', body: `${KEY} ${BODY}`, headers: quoted }, 'notJson'),
  unreadable('a list', { kind: 'answer', body: [] }, 'wrongShape'),
  unreadable('a number', { kind: 'answer', body: 17 }, 'wrongShape'),
  unreadable('null', { kind: 'answer', body: 'null' }, 'wrongShape'),
  unreadable('another object', { kind: 'answer', body: ECHO }, 'wrongShape'),
  unreadable('bad gzip', { kind: 'badGzip' }, 'Z_DATA_ERROR'),
  unsure('a body that ends early', { kind: 'truncate' }, 'malformedAnswer broken UND_ERR_SOCKET 200 x3'),
  unsure('a reset in the body', { kind: 'resetAfterHead' }, 'malformedAnswer broken ECONNRESET 200 x3'),
  ...(['reset', 'close'] as const).map(kind => unsure(kind, { kind }, 'unreachable broken * - x3')),
  unsure('what is not HTTP', { kind: 'notHttp' }, 'unreachable notThisService * - x1'),
  unsure('silence', { kind: 'silence' }, 'timedOut - timedOut - x1'),
  unsure('a body that stalls', { kind: 'stall' }, 'timedOut - timedOut 200 x1'),
  ...[301, 302, 303, 307, 308].map(code =>
    unsure(
      `a redirect (${code}) to another host`,
      { kind: 'redirect', status: code, to: 'ELSEWHERE' },
      'malformedAnswer redirect redirect - x1',
    ),
  ),
  // Given up by the caller.
  unsure('silence', { kind: 'silence' }, 'cancelled - cancelled - x1'),
  unsure('a body that stalls', { kind: 'stall' }, 'cancelled - cancelled * x1'),
  unsure('an endless body', { kind: 'large', bytes: 1e9, declared: false }, 'cancelled - cancelled * x1'),
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
  /** Of answers that came. */
  let heads = 0;
  subscribe('undici:request:headers', () => heads++);

  for (const [name, fault, get, post] of ROWS)
    for (const { name: what, method, path, call, good } of ENDPOINTS) {
      const expected = method === 'GET' ? get : post;
      const [, , , shown, tries] = expected.split(' ');
      it(`${what} under ${name}: ${expected}, which quotes nothing that was sent, and leaves nothing behind`, () =>
        leavesNothing(async abort => {
          const { api, log, waits } = clientOf(server);
          elsewhere.answer({ kind: 'answer', body: good });
          const to = `${elsewhere.origin}/taken?${KEY}`;
          server.answer(fault.kind === 'redirect' ? { ...fault, to } : fault);
          const [before, first] = [await timers(), heads];
          const passed = mock.method(globalThis, 'setTimeout');
          const failure = failureOf(call(api, abort.signal));
          if (get.startsWith('timedOut')) {
            await until(() => server.hits.length + heads - first === (fault.kind === 'silence' ? 1 : 2));
            for (const { arguments: args } of passed.mock.calls) if (Number(args[1]) >= 15_000) args[0]();
          }
          passed.mock.restore();
          if (get.startsWith('cancelled')) {
            await server.arrived(1);
            assert.ok((await timers()) > before, 'a deadline runs');
            abort.abort();
          }

          const error = await failure;

          const { kind, reason, code, status: answered, request, requestId } = error;
          const hits = server.hits.filter(hit => hit.method === method && hit.url.startsWith(path)).length;
          const facts = [kind, reason, code, answered, `x${hits}`].map(fact => String(fact ?? '-'));
          const wanted = expected.split(' ').map((word, at) => (word === '*' ? facts[at] : word));
          assert.deepEqual(facts, wanted);
          assert.equal(elsewhere.hits.length, 0, 'nothing goes to another host');
          assert.deepEqual(request, { method, path, origin: server.origin });
          if (shown !== '*' && answered !== undefined) assert.ok(requestId?.startsWith('req_'), requestId);
          assert.deepEqual(waits, [250, 500].slice(0, hits - 1));
          const retries = log.lines.join('\n').match(/: retry \d of 2 in (250|500) ms/g) ?? [];
          assert.equal(retries.length, hits - 1, 'each retry is in the log');
          assertQuotesNothing(error, log.lines, what === 'sendMessage');
          if (tries !== 'x3') return;
          server.answer((_, count) => (count < 3 ? fault : { kind: 'answer', body: good }));
          await call(api, abort.signal);
          assert.equal(server.hits.length, 3, 'the third try is as good as the first');
        }));
    }

  it('quotes nothing that was sent where the network below does, where nothing can be logged, nor a key that cannot be read or sent, with which nothing is', async () => {
    const quoting = (url: string, init: RequestInit): Promise<never> => {
      const cause = new Error(`bad header ${JSON.stringify(init.headers)} for ${url}`);
      Object.assign(cause, { code: 'ECONNRESET', request: init });
      return Promise.reject(new TypeError('fetch failed', { cause }));
    };
    const closed = () => assert.fail('Channel has been closed');
    const log = { debug: closed, info: closed, warn: closed, error: closed };
    const locked = () => Promise.reject(new Error(`cannot decrypt token=${KEY}`));
    const keys = [undefined, '', `${KEY} and more`, `${KEY}\n`, `${KEY}ü`].map(
      key => () => Promise.resolve(key),
    );
    server.answer({ kind: 'answer' });
    for (const [expected, options] of [
      ...[locked, ...keys].map(key => ['unauthorized noKey x0', { key }] as const),
      ['outcomeUnknown broken x0', { fetch: quoting }],
      ['outcomeUnknown broken x1', { log }],
    ] as const) {
      const { api, log } = clientOf(server, options);
      const error = await failureOf(send(api));
      assert.equal(`${error.kind} ${error.reason} x${server.hits.length}`, expected);
      assertQuotesNothing(error, log.lines);
    }
  });

  it('takes what the error body says, and the request id from the header when it names none', async () => {
    const body = { title: 'T', message: 'M', requestId: 'req_body' };
    for (const [fault, expected] of [
      [{ kind: 'answer', status: 400, body }, ['refused', undefined, 'T', 'M', 'req_body']],
      [{ kind: 'html', status: 502 }, ['unavailable', 'html', undefined, undefined, REQUEST_ID]],
      [{ kind: 'stall', status: 403 }, ['forbidden', undefined, undefined, undefined, REQUEST_ID]],
    ] as const) {
      server.answer(fault);
      const timeouts = fault.kind === 'stall' ? { get: 200 } : {};
      const error = await failureOf(list(clientOf(server, { timeouts }).api));
      assert.deepEqual([error.kind, error.code, error.title, error.detail, error.requestId], expected);
    }
  });

  it('asks the renamed readiness path where there are no reports, again where that could not answer, and alone where it did', async () => {
    const [gone, moved] = [clientOf(server).api, clientOf(server).api];
    for (const [api, renamed, expected] of [
      [gone, 404, 'notFound maturity-level agent-readiness'],
      [gone, 404, 'notFound maturity-level'],
      [moved, 403, 'forbidden maturity-level agent-readiness'],
      [moved, 200, 'read maturity-level agent-readiness'],
      [moved, 200, 'read agent-readiness'],
    ] as const) {
      server.answer(({ url }) => {
        const status = url.includes('agent-readiness') ? renamed : 404;
        return { kind: 'answer', status, body: { reports: [] } };
      });
      const outcome = await outcomeOf(api.pages('reports').next());
      const asked = server.hits.map(({ url }) => /(\w+-\w+)-reports\?/.exec(url)?.[1]);
      assert.equal([outcome, ...asked].join(' '), expected);
    }
  });

  for (const { name, call, good } of ENDPOINTS)
    it(`${name} gives an answer or one typed error, whatever stands anywhere in an answer`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.nat(12), fc.jsonValue(), async (place, other) => {
          let at = place;
          const body = JSON.stringify(good, (_, value: unknown) => (at-- === 0 ? other : value));
          server.answer({ kind: 'answer', body });
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
  const server = testServer();

  /** What is left of `detail` where it refuses a message. */
  async function left(detail: string, body: string | Uint8Array | Blob): Promise<string | undefined> {
    server.answer({ kind: 'answer', status: 422, body: { detail } });
    const asked = { ids: { sessionId: 's1' }, body };
    return (await failureOf(clientOf(server).api.one('sendMessage', asked))).detail;
  }

  it('is found in a body of any form and left out of what it says, and the rest stays', async () => {
    const text = 'Please pay the invoice\nof "Vale & Sons" by Friday.';
    const body = JSON.stringify({
      text,
      files: [{ name: 'a.txt', parsedData: 'the secret plan', data: 'x' }],
    });
    const [short, large, no] = ['hello!', 'ab '.repeat(1_000_000), 'no'].map(each =>
      JSON.stringify({ text: each }),
    );
    const other = 'files[0].mediaType: one of image/jpeg, image/png, no text';
    for (const [said, expected, of = body] of [
      ['text: "Please pay the invoice\nof "Vale & Sons"…" is too long', 'text: "……" is too long'],
      ['the secret plan cannot be read', '… cannot be read'],
      ['the secret plan cannot be read', '… cannot be read', new TextEncoder().encode(body)],
      ['the secret plan cannot be read', '… cannot be read', new Blob([body])],
      [other, other],
      [other, other, no],
      ['The invoice is overdue.', 'The invoice is overdue.'],
      ['hello! is not a task', '… is not a task', short],
      ['ab '.repeat(300), '…', large],
    ] as const)
      assert.equal(await left(said, of), expected);
  });

  it('leaves no run of it, wherever it is quoted and however it is cut', async () => {
    const words = fc
      .string({ minLength: 12, maxLength: 200, unit: 'grapheme' })
      .filter(each => each.trim().length > 11);
    await fc.assert(
      fc.asyncProperty(words, fc.string(), fc.string(), fc.nat(20), async (text, before, after, from) => {
        const quoted = text.slice(from).replace(/\s+/g, ' ').trim();
        const run = quoted.slice(0, 12);
        const said = (await left(`${before} ${quoted} ${after}`, JSON.stringify({ text }))) ?? '';
        assert.ok(quoted.length < 12 || !said.includes(run) || `${before} ${after}`.includes(run));
      }),
      { numRuns: 300 },
    );
  });
});
