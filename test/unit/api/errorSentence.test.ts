import assert from 'node:assert/strict';
import {
  ApiError,
  isApiError,
  QueryError,
  type ApiErrorFacts,
  type ApiErrorKind,
  type ApiErrorReason,
} from '../../../src/api/errors';
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
    const cases: readonly (readonly [ApiErrorKind, (ApiErrorReason | undefined)?, number?])[] = [
      ['unreachable', 'network'],
      ['unreachable', 'proxy', 407],
      ['unreachable', 'certificate'],
      ['unreachable', 'broken'],
      ['unreachable'],
      ['malformedAnswer', 'notThisService', 200],
      ['malformedAnswer', 'redirect'],
      ['malformedAnswer', 'tooLarge', 200],
      ['malformedAnswer', 'brokenList', 200],
      ['unauthorized', undefined, 401],
      ['unauthorized', 'noKey'],
      ['unauthorized', 'jwt', 401],
      ['forbidden', undefined, 403],
      ['notFound', undefined, 404],
      ['refused', undefined, 400],
      ['rateLimited', undefined, 429],
      ['unavailable', undefined, 503],
      ['timedOut'],
      ['outcomeUnknown', undefined, 502],
    ];
    const texts = cases.map(([kind, reason, status]) =>
      sentence(kind, { reason, status, code: 'E_X', requestId: 'req_7' }),
    );
    const bare = texts.map(text => text.replace(/ \((\d+, )?E_X, request req_7\)/, ''));
    assert.equal(new Set(bare).size, cases.length);
    texts.forEach((text, index) => {
      const [kind, , status] = cases[index]!;
      assert.match(text, /api\.example\.com/, kind);
      assert.match(text, /^[A-Z“a].*[.]$/, kind);
      assert.ok(text.includes(`(${status === undefined ? '' : `${status}, `}E_X, request req_7)`), text);
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

  it('a query that was not sent says what was given and what is allowed', () => {
    const error = new QueryError('dateTooEarly', 'startDate', '2025-01-01', '2026-01-14 - 2026-11-20');
    assert.equal(
      errorSentence(error),
      '“2025-01-01” cannot be asked for as startDate. Allowed: 2026-01-14 - 2026-11-20.',
    );
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
