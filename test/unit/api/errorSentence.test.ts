import assert from 'node:assert/strict';
import {
  ApiError,
  isApiError,
  type ApiErrorFacts,
  type ApiErrorKind,
  type ApiErrorReason,
} from '../../../src/api/errors';
import { errorSentence } from '../../../src/util/errorSentence';

const request = { method: 'GET', path: '/api/v0/computers', origin: 'https://api.example.com' } as const;
const sentence = (kind: ApiErrorKind, facts: Partial<ApiErrorFacts> = {}): string =>
  errorSentence(new ApiError(kind, { request, ...facts }));

describe('sentences for people', () => {
  it('says of a session what its absence may mean', () => {
    const facts = { request: { ...request, path: '/api/v0/sessions/s1' }, status: 404, requestId: 'req_1' };
    const said =
      'api.example.com has no such session (404, request req_1). It may be gone, belong to another organization, or run only in the command-line client.';
    assert.equal(sentence('notFound', facts), said);
  });

  it('each way to fail reads differently, names the host and the way out', () => {
    const cases: readonly (readonly [ApiErrorKind, (ApiErrorReason | undefined)?])[] = [
      ...(['network', 'proxy', 'certificate', 'broken', undefined] as const).map(
        reason => ['unreachable', reason] as const,
      ),
      ...(['notThisService', 'redirect', 'tooLarge', 'brokenList'] as const).map(
        reason => ['malformedAnswer', reason] as const,
      ),
      ...([undefined, 'noKey', 'jwt'] as const).map(reason => ['unauthorized', reason] as const),
      ...(
        [
          'forbidden',
          'notFound',
          'refused',
          'rateLimited',
          'unavailable',
          'timedOut',
          'outcomeUnknown',
        ] as const
      ).map(kind => [kind] as const),
    ];
    const facts = { status: 200, code: 'E_X', requestId: 'req_7' };
    const texts = cases.map(([kind, reason]) => sentence(kind, { ...facts, reason }));
    assert.equal(new Set(texts).size, cases.length);
    for (const text of texts)
      assert.match(text, /^(?=.*api\.example\.com)[A-Z“a].*\(200, E_X, request req_7\).*[.]$/);
  });

  it('names the time a service asked for, and the host it is told to name', () => {
    const retryAt = new Date(2026, 10, 21, 14, 5).getTime();
    const error = new ApiError('rateLimited', { request, retryAt, status: 429 });
    const said = errorSentence(error, { language: 'de', host: 'the sample service' });
    assert.match(said, /^the sample service .*14:05.*\(429\)/);
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

  it('anything else is shown safely, too', () => {
    for (const [error, said] of [
      [new Error('disk [x](command:y) full'), 'disk [x] (command:y) full'],
      ['nonsense', 'Something went wrong. See the log for details.'],
      [undefined, 'Something went wrong. See the log for details.'],
    ] as const)
      assert.equal(errorSentence(error), said);
    assert.ok(!isApiError(Object.assign(new Error('x'), { name: 'ApiError', kind: 'refused' })));
  });
});
