import assert from 'node:assert/strict';
import {
  ApiError,
  isApiError,
  QueryError,
  type ApiErrorFacts,
  type ApiErrorKind,
  type ApiErrorReason,
} from '../../../src/api';
import { errorSentence } from '../../../src/util/errorSentence';

const request = { method: 'GET', path: '/api/v0/computers', origin: 'https://api.example.com' } as const;
const sentence = (kind: ApiErrorKind, facts: Partial<ApiErrorFacts> = {}): string =>
  errorSentence(new ApiError(kind, { request, ...facts }));

describe('sentences for people', () => {
  it('says what the voice of the product says', () => {
    assert.equal(
      sentence('unauthorized', { status: 401, requestId: 'req_1' }),
      'The key was not accepted by api.example.com (401, request req_1). Enter it again or check it in the web application.',
    );
    assert.equal(
      sentence('forbidden', { request: { ...request, path: '/api/v1/analytics/tokens' } }),
      'Analytics needs the Manager or Owner role. Everything else works.',
    );
    assert.equal(
      sentence('forbidden', { request: { ...request, path: '/api/v1/analytics/tokens' }, status: 403 }),
      'Analytics needs the Manager or Owner role (403). Everything else works.',
    );
    assert.equal(
      sentence('notFound', {
        request: { ...request, path: '/api/v0/sessions/s1' },
        status: 404,
        requestId: 'req_1',
      }),
      'api.example.com does not know this session (404, request req_1). It may be gone, belong to another organization, or run only in the command-line client.',
    );
  });

  it('each way to fail reads differently, names the host and the way out', () => {
    const cases: readonly (readonly [
      string,
      ApiErrorKind,
      ApiErrorReason | undefined,
      number | undefined,
    ])[] = [
      ['wrong address', 'unreachable', 'dns', undefined],
      ['nothing there', 'unreachable', 'connectionRefused', undefined],
      ['reset', 'unreachable', 'reset', undefined],
      ['offline', 'unreachable', 'network', undefined],
      ['connect timeout', 'unreachable', 'connectTimeout', undefined],
      ['blocked port', 'unreachable', 'blockedPort', undefined],
      ['not http', 'unreachable', 'notHttp', undefined],
      ['proxy', 'unreachable', 'proxy', undefined],
      ['proxy credentials', 'unreachable', 'proxyAuthentication', 407],
      ['self-signed', 'unreachable', 'selfSignedCertificate', undefined],
      ['expired', 'unreachable', 'certificateExpired', undefined],
      ['other host', 'unreachable', 'certificateHost', undefined],
      ['no TLS', 'unreachable', 'tls', undefined],
      ['unreachable', 'unreachable', undefined, undefined],
      ['not this service', 'malformedAnswer', 'html', 200],
      ['redirect', 'malformedAnswer', 'redirect', undefined],
      ['empty', 'malformedAnswer', 'empty', 200],
      ['not JSON', 'malformedAnswer', 'notJson', 200],
      ['truncated', 'malformedAnswer', 'truncated', 200],
      ['too large', 'malformedAnswer', 'tooLarge', 200],
      ['other JSON', 'malformedAnswer', 'wrongShape', 200],
      ['rejected key', 'unauthorized', undefined, 401],
      ['no key', 'unauthorized', 'noKey', undefined],
      ['broken key', 'unauthorized', 'keyMalformed', undefined],
      ['JWT', 'unauthorized', 'jwt', 401],
      ['forbidden', 'forbidden', undefined, 403],
      ['not found', 'notFound', undefined, 404],
      ['refused', 'refused', undefined, 400],
      ['rate limited', 'rateLimited', undefined, 429],
      ['unavailable', 'unavailable', undefined, 503],
      ['timed out', 'timedOut', 'timedOut', undefined],
      ['unknown: time', 'outcomeUnknown', 'timedOut', undefined],
      ['unknown: cancelled', 'outcomeUnknown', 'cancelled', undefined],
      ['unknown: 5xx', 'outcomeUnknown', 'status', 502],
      ['unknown: reset', 'outcomeUnknown', 'reset', undefined],
      ['unknown: answer', 'outcomeUnknown', 'html', 200],
    ];
    const sentences = cases.map(([, kind, reason, status]) =>
      sentence(kind, { reason, status, requestId: status === undefined ? undefined : 'req_7' }),
    );
    assert.equal(
      new Set(sentences.map(text => text.replace(/ \(\d+, request req_7\)/, ''))).size,
      cases.length,
    );
    sentences.forEach((text, index) => {
      const [name, , , status] = cases[index] ?? [];
      assert.match(text, /api\.example\.com/, name);
      assert.match(text, /^[A-Z“a].*[.]$/, name);
      if (status !== undefined) assert.ok(text.includes(`(${status}, request req_7)`), `${name}: ${text}`);
    });
  });

  it('names the time a service asked for, and the host it is told to name', () => {
    const retryAt = new Date(2026, 10, 21, 14, 5).getTime();
    const error = new ApiError('rateLimited', { request, retryAt, status: 429 });
    assert.match(
      errorSentence(error, { language: 'de', host: 'the sample service' }),
      /^the sample service .*14:05.*\(429\)/,
    );
    assert.match(sentence('unavailable', { retryAt: Date.now() + 90_000, status: 503 }), /until .*\d/);
  });

  it('foreign words are one line, short, and hold no live link', () => {
    const evil = '[click](command:evil)\n\u202egnp.exe '.repeat(50);
    const text = sentence('refused', { status: 400, requestId: evil, title: 'T', detail: evil });
    assert.ok(!text.includes(']('));
    assert.doesNotMatch(text, /[\n\u202e]/);
    assert.ok(text.length < 600);
    assert.match(text, /It says: \[click\] \(command/);
    assert.match(sentence('refused', { title: 'Only a title' }), /It says: Only a title$/);
  });

  it('queries that were not sent have their own sentences', () => {
    const cases = [
      new QueryError('dateFormat', 'startDate', '1.1.2026', 'YYYY-MM-DD'),
      new QueryError('dateTooEarly', 'startDate', '2025-01-01', '2026-01-14 - 2026-11-20'),
      new QueryError('dateNotFinished', 'endDate', '2026-11-21', '2026-01-14 - 2026-11-20'),
      new QueryError('datesReversed', 'startDate', '2026-11-02', '… - 2026-11-01'),
      new QueryError('limit', 'limit', '101', '1-100'),
      new QueryError('id', 'sessionId', '', 'any other text'),
      new QueryError('id', 'sessionId', '..', 'any other text'),
      new QueryError('body', 'body', 'object', 'JSON'),
    ];
    const sentences = cases.map(error => errorSentence(error));
    assert.equal(new Set(sentences).size, cases.length);
    assert.equal(sentences[4], 'A page cannot hold 101 entries. Choose 1-100.');
    for (const text of sentences) assert.match(text, /\.$/);
  });

  it('anything else is shown safely too', () => {
    assert.equal(errorSentence(new Error('disk [x](command:y) full')), 'disk [x] (command:y) full');
    assert.equal(errorSentence('nonsense'), 'Something went wrong. The log says more.');
    assert.equal(errorSentence(undefined), 'Something went wrong. The log says more.');
  });

  it('an error is known by its brand, whichever copy made it', () => {
    const error = new ApiError('refused', { request });
    assert.ok(isApiError(error));
    assert.ok(!isApiError(Object.assign(new Error('x'), { name: 'ApiError', kind: 'refused' })));
    assert.ok(!isApiError({ name: 'ApiError', kind: 'refused' }));
    assert.equal(error.name, 'ApiError');
    assert.equal(error.message, 'GET /api/v0/computers: refused');
  });
});
