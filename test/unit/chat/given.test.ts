import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { givenBy, readSendRequest, type DiffOf } from '../../../src/chat/attach/given';
import { readPageState } from '../../../src/chat/panel/places';
import { readSessionId } from '../../../src/ui/pick';
import { workspace } from '../../fakes/vscode';

const uri = (path: string) => ({ scheme: 'file', path, toString: () => `file://${path}` });
const range = (from: number, to: number) => ({ start: { line: from, character: 2 }, end: { line: to } });
const noDiff: DiffOf = () => assert.fail('a diff is asked for');

/** What would be attached: addresses, and files with their texts. */
async function attached(args: readonly unknown[], diffOf = noDiff): Promise<unknown> {
  const given = await givenBy(args, diffOf);
  if (given === undefined) return 'files';
  const made = given.files.map(async file => [file.name, Buffer.from(await file.read()).toString()]);
  return [...given.uris, ...(await Promise.all(made))];
}

describe('what menus hand over to be attached', () => {
  const open = workspace.openTextDocument;
  after(() => Object.assign(workspace, { openTextDocument: open }));
  const documentOf = (lines: readonly string[]): unknown => {
    const document = { lineCount: lines.length, lineAt: (line: number) => ({ text: lines[line] }) };
    return Object.assign(workspace, { openTextDocument: () => Promise.resolve(document) });
  };

  it('is a problem with its source, its code, and its lines with their numbers', async () => {
    const x = 'x'.repeat(1_000);
    const lines = ['a', 'b', 'c', 'd', 'e', `${x}, cut`, 'g', 'h', 'i'];
    documentOf(lines);
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
    const given = await attached([{ uri: uri('/shop/total.ts'), problems: [problem, bare] }]);
    assert.deepEqual(given, [['total.ts:5 problem.txt', said.join('\n')]]);
  });

  it('is a discussion at lines of a file', async () => {
    documentOf(['a']);
    const comments = [
      { author: { name: 'Ann' }, body: 'Why?' },
      { author: { name: 'Bo' }, body: { value: '*So*' } },
    ];
    assert.deepEqual(await attached([{ uri: uri('/shop/total.ts'), range: range(0, 0), comments }]), [
      ['total.ts comments.txt', 'total.ts:1:3\n> 1 | a\n\nAnn:\nWhy?\n\nBo:\n*So*\n'],
    ]);
  });

  it('is a failed test with what was expected, and where', async () => {
    const message = { message: { value: 'Not *equal*' }, expectedOutput: '143', actualOutput: '144' };
    const location = { uri: uri('/shop/tax.test.ts'), range: range(8, 8) };
    const stackTrace = [{ label: 'taxOf', uri: uri('/shop/tax.ts'), position: { line: 1, character: 0 } }];
    const test = { label: 'rounds once', parent: { label: 'tax' } };
    const said = [
      ...['Failed test: tax > rounds once', 'tax.test.ts:9:3', '', 'Not *equal*', ''],
      ...['Expected:', '143', '', 'Actual:', '144', '', 'Stack:', '  taxOf (tax.ts:2:1)'],
    ];
    const given = await attached([{ test, message: { ...message, location, stackTrace } }]);
    assert.deepEqual(given, [['rounds once failed.txt', said.join('\n')]]);
  });

  it('is one diff of rows and groups of Source Control; what has none goes itself', async () => {
    const [a, b, c] = ['/a.ts', '/b.ts', '/new.ts'].map(path => ({ resourceUri: uri(path) }));
    const diffOf: DiffOf = files =>
      Promise.resolve({
        diff: Buffer.from(files.map(({ path }) => (path === '/new.ts' ? '' : `diff ${path};`)).join('')),
        rest: files.filter(({ path }) => path === '/new.ts'),
      });
    assert.deepEqual(await attached([a, a], diffOf), [['a.ts.diff', 'diff /a.ts;']]);
    assert.deepEqual(await attached([{ id: 'group', resourceStates: [a, b, c] }], diffOf), [
      'file:///new.ts',
      ['changes.diff', 'diff /a.ts;diff /b.ts;'],
    ]);
  });

  it('is files as before, or a sentence for what is nothing of this', async () => {
    for (const args of [[], [undefined], [null, {}], [uri('/a.ts'), [uri('/a.ts')]]])
      assert.equal(await attached(args), 'files');
    const loop: Record<string, unknown> = { resourceStates: [] };
    loop['resourceStates'] = [loop, null, 7];
    const odd = [
      ...['/etc/passwd', 7, {}, [], loop, { resourceUri: 'x' }, { test: {}, message: null }],
      ...[{ test: { label: 'x' }, message: { message: {} } }, { resourceStates: 'all' }],
      ...[[], [null]].map(problems => ({ uri: uri('/a.ts'), problems })),
      ...[{ uri: 'file:///a.ts', problems: [{ message: 'x', range: range(0, 0) }] }],
    ];
    for (const each of odd)
      await assert.rejects(attached([each]), /^Error: There is nothing here that can be attached\.$/);
  });
});

describe('arguments from outside', () => {
  it('name a session as text or as a row of a tree', () => {
    assert.equal(readSessionId(' s1 '), 's1');
    assert.equal(readSessionId({ kind: 'session', sessionId: 's1' }), 's1');
    for (const nothing of [undefined, null, '', '  ', 5, {}, { sessionId: 5 }, []]) {
      assert.equal(readSessionId(nothing), undefined);
    }
  });

  it('of a send are checked', () => {
    const uri = { scheme: 'file', path: '/a', toString: () => 'file:///a' };
    const request = { sessionId: 's', text: 'hi' };
    const read = readSendRequest({ ...request, attachments: [uri] });
    assert.deepEqual(read, { ...request, attachments: ['file:///a'] });
    for (const wrong of [undefined, 's', { sessionId: 's' }, { sessionId: 's', text: ' ' }, { text: 'hi' }])
      assert.throws(() => readSendRequest(wrong), /session id and a text/);
    assert.throws(() => readSendRequest({ ...request, attachments: ['/a'] }), /list of URIs/);
  });

  it('of a page that is restored are old or hostile, and never trusted', () => {
    const kept = { sessionId: 's', serviceId: 'ab12', title: 't' };
    assert.deepEqual(readPageState(kept), kept);
    for (const wrong of [{ serviceId: '../../etc' }, { sessionId: '' }, { extra: 1 }, { title: 7 }])
      assert.equal(readPageState({ ...kept, ...wrong }), undefined);
    for (const wrong of ['text', null]) assert.equal(readPageState(wrong), undefined);
    fc.assert(fc.property(fc.anything(), state => void readPageState(state)));
    const field = fc.oneof(fc.string(), fc.anything(), fc.constant('../../x'));
    fc.assert(
      fc.property(fc.record({ sessionId: field, serviceId: field, title: field }), state => {
        assert.match(readPageState(state)?.serviceId ?? 'none', /^[a-z0-9_-]+$/);
      }),
    );
  });
});
