import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { Marked } from 'marked';
import { bounds } from '../../../media/chat/bounds';
import { candidates, changed, insertCode, readDiff, readPosition } from '../../../src/chat/panel/codeBlocks';
import { PATH } from '../../../src/chat/protocol';
import { workspace } from '../../fakes/vscode';
import { growsEvenly } from '../../growth';
import { afterwards, answering, cleanUp } from './support';

afterEach(cleanUp);

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

const folder = { path: '/home/me/shop', name: 'shop' };

describe('a file named in a message', () => {
  it('is a path with a line, and perhaps a column', () => {
    assert.deepEqual(readPosition('src/a.ts:41'), { path: 'src/a.ts', line: 41, column: 1 });
    assert.deepEqual(readPosition('src\\a.ts:41:7'), { path: 'src/a.ts', line: 41, column: 7 });
    assert.deepEqual(readPosition('a.ts:0:0'), { path: 'a.ts', line: 1, column: 1 });
    for (const wrong of ['a.ts', 'a.ts:', ':4', 'a.ts:x', 'a\n.ts:4', 'https://a.ts:4', 'command:x:4']) {
      assert.equal(readPosition(wrong), undefined, wrong);
    }
  });

  it('is looked for below the folder only', () => {
    assert.deepEqual(candidates('src/a.ts', folder), ['src/a.ts']);
    assert.deepEqual(candidates('./src/../src/a.ts', folder), ['src/a.ts']);
    assert.deepEqual(candidates('/home/me/shop/src/a.ts', folder), ['src/a.ts']);
    assert.deepEqual(candidates('shop/src/a.ts', folder), ['shop/src/a.ts', 'src/a.ts']);
    assert.deepEqual(candidates('a/src/a.ts', folder), ['a/src/a.ts', 'src/a.ts']);
    for (const outside of [
      '/etc/passwd',
      '../a.ts',
      'src/../../a.ts',
      '/home/me/shop/../other/a.ts',
      '/home/me/shopping/a.ts',
      '..',
      '.',
      '/',
    ]) {
      assert.deepEqual(candidates(outside, folder), [], outside);
    }
  });

  it('never leads out of the folder, whatever it is', () => {
    const part = fc.oneof(
      fc.constantFrom('..', '.', '', 'a', 'src', 'shop', '/', '/home/me/shop'),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(part), parts => {
        for (const found of candidates(parts.join('/'), folder)) {
          assert.ok(!found.startsWith('/') && !found.split('/').includes('..') && found !== '');
        }
      }),
    );
  });
});

const NAMED = '--- a/f\n+++ b/f\n';
const FILE = 'one\ntwo\nthree\nfour\ntwo\nfive\n';

/** The file after each change of a diff in turn. */
const after = (diff: string, file = FILE): string | undefined =>
  readDiff(diff.startsWith('---') ? diff : `${NAMED}${diff}`).reduce<string | undefined>(
    (text, change) => text && changed(text, change),
    file,
  );

describe('a diff of a message', () => {
  for (const [what, diff, expected, file] of [
    [
      'with places',
      '--- a/f\n+++ b/f\n@@ -5,2 +5,2 @@\n-two\n+2\n five\n',
      'one\ntwo\nthree\nfour\n2\nfive\n',
    ],
    [
      'whose places are off',
      '@@ -3 +3 @@\n-four\n+4\n@@ -2,1 +2,1 @@ f()\n-one\n+1',
      '1\ntwo\nthree\n4\ntwo\nfive\n',
    ],
    ['without places', '@@ @@\n-three\n+3\n+3.5\n four', 'one\ntwo\n3\n3.5\nfour\ntwo\nfive\n'],
    ['with an empty line as written', '@@ @@\n one\n-two\n+2\n three', 'one\n2\nthree\nfour\ntwo\nfive\n'],
    ['that only adds', '@@ -1,0 +2,1 @@\n+new', 'one\nnew\ntwo\nthree\nfour\ntwo\nfive\n'],
    ['that adds at the beginning', '@@ -0,0 +1 @@\n+new', `new\n${FILE}`],
    [
      'of two files, with an empty line between',
      '--- f\n+++ f\n@@ @@\n-three\n+3\n\n--- g\n+++ g\n@@ @@\n-five\n+5\n',
      'one\ntwo\n3\nfour\ntwo\n5\n',
    ],
    ['with an empty line in it', '@@ @@\n-six\n\n+6\n', '\n6\n', 'six\n\n'],
    ['that fits two places and names neither', '@@ -4 +4 @@\n-two\n+2', undefined],
    ['that fits nowhere', '@@ -1 +1 @@\n-none\n+1', undefined],
  ] as const)
    it(`${what} ${expected === undefined ? 'does not fit' : 'is made'}`, () => {
      assert.equal(after(diff, file), expected);
    });

  it('keeps the ends of lines, and whether the last one has one', () => {
    assert.equal(after('@@ @@\n-one\n+1', 'one\r\ntwo'), '1\r\ntwo');
    assert.equal(after('@@ @@\n-two\n+2\n\\ No newline at end of file', 'one\ntwo'), 'one\n2');
  });

  it('names its files, new ones too', () => {
    const diff = [
      'diff --git a/src/a.ts b/src/a.ts',
      'index 1..2 100644',
      '--- a/src/a.ts\t2026-11-20',
      '+++ b/src/a.ts\t2026-11-21',
      '@@ -1 +1 @@',
      '-a',
      '+b',
      '--- /dev/null',
      '+++ b/src/b.ts',
      '@@ -0,0 +1 @@',
      '+new',
    ].join('\n');
    const [first, second] = readDiff(diff);
    assert.deepEqual([first?.path, first?.isNew], ['b/src/a.ts', false]);
    assert.deepEqual([second?.path, second?.isNew], ['b/src/b.ts', true]);
    assert.equal(changed('', second!), 'new\n');
    assert.equal(second?.isDeleted, false);
    const [gone] = readDiff('--- a/src/a.ts\n+++ /dev/null\n@@ -1 +0,0 @@\n-a');
    assert.deepEqual([gone?.path, gone?.isDeleted], ['a/src/a.ts', true]);
    for (const none of ['just words', '-one\n+1', '@@ -1 +1 @@\n-one\n+1'])
      assert.deepEqual(readDiff(none), []);
  });

  it('never throws, and leaves a file with nothing to change as it is', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (diff, file) => {
        for (const change of readDiff(diff)) changed(file, change);
        assert.equal(changed(file, { hunks: [] })?.replace(/\r?\n/g, ''), file.replace(/\r?\n/g, ''));
      }),
    );
  });

  it('takes time as its length grows', async () => {
    await growsEvenly('reading a diff', 20_000, size =>
      readDiff(`${NAMED}@@ @@\n${'-one\n+two\n'.repeat(size)}`),
    );
    await growsEvenly('finding its place', 20_000, size => {
      const [change] = readDiff(`${NAMED}@@ -9 +9 @@\n${' a\n'.repeat(size)}-b\n+c`);
      changed('a\n'.repeat(2 * size), change!);
    });
  });
});

describe('code of a message', () => {
  it('goes into the first editor whose file can be written, whatever holds that', async () => {
    const written: string[] = [];
    const editor = (scheme: string) => ({
      document: { uri: { scheme } },
      selections: [0],
      edit: (change: (edit: object) => void) => {
        change({ replace: (_: unknown, code: string) => written.push(`${scheme} ${code}`) });
        return Promise.resolve(true);
      },
    });
    const { fs } = workspace;
    afterwards(() => Object.assign(workspace, { fs }));
    Object.assign(workspace, { fs: { isWritableFileSystem: (scheme: string) => scheme.endsWith('vfs') } });
    for (const scheme of ['vscode-vfs', 'untitled']) {
      answering({ activeTextEditor: editor('output'), visibleTextEditors: [editor('git'), editor(scheme)] });
      await insertCode('a()');
    }
    answering({ visibleTextEditors: [] });
    await assert.rejects(insertCode('a()'), /Open a file beside the chat first/);
    assert.deepEqual(written, ['vscode-vfs a()', 'untitled a()']);
  });
});

const bounded = (text: string): string =>
  new Marked({ gfm: true, ...bounds() }).parse(text, { async: false });
/** Whoever reads it shows as it is what is too much. */
const attempt = (text: string): void => {
  try {
    bounded(text);
  } catch {
    // That took no time either.
  }
};
const repeated = (text: string, length: number): string => text.repeat(Math.floor(length / text.length));

describe('bounds of Markdown', () => {
  it('change nothing in everyday texts', () => {
    const text = repeated(
      [
        '## Part\n\nA paragraph with **bold**, *emphasis*, `code` and a [link](https://example.com/a_b_c).',
        '| name | value |\n| :--- | ---: |\n| a | 1 |\n| b | `2` |',
        '1. first\n   - nested\n\n> quoted\n\n```ts\nlet a = b * c;\n```\n\n',
      ].join('\n\n'),
      50_000,
    );
    assert.equal(bounded(text), new Marked({ gfm: true }).parse(text, { async: false }));
  });

  it('keep a wide head from making every short row as wide', () => {
    assert.throws(() => bounded(`${'|a'.repeat(8000)}\n${'|-'.repeat(8000)}\n${'|a\n'.repeat(6000)}`));
    assert.match(bounded(`| a | b |\n| - | - |\n${'| 1 | 2 |\n'.repeat(1000)}`), /<table>/);
  });

  for (const [name, piece] of Object.entries({
    emphasis: '*_a ',
    underscores: 'a_',
    'strikes on lines': '~~a~\n',
    brackets: '![a](',
    'half an address': 'a',
    'rules of tables': '|-\n',
    'underlined titles': 'a\n-\n',
  })) {
    it(`keep ${name} from holding up the page`, async () => {
      await growsEvenly(name, 120_000, size => attempt(`${repeated(piece, size)}@`));
    });
  }
});
