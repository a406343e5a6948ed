import assert from 'node:assert/strict';
import fc from 'fast-check';
import { decodeItem, decodeRows } from '../../../src/api/decode';
import * as z from 'zod/mini';
import { list, mapOf, maybe, numbers, texts, openObject } from '../../../src/api/tolerant';
import { isApiError } from '../../../src/api';
import { FaultServer } from '../../fakes/faultServer';
import { clientOf, COMPUTER, ENDPOINTS } from './support';

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

describe('tolerant decoding', function () {
  it('leaves out the smallest part that makes the rest fit', () => {
    assert.deepEqual(decoded({ id: 'x', name: 5 }), { value: { id: 'x' }, dropped: ['name'] });
    assert.deepEqual(decoded({ id: 'x', name: null }), { value: { id: 'x' }, dropped: [] });
    assert.deepEqual(decoded({ id: 'x', parts: 'many' }), { value: { id: 'x' }, dropped: ['parts'] });
    assert.deepEqual(
      decoded({ id: 'x', parts: [{ kind: 'a', size: '1' }, {}, { kind: 'b', size: null }, { kind: null }] }),
      {
        value: { id: 'x', parts: [{ kind: 'a' }, { kind: 'b' }] },
        dropped: ['parts[0].size', 'parts[1]', 'parts[3]'],
      },
    );
    assert.deepEqual(decoded({ id: 'x', counts: { a: 1, b: '2', c: null } }), {
      value: { id: 'x', counts: { a: 1 } },
      dropped: ['counts.b'],
    });
    assert.deepEqual(decoded({ id: 'x', inner: { b: 'b' } }), { value: { id: 'x' }, dropped: ['inner'] });
    assert.deepEqual(decoded({ id: 'x', inner: { a: null, b: 5 } }), {
      value: { id: 'x' },
      dropped: ['inner'],
    });
  });

  it('fails an item only for what it must have', () => {
    assert.equal(decoded({ name: 'n' }), 'id is missing');
    assert.equal(decoded({ id: null }), 'id is missing');
    assert.equal(decoded({ id: 5 }), 'id: expected string, received number');
    assert.equal(decoded([]), 'item: expected object, received array');
    assert.equal(decoded(undefined), 'item is missing');
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

  it('counts problems beyond the first five hundred', () => {
    const { items, problems } = decodeRows(schema, Array<unknown>(1200).fill(null));
    assert.deepEqual([items.length, problems.length, problems.at(-1)], [0, 501, { reason: 'and 700 more' }]);
  });

  it('foreign names in problems are on one line and short', () => {
    const key = `a\u202e\n${'x'.repeat(500)}`;
    const [problem] = decodeItem(schema, { id: 'x', counts: { [key]: 'no' } }).problems;
    assert.ok(
      problem.field !== undefined &&
        problem.field.length <= 80 &&
        !/[\n\u202e]/.test(problem.field + problem.reason),
    );
  });

  it('never throws on any JSON', () => {
    const near = fc.record(
      {
        id: fc.oneof(fc.string(), fc.jsonValue()),
        name: fc.jsonValue(),
        parts: fc.oneof(
          fc.jsonValue(),
          fc.array(fc.oneof(fc.jsonValue(), fc.record({ kind: fc.jsonValue(), size: fc.jsonValue() }))),
        ),
        counts: fc.oneof(fc.jsonValue(), fc.dictionary(fc.string(), fc.jsonValue())),
        inner: fc.oneof(fc.jsonValue(), fc.record({ a: fc.jsonValue(), b: fc.jsonValue() })),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(near, fc.jsonValue()), value => {
        const id = typeof value === 'object' && value !== null && 'id' in value ? value.id : undefined;
        const result = decoded(value);
        assert.equal(typeof result === 'object', typeof id === 'string', JSON.stringify(value));
        if (typeof result === 'object')
          assert.deepEqual(decodeItem(schema, result.value).problems, [], 'what is left fits');
      }),
      { numRuns: 2_000 },
    );
  });

  it('good rows among any others all come through, in their order', () => {
    const good = fc.record({ id: fc.string(), name: fc.string() }, { noNullPrototype: true });
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            good,
            fc.jsonValue().filter(value => typeof value !== 'object'),
          ),
        ),
        rows => {
          const { items, problems } = decodeRows(schema, rows, 'id');
          assert.deepEqual(
            items,
            rows.filter(row => typeof row === 'object'),
          );
          assert.equal(items.length + problems.length, rows.length);
        },
      ),
    );
  });
});

describe('every endpoint with any JSON for an answer', function () {
  let server: FaultServer;

  before(async () => (server = await FaultServer.start()));
  after(() => server.close());

  /** Replaces any one value within `good` by `other`. */
  function mutate(good: unknown, path: number, other: unknown): unknown {
    if (typeof good !== 'object' || good === null) return other;
    const keys = Object.keys(good);
    if (keys.length === 0) return other;
    const key = keys[path % keys.length] ?? '';
    const copy = structuredClone(good) as Record<string, unknown>;
    copy[key] = path % 3 === 0 ? other : mutate(copy[key], Math.floor(path / 7), other);
    return copy;
  }

  for (const endpoint of ENDPOINTS) {
    it(`${endpoint.name} gives an answer or one typed error`, async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.oneof(
            fc.jsonValue(),
            fc
              .tuple(fc.nat(10_000), fc.jsonValue())
              .map(([path, other]) => mutate(endpoint.good, path, other)),
          ),
          async body => {
            server.answer({ kind: 'answer', body: JSON.stringify(body) });
            try {
              await endpoint.call(clientOf(server).api);
            } catch (error) {
              assert.ok(isApiError(error), String(error));
              assert.ok(['malformedAnswer', 'outcomeUnknown'].includes(error.kind), error.message);
              assert.equal(error.status, 200);
              assert.equal(error.cause, undefined, 'no code threw');
            }
          },
        ),
        { numRuns: 60 },
      );
    });
  }

  it('good computers come through whatever stands beside them', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.jsonValue(), { maxLength: 5 }), fc.nat(5), async (others, at) => {
        const rows: unknown[] = [...others];
        rows.splice(at, 0, COMPUTER);
        server.answer({ kind: 'answer', body: JSON.stringify({ computers: rows }) });
        const { items } = await clientOf(server).api.computers.list();
        assert.ok(items.some(({ id }) => id === COMPUTER.id));
      }),
      { numRuns: 60 },
    );
  });
});
