import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { Attachments } from '../../../src/chat/attach/attachments';
import { KeptFiles } from '../../../src/chat/attach/keptFiles';
import { cleanUp, diskFiles, limits, temporaryFolder, writeFile } from './support';

afterEach(cleanUp);

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('files without a place of their own', () => {
  it('keep their bytes, name and path, and become parts of a message', async () => {
    const root = temporaryFolder();
    const kept = new KeptFiles(root, diskFiles);
    const selection = await kept.keep('ab12', {
      name: 'a.ts:1-2',
      path: 'src/a.ts:1-2',
      bytes: bytes('one'),
    });
    const pasted = await kept.keep('ab12', { name: 'größe 世.txt', bytes: bytes('two') });
    const later = new KeptFiles(root, diskFiles);
    const parts = await new Attachments(later, () => limits(1000), 'en').parts([selection, pasted]);
    assert.deepEqual(
      parts.map(({ name, path: place, bytes: content }) => [name, place, Buffer.from(content).toString()]),
      [
        ['a.ts:1-2', 'src/a.ts:1-2', 'one'],
        ['größe 世.txt', 'größe 世.txt', 'two'],
      ],
    );
  });

  it('never lead out of their folder, whatever they are called and however long that is', async () => {
    const root = temporaryFolder();
    const kept = new KeptFiles(root, diskFiles);
    const inside = path.join(root, 'services', 'ab12', 'attachments') + path.sep;
    const unit = fc.constantFrom('a', '漢', '𠮷', '👍', 'é', '.', ' ', '\ud83d', '\udc4d');
    const name = fc.oneof(
      fc.string({ minLength: 1, unit: 'binary' }),
      fc.string({ minLength: 1, maxLength: 300, unit }),
      fc.constantFrom('..', '../../x', '/etc/passwd', 'a\\b', '.', 'CON', '\0', '%2e%2e%2f'),
    );
    await fc.assert(
      fc.asyncProperty(name, async called => {
        const uri = await kept.keep('ab12', { name: called, path: `src/${called}`, bytes: bytes('x') });
        const file = kept.fileOf(uri) ?? '';
        assert.ok(file.startsWith(inside), uri);
        assert.ok(Buffer.byteLength(path.basename(file)) <= 140 && !file.includes('\ufffd'), file);
        assert.equal(kept.name(uri), Buffer.from(called).toString());
        assert.equal(kept.workspacePath(uri), `src/${Buffer.from(called).toString()}`);
        assert.equal(Buffer.from(await kept.read(uri)).toString(), 'x');
      }),
      { numRuns: 100, examples: [[`${'漢'.repeat(90)}.txt`], [`${'x'.repeat(99)}\ud83d`]] },
    );
    for (const uri of [
      'agentconsole-attachment:/../x/a',
      'agentconsole-attachment:/ab12/../../etc/passwd',
      'agentconsole-attachment:/ab12/00000000-0000-0000-0000-000000000000/%E0%A4%A',
      'file:///etc/passwd',
    ])
      assert.equal(kept.fileOf(uri), undefined, uri);
  });

  it('go when they are a day old and nothing refers to them', async () => {
    const root = temporaryFolder();
    const kept = new KeptFiles(root, diskFiles);
    const [used, unused] = [
      await kept.keep('ab12', { name: 'used', bytes: bytes('u') }),
      await kept.keep('ab12', { name: 'unused', bytes: bytes('n') }),
    ];
    await kept.sweep('ab12', [used]);
    assert.ok(fs.existsSync(kept.fileOf(unused) ?? ''), 'young');
    await kept.sweep('ab12', [used, writeFile(root, 'other', '')], Date.now() + 25 * 3_600_000);
    assert.ok(fs.existsSync(kept.fileOf(used) ?? ''));
    assert.ok(!fs.existsSync(kept.fileOf(unused) ?? ''));
    await kept.sweep('never', []);
  });
});
