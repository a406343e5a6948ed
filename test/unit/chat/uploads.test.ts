import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import type { AttachableFiles } from '../../../src/chat/attach/attachments';
import { KeptFiles } from '../../../src/chat/attach/keptFiles';
import { MAX_PIECE } from '../../../src/chat/protocol';
import { type Piece, Uploads } from '../../../src/chat/attach/uploads';
import { scene } from './scene';
import { cleanUp, composingOf, diskFiles, openWindow, temporaryFolder, writeFile } from './support';

afterEach(cleanUp);

const LIMIT = 10;

function uploads() {
  const root = temporaryFolder();
  const kept = new KeptFiles(root, diskFiles);
  const folder = path.join(root, 'services', 'ab12', 'attachments');
  const subject = new Uploads({
    begin: name => kept.begin('ab12', { name }),
    limit: () => LIMIT,
    language: 'en',
  });
  return { kept, subject, left: () => (fs.existsSync(folder) ? fs.readdirSync(folder) : []) };
}

const piece = (text: string, isLast: boolean, upload = '1', name = 'a.txt'): Piece => ({
  upload,
  name,
  bytes: new TextEncoder().encode(text),
  isLast,
});

describe('files that arrive in pieces', () => {
  it('are put together in the order of their pieces, also several at once', async () => {
    const { subject, kept } = uploads();
    const [, , , first, second] = await Promise.all([
      subject.take(piece('one ', false)),
      subject.take(piece('other', false, '2', 'b.txt')),
      subject.take(piece('two ', false)),
      subject.take(piece('3', true)),
      subject.take(piece('!', true, '2', 'b.txt')),
    ]);
    assert.equal(Buffer.from(await kept.read(first ?? '')).toString(), 'one two 3');
    assert.equal(Buffer.from(await kept.read(second ?? '')).toString(), 'other!');
    assert.deepEqual([kept.name(first ?? ''), kept.name(second ?? '')], ['a.txt', 'b.txt']);
  });

  it('may have the largest size, and leave nothing behind when they have more', async () => {
    const { subject, left } = uploads();
    await subject.take(piece('12345', false));
    assert.ok(await subject.take(piece('67890', true)));
    assert.equal(left().length, 1);
    await subject.take(piece('12345', false, '2'));
    await assert.rejects(
      subject.take(piece('678901', false, '2')),
      /a\.txt is larger than the limit of 10 byte/,
    );
    assert.equal(left().length, 1);
    // What comes after is the beginning of nothing that could be attached.
    await assert.rejects(subject.take(piece('x'.repeat(11), true, '2')), /larger than the limit/);
    assert.equal(left().length, 1);
  });

  it('leave nothing behind when their page goes', async () => {
    const { subject, left } = uploads();
    const begun = subject.take(piece('12345', false));
    await subject.clear();
    await begun;
    assert.deepEqual(left(), []);
    assert.ok(await subject.take(piece('new', true)));
  });

  it('are not taken without end', async () => {
    const { subject, left } = uploads();
    const taken = await Promise.allSettled(
      Array.from({ length: 40 }, (_, index) => subject.take(piece('x', false, String(index)))),
    );
    assert.equal(taken.filter(({ status }) => status === 'rejected').length, 30);
    await subject.clear();
    assert.deepEqual(left(), []);
  });
});

describe('what a page hands over', () => {
  async function stage(maxBytes = 1000) {
    const { client, sessionId } = await scene();
    const kept = new KeptFiles(temporaryFolder(), diskFiles);
    const { conversation } = await openWindow({ root: temporaryFolder(), client, sessionId, files: kept });
    return { kept, conversation, composing: composingOf(conversation, kept, maxBytes) };
  }
  const read = async (kept: KeptFiles, uri = ''): Promise<string> =>
    Buffer.from(await kept.read(uri)).toString();

  it('is attached after its last piece, or takes the place of an attachment', async () => {
    const { composing, conversation, kept } = await stage();
    const { draft } = conversation.composition;
    await composing.receive(piece('first ', false));
    assert.deepEqual(draft.attachments, []);
    await composing.receive(piece('file', true));
    await composing.receive(piece('second', true, '2', 'b.txt'));
    const [a, b] = conversation.composition.draft.attachments;
    assert.equal(await read(kept, a), 'first file');
    await composing.receive({ ...piece('smaller', true, '3', 'c.txt'), replaces: a });
    const [c, ...others] = conversation.composition.draft.attachments;
    assert.equal(await read(kept, c), 'smaller');
    assert.deepEqual(others, [b]);
    await assert.rejects(
      composing.receive({ ...piece('late', true, '4'), replaces: a }),
      /has been removed meanwhile/,
    );
  });

  for (const [given, shown] of [
    ['\u200b\u2060\u00ad', 'file'],
    ['folder/\u3164 ', 'file'],
    ['\u202etxt.exe', '\ufffdtxt.exe'],
    ['a\u0000b\nc.txt', 'a\ufffdb c.txt'],
    ['../../..', '..'],
    ['\u{1F642}', '\u{1F642}'],
  ] as const)
    it(`has a name that is seen: ${JSON.stringify(given)}`, async () => {
      const { composing, conversation } = await stage();
      await composing.receive(piece('text', true, '1', given));
      const [attached] = conversation.composition.attached;
      assert.equal(attached?.inspected?.name, shown);
      assert.equal(attached.inspected.ok, true);
    });

  it('is held to the limit when only its bytes tell its size, and keeps nothing from the others', async () => {
    const { composing, conversation, kept } = await stage(5);
    const file = (name: string, text: string) => ({
      name,
      read: () => Promise.resolve(new TextEncoder().encode(text)),
    });
    await assert.rejects(
      composing.attachAway([
        file('large.txt', '123456'),
        { name: 'folder', read: () => Promise.reject(new Error('no file')) },
        file('small.txt', '12345'),
      ]),
      /^Error: large\.txt is larger than the limit of 5 bytes?\. folder cannot be read: no file$/,
    );
    const [only, ...none] = conversation.composition.draft.attachments;
    assert.equal(await read(kept, only), '12345');
    assert.deepEqual(none, []);
  });
});

describe('a picture that is shown or made smaller', () => {
  const bytes = new Uint8Array(2 * MAX_PIECE + 5).map((_, index) => index % 251);
  bytes.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

  it('crosses in pieces with buffers of their own, and is read once', async () => {
    const { client, sessionId } = await scene();
    const folder = temporaryFolder();
    let read = 0;
    const files: AttachableFiles = { ...diskFiles, read: uri => (read++, diskFiles.read(uri)) };
    const kept = new KeptFiles(temporaryFolder(), files);
    const { conversation } = await openWindow({ root: temporaryFolder(), client, sessionId, files: kept });
    const uri = writeFile(folder, 'large.png', bytes);
    await conversation.composition.attach([uri]);
    const composing = composingOf(conversation, kept);
    const parts: Uint8Array[] = [];
    for (let from = 0, isLast = false; !isLast;) {
      const piece = await composing.picture(uri, from);
      assert.equal(piece.mediaType, 'image/png');
      assert.ok(piece.bytes.length <= MAX_PIECE);
      assert.equal(piece.bytes.buffer.byteLength, piece.bytes.length);
      parts.push(piece.bytes);
      from += piece.bytes.length;
      ({ isLast } = piece);
    }
    assert.deepEqual([parts.length, read], [3, 1]);
    assert.ok(Buffer.concat(parts).equals(bytes));
    // Whoever asks for the rest later has it all the same.
    assert.equal((await composing.picture(uri, 2 * MAX_PIECE)).bytes.length, 5);
    await assert.rejects(composing.picture('file:///gone.png', 0), /has been removed meanwhile/);
  });
});
