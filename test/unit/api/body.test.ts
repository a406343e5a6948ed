import assert from 'node:assert/strict';
import fc from 'fast-check';
import { textOf } from '../../../src/api/answer';

describe('the JSON of a body', () => {
  const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
  /** `bytes` in pieces that end at these places. */
  const cut = (bytes: Uint8Array, places: readonly number[]): Uint8Array[] => {
    const ends = [...new Set([0, ...places.map(place => place % bytes.length), bytes.length])];
    ends.sort((a, b) => a - b);
    return ends.slice(1).map((end, index) => bytes.subarray(ends[index], end));
  };

  it('is the same however the bytes come, also within a letter, and with a byte order mark', () =>
    fc.assert(
      fc.property(
        fc.jsonValue({ stringUnit: 'grapheme' }),
        fc.boolean(),
        fc.array(fc.nat(), { maxLength: 5 }),
        (value, marked, places) => {
          const text = JSON.stringify(value);
          const bytes = bytesOf(marked ? `\uFEFF${text}` : text);
          const expected = JSON.parse(text) as unknown;
          assert.deepEqual(JSON.parse(textOf([bytes])), expected);
          assert.deepEqual(JSON.parse(textOf(cut(bytes, places))), expected);
        },
      ),
    ));

  it('is of this body alone: one that ends within a letter leaves nothing to the next', () => {
    const bytes = bytesOf('"ä"');
    assert.equal(textOf([bytes.subarray(0, 2)]), '"\uFFFD');
    assert.equal(textOf([bytes]), '"ä"');
  });
});
