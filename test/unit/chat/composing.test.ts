import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { mock } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import * as vscode from 'vscode';
import { droppedFiles, type AwayFile } from '../../../src/chat/attach/given';
import { scene } from './scene';
import { later, attachmentsIn, cleanUp, diskFiles, PNG, temporaryFolder, writeFile } from './support';

afterEach(cleanUp);

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

const file = (text: string, name = 'a.txt'): AwayFile => ({
  name,
  read: () => Promise.resolve(new TextEncoder().encode(text)),
});

describe('what a page hands over', () => {
  it('is attached in order, or takes the place of an attachment', async () => {
    const { composition, texts, of } = await stage();
    await composition.attachFiles([file('first'), file('second', 'b.txt')]);
    const [a] = of('uri');
    await composition.attachFiles([file('smaller', 'c.txt')], a);
    assert.deepEqual(await texts(), ['smaller', 'second']);
    await assert.rejects(composition.attachFiles([file('late')], a), /has been removed meanwhile/);
  });

  it('may have the largest size; what has more or cannot be read keeps nothing from the others, and leaves nothing behind', async () => {
    const { composition, kept, texts } = await stage(10);
    const large = [
      file('12345678901'),
      { ...file('', 'b.txt'), size: 11, read: () => assert.fail('was read') },
    ];
    const folder = { name: 'folder', read: () => Promise.reject(new Error('no file')) };
    await assert.rejects(composition.attachFiles([...large, folder, file('1234567890')]), {
      message:
        'a.txt is 11 bytes; the limit is 10 bytes. b.txt is 11 bytes; the limit is 10 bytes. folder cannot be read: no file',
    });
    const { writeFile } = fs.promises;
    const full = mock.method(fs.promises, 'writeFile', async (...[place]: Parameters<typeof writeFile>) => {
      await writeFile(place, 'the beginning');
      throw new Error('no space left');
    });
    later(() => full.mock.restore());
    await assert.rejects(composition.attachFiles([file('all of it')]), /no space left/);
    assert.deepEqual([await texts(), fs.readdirSync(kept).length], [['1234567890'], 1]);
  });

  it('has a name that is seen, and that no other has', async () => {
    const { composition, of } = await stage();
    const names = {
      ...{ '': 'file', 'folder/ ': 'file-2', '\u200b': 'file-3', '\u3164': 'file-4', '../../..': '..' },
      ...{ '\u202etxt.exe': '\ufffdtxt.exe', 'a\u0000b\nc.txt': 'a\ufffdb c.txt' },
      ...{ '\u{1F642}': '\u{1F642}', 'image.png': 'image.png' },
    };
    const given = Object.keys(names).map(name => file('text', name));
    await composition.attachFiles([...given, file('text', 'image.png')]);
    assert.deepEqual(of('name'), [...Object.values(names), 'image-2.png']);
  });

  it('crosses, where it is a picture to be shown or made smaller, with a buffer of its own', async () => {
    const { composition } = await stage();
    const uri = writeFile(temporaryFolder(), 'a.png', PNG);
    await composition.attach([uri]);
    const { mediaType, bytes } = await composition.picture(uri);
    assert.deepEqual([mediaType, Buffer.from(bytes)], ['image/png', PNG]);
    assert.equal(bytes.buffer.byteLength, bytes.length);
    assert.throws(() => composition.picture('file:///gone.png'), /has been removed meanwhile/);
  });
});

describe('files that are in none of the person', () => {
  it('are in one of ours, whatever they are called and however long that is, and become parts of a message', async () => {
    const { attachments, kept } = await stage();
    const unit = fc.constantFrom('a', '漢', '𠮷', '👍', 'é', '.', ' ', '\ud83d', '\udc4d');
    const name = fc.oneof(
      fc.string({ minLength: 1, unit: 'binary' }),
      fc.string({ minLength: 1, maxLength: 300, unit }),
      fc.constantFrom('..', '../../x', '/etc/passwd', 'a\\b', '.', 'CON', '\0', '%2e%2e%2f'),
    );
    await fc.assert(
      fc.asyncProperty(name, async called => {
        const away = { ...file('x'), path: `src/${called}` };
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

  it('go when they are a day old and nothing refers to them', async () => {
    const { composition, attachments, texts, kept } = await stage();
    await composition.attachFiles([file('used'), file('unused')]);
    const [used, unused] = composition.draft.attachments;
    await attachments.sweep('service1', [used!]);
    assert.equal(fs.readdirSync(kept).length, 2, 'young');
    // It is listed and cannot be looked at, as one that another window has just removed.
    fs.symlinkSync('nowhere', path.join(kept, 'gone'));
    await attachments.sweep('service1', [used!], Date.now() + 25 * 3_600_000);
    composition.detach(unused!.uri);
    assert.deepEqual([await texts(), fs.readdirSync(kept).length], [['used'], 2]);
    await attachments.sweep('never', []);
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

  it('is looked at a few at a time where it is very many files, cut to what one message takes, and sent only when all is looked at', async () => {
    const names = (from: number, to: number): string[] =>
      Array.from({ length: to - from }, (_, index) => `file:///${from + index}.txt`);
    const looks = { now: 0, most: 0, all: 0 };
    const { composition, of } = await stage(1000, {
      ...diskFiles,
      stat: async () => {
        looks.all++;
        looks.most = Math.max(looks.most, ++looks.now);
        await setImmediate();
        looks.now--;
        return { type: vscode.FileType.File, size: 1, ctime: 0, mtime: 0 };
      },
      read: () => Promise.resolve(new Uint8Array([65])),
    });
    const attached = composition.attach([...names(0, 300), ...names(0, 300)]);
    assert.throws(() => composition.message, /still being checked/);
    await attached;
    assert.deepEqual([looks.most <= 16, looks.all], [true, 600], 'before and after reading');
    await assert.rejects(composition.attach(names(200, 5_000)), /can have up to 500 attachments/);
    assert.deepEqual(of('uri'), names(0, 500));
    assert.ok(looks.all < 1_300, 'what cannot be attached any more is not looked at');
    assert.equal(composition.message.attachments.length, 500);
    const pasted = composition.attachFiles([file('pasted'), file('too', 'b.txt')]);
    await assert.rejects(pasted, { message: /^[^.]+ up to 500 attachments\. The others were left out\.$/ });
    await composition.attachFiles([file('in its place')], of('uri')[0]);
  });
});
