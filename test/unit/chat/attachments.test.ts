import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import { Attachments, AttachmentsRefused, type AttachableFiles } from '../../../src/chat/attach/attachments';
import { messageBody } from '../../../src/chat/attach/body';
import { sniff } from '../../../src/chat/attach/mediaTypes';
import { without } from '../../../src/util/without';
import { cleanUp, diskFiles, limits, temporaryFolder, writeFile } from './support';

afterEach(cleanUp);

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const PDF = Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n', 'latin1');

const attachments = (files: AttachableFiles = diskFiles, limit = 1024 * 1024): Attachments =>
  new Attachments(files, () => limits(limit), 'en');

const bodyOf = async (subject: Attachments, uris: readonly string[]): Promise<object> => {
  const body = messageBody({ text: '', parts: await subject.parts(uris) });
  const read = JSON.parse(new TextDecoder().decode(body)) as Record<string, unknown>;
  assert.equal(read['text'], '');
  return without(read, 'text');
};

async function problemOf(uri: string, files?: AttachableFiles, limit?: number): Promise<string> {
  const inspected = await attachments(files, limit).inspect(uri);
  assert.ok(!inspected.ok, 'refused');
  return inspected.problem;
}

describe('the type of an attachment', () => {
  const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);
  const heads: readonly (readonly [string, Uint8Array, string])[] = [
    ['PNG', PNG, 'image/png'],
    ['JPEG', bytes(0xff, 0xd8, 0xff, 0xe0, 0), 'image/jpeg'],
    ['GIF', Buffer.from('GIF89a\0\0'), 'image/gif'],
    ['WebP', Buffer.from('RIFF\x04\0\0\0WEBPVP8 '), 'image/webp'],
    ['PDF', PDF, 'application/pdf'],
    ['text', Buffer.from('Grüße, 世界 👋\n'), 'text/plain'],
    ['text with a BOM', Buffer.from('\ufeffhello'), 'text/plain'],
    ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'text/plain'],
  ];
  for (const [name, content, mediaType] of heads) {
    it(`is told by content: ${name}`, () => {
      const found = sniff(content);
      assert.equal('mediaType' in found ? found.mediaType : found.kind, mediaType);
    });
  }

  const refused: readonly (readonly [string, Uint8Array, string])[] = [
    ['nothing', bytes(), 'empty'],
    ['text with NUL', Buffer.from('a\0b'), 'binary'],
    ['broken UTF-8', bytes(0x61, 0xff, 0x62), 'binary'],
    ['UTF-16', Buffer.from('\ufeffhello', 'utf16le'), 'binary'],
    ['an archive', Buffer.from('PK\x03\x04\x14\0\0'), 'binary'],
    ['HEIC', Buffer.from('\0\0\0\x18ftypheic\0\0\0\0'), 'unsupportedImage'],
    ['TIFF', Buffer.from('II*\0\x08\0\0\0'), 'unsupportedImage'],
  ];
  for (const [name, content, kind] of refused) {
    it(`is not found for ${name}`, () => assert.equal(sniff(content).kind, kind));
  }
});

describe('attachments', () => {
  it('become the documented body, in order', async () => {
    const folder = temporaryFolder();
    const uris = [
      writeFile(folder, 'b.ts', 'const b = "ü";\n'),
      writeFile(folder, 'shot', PNG),
      writeFile(folder, 'paper.txt', PDF),
    ];
    assert.deepEqual(await bodyOf(attachments(), uris), {
      images: [{ type: 'base64', data: PNG.toString('base64'), mediaType: 'image/png' }],
      files: [
        {
          type: 'base64',
          data: Buffer.from('const b = "ü";\n').toString('base64'),
          mediaType: 'text/plain',
          parsedData: 'const b = "ü";\n',
          name: 'b.ts',
          path: 'src/b.ts',
        },
        {
          type: 'base64',
          data: PDF.toString('base64'),
          mediaType: 'application/pdf',
          name: 'paper.txt',
          path: 'src/paper.txt',
        },
      ],
    });
    assert.deepEqual(await bodyOf(attachments(), []), {});
  });

  it('are encoded rightly across the pieces large files are encoded in', async () => {
    const folder = temporaryFolder();
    const large = Buffer.concat([PNG, Buffer.alloc(7 * 1024 * 1024 + 1, 'abcdefghijk')]);
    const { images } = (await bodyOf(attachments(diskFiles, 10 * 1024 * 1024), [
      writeFile(folder, 'large.png', large),
    ])) as { readonly images: readonly { readonly data: string }[] };
    assert.ok(images[0]?.data === large.toString('base64'));
  });

  it('are refused when too large, before anything is read', async () => {
    const uri = writeFile(temporaryFolder(), 'a.txt', 'x'.repeat(2049));
    const unread: AttachableFiles = {
      ...diskFiles,
      read: () => assert.fail('was read'),
      pieces: () => assert.fail('was read'),
    };
    assert.match(await problemOf(uri, unread, 2048), /^a\.txt has 2 kB; the limit is 2 kB\.$/);
  });

  it('are refused when they are no regular files, before anything is read', async () => {
    const folder = temporaryFolder();
    const unread: AttachableFiles = {
      ...diskFiles,
      read: () => assert.fail('was read'),
      pieces: () => assert.fail('was read'),
    };
    assert.match(await problemOf(pathToFileURL(folder).href, unread), /is a folder/);
    const target = path.join(folder, 'target');
    fs.writeFileSync(target, 'x');
    fs.symlinkSync(target, path.join(folder, 'link'));
    assert.match(await problemOf(pathToFileURL(path.join(folder, 'link')).href, unread), /symbolic link/);
    if (process.platform !== 'win32') {
      execFileSync('mkfifo', [path.join(folder, 'pipe')]);
      assert.match(
        await problemOf(pathToFileURL(path.join(folder, 'pipe')).href, unread),
        /not a regular file/,
      );
    }
  });

  it('are refused when they change while they are read', async () => {
    const uri = writeFile(temporaryFolder(), 'a.txt', 'before');
    const changing: AttachableFiles = {
      ...diskFiles,
      async *pieces(address) {
        yield await diskFiles.read(address);
        fs.writeFileSync(new URL(address), 'after that');
      },
    };
    assert.match(await problemOf(uri, changing), /changed while it was read/);
  });

  it('are refused with their reason when they are not there or of no use', async () => {
    const folder = temporaryFolder();
    assert.match(
      await problemOf(pathToFileURL(path.join(folder, 'gone')).href),
      /^gone cannot be read: ENOENT/,
    );
    assert.match(await problemOf(writeFile(folder, 'none', '')), /is empty/);
    assert.match(await problemOf(writeFile(folder, 'a.docx', 'PK\x03\x04\0')), /not supported/);
    assert.match(
      await problemOf(writeFile(folder, 'a.heic', '\0\0\0\x18ftypheic')),
      /image type the service does not take\. Convert it to PNG or JPEG/,
    );
  });

  it('are refused when their address is none, whatever a page sends', async () => {
    for (const uri of ['', 'nonsense', 'file:', 'http://[', 'agentconsole-attachment:/x', '\0'])
      assert.match(await problemOf(uri), /cannot be read|is a folder/);
  });

  it('that are images are refused above the limit with the offer to make them smaller', async () => {
    const folder = temporaryFolder();
    const subject = new Attachments(diskFiles, () => ({ file: 1000, message: 9000 }), 'en');
    const large = await subject.inspect(writeFile(folder, 'a.png', Buffer.concat([PNG, Buffer.alloc(2000)])));
    assert.ok(!large.ok && large.shrinkable === true);
    const gif = await subject.inspect(
      writeFile(folder, 'a.gif', Buffer.concat([Buffer.from('GIF89a'), Buffer.alloc(2000)])),
    );
    assert.ok(!gif.ok && gif.shrinkable !== true, 'it would stand still');
    assert.equal(subject.tooMuch(9000), undefined);
    assert.match(subject.tooMuch(9001) ?? '', /have 8\.8 kB together; the limit of a message is 8\.8 kB/);
  });

  it('are all checked before one is sent, each with its own reason', async () => {
    const folder = temporaryFolder();
    const uris = ['a', 'b', 'c'].map(name => writeFile(folder, name, name === 'b' ? 'fine' : ''));
    await assert.rejects(attachments().parts(uris), (error: Error) => {
      assert.ok(error instanceof AttachmentsRefused);
      assert.deepEqual([...error.problems.keys()], [uris[0], uris[2]]);
      return true;
    });
  });

  it('that did not change are read once to look at them', async () => {
    let reads = 0;
    const counting: AttachableFiles = { ...diskFiles, pieces: uri => (reads++, diskFiles.pieces(uri)) };
    const subject = attachments(counting);
    const uri = writeFile(temporaryFolder(), 'a.txt', 'same');
    await subject.inspect(uri);
    await subject.inspect(uri);
    assert.equal(reads, 1);
    fs.writeFileSync(new URL(uri), 'different');
    const again = await subject.inspect(uri);
    assert.equal(reads, 2);
    assert.equal(again.size, 9);
  });
});
