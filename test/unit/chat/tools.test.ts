import assert from 'node:assert/strict';
import type { MessageRow } from '../../../src/chat/protocol';
import { RowBuilder, rowKeyOf } from '../../../src/chat/transcript/rows';
import { Formatter } from '../../../src/util/format';
import { knownOf, message } from './support';

const DAY = Date.UTC(2026, 10, 20, 10);

/** The rows of these messages. */
function rowsOf(...messages: ReturnType<typeof message>[]): MessageRow[] {
  const none = {
    sends: [],
    messageCount: undefined,
    inComposer: undefined,
  };
  const rows = new RowBuilder(new Formatter('en')).build({
    known: knownOf(...messages),
    ...none,
  });
  return rows.filter(row => row.kind === 'message');
}

describe('the use of a tool in a transcript', () => {
  const call = (name: string, given: object) =>
    message('use', {
      createdAt: DAY,
      content: [{ type: 'tool_use', id: 'u', name, input: given }],
    });
  const result = (content: unknown, facts: object = {}) =>
    message('result', {
      createdAt: DAY + 1,
      role: 'tool',
      content: [{ type: 'tool_result', toolUseId: 'u', content }],
      ...facts,
    });
  for (const [name, given, content, words] of [
    ['Grep', { pattern: 'checkout total' }, 'a.ts:1: x', 'Searched for |checkout total|, 1 match'],
    ['grep_search', { query: 'pay' }, 'a\nb\n', 'Searched for |pay|, 2 matches'],
    ['Grep', { pattern: 'pay' }, 'No matches found', 'Searched for |pay|, 0 matches'],
    ['Glob', { pattern: '*.ts' }, 'Found 12 files', 'Listed |*.ts|, 12 matches'],
    ['read_file', { file_path: 'src/a.ts' }, 'text', 'Read |src/a.ts|'],
    ['Edit', { path: 'src/a.ts' }, 'done', 'Edited |src/a.ts|'],
    ['str_replace_editor', { command: 'view', path: 'src/a.ts' }, 'text', 'Read |src/a.ts|'],
    ['str_replace_editor', { command: 'create', path: 'src/a.ts' }, 'done', 'Wrote |src/a.ts|'],
    ['str_replace_editor', { command: 'str_replace', path: 'src/a.ts' }, 'done', 'Edited |src/a.ts|'],
    ['str_replace_editor', { command: 'insert', path: 'src/a.ts' }, 'done', 'Edited |src/a.ts|'],
    ['Execute', { command: 'npm  ci' }, 'added 3', 'Ran |npm ci|'],
    ['WebFetch', { url: 'https://example.com' }, 'text', 'Fetched |https://example.com|'],
    ['mcp__tracker__close', { id: 4 }, 'closed', 'Used |mcp__tracker__close|'],
    ['Read', { path: ['odd'] }, '', 'Used |Read|'],
    ['', null, '', 'Used a tool||'],
  ] as const)
    it(`tells what "${name}" did: ${words.replaceAll('|', '')}`, () => {
      const rows = rowsOf(call(name, given as object), result(content));
      assert.equal(rows.length, 1, 'the result has no row of its own');
      const [part] = rows[0]?.parts ?? [];
      assert.ok(part?.kind === 'fold');
      assert.equal(part.label.join('|'), words);
      assert.ok(part.texts.join('\n').endsWith(content));
    });

  it('is found by the message of a result, too', () => {
    const known = knownOf(call('Read', { path: 'a.ts' }), result('text'), message('a', { createdAt: DAY }));
    assert.deepEqual(
      ['result', 'use', 'a', 'gone'].map(id => rowKeyOf(known, id)),
      ['message:use', 'message:use', 'message:a', 'message:gone'],
    );
  });

  it('tells that a tool failed, also where only its message says so, and shows a result without its use', () => {
    const part = (...known: ReturnType<typeof message>[]) => {
      const [first] = rowsOf(...known)[0]?.parts ?? [];
      return first?.kind === 'fold'
        ? [first.label.join(''), first.failed, first.texts.at(-1)?.replace(/[^]*\}/, '')]
        : first;
    };
    const run = call('Execute', { command: 'npm ci' });
    assert.deepEqual(part(run), ['Ran npm ci', false, '']);
    assert.deepEqual(part(run, result('no', { isError: true })), ['Ran npm ci, failed', true, 'no']);
    assert.deepEqual(part(result('yes')), ['Used a tool', false, 'yes']);
  });
});
