import assert from 'node:assert/strict';
import { marked } from 'marked';
import { transcriptDocument } from '../../../src/chat/transcript/markdownDocument';
import { type KnownMessage, toStored } from '../../../src/chat/transcript/messages';
import { RowBuilder } from '../../../src/chat/transcript/rows';
import { Formatter } from '../../../src/util/format';
import { knownOf, message, sendRecord } from './support';

/** Documents are written in the time zone of the machine. */
const AT = new Date(2026, 10, 20, 10, 2).getTime();

function written(known: ReadonlyMap<string, KnownMessage>, more: object = {}): string {
  const format = new Formatter('en');
  const rows = new RowBuilder(format).build({
    known,
    sends: [],
    messageCount: known.size,
    breaks: new Map(),
    ...more,
  });
  const header = {
    title: 'Fix it',
    facts: [{ label: 'Model', value: 'onyx' }],
    messages: '3 messages',
    tokens: { short: '5', detail: 'Input: 3\nOutput: 2' },
  };
  return transcriptDocument({ header, rows, language: 'en' });
}

describe('a session as Markdown', () => {
  it('has headings for the day, each message and what is collapsed, and nothing a person must not see', () => {
    const text = written(
      knownOf(
        message('a', { role: 'user', createdAt: AT, content: [{ type: 'text', text: '# Please\nlook' }] }),
        message('h', { createdAt: AT, visibility: 'llm_only', content: [{ type: 'text', text: 'hidden!' }] }),
        message('s', { role: 'system', createdAt: AT, content: [{ type: 'text', text: 'For all.' }] }),
        toStored('b', {
          id: 'b',
          role: 'assistant',
          createdAt: AT + 60_000,
          updatedAt: 0,
          providerAPhase: 'final_answer',
          providerAEncryptedContent: 'hidden!',
          providerAReasoningSummary: 'Thinking',
          content: [
            { type: 'text', text: 'Done\n```js\n# no heading\n' },
            { type: 'tool_use', name: 'Read', input: { fence: '````', signature: 'hidden!' } },
            { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'hidden!' } },
            { type: 'odd', value: 1 },
          ],
        } as Parameters<typeof toStored>[1]),
      ),
    );
    assert.ok(!text.includes('hidden!'), text);
    const headings = text.split('\n').filter(line => /^#+ /.test(line));
    assert.deepEqual(headings, [
      '# Fix it',
      '## Friday, November 20, 2026',
      headings[2],
      '##### Please',
      headings[4],
      '#### System message',
      headings[6],
      '#### Reasoning',
      '# no heading',
      '#### Used Read',
      '#### Content of the type "odd"',
    ]);
    assert.match(headings[2] ?? '', /^### You, /);
    assert.match(headings[4] ?? '', /^### system, /);
    assert.match(text, /^For all\.$/m);
    assert.match(headings[6] ?? '', /^### Agent \(Final answer\), /);
    assert.match(text, /# no heading\n```\n/, 'a fence left open is closed');
    assert.match(text, /\n`````\nRead \{\n {2}"fence": "````"\n\}\n`````\n/);
    assert.match(text, /- Model: onyx\n- Input: 3\n- Output: 2\n- 3 messages/);
  });

  it('loads nothing of what others have written when it is shown', () => {
    const bad = '![a](https://x.invalid/1) <img src=https://x.invalid/2>';
    const parts = [
      { kind: 'text', text: bad },
      { kind: 'fold', label: ['Used ', bad, ''], texts: [bad], isCode: true },
      { kind: 'fold', label: [bad], texts: [bad], isCode: false },
      { kind: 'file', label: bad },
    ];
    const row = { kind: 'message', author: 'other', role: bad, parts, chips: [{ name: bad, size: '1 KB' }] };
    const text = transcriptDocument({
      header: { title: bad, facts: [{ label: 'Model', value: bad }] },
      rows: [row as never],
      language: 'en',
    });
    const kinds = new Set<string>();
    void marked.walkTokens(marked.lexer(text), ({ type }) => void kinds.add(type));
    assert.ok(kinds.has('code') && kinds.has('link') && !kinds.has('image') && !kinds.has('html'), text);
  });

  it('tells of sends by their state, and of the gap with its number', () => {
    const text = written(new Map(), { sends: [sendRecord({ text: 'Hi' })], messageCount: 4 });
    assert.match(text, /### You, .* \(outcome unknown\)\n\nHi\n\nIt is not known whether/);
    assert.match(text, /\*4 messages cannot be read yet/);
  });
});
