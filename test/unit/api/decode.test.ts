import assert from 'node:assert/strict';
import fc from 'fast-check';
import * as z from 'zod/mini';
import { isApiError } from '../../../src/api';
import { decodeItem, decodeRows } from '../../../src/api/decode';
import { list, mapOf, maybe, numbers, openObject, texts } from '../../../src/api/tolerant';
import { clientOf, ENDPOINTS, testServer } from './support';

const schema = openObject({
  id: z.string(),
  ...texts('name'),
  parts: list(openObject({ kind: z.string(), ...numbers('size') })),
  counts: mapOf(z.number()),
  inner: maybe(openObject({ a: z.string(), ...texts('b') })),
});

function decoded(value: unknown): { value: unknown; dropped: (string | undefined)[] } | string {
  const before = JSON.stringify(value);
  const { value: read, problems } = decodeItem(schema, value);
  assert.equal(JSON.stringify(value), before, 'what was given stays as it is');
  return read === undefined
    ? problems.map(({ reason }) => reason).join()
    : { value: read, dropped: problems.map(({ field }) => field) };
}

describe('tolerant decoding', () => {
  it('leaves out the smallest part that makes the rest fit, and fails an item only for what it must have', () => {
    const parts = [{ kind: 'a', size: '1' }, {}, { kind: 'b', size: null }, { kind: null }];
    for (const [given, value, ...dropped] of [
      [{ name: 5 }, {}, 'name'],
      [{ name: null }, {}],
      [{ parts: 'many' }, {}, 'parts'],
      [{ parts }, { parts: [{ kind: 'a' }, { kind: 'b' }] }, 'parts[0].size', 'parts[1]', 'parts[3]'],
      [{ counts: { a: 1, b: '2', c: null } }, { counts: { a: 1 } }, 'counts.b'],
      [{ inner: { b: 'b' } }, {}, 'inner'],
      [{ inner: { a: null, b: 5 } }, {}, 'inner'],
    ] as const)
      assert.deepEqual(decoded({ id: 'x', ...given }), { value: { id: 'x', ...value }, dropped });
    for (const [given, reason] of [
      [{ name: 'n' }, 'id is missing'],
      [{ id: null }, 'id is missing'],
      [{ id: 5 }, 'id: expected string, received number'],
      [[], 'item: expected object, received array'],
      [undefined, 'item is missing'],
    ] as const)
      assert.equal(decoded(given), reason);
  });

  it('keeps what it does not know, without touching prototypes', () => {
    const value: unknown = JSON.parse(
      '{"id":"x","new":{"a":null},"__proto__":{"polluted":1},"inner":{"a":"a","constructor":1}}',
    );
    const result = decodeItem(schema, value);
    assert.ok(result.value !== undefined);
    assert.deepEqual(Object.keys(result.value), ['id', 'inner', 'new']);
    assert.equal(({} as { polluted?: unknown }).polluted, undefined);
    assert.equal((result.value as { polluted?: unknown }).polluted, undefined);
  });

  it('counts problems beyond the first five hundred, and names them on one short line', () => {
    const { items, problems } = decodeRows(schema, Array<unknown>(1200).fill(null));
    assert.deepEqual([items.length, problems.length, problems.at(-1)], [0, 501, { reason: 'and 700 more' }]);
    const key = `a\u202e\n${'x'.repeat(500)}`;
    const [{ field = '', reason }] = decodeItem(schema, { id: 'x', counts: { [key]: 'no' } }).problems as [
      { field?: string; reason: string },
    ];
    assert.ok(field.length > 0 && field.length <= 80 && !/[\n\u202e]/.test(field + reason));
  });

  it('never throws on any JSON, and what is left fits', () => {
    const any = fc.jsonValue();
    const near = fc.record(
      {
        id: fc.oneof(fc.string(), any),
        name: any,
        parts: fc.oneof(any, fc.array(fc.oneof(any, fc.record({ kind: any, size: any })))),
        counts: fc.oneof(any, fc.dictionary(fc.string(), any)),
        inner: fc.oneof(any, fc.record({ a: any, b: any })),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(near, any), value => {
        const id = typeof value === 'object' && value !== null && 'id' in value ? value.id : undefined;
        const result = decoded(value);
        assert.equal(typeof result === 'object', typeof id === 'string', JSON.stringify(value));
        if (typeof result === 'object') assert.deepEqual(decodeItem(schema, result.value).problems, []);
      }),
      { numRuns: 2_000 },
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
