import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { Marked } from 'marked';
import { bounds } from '../../../media/chat/bounds';
import {
  applyDiff,
  candidates,
  changed,
  compareDiff,
  insertCode,
  readDiff,
  readPosition,
} from '../../../src/chat/panel/codeBlocks';
import { PATH, type Row, type Splice } from '../../../src/chat/protocol';
import { RowFeed, type RowsInput } from '../../../src/chat/transcript/rows';
import { workspace } from '../../fakes/vscode';
import { growsEvenly } from '../../growth';
import { later, answering, knownOf, message, rowsOf, until } from './support';

const repeated = (piece: string, length: number): string => piece.repeat(Math.floor(length / piece.length));

describe('a file named in a message', () => {
  const found = (text: string): string[] => [...text.matchAll(PATH)].map(([match]) => match);
  const folder = { path: '/home/me/shop', name: 'shop' };

  for (const [text, ...names] of [
    ['See src/a.ts:41, (./c-d.test.tsx:1:20), "C.java:7"', 'src/a.ts:41', './c-d.test.tsx:1:20', 'C.java:7'],
    ['at /home/me/shop/a.ts:3:1\n  src\\win.ts:9', '/home/me/shop/a.ts:3:1', 'src\\win.ts:9'],
    ['@scope/pkg/index.d.ts:12', '@scope/pkg/index.d.ts:12'],
    ['api.example.com:443, 10:30, v1.2.3:4, https://a.example/b.ts:4 a:b:4 x.ts:'],
  ])
    it(`has a line, and perhaps a column: ${text}`, () => assert.deepEqual(found(text!), names));

  it('is found in texts made to be read slowly', async () => {
    for (const part of ['a/', 'a.', '.a', '+', '~a', 'a.b/', '/.', 'a.b:1:', '..\\', '@a.b '])
      await growsEvenly(part, 50_000, size => found(repeated(part, size)));
  });

  it('is read as a path with a line, and perhaps a column', () => {
    const read = ['src/a.ts:41', 'src\\a.ts:41:7', 'a.ts:0:0'].map(each =>
      Object.values(readPosition(each)!).join(),
    );
    assert.deepEqual(read, ['src/a.ts,41,1', 'src/a.ts,41,7', 'a.ts,1,1']);
    for (const wrong of ['a.ts', 'a.ts:', ':4', 'a.ts:x', 'a\n.ts:4', 'https://a.ts:4', 'command:x:4'])
      assert.equal(readPosition(wrong), undefined, wrong);
  });

  it('is looked for below the folder only', () => {
    for (const path of ['src/a.ts', './src/../src/a.ts', '/home/me/shop/src/a.ts'])
      assert.deepEqual(candidates(path, folder), ['src/a.ts']);
    for (const path of ['shop/src/a.ts', 'a/src/a.ts'])
      assert.deepEqual(candidates(path, folder), [path, 'src/a.ts']);
    for (const path of ['/etc/passwd', '../a.ts', 'src/../../a.ts', '/home/me/shopping/a.ts', '..', '.', '/'])
      assert.deepEqual(candidates(path, folder), [], path);
    const known = fc.constantFrom('..', '.', '', 'a', 'src', 'shop', '/', '/home/me/shop');
    fc.assert(
      fc.property(fc.array(fc.oneof(known, fc.string())), parts => {
        for (const path of candidates(parts.join('/'), folder))
          assert.ok(!path.startsWith('/') && !path.split('/').includes('..') && path !== '');
      }),
    );
  });
});

const NAMED = '--- a/f\n+++ b/f\n';
const OFF = '@@ -3 +3 @@\n-four\n+4\n';
const TWO = '--- f\n+++ f\n@@ @@\n-three\n+3\n\n--- g\n+++ g\n@@ @@\n';
const OPEN = '\\ No newline at end of file';
const FILE = 'one\ntwo\nthree\nfour\ntwo\nfive\n';

/** The file after each change of a diff in turn. */
const after = (diff: string, file = FILE): string | undefined =>
  readDiff(diff.startsWith('---') ? diff : `${NAMED}${diff}`).reduce<string | undefined>(
    (text, change) => text && changed(text, change),
    file,
  );

describe('a diff of a message', () => {
  for (const [what, diff, expected, file] of [
    ['beside spaces at the ends of lines', '@@ @@\n a\n-two\n+2\n', 'a  \n2\n', 'a  \ntwo\n'],
    ['with places', '@@ -5,2 +5,2 @@\n-two\n+2\n five\n', 'one\ntwo\nthree\nfour\n2\nfive\n'],
    ['whose places are off', `${OFF}@@ -2,1 +2,1 @@ f()\n-one\n+1`, '1\ntwo\nthree\n4\ntwo\nfive\n'],
    ['without places', '@@ @@\n-three\n+3\n+3.5\n four', 'one\ntwo\n3\n3.5\nfour\ntwo\nfive\n'],
    ['with an empty line as written', '@@ @@\n one\n-two\n+2\n three', 'one\n2\nthree\nfour\ntwo\nfive\n'],
    ['that only adds', '@@ -1,0 +2,1 @@\n+new', 'one\nnew\ntwo\nthree\nfour\ntwo\nfive\n'],
    ['that adds at the beginning', '@@ -0,0 +1 @@\n+new', `new\n${FILE}`],
    ['of two files, with an empty line between', `${TWO}-five\n+5\n`, 'one\ntwo\n3\nfour\ntwo\n5\n'],
    ['with an empty line in it', '@@ @@\n-six\n\n+6\n', '\n6\n', 'six\n\n'],
    ['that ends lines as Windows does', '@@ @@\n-one\n+1', '1\r\ntwo', 'one\r\ntwo'],
    ['without an end of the last line', `@@ @@\n-two\n+2\n${OPEN}`, 'one\n2', 'one\ntwo'],
    ['that fits two places and names neither', '@@ -4 +4 @@\n-two\n+2', undefined],
    ['that fits nowhere', '@@ -1 +1 @@\n-none\n+1', undefined],
  ] as const)
    it(`${what} ${expected === undefined ? 'does not fit' : 'is made'}`, () =>
      assert.equal(after(diff, file), expected));

  it('names its files, new ones too', () => {
    const files = readDiff(
      [
        ...['diff --git a/src/a.ts b/src/a.ts', 'index 1..2 100644'],
        ...['--- a/src/a.ts\t2026-11-20', '+++ b/src/a.ts\t2026-11-21', '@@ -1 +1 @@', '-a', '+b'],
        ...['--- /dev/null', '+++ b/src\\b.ts', '@@ -0,0 +1 @@', '+new'],
        ...['--- a/src/a.ts', '+++ b/src/a.ts', '@@ -9 +9 @@', '-y', '+z'],
        ...['--- a/src/c.ts', '+++ /dev/null', '@@ -1 +0,0 @@', '-a'],
      ].join('\n'),
    );
    const told = files.map(({ path, isNew, isDeleted }) => `${path} ${isNew} ${isDeleted}`);
    assert.deepEqual(told, ['b/src/a.ts false false', 'b/src/b.ts true false', 'a/src/c.ts false true']);
    assert.equal(changed('', files[1]!), 'new\n');
    assert.equal(changed('a\nx\ny', files[0]!), 'b\nx\nz', 'also one that is named twice');
    for (const none of ['just words', '@@ -1 +1 @@\n-one\n+1']) assert.deepEqual(readDiff(none), []);
  });

  it('is of a file in a folder that it does not name, such as that of its repository', async () => {
    const uri = { path: '/mono/shop/f' };
    answering(
      {
        findFiles: (files: string) => Promise.resolve(files === '**/f' ? [uri] : []),
        openTextDocument: () => Promise.resolve({ uri, getText: () => FILE }),
        asRelativePath: () => 'shop/f',
      },
      workspace,
    );
    const compared: object[] = [];
    const compare = (shown: object) => Promise.resolve(compared.push(shown) as never);
    const diff = `${NAMED}@@ @@\n-one\n+1\n`;
    await compareDiff(diff, { compare });
    later(() => (workspace.isTrusted = true));
    workspace.isTrusted = false;
    await assert.rejects(applyDiff(diff), /not changed in Restricted Mode/);
    assert.partialDeepStrictEqual(compared, [{ before: uri, after: FILE.replace('one', '1') }]);
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

it('code of a message goes into the first editor whose file can be written, whatever holds that', async () => {
  const written: string[] = [];
  const editor = (scheme: string) => ({
    document: { uri: { scheme } },
    selections: [0],
    edit: (change: (edit: object) => void) => {
      change({ replace: (_: unknown, code: string) => written.push(`${scheme} ${code}`) });
      return Promise.resolve(true);
    },
  });
  answering({ fs: { isWritableFileSystem: (scheme: string) => scheme.endsWith('vfs') } }, workspace);
  for (const scheme of ['vscode-vfs', 'untitled']) {
    answering({ activeTextEditor: editor('output'), visibleTextEditors: [editor('git'), editor(scheme)] });
    await insertCode('a()');
  }
  answering({ visibleTextEditors: [] });
  await assert.rejects(insertCode('a()'), /Open a file beside the chat first/);
  assert.deepEqual(written, ['vscode-vfs a()', 'untitled a()']);
});

const bounded = (text: string): string =>
  new Marked({ gfm: true, ...bounds() }).parse(text, { async: false });

describe('bounds of Markdown', () => {
  const turn = (): Promise<void> => new Promise(resolve => setTimeout(resolve)); // The bound begins anew.
  beforeEach(turn);

  it('change nothing in everyday texts', () => {
    const part =
      '## A **bold**, *mild* `x` [a](https://a.b/c_d_e)\n\n|a|b|\n|:-|-:|\n|a|`2`|\n\n1. a\n   - b\n\n> c\n\n```ts\nlet a = b * c;\n```\n\n';
    const text = repeated(part, 50_000);
    assert.equal(bounded(text), new Marked({ gfm: true }).parse(text, { async: false }));
  });

  it('keep a wide head from making every short row as wide, and a thousand texts from taking a thousand times as long', async () => {
    assert.throws(() => bounded(`${'|a'.repeat(8000)}\n${'|-'.repeat(8000)}\n${'|a\n'.repeat(6000)}`));
    await turn();
    const slow = repeated('*_a ', 6_000);
    bounded(slow);
    assert.throws(() => bounded(slow));
    await turn();
    assert.match(bounded(`| a | b |\n| - | - |\n${'| 1 | 2 |\n'.repeat(1000)}`), /<table>/);
  });

  it('keep texts made to be read slowly from holding up the page', async () => {
    for (const piece of ['*_a ', 'a_', '~~a~\n', '![a](', 'a', '|-\n', 'a\n-\n'])
      await growsEvenly(piece, 120_000, size => {
        try {
          bounded(`${repeated(piece, size)}@`);
        } catch {
          // What is too much is shown as it is; that takes no time either.
        }
      });
  });
});

/** So many messages; their links alone tell their order. */
const many = (length: number): RowsInput => {
  const made = Array.from({ length }, (_, index) => {
    const parent = index === 0 ? {} : { parentId: `m${index - 1}` };
    return message(`m${index}`, { createdAt: 1_000_000_000_000 - index * 60_000, ...parent });
  });
  return { known: knownOf(...made), sends: [], messageCount: undefined };
};

const keys = (rows: readonly Row[] = []): string[] => rows.map(({ key }) => key);
const built = (input: RowsInput): string[] => keys(rowsOf(input));

/** A page and what it holds after the splices it was sent. */
function paged() {
  const splices: Splice[] = [];
  let rows: readonly Row[] = [];
  const feed = new RowFeed(splice => {
    splices.push(splice);
    rows = rows.toSpliced(splice.from, splice.remove, ...splice.rows);
  });
  later(() => feed.dispose());
  const filled = async (): Promise<readonly string[]> => {
    await until(() => splices.at(-1)?.isWhole === true);
    return keys(rows);
  };
  const rebuilt = (): void => {
    feed.pause();
    rows = [];
  };
  return { feed, splices, filled, rebuilt, rows: () => keys(rows) };
}

describe('the rows a page is sent', () => {
  it('are only those that changed, all where it is built anew, and end up as the panel has them', async () => {
    const pool = [...many(12).known];
    const of = (known: typeof pool): RowsInput => ({ ...many(0), known: new Map(known) });
    const change = fc.record({ known: fc.subarray(pool), isAnew: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 12 }), async changes => {
        const { feed, filled, splices, rebuilt } = paged();
        for (const { known, isAnew } of changes) {
          if (isAnew) rebuilt();
          const input = of(known);
          feed.show(input);
          assert.deepEqual(await filled(), built(input));
          const { length } = splices;
          feed.show(input);
          assert.equal(splices.length, length);
        }
      }),
    );
    const { feed, splices } = paged();
    for (const shown of [2, 3]) feed.show(of(pool.slice(0, shown)));
    const { from, remove, isWhole, rows } = splices.at(-1) ?? {};
    assert.deepEqual([from, remove, isWhole, keys(rows)], [2, 0, true, ['message:m2']]);
  });

  it('begin with the end of a long transcript, and the rest follows', async () => {
    const { feed, splices, rows, filled } = paged();
    const input = many(5000);
    feed.show(input);
    const all = built(input);
    assert.equal(rows().at(-1), 'message:m4999');
    assert.ok(rows().length > 1 && rows().length <= 250, `${rows().length} rows`);
    assert.equal(splices[0]!.isWhole, false, 'the page waits for the rest');
    assert.deepEqual(await filled(), all);
    const known = new Map(input.known);
    for (const [id, { message }] of [...known].slice(0, 4900))
      known.set(id, { id, message: { ...message!, isUserVisible: false } });
    const again = paged();
    again.feed.show({ ...input, known });
    assert.equal((await again.filled()).length, 100);
  });

  it('are never taken away again when a transcript grows long while it is shown', () => {
    const { feed, splices, rows } = paged();
    const long = many(1200);
    feed.show({ ...long, known: new Map([...long.known].slice(0, 100)) });
    feed.show(long);
    assert.ok(splices.every(({ remove }) => remove === 0));
    assert.ok(rows().length >= 1200);
  });
});
