import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { reuse } from '../../../media/usage/reuse';

describe('what did not change in a report', () => {
  it('is the same object, and the rest is as new', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (before, after) => {
        assert.deepEqual(reuse(before, after), after);
        assert.equal(reuse(before, structuredClone(before)), before);
      }),
    );
    const named = JSON.parse('{"__proto__":{}}') as object;
    assert.deepEqual(reuse({}, named), named);
    assert.equal(reuse(named, structuredClone(named)), named);
    const before = { a: [{ b: 1 }, { c: 2 }], d: { e: null } };
    const made = reuse(before, { a: [{ b: 1 }, { c: 3 }], d: { e: null } });
    assert.deepEqual(made, { a: [{ b: 1 }, { c: 3 }], d: { e: null } });
    assert.equal(made.d, before.d);
    assert.equal(made.a[0], before.a[0]);
    assert.notEqual(made.a, before.a);
  });
});
