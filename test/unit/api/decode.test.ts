import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isApiError } from '../../../src/api';
import { clientOf, ENDPOINTS, testServer } from './support';

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
