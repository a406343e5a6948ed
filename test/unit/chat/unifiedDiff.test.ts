import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { changed, readDiff } from '../../../src/chat/panel/unifiedDiff';
import { growsEvenly } from '../../growth';

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
