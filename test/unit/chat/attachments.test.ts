import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AttachableFiles } from '../../../src/chat/attach/attachments';
import { messageBody, type BodyPart, type BodySource } from '../../../src/chat/attach/body';
import { attachmentsIn, cleanUp, diskFiles, PNG, temporaryFolder, writeFile } from './support';

afterEach(cleanUp);

const PDF = Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n', 'latin1');

const attachments = (files: AttachableFiles = diskFiles, limit = 1024 * 1024) =>
  attachmentsIn('/nowhere', limit, files);

async function problemOf(uri: string, files?: AttachableFiles, limit?: number): Promise<string> {
  return (await attachments(files, limit).inspect(uri)).problem ?? 'none';
}

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);
/** More than is looked at when a file is attached. */
const long = (end: Uint8Array): Uint8Array => Buffer.concat([Buffer.alloc(100_000, 'é'), end]);

describe('a file that is attached', () => {
  for (const [name, content, found] of [
    ['PNG', PNG, 'image/png'],
    ['JPEG', bytes(0xff, 0xd8, 0xff, 0xe0, 0), 'image/jpeg'],
    ['GIF', Buffer.from('GIF89a\0\0'), 'image/gif'],
    ['WebP', Buffer.from('RIFF\x04\0\0\0WEBPVP8 '), 'image/webp'],
    ['PDF', PDF, 'application/pdf'],
    ['text', Buffer.from('Grüße, 世界 👋\n'), 'text/plain'],
    ['text with a BOM', Buffer.from('\ufeffhello'), 'text/plain'],
    ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'text/plain'],
    ['a long text', long(Buffer.from('世')), 'text/plain'],
    ['nothing', bytes(), /is empty/],
    ['text with NUL', Buffer.from('a\0b'), /not supported/],
    ['broken UTF-8', bytes(0x61, 0xff, 0x62), /not supported/],
    ['half a character', bytes(0x61, 0xe4, 0xb8), /not supported/],
    ['UTF-16', Buffer.from('\ufeffhello', 'utf16le'), /not supported/],
    ['an archive', Buffer.from('PK\x03\x04\x14\0\0'), /not supported/],
    ['HEIC', Buffer.from('\0\0\0\x18ftypheic\0\0\0\0'), /not supported\. The service takes images \(PNG/],
  ] as const)
    it(`is told by its content: ${name}`, async () => {
      const uri = writeFile(temporaryFolder(), 'file', content);
      const inspected = await attachments().inspect(uri);
      if (typeof found !== 'string') assert.match(inspected.problem ?? '', found);
      else assert.equal((await attachments().parts([inspected]))[0]?.mediaType, found);
    });

  it('is looked at to its end before it is sent', async () => {
    const uri = writeFile(temporaryFolder(), 'a.log', long(bytes(0xff)));
    const inspected = await attachments().inspect(uri);
    assert.equal(inspected.problem, undefined);
    await assert.rejects(attachments().parts([inspected]), /a\.log is not supported/);
  });

  it('is refused before anything is read when it is too large or no regular file', async () => {
    const folder = temporaryFolder();
    const unread: AttachableFiles = { ...diskFiles, read: () => assert.fail('was read') };
    const large = writeFile(folder, 'a.txt', 'x'.repeat(2049));
    assert.match(await problemOf(large, unread, 2048), /^a\.txt is 2 kB; the limit is 2 kB\.$/);
    assert.match(await problemOf(pathToFileURL(folder).href, unread), /is a folder/);
    const address = (name: string): string => pathToFileURL(path.join(folder, name)).href;
    fs.symlinkSync(path.join(folder, 'a.txt'), path.join(folder, 'link'));
    assert.match(await problemOf(address('link'), unread), /symbolic link/);
    if (process.platform === 'win32') return;
    execFileSync('mkfifo', [path.join(folder, 'pipe')]);
    assert.match(await problemOf(address('pipe'), unread), /not a regular file/);
  });

  it('is refused when it changes while it is read, is not there, or its address is none', async () => {
    const uri = writeFile(temporaryFolder(), 'a.txt', 'before');
    const changing: AttachableFiles = {
      ...diskFiles,
      read: async (address, most) => {
        const read = await diskFiles.read(address, most);
        fs.writeFileSync(new URL(address), 'after that');
        return read;
      },
    };
    assert.match(await problemOf(uri, changing), /changed while being read/);
    const other: AttachableFiles = {
      ...diskFiles,
      read: () => Promise.resolve(Buffer.from('more than that')),
    };
    assert.match(await problemOf(uri, other), /changed while being read/, 'not as much as was said');
    const inspected = await attachments().inspect(uri);
    await assert.rejects(attachments(other).parts([inspected]), /changed while being read/);
    fs.rmSync(new URL(uri));
    assert.match(await problemOf(uri), /^a\.txt cannot be read: ENOENT/);
    for (const none of ['', 'nonsense', 'file:', 'http://[', 'agentconsole-attachment:/x', '\0'])
      assert.match(await problemOf(none), /cannot be read|is a folder/);
  });

  it('that is a picture is refused above the limit with the offer to make it smaller', async () => {
    const folder = temporaryFolder();
    const content = Buffer.concat([PNG, Buffer.alloc(2000)]);
    const subject = attachments(diskFiles, 1000);
    for (const [name, shrinkable, bytes] of [
      ['a.png', true, content],
      ['a.gif', false, content],
      ['a.txt', false, content],
      ['empty.png', false, ''],
    ] as const) {
      const found = await subject.inspect(writeFile(folder, name, bytes));
      assert.deepEqual([found.problem === undefined, found.shrinkable], [false, shrinkable]);
    }
    assert.equal(subject.tooMuch(10_000), undefined);
    assert.match(subject.tooMuch(10_001) ?? '', /are 9\.8 kB together; the limit for a message is 9\.8 kB/);
  });

  it('is checked with all others before one is sent, each with its own reason', async () => {
    const folder = temporaryFolder();
    const uris = ['a', 'b', 'c'].map(name => writeFile(folder, name, name === 'b' ? 'fine' : ''));
    const found = await Promise.all(uris.map(uri => attachments().inspect(uri)));
    await assert.rejects(attachments().parts(found), { message: 'a is empty. c is empty.' });
  });
});

/** Section 4.7, made the plain way. */
function expected({ text, computerId, parts }: BodySource): string {
  const encoded = ({ kind, mediaType, bytes, name, path }: BodyPart) => ({
    ...{ type: 'base64', mediaType, data: Buffer.from(bytes).toString('base64') },
    ...(kind === 'text' ? { parsedData: new TextDecoder().decode(bytes) } : {}),
    ...(kind === 'image' ? {} : { name, path }),
  });
  const images = parts.filter(({ kind }) => kind === 'image').map(encoded);
  const files = parts.filter(({ kind }) => kind !== 'image').map(encoded);
  return JSON.stringify({
    text,
    ...(images.length > 0 ? { images } : {}),
    ...(files.length > 0 ? { files } : {}),
    ...(computerId === undefined ? {} : { computerId }),
  });
}

const built = async (source: BodySource): Promise<string> => new Response(await messageBody(source)).text();

describe('the body of a message', () => {
  it('is what JSON.stringify makes of the same, byte for byte', async () => {
    const words = fc.string({ unit: 'binary' });
    const part = fc.record({
      kind: fc.constantFrom('image' as const, 'pdf' as const, 'text' as const),
      mediaType: fc.constantFrom('image/png', 'application/pdf', 'text/plain'),
      bytes: fc.oneof(
        fc.uint8Array({ maxLength: 50 }),
        words.map(text => new TextEncoder().encode(text)),
      ),
      name: words,
      path: words,
    });
    const source = fc.record({
      text: words,
      computerId: fc.option(words, { nil: undefined }),
      parts: fc.array(part, { maxLength: 5 }),
    });
    await fc.assert(
      fc.asyncProperty(source, async made => assert.equal(await built(made), expected(made))),
      { numRuns: 1000 },
    );
  });

  it('is the same when large, also where pieces meet, while others have their turn', async () => {
    const bytes = new Uint8Array(3_000_000).fill(65).subarray(10, 2_500_010);
    const text = Buffer.from(`\ufeffbegins with a mark ${'aé世👋"\\\n'.repeat(150_000)}`);
    const source: BodySource = {
      text: 'ü',
      computerId: 'c1',
      parts: [
        { kind: 'pdf', mediaType: 'application/pdf', bytes, name: 'a.pdf', path: 'a.pdf' },
        { kind: 'text', mediaType: 'text/plain', bytes: text, name: 'a.txt', path: 'src/a.txt' },
      ],
    };
    let turns = 0;
    const counting = setInterval(() => turns++);
    const body = await messageBody(source);
    clearInterval(counting);
    assert.ok(turns > 3, `${turns} turns of others`);
    assert.ok((await new Response(body).text()) === expected(source));
  });
});
