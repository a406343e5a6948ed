import assert from 'node:assert/strict';
import type * as vscode from 'vscode';
import { droppedFiles } from '../../../src/chat/attach/given';

const uri = (text: string): vscode.Uri =>
  ({ scheme: 'file', path: text, toString: () => `file://${text}` }) as unknown as vscode.Uri;

/** What VS Code hands over, as far as it is looked at. */
function transfer(
  items: readonly { readonly mime: string; readonly text?: string; readonly file?: object }[],
): vscode.DataTransfer {
  const entries = items.map(({ mime, text = '', file }) => [
    mime,
    { asString: () => Promise.resolve(text), asFile: () => file },
  ]);
  return {
    get: (mime: string) => new Map(entries as [string, unknown][]).get(mime),
    [Symbol.iterator]: () => entries[Symbol.iterator](),
  } as unknown as vscode.DataTransfer;
}

describe('what is dropped on the list of sessions', () => {
  it('is every file that has an address, and no link to a page', async () => {
    const list = 'file:///a\r\n# a note\r\nhttps://example.com/x\r\nvscode-remote://host/b\r\n';
    const { uris, files } = await droppedFiles(transfer([{ mime: 'text/uri-list', text: list }]));
    assert.deepEqual(uris, ['file:///a', 'vscode-remote://host/b']);
    assert.deepEqual(files, []);
  });

  it('is not read where it has an address, and only when it is wanted where it has none', async () => {
    let reads = 0;
    const data = (): Promise<Uint8Array> => {
      reads++;
      return Promise.resolve(new Uint8Array([7]));
    };
    const { uris, files } = await droppedFiles(
      transfer([
        { mime: 'text/uri-list', text: '' },
        { mime: 'image/png', file: { name: 'a.png', uri: uri('/a.png'), data } },
        { mime: 'image/png', file: { name: 'b.png', data } },
      ]),
    );
    assert.deepEqual(uris, ['file:///a.png']);
    assert.deepEqual(
      files.map(({ name }) => name),
      ['b.png'],
    );
    assert.equal(reads, 0);
    assert.deepEqual(await files[0]?.read(), new Uint8Array([7]));
    assert.equal(reads, 1);
  });
});
