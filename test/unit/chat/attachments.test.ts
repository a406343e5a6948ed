import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { mock } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import * as vscode from 'vscode';
import { messageBody, type BodyPart, type BodySource } from '../../../src/chat/attach/body';
import { droppedFiles, givenBy, type AwayFile, type DiffOf } from '../../../src/chat/attach/given';
import { workspace } from '../../fakes/vscode';
import { later, temporaryFolder } from '../../fakes/cleanUp';
import { scene, answering, attachmentsIn, diskFiles, PNG, writeFile } from './support';

const attachments = (files = diskFiles, limit = 204_800) => attachmentsIn('/nowhere', limit, files);
const problemOf = async (uri: string, files: typeof diskFiles): Promise<string> =>
  (await attachments(files).inspect(uri)).problem ?? 'none';
const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);
const long = (end: Uint8Array): Uint8Array => Buffer.concat([Buffer.alloc(100_000, 'é'), end]);

describe('a file that is attached', () => {
  for (const [name, content, found] of [
    ['PNG', PNG, 'image/png'],
    ['JPEG', bytes(0xff, 0xd8, 0xff, 0xe0, 0), 'image/jpeg'],
    ['GIF', Buffer.from('GIF89a\0\0'), 'image/gif'],
    ['WebP', Buffer.from('RIFF\x04\0\0\0WEBPVP8 '), 'image/webp'],
    ['PDF', Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n', 'latin1'), 'application/pdf'],
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

  it('is looked at to its end, and each that cannot be sent has its reason', async () => {
    const folder = temporaryFolder();
    const files = { 'a.log': long(bytes(0xff)), 'b.txt': 'fine', 'c.txt': '' };
    const uris = Object.entries(files).map(([name, content]) => writeFile(folder, name, content));
    const found = await Promise.all(uris.map(uri => attachments().inspect(uri)));
    const reasons = /^Error: a\.log is not supported\..* c\.txt is empty\.$/;
    await assert.rejects(attachments().parts(found), reasons);
  });

  it('is refused with the reason when it is too large, no regular file, not there, or its address is none, before anything is read', async () => {
    const folder = temporaryFolder();
    const unread = { ...diskFiles, read: () => assert.fail('was read') };
    const address = (name: string): string => pathToFileURL(path.join(folder, name)).href;
    const none = ['', 'nonsense', 'file:', 'http://[', 'agentconsole-attachment:/x', '\0'];
    const reasons: [string, RegExp][] = [
      [writeFile(folder, 'a.txt', 'x'.repeat(300_000)), /^a\.txt is 293 kB; the limit is 200 kB\.$/],
      [address(''), /is a folder/],
      [address('link'), /symbolic link/],
      [address('gone.txt'), /^gone\.txt cannot be read: ENOENT/],
      ...none.map((uri): [string, RegExp] => [uri, /cannot be read|is a folder/]),
    ];
    fs.symlinkSync(path.join(folder, 'a.txt'), path.join(folder, 'link'));
    if (process.platform !== 'win32') {
      execFileSync('mkfifo', [path.join(folder, 'pipe')]);
      reasons.push([address('pipe'), /not a regular file/]);
    }
    for (const [uri, reason] of reasons) assert.match(await problemOf(uri, unread), reason);
  });

  it('is called as its path ends, whatever else is in its address', async () => {
    const query = encodeURIComponent('{"path":"/r/src/a.ts","ref":""}');
    for (const uri of [
      `git:/r/src/a%23.ts?${query}`,
      'untitled:a%23.ts',
      'vscode-vfs://github/r/a%23.ts#L1/2',
    ])
      assert.equal((await attachments().inspect(uri)).name, 'a#.ts');
  });

  it('is refused when it changes while it is read, also when it is sent', async () => {
    const uri = writeFile(temporaryFolder(), 'a.txt', 'before');
    const changing: typeof diskFiles.read = async address => {
      const bytes = await diskFiles.read(address);
      fs.writeFileSync(new URL(address), 'after that');
      return bytes;
    };
    assert.match(await problemOf(uri, { ...diskFiles, read: changing }), /changed while being read/);
    const other = { ...diskFiles, read: () => Promise.resolve(Buffer.from('more than that')) };
    assert.match(await problemOf(uri, other), /changed while being read/, 'not as much as was said');
    const inspected = await attachments().inspect(uri);
    await assert.rejects(attachments(other).parts([inspected]), /changed while being read/);
  });

  it('that is a picture is refused above the limit with the offer to make it smaller', async () => {
    const folder = temporaryFolder();
    const content = Buffer.concat([PNG, Buffer.alloc(2000)]);
    const subject = attachments(diskFiles, 1000);
    for (const [name, bytes] of [
      ...['a.png', 'a.gif', 'a.txt'].map(name => [name, content] as const),
      ['empty.png', ''] as const,
    ]) {
      const found = await subject.inspect(writeFile(folder, name, bytes));
      assert.deepEqual([found.problem === undefined, found.shrinkable], [false, name === 'a.png']);
    }
    assert.equal(subject.tooMuch(10_000), undefined);
    assert.match(subject.tooMuch(10_001) ?? '', /are 9\.8 kB together; the limit for a message is 9\.8 kB/);
  });
});

/** Section 4.7, made the plain way. */
function expected({ text, computerId, parts }: BodySource): string {
  const listed = (isImage: boolean): object[] | undefined => {
    const some = parts.filter(({ kind }) => (kind === 'image') === isImage);
    const encoded = some.map(({ kind, mediaType, bytes, name, path }) => ({
      ...{ type: 'base64', mediaType, data: Buffer.from(bytes).toString('base64') },
      ...(kind === 'text' ? { parsedData: new TextDecoder().decode(bytes) } : {}),
      ...(kind === 'image' ? {} : { name, path }),
    }));
    return some.length === 0 ? undefined : encoded;
  };
  return JSON.stringify({ text, images: listed(true), files: listed(false), computerId });
}

const built = async (source: BodySource): Promise<string> => new Response(await messageBody(source)).text();

describe('the body of a message', () => {
  it('is what JSON.stringify makes of the same, byte for byte', async () => {
    const words = fc.string({ unit: 'binary' });
    const encoded = words.map(word => Buffer.from(word));
    const bytes = fc.oneof(fc.uint8Array({ maxLength: 50 }), encoded);
    const kind = fc.constantFrom('image', 'pdf', 'text');
    const part = fc.record({ ...{ kind, bytes }, mediaType: words, name: words, path: words });
    const parts = fc.array(part, { maxLength: 5 });
    const source = fc.record({ text: words, computerId: fc.option(words, { nil: undefined }), parts });
    const same = fc.asyncProperty(source, async made => assert.equal(await built(made), expected(made)));
    await fc.assert(same, { numRuns: 1000 });
  });

  it('is the same when large, also where pieces meet, while others have their turn', async () => {
    const bytes = new Uint8Array(3_000_000).fill(65).subarray(10, 2_500_010);
    const text = Buffer.from(`\ufeffbegins with a mark ${'aé世👋"\\\n'.repeat(150_000)}`);
    const parts: BodyPart[] = [
      { kind: 'pdf', mediaType: 'application/pdf', bytes, name: 'a.pdf', path: 'a.pdf' },
      { kind: 'text', mediaType: 'text/plain', bytes: text, name: 'a.txt', path: 'src/a.txt' },
    ];
    const source = { text: 'ü', computerId: 'c1', parts };
    let turns = 0;
    const counting = setInterval(() => turns++);
    const body = await messageBody(source);
    clearInterval(counting);
    assert.ok(turns > 3, `${turns} turns of others`);
    assert.ok((await new Response(body).text()) === expected(source));
  });
});

const uri = (path: string) => ({ scheme: 'file', path, toString: () => `file://${path}` });
const range = (from: number, to: number) => ({ start: { line: from, character: 2 }, end: { line: to } });
const diffOf: DiffOf = files =>
  Promise.resolve({
    diff: Buffer.from(files.map(({ path }) => (/new|same/.test(path) ? '' : `diff ${path};`)).join('')),
    rest: files.filter(({ path }) => path === '/new.ts'),
  });

/** What would be attached: addresses, and files with their texts. */
async function attached(...args: readonly unknown[]): Promise<unknown> {
  const given = await givenBy(args, diffOf);
  const made = given.files.map(async file => [file.name, Buffer.from(await file.read()).toString()]);
  return [...given.uris, ...(await Promise.all(made))];
}

describe('what menus hand over to be attached', () => {
  const documentOf = (...lines: readonly string[]): void => {
    const document = { lineCount: lines.length, lineAt: (line: number) => ({ text: lines[line] }) };
    answering({ openTextDocument: () => Promise.resolve(document) }, workspace);
  };

  it('is a problem with its source, its code, and its lines with their numbers', async () => {
    const x = 'x'.repeat(1_000);
    documentOf('a', 'b', 'c', 'd', 'e', `${x}, cut`, 'g', 'h', 'i');
    const problem = {
      ...{ message: 'No x.\nOr y.', severity: 0, source: 'ts', code: { value: 2304 }, range: range(4, 5) },
      relatedInformation: [{ message: 'See', location: { uri: uri('/a/b.ts'), range: range(0, 0) } }],
    };
    const bare = { message: 'Long', severity: 9, range: range(8, 8_000_000) };
    const said = [
      ...['total.ts:5:3', 'error (ts 2304): No x.\nOr y.', '  b.ts:1:3: See', ''],
      ...['  2 | b', '  3 | c', '  4 | d', '> 5 | e', `> 6 | ${x}`, '  7 | g', '  8 | h', '  9 | i', ''],
      ...['total.ts:9:3', 'problem: Long', '', `  6 | ${x}`, '  7 | g', '  8 | h', '> 9 | i'],
    ];
    const given = { uri: uri('/shop/total.ts'), problems: [problem, bare] };
    assert.deepEqual(await attached(given), [['total.ts:5 problem.txt', said.join('\n')]]);
  });

  it('is a discussion at lines of a file, or a failed test with what was expected, and where', async () => {
    documentOf('a');
    const comments = [
      { author: { name: 'Ann' }, body: 'Why?' },
      { author: { name: 'Bo' }, body: { value: '*So*' } },
    ];
    const talk = 'total.ts:1:3\n> 1 | a\n\nAnn:\nWhy?\n\nBo:\n*So*\n';
    const thread = { uri: uri('/shop/total.ts'), range: range(0, 0), comments };
    assert.deepEqual(await attached(thread), [['total.ts comments.txt', talk]]);
    const message = {
      ...{ message: { value: 'Not *equal*' }, expectedOutput: '143', actualOutput: '144' },
      location: { uri: uri('/shop/tax.test.ts'), range: range(8, 8) },
      stackTrace: [{ label: 'taxOf', uri: uri('/shop/tax.ts'), position: { line: 1, character: 0 } }],
    };
    const said = [
      ...['Failed test: tax > rounds once', 'tax.test.ts:9:3', '', 'Not *equal*', ''],
      ...['Expected:', '143', '', 'Actual:', '144', '', 'Stack:', '  taxOf (tax.ts:2:1)'],
    ];
    const test = { label: 'rounds once', parent: { label: 'tax' } };
    assert.deepEqual(await attached({ test, message }), [['rounds once failed.txt', said.join('\n')]]);
  });

  it('is one diff of rows and groups of Source Control; what has none goes itself', async () => {
    const [a, b, c] = ['/a.ts', '/b.ts', '/new.ts'].map(path => ({ resourceUri: uri(path) }));
    assert.deepEqual(await attached(a, a), [['a.ts.diff', 'diff /a.ts;']]);
    const group = await attached({ id: 'group', resourceStates: [a, b, c] });
    assert.deepEqual(group, ['file:///new.ts', ['changes.diff', 'diff /a.ts;diff /b.ts;']]);
    await assert.rejects(attached({ resourceUri: uri('/same.ts') }), /nothing here that can be attached/);
  });

  it('is files, those that are picked where nothing is, or a sentence for what is nothing of this', async () => {
    const [a, b] = ['/a.ts', '/b.ts'].map(uri);
    assert.deepEqual(await attached(a), ['file:///a.ts']);
    const tab = { groupId: 0, editorIndex: 1 };
    assert.deepEqual(await attached(a, tab), ['file:///a.ts']);
    assert.deepEqual(await attached(a, [a, b]), ['file:///a.ts', 'file:///b.ts']);
    answering({ showOpenDialog: () => Promise.resolve([b]) });
    for (const args of [[], [undefined], [null, {}]])
      assert.deepEqual(await attached(...args), ['file:///b.ts']);
    const loop = { resourceStates: [null, 7] as unknown[] };
    loop.resourceStates.push(loop);
    const odd = [
      ...['/etc/passwd', 7, {}, [], loop, { resourceUri: 'x' }, { test: {}, message: null }],
      ...[{ resourceStates: 'all' }, { uri: 'file:///a.ts', problems: [] }],
    ];
    for (const each of odd)
      await assert.rejects(attached(each), /^Error: There is nothing here that can be attached\.$/);
  });
});

/** A composer whose files may have `maxBytes`. */
async function stage(maxBytes = 1000, files = diskFiles) {
  const root = temporaryFolder();
  const attachments = attachmentsIn(root, maxBytes, files);
  const { composition } = await scene({ attachments });
  const texts = async (): Promise<readonly string[]> => {
    const parts = await attachments.parts(composition.draft.attachments);
    return parts.map(({ bytes }) => Buffer.from(bytes).toString());
  };
  const of = (fact: 'uri' | 'name') => composition.draft.attachments.map(each => each[fact]);
  return { kept: path.join(root, 'services/service1/attachments'), attachments, composition, texts, of };
}

const fileOf = (text: string, name = 'a.txt'): AwayFile => ({
  name,
  read: () => Promise.resolve(new TextEncoder().encode(text)),
});

describe('what a page hands over', () => {
  it('is attached in order, or takes the place of an attachment', async () => {
    const { composition, texts, of } = await stage();
    await composition.attachFiles([fileOf('first'), fileOf('second', 'b.txt')]);
    const [a] = of('uri');
    await composition.attachFiles([fileOf('smaller', 'c.txt')], a);
    assert.deepEqual(await texts(), ['smaller', 'second']);
    const file = fileURLToPath(of('uri')[0]!);
    const modes = [file, path.dirname(file)].map(each => fs.statSync(each).mode & 0o777);
    assert.deepEqual(modes, [0o600, 0o700], 'nobody else can read it');
    await assert.rejects(composition.attachFiles([fileOf('late')], a), /has been removed meanwhile/);
  });

  it('may have the largest size; what has more or cannot be read keeps nothing from the others, and leaves nothing behind', async () => {
    const { composition, kept, texts } = await stage(10);
    const unread = { name: 'b.txt', size: 11, read: () => assert.fail('was read') };
    const folder = { name: 'folder', read: () => Promise.reject(new Error('no file')) };
    const given = [fileOf('12345678901'), unread, folder, fileOf('1234567890')];
    const large = ['a.txt', 'b.txt'].map(name => `${name} is 11 bytes; the limit is 10 bytes.`).join(' ');
    const message = `${large} folder cannot be read: no file`;
    await assert.rejects(composition.attachFiles(given), { message });
    const { writeFile } = fs.promises;
    const full = mock.method(fs.promises, 'writeFile', (...[place]: Parameters<typeof writeFile>) =>
      writeFile(place, 'the beginning').then(() => assert.fail('no space left')),
    );
    later(() => full.mock.restore());
    await assert.rejects(composition.attachFiles([fileOf('all of it')]), /no space left/);
    assert.deepEqual([await texts(), fs.readdirSync(kept).length], [['1234567890'], 1]);
  });

  it('has a name that no other has', async () => {
    const { composition, of } = await stage();
    const names = {
      ...{ '': 'file', 'folder/ ': 'file-2', '../../..': '..' },
      ...{ '\u202etxt.exe': '\ufffdtxt.exe', 'a\u0000b\nc.txt': 'a\ufffdb c.txt' },
      ...{ '\u{1F642}': '\u{1F642}', 'image.png': 'image.png' },
    };
    const given = Object.keys(names).map(name => fileOf('text', name));
    await composition.attachFiles([...given, fileOf('text', 'image.png')]);
    assert.deepEqual(of('name'), [...Object.values(names), 'image-2.png']);
  });

  it('crosses, where it is a picture to be shown or made smaller, with a buffer of its own', async () => {
    const { composition } = await stage();
    const uri = writeFile(temporaryFolder(), 'a.png', PNG);
    await composition.attach([uri]);
    const { mediaType, bytes } = await composition.picture(uri);
    const { byteLength } = bytes.buffer;
    assert.deepEqual([mediaType, Buffer.from(bytes), byteLength], ['image/png', PNG, bytes.length]);
    assert.throws(() => composition.picture('file:///gone.png'), /has been removed meanwhile/);
  });

  it('and is in no file of the person is in one of ours, whatever it is called and however long that is, and becomes a part of a message', async () => {
    const { attachments, kept } = await stage();
    const unit = fc.constantFrom('a', '漢', '𠮷', '👍', 'é', '.', ' ', '\ud83d', '\udc4d');
    const name = fc.oneof(
      fc.string({ minLength: 1, unit: 'binary' }),
      fc.string({ minLength: 1, maxLength: 300, unit }),
      fc.constantFrom('..', '../../x', '/etc/passwd', 'a\\b', '.', 'CON', '\0', '%2e%2e%2f'),
    );
    await fc.assert(
      fc.asyncProperty(name, async called => {
        const away = { ...fileOf('x'), path: `src/${called}` };
        const found = await attachments.keep('service1', called, away);
        const place = fileURLToPath(found.uri);
        assert.ok(place.startsWith(kept + path.sep) && Buffer.byteLength(path.basename(place)) <= 140, place);
        const [part] = await attachments.parts([found]);
        assert.deepEqual([part?.name, part?.path], [called, `src/${called}`]);
        assert.equal(Buffer.from(part!.bytes).toString(), 'x');
      }),
      { numRuns: 100, examples: [[`${'漢'.repeat(90)}.txt`], [`${'x'.repeat(99)}\ud83d`]] },
    );
  });
});

describe('what is dropped', () => {
  it('on the list of sessions is every file that has an address, and no link to a page; only others are read', async () => {
    const list = 'file:///a\r\n# a note\r\nhttps://example.com/x\r\nvscode-remote://host/b\r\n';
    const addressed = { name: 'c.png', uri: 'file:///c.png', data: (): never => assert.fail() };
    const bare = { name: 'd.txt', data: () => Promise.resolve(PNG) };
    /** What VS Code hands over, as far as it is looked at. */
    const given = (uris: string) =>
      droppedFiles(
        new Map<string, object>([
          ['text/uri-list', { asString: () => Promise.resolve(uris), asFile: () => undefined }],
          ...[addressed, bare].map(file => [file.name, { asFile: () => file }] as const),
        ]) as unknown as vscode.DataTransfer,
      );
    assert.deepEqual((await given(list)).uris, ['file:///a', 'vscode-remote://host/b']);
    const { uris, files } = await given('');
    const read = await Promise.all(files.map(async file => [file.name, await file.read()]));
    assert.deepEqual([uris, read], [['file:///c.png'], [['d.txt', PNG]]]);
  });

  it('is cut to what one message takes, and sent only when all is looked at', async () => {
    const names = (from: number, to: number): string[] =>
      Array.from({ length: to - from }, (_, index) => `file:///${from + index}.txt`);
    let looks = 0 as number;
    const { composition, of } = await stage(1000, {
      ...diskFiles,
      stat: async () => {
        looks++;
        await setImmediate();
        return { type: vscode.FileType.File, size: 1, ctime: 0, mtime: 0 };
      },
      read: () => Promise.resolve(new Uint8Array([65])),
    });
    const attached = composition.attach([...names(0, 300), ...names(0, 300)]);
    assert.throws(() => composition.message, /still being checked/);
    await attached;
    assert.deepEqual([looks], [600], 'before and after reading');
    await assert.rejects(composition.attach(names(200, 5_000)), /can have up to 500 attachments/);
    assert.deepEqual(of('uri'), names(0, 500));
    assert.ok(looks < 2_000, 'what cannot be attached any more is not looked at');
    assert.equal(composition.message.attachments.length, 500);
    const pasted = composition.attachFiles([fileOf('pasted'), fileOf('too', 'b.txt')]);
    await assert.rejects(pasted, { message: /^[^.]+ up to 500 attachments\. The others were left out\.$/ });
    await composition.attachFiles([fileOf('in its place')], of('uri')[0]);
  });
});
