import assert from 'node:assert/strict';
import { PATH } from '../../../src/chat/protocol';
import { growsEvenly } from '../../growth';

const found = (text: string): string[] => [...text.matchAll(PATH)].map(([match]) => match);

describe('names of files in a text', () => {
  it('are those with a line, and perhaps a column', () => {
    assert.deepEqual(found('See src/a.ts:41, (./b/c-d.test.tsx:1:20) and "C.java:7".'), [
      'src/a.ts:41',
      './b/c-d.test.tsx:1:20',
      'C.java:7',
    ]);
    assert.deepEqual(found('at /home/me/shop/src/a.ts:3:1\n  src\\win.ts:9'), [
      '/home/me/shop/src/a.ts:3:1',
      'src\\win.ts:9',
    ]);
    assert.deepEqual(found('@scope/pkg/index.d.ts:12'), ['@scope/pkg/index.d.ts:12']);
  });

  it('are not hosts, times, versions or addresses', () => {
    for (const text of [
      'api.example.com:443',
      '10:30',
      'v1.2.3:4',
      'https://a.example/b.ts:4',
      'a:b:4',
      'x.ts:',
    ]) {
      assert.deepEqual(found(text), [], text);
    }
  });

  it('are found in texts made to be read slowly', async () => {
    for (const part of ['a/', 'a.', '.a', '+', '~a', 'a.b/', '/.', 'a.b:1:', '..\\', '@a.b '])
      await growsEvenly(part, 50_000, size => found(part.repeat(size / part.length)));
  });
});
