import assert from 'node:assert/strict';
import fc from 'fast-check';
import { base64 as check, base64Bytes, Refusal } from '../../../src/sample/validate';

describe('sample service: base64', () => {
  const accepts = (data: string): boolean => {
    try {
      return check(data, 'data') === data;
    } catch (error) {
      assert.ok(error instanceof Refusal);
      return false;
    }
  };

  it('accepts exactly what encoding some bytes gives, and knows how many', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 64 }), bytes => {
        const data = Buffer.from(bytes).toString('base64');
        assert.ok(accepts(data));
        assert.equal(base64Bytes(data), bytes.length);
      }),
    );
  });

  it('accepts no text that would not come back from its bytes', () => {
    const alphabet = fc.constantFrom(...'ABab09+/=-_ \n'.split(''));
    fc.assert(
      fc.property(fc.array(alphabet, { maxLength: 12 }), letters => {
        const data = letters.join('');
        const sound = data !== '' && Buffer.from(data, 'base64').toString('base64') === data;
        assert.equal(accepts(data), sound);
      }),
      { numRuns: 2000 },
    );
  });

  it('reads 40 MB without trouble', () => {
    const data = Buffer.alloc(30 * 1024 * 1024, 7).toString('base64');
    assert.ok(accepts(data));
    assert.ok(!accepts(`${data.slice(0, -1)}*`));
  });
});
