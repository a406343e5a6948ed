import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import type * as vscode from 'vscode';
import type { Attachments, Inspected } from '../../../src/chat/attach/attachments';
import { droppedFiles } from '../../../src/chat/attach/given';
import { KeptFiles } from '../../../src/chat/attach/keptFiles';
import { Composition } from '../../../src/chat/outbox/composition';
import type { Handed } from '../../../src/chat/panel/composing';
import { scene } from './scene';
import { cleanUp, composingOf, diskFiles, PNG, openWindow, temporaryFolder, writeFile } from './support';

afterEach(cleanUp);

/** A composer whose files may have `maxBytes`. */
async function stage(maxBytes = 1000) {
  const { client, sessionId } = await scene();
  const root = temporaryFolder();
  const kept = new KeptFiles(root, diskFiles);
  const { conversation } = await openWindow({ root: temporaryFolder(), client, sessionId, files: kept });
  const { composition } = conversation;
  const texts = async (): Promise<readonly string[]> => {
    const { attachments } = composition.draft;
    return Promise.all(attachments.map(async uri => Buffer.from(await kept.read(uri)).toString()));
  };
  return { root, composition, texts, composing: composingOf(conversation, kept, maxBytes) };
}

const file = (text: string, name = 'a.txt'): Handed => {
  const bytes = new TextEncoder().encode(text);
  return { name, size: bytes.length, bytes };
};

describe('what a page hands over', () => {
  it('is attached in order, or takes the place of an attachment', async () => {
    const { composing, composition, texts } = await stage();
    await composing.receive(file('first'));
    await composing.receive(file('second', 'b.txt'));
    const [a] = composition.draft.attachments;
    await composing.receive({ ...file('smaller', 'c.txt'), replaces: a });
    assert.deepEqual(await texts(), ['smaller', 'second']);
    const late = composing.receive({ ...file('late'), replaces: a });
    await assert.rejects(late, /has been removed meanwhile/);
  });

  it('may have the largest size, and leaves nothing behind when it has more', async () => {
    const { composing, root, texts } = await stage(10);
    await composing.receive(file('1234567890'));
    for (const large of [file('12345678901'), { ...file(''), size: 11 }])
      await assert.rejects(composing.receive(large), /a\.txt is larger than the limit of 10 byte/);
    assert.deepEqual(await texts(), ['1234567890']);
    assert.equal(fs.readdirSync(`${root}/services/service1/attachments`).length, 1);
  });

  it('has a name that is seen, and that no other has', async () => {
    const { composing, composition } = await stage();
    const names = [
      ['', 'file'],
      ['folder/ ', 'file-2'],
      ['\u200b', 'file-3'],
      ['\u3164', 'file-4'],
      ['\u202etxt.exe', '\ufffdtxt.exe'],
      ['a\u0000b\nc.txt', 'a\ufffdb c.txt'],
      ['../../..', '..'],
      ['\u{1F642}', '\u{1F642}'],
      ['image.png', 'image.png'],
      ['image.png', 'image-2.png'],
    ] as const;
    for (const [given] of names) await composing.receive(file('text', given));
    assert.deepEqual(
      composition.attached.map(({ inspected }) => inspected?.ok === true && inspected.name),
      names.map(([, shown]) => shown),
    );
  });
});

describe('what is dropped on the list of sessions', () => {
  /** What VS Code hands over, as far as it is looked at. */
  function transfer(...items: readonly (readonly [mime: string, text: string, file?: object])[]) {
    const entries = items.map(
      ([mime, text, file]) => [mime, { asString: () => Promise.resolve(text), asFile: () => file }] as const,
    );
    const data = {
      get: (mime: string) => new Map(entries).get(mime),
      [Symbol.iterator]: () => entries.values(),
    };
    return data as unknown as vscode.DataTransfer;
  }
  const bytes = (text: string) => () => Promise.resolve(new TextEncoder().encode(text));

  it('is every file that has an address, and no link to a page', async () => {
    const list = 'file:///a\r\n# a note\r\nhttps://example.com/x\r\nvscode-remote://host/b\r\n';
    const { uris, files } = await droppedFiles(transfer(['text/uri-list', list]));
    assert.deepEqual([uris, files], [['file:///a', 'vscode-remote://host/b'], []]);
  });

  it('is read only where it has no address, held to the limit then, and keeps nothing from the others', async () => {
    const { composing, texts } = await stage(5);
    const { uris, files } = await droppedFiles(
      transfer(
        ['text/uri-list', ''],
        [
          'image/png',
          '',
          { name: 'a.png', uri: { toString: () => 'file:///a.png' }, data: () => assert.fail() },
        ],
        ['text/plain', '', { name: 'large.txt', data: bytes('123456') }],
        ['text/plain', '', { name: 'folder', data: () => Promise.reject(new Error('no file')) }],
        ['text/plain', '', { name: 'small.txt', data: bytes('12345') }],
      ),
    );
    assert.deepEqual(uris, ['file:///a.png']);
    await assert.rejects(
      composing.attach(files),
      /^Error: large\.txt is larger than the limit of 5 bytes?\. folder cannot be read: no file$/,
    );
    assert.deepEqual(await texts(), ['12345']);
  });
});

describe('a drop of very many files', () => {
  async function many() {
    const { window, sessionId } = await scene();
    const looks = { now: 0, most: 0, all: 0 };
    const inspect = async (uri: string): Promise<Inspected> => {
      looks.all++;
      looks.most = Math.max(looks.most, ++looks.now);
      await new Promise(resolve => setImmediate(resolve));
      looks.now--;
      return { ok: true, name: uri, size: 1, kind: 'text', mediaType: 'text/plain' };
    };
    const made = new Composition(window.outboxes.of(sessionId), { inspect } as unknown as Attachments);
    return { made, looks };
  }
  const files = (from: number, to: number): string[] =>
    Array.from({ length: to - from }, (_, index) => `file:///${String(from + index)}.txt`);

  it('is looked at a few at a time, each file once, and no further at what was removed meanwhile', async () => {
    const { made, looks } = await many();
    const attached = made.attach([...files(0, 400), ...files(0, 400)]);
    for (const uri of files(50, 400)) made.detach(uri);
    await attached;
    assert.ok(looks.all <= 50);
    await made.attach(files(0, 400));
    assert.ok(looks.most <= 16, `${String(looks.most)} files were open together`);
    assert.ok(made.attached.every(({ inspected }) => inspected?.ok === true));
    made.dispose();
  });

  it('is cut to what one message takes, and says so', async () => {
    const { made, looks } = await many();
    await made.attach(files(0, 300));
    await assert.rejects(made.attach(files(200, 5_000)), /can have up to 500 attachments/);
    assert.deepEqual(made.draft.attachments, files(0, 500));
    await assert.rejects(made.attach(files(600, 601)), /The others were left out/);
    assert.ok(looks.all < 1_000);
    assert.equal(made.references.length, 500);
    made.dispose();
  });
});

describe('a picture that is shown or made smaller', () => {
  it('crosses with a buffer of its own', async () => {
    const { composing, composition } = await stage();
    const uri = writeFile(temporaryFolder(), 'a.png', PNG);
    await composition.attach([uri]);
    const { mediaType, bytes } = await composing.picture(uri);
    assert.deepEqual([mediaType, Buffer.from(bytes)], ['image/png', PNG]);
    assert.equal(bytes.buffer.byteLength, bytes.length);
    await assert.rejects(composing.picture('file:///gone.png'), /has been removed meanwhile/);
  });
});
