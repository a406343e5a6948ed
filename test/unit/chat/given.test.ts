import assert from 'node:assert/strict';
import { limitOf } from '../../../media/chat/limits';

const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const GIF = new TextEncoder().encode('GIF89a');
const LIMITS = { file: 1000, image: 100 };

describe('a file given to the page', () => {
  for (const [what, head, type, expected] of [
    ['a picture without a type', PNG, '', { limit: 100, shrinkable: true }],
    ['a picture called a text', PNG, 'text/plain', { limit: 100, shrinkable: true }],
    ['a picture that moves', GIF, 'image/gif', { limit: 100, shrinkable: false }],
    ['a text called a picture', new Uint8Array([0x61]), 'image/png', { limit: 1000, shrinkable: false }],
    ['nothing', new Uint8Array(), 'image/png', { limit: 1000, shrinkable: false }],
  ] as const) {
    it(`is held to the limit of what it is: ${what}`, async () => {
      assert.deepEqual(await limitOf(new File([head], 'file', { type }), LIMITS), expected);
    });
  }
});
