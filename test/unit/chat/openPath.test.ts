import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { candidates, readPosition } from '../../../src/chat/panel/codeBlocks';

const folder = { path: '/home/me/shop', name: 'shop' };

describe('a file named in a message', () => {
  it('is a path with a line, and perhaps a column', () => {
    assert.deepEqual(readPosition('src/a.ts:41'), { path: 'src/a.ts', line: 41, column: 1 });
    assert.deepEqual(readPosition('src\\a.ts:41:7'), { path: 'src/a.ts', line: 41, column: 7 });
    assert.deepEqual(readPosition('a.ts:0:0'), { path: 'a.ts', line: 1, column: 1 });
    for (const wrong of ['a.ts', 'a.ts:', ':4', 'a.ts:x', 'a\n.ts:4', 'https://a.ts:4', 'command:x:4']) {
      assert.equal(readPosition(wrong), undefined, wrong);
    }
  });

  it('is looked for below the folder only', () => {
    assert.deepEqual(candidates('src/a.ts', folder), ['src/a.ts']);
    assert.deepEqual(candidates('./src/../src/a.ts', folder), ['src/a.ts']);
    assert.deepEqual(candidates('/home/me/shop/src/a.ts', folder), ['src/a.ts']);
    assert.deepEqual(candidates('shop/src/a.ts', folder), ['shop/src/a.ts', 'src/a.ts']);
    assert.deepEqual(candidates('a/src/a.ts', folder), ['a/src/a.ts', 'src/a.ts']);
    for (const outside of [
      '/etc/passwd',
      '../a.ts',
      'src/../../a.ts',
      '/home/me/shop/../other/a.ts',
      '/home/me/shopping/a.ts',
      '..',
      '.',
      '/',
    ]) {
      assert.deepEqual(candidates(outside, folder), [], outside);
    }
  });

  it('never leads out of the folder, whatever it is', () => {
    const part = fc.oneof(
      fc.constantFrom('..', '.', '', 'a', 'src', 'shop', '/', '/home/me/shop'),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(part), parts => {
        for (const found of candidates(parts.join('/'), folder)) {
          assert.ok(!found.startsWith('/') && !found.split('/').includes('..') && found !== '');
        }
      }),
    );
  });
});
