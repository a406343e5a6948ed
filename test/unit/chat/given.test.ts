import assert from 'node:assert/strict';
import { isShrinkable } from '../../../media/chat/shrinkable';

const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const GIF = new TextEncoder().encode('GIF89a');

describe('a file that is too large', () => {
  for (const [what, head, type, expected] of [
    ['a picture without a type', PNG, '', true],
    ['a picture called a text', PNG, 'text/plain', true],
    ['a picture that moves', GIF, 'image/gif', false],
    ['a text called a picture', new Uint8Array([0x61]), 'image/png', false],
    ['nothing', new Uint8Array(), 'image/png', false],
  ] as const) {
    it(`can be made smaller or not by what it is: ${what}`, async () => {
      assert.equal(await isShrinkable(new File([head], 'file', { type })), expected);
    });
  }
});
