import assert from 'node:assert/strict';
import { goesOn, partText, withDays, type MessageRow, type Row } from '../../../src/chat/protocol';
import { RowBuilder, rowKeyOf, rowText, type RowsInput } from '../../../src/chat/transcript/rows';
import { toStored, type StoredMessage } from '../../../src/chat/transcript/messages';
import { Formatter } from '../../../src/util/format';
import { knownOf, message, sendRecord } from './support';

const DAY = Date.UTC(2026, 10, 20, 10);
const text = (words: string) => ({ type: 'text', text: words });

function build(facts: Partial<RowsInput>, whole = false): Row[] {
  return new RowBuilder(new Formatter('en'), whole).build({
    ...{ known: new Map(), sends: [], messageCount: undefined },
    ...facts,
  });
}
const messages = (rows: readonly Row[]): MessageRow[] => rows.filter(row => row.kind === 'message');
const shown = (...known: readonly StoredMessage[]) => messages(build({ known: knownOf(...known) }));

describe('rows of a transcript', () => {
  it('have a heading a day in the zone of whoever reads, behind which the author is named again', () => {
    const at = (hour: number, minute: number): number => new Date(2026, 10, 20, hour, minute).getTime();
    const times = { a: at(23, 50), b: at(23, 58), c: at(24, 2), d: 1e18 };
    const known = knownOf(...Object.entries(times).map(([id, createdAt]) => message(id, { createdAt })));
    assert.deepEqual(
      withDays(build({ known })).map((row, index, all) =>
        row.kind === 'message' ? goesOn(row, all[index - 1]) : row.kind,
      ),
      ['date', false, true, 'date', false, false],
    );
  });

  it('name the agent once for what it says in one go, tools and all', () => {
    const content = [{ type: 'tool_result', toolUseId: 'u', content: 'done' }];
    const rows = shown(
      message('q', { role: 'user', createdAt: DAY }),
      message('a', { createdAt: DAY + 1000 }),
      message('t', { role: 'tool', createdAt: DAY + 2000, content }),
      message('b', { createdAt: DAY + 3000 }),
      message('c', { createdAt: DAY + 60 * 60_000 }),
    );
    const named = rows.map((row, index) => `${row.author}${goesOn(row, rows[index - 1]) ? ' again' : ''}`);
    assert.deepEqual(named, ['person', 'agent', 'agent again', 'agent again', 'agent']);
  });

  it('hold no hidden message, which counts as known', () => {
    const content = [text('XYZZY')];
    const known = knownOf(
      message('a', { createdAt: DAY }),
      message('b', { createdAt: DAY + 1, visibility: 'llm_only', role: 'system', content }),
      message('c', { createdAt: DAY + 2, isUserVisible: false, content }),
    );
    const rows = (messageCount: number): string[] =>
      build({ known, messageCount }).map(row => (row.kind === 'gap' ? row.sentence : row.key));
    const missing = '2 messages cannot be read yet; they appear with your next message';
    assert.deepEqual(rows(5), ['message:a', missing]);
    assert.doesNotMatch(JSON.stringify(build({ known })), /XYZZY/);
    known.delete('a');
    // A session of nothing else is not empty.
    assert.deepEqual(rows(2), ['2 messages of this session are not shown by the service']);
  });

  it('show what the system says to everybody as a block of its own', () => {
    const content = [text('Be **brief**.')];
    for (const visibility of [{}, { visibility: 'both' }, { visibility: 'user_only' }]) {
      const [row, ...others] = shown(message('s', { role: 'system', content, ...visibility }));
      const [part] = row?.parts ?? [];
      assert.ok(part?.kind === 'fold' && !part.isCode);
      assert.deepEqual([part.label, part.texts, others], [['System message'], ['Be **brief**.'], []]);
    }
  });

  it('show messages of an unknown time last and of an unknown author as such', () => {
    const content = [text('words')];
    const rows = shown({ id: 'bare', content }, message('a', { createdAt: DAY, content }));
    const { id, author, role, at } = rows.at(-1) ?? {};
    assert.deepEqual([rows.length, id, author, role, at], [2, 'bare', 'other', 'author unknown', undefined]);
  });

  describe('with messages that are not known', () => {
    const asked = knownOf(message('q', { role: 'user', createdAt: DAY }));
    const answered = knownOf(message('a', { createdAt: DAY }));
    const broken = knownOf(message('q', { role: 'user', parentId: 'p' }));
    const walked = (...failed: [string, string][]) => ({ isOn: false, failed: new Map(failed) });
    const later = '7 messages cannot be read yet; they appear with your next message';
    const working = ['running', 'pending', 'unknown', undefined].map(status => ({ known: asked, status }));
    const cases: readonly (readonly [sentence: string, isReasoned: boolean, facts: Partial<RowsInput>])[] = [
      ['The agent has answered (7 messages).', true, { known: asked }],
      ['The agent has answered (1 message).', true, { known: asked, messageCount: 2 }],
      [later, true, { known: answered }],
      [later.replace('7', '8'), true, {}],
      [later, false, { known: asked, sends: [sendRecord({ state: 'sending' })] }],
      ...working.map(facts => [later, false, facts] as const),
      ['7 messages of this session are not shown by the service', false, { known: asked, complete: true }],
      ['7 messages have not been read yet', false, { known: broken, walk: walked() }],
    ];
    for (const [sentence, isReasoned, facts] of cases)
      it(`say "${sentence}" of ${JSON.stringify(Object.keys(facts))}, ${facts.status ?? ''}`, () => {
        const rows = build({ messageCount: 8, status: 'idle', webApp: true, ...facts });
        const gap = rows.findLast(row => row.kind === 'gap');
        const reason = isReasoned ? 'This service shows replies only after your next message.' : undefined;
        const told = [gap?.sentence, gap?.reason, gap?.webApp];
        assert.deepEqual(told, [sentence, reason, isReasoned || undefined]);
      });

    it('say where it has not read on, and that it can', () => {
      const [gap] = build({ known: broken, walk: walked(['p', 'Down.']) });
      assert.ok(gap?.kind === 'gap' && gap.canRead === true);
      assert.equal(gap.sentence, 'Earlier messages could not be read: Down.');
    });
  });

  it('show each kind of content as what it is', () => {
    const output = [text('out'), { type: 'image' }];
    const source = (mediaType: string) => ({ type: 'base64', data: 'AAAA', mediaType });
    const content = [
      text('words'),
      { type: 'thinking', thinking: 'hm' },
      { type: 'redacted_thinking' },
      { type: 'tool_use', id: 'u1', name: 'Read', input: { path: 'a.ts' } },
      { type: 'tool_result', toolUseId: 'u1', content: output, isError: true },
      { type: 'image', source: source('image/png') },
      { type: 'document', source: source('application/pdf') },
      { type: 'hologram', depth: 3 },
      text('  '),
    ];
    const [row] = shown(message('a', { createdAt: DAY, providerAReasoningSummary: 'I think', content }));
    const prose = { kind: 'fold', icon: 'lightbulb', preview: '', isCode: false, failed: false };
    const failed = { icon: 'error', label: ['Read ', 'a.ts', ', failed'], preview: 'out [image]' };
    const odd = { icon: 'symbol-misc', label: ['Content of the type "hologram"'] };
    assert.deepEqual(row?.parts, [
      { ...prose, label: ['Reasoning'], preview: 'I think', texts: ['I think'] },
      { kind: 'text', text: 'words' },
      { ...prose, label: ['Reasoning'], preview: 'hm', texts: ['hm'] },
      { ...prose, label: ['Reasoning withheld by the model provider'], texts: [] },
      {
        ...{ ...prose, ...failed, isCode: true, failed: true },
        texts: ['Read {\n  "path": "a.ts"\n}', 'out\n[image]'],
      },
      { kind: 'file', label: 'Image · image/png · 3 bytes', picture: 'a\n5' },
      { kind: 'file', label: 'Document · application/pdf · 3 bytes' },
      { ...prose, ...odd, isCode: true, texts: ['{\n  "depth": 3\n}'] },
    ]);
  });

  it('show what a person attached as the composer does, with the names it was sent from here with', () => {
    const pictures = ['QUJD', 'QUI='].map(data => ({
      type: 'image',
      source: { mediaType: 'image/png', data },
    }));
    const content = [text('Look'), ...pictures];
    const body = toStored('a', { id: 'a', role: 'user', createdAt: DAY, updatedAt: DAY, content });
    const file = (name: string, size: number, kind: 'image' | 'text' = 'image') => ({ name, size, kind });
    const chips = (...attachments: readonly ReturnType<typeof file>[]): unknown[] => {
      const known = new Map([['a', { id: 'a', message: body, sent: { at: DAY, text: '', attachments } }]]);
      return messages(build({ known })).flatMap(row => {
        assert.deepEqual(row.parts, [{ kind: 'text', text: 'Look' }]);
        return row.chips.map(({ name, size, picture }) => [name, size, picture]);
      });
    };
    assert.deepEqual(chips(file('one.png', 3), file('notes.md', 9, 'text'), file('two.png', 2)), [
      ['one.png', '3 bytes', 'a\n1'],
      ['notes.md', '9 bytes', undefined],
      ['two.png', '2 bytes', 'a\n2'],
    ]);
    assert.deepEqual(chips(), [
      ['Image', '3 bytes', 'a\n1'],
      ['Image', '2 bytes', 'a\n2'],
    ]);
  });

  it('show a document of a person that was not sent from here, also where there is nothing else', () => {
    const source = { type: 'base64', mediaType: 'application/pdf', data: 'QUJD', name: 'plan.pdf' };
    const [row] = shown(message('a', { role: 'user', content: [{ type: 'document', source }] }));
    const chips = row?.chips.map(({ name, kind, size }) => [name, kind, size]);
    assert.deepEqual(chips, [['plan.pdf', 'pdf', '3 bytes']]);
  });

  it('show sends by their state, the unknown one with what is known', () => {
    const sends = [
      sendRecord({ id: 'u', before: { messageCount: 13, updatedAt: 1 } }),
      sendRecord({ id: 's', state: 'sending' }),
      sendRecord({ id: 'a', state: 'accepted', messageId: 'm' }),
    ];
    const known = knownOf(message('m', { visibility: 'llm_only' }));
    const rows = messages(build({ sends, messageCount: 14, statusAt: 2_000_000, known }));
    const unknown = 'It is not known whether this message arrived.';
    assert.deepEqual(
      rows.map(({ send }) => [send?.state, send?.sentence]),
      [
        ['unknown', `${unknown} The session has 14 messages now, 13 when last checked.`],
        ['sending', ''],
      ],
    );
  });

  it('never let an accepted send out of sight before the transcript has its message', () => {
    const sends = [sendRecord({ state: 'accepted', messageId: 'm' })];
    const keys = (facts: Partial<RowsInput>): string[] => build({ sends, ...facts }).map(row => row.key);
    assert.deepEqual(keys({}), ['send:s1']);
    assert.deepEqual(keys({ known: knownOf(message('m', { role: 'user', createdAt: DAY })) }), ['message:m']);
  });

  it('hold no bidi and control characters', () => {
    const [row] = shown(message('a', { role: 'wiz\u202eard', content: [text('a\u202eb\u0007')] }));
    assert.match(JSON.stringify(row), /wiz.*a.b/);
    assert.doesNotMatch(JSON.stringify(row), /[\u202e\u0007]/);
  });
});

describe('a message that is longer than a page takes', () => {
  const long = `${'word '.repeat(20_000)}the very end`;

  it('is shown by its beginning, never half a character, with how much more there is', () => {
    const part = {
      kind: 'text',
      text: long.slice(0, 50_000),
      cut: '50,012 more characters are not shown here.',
    };
    const [row] = shown(message('a', { content: [text(long), text(`x${'🙂'.repeat(50_000)}`)] }));
    assert.deepEqual(row?.parts[0], part);
    assert.doesNotMatch(JSON.stringify(row.parts[1]), /\p{Surrogate}/u);
    const [send] = messages(build({ sends: [sendRecord({ text: long })] }));
    assert.deepEqual(send?.parts, [part]);
  });

  it('is cut as a whole, too, however many parts it has', () => {
    const { parts } = shown(message('a', { content: Array.from({ length: 100 }, () => text(long)) }))[0]!;
    assert.equal(parts.map(partText).join('').length, 400_000);
    assert.ok(parts.every(part => 'cut' in part));
    const use = { type: 'tool_use', id: 'u', name: 'Run', input: long };
    const result = { type: 'tool_result', toolUseId: 'u', content: `${long}!` };
    const [row] = shown(message('a', { content: [use, result] }));
    const { cut } = row?.parts[0] as { readonly cut: string };
    assert.match(cut, /^50,014 more characters are not shown here\. 50,013 more characters/);
  });

  it('is whole where it is copied or written', () => {
    const known = knownOf(message('a', { content: [text(long)] }));
    const rows = build({ known, sends: [sendRecord({ text: long })] }, true);
    assert.deepEqual(rows.map(rowText).filter(Boolean), [long, long]);
  });

  it('is copied as what it says, else as all it holds', () => {
    const use = { type: 'tool_use', id: 'u', name: 'Read', input: { path: 'a.ts' } };
    const thinking = { type: 'thinking', thinking: 'hm' };
    const copied = (fields: object, ...content: object[]): string =>
      shown(message('a', { ...fields, content: content as never }))
        .map(rowText)
        .join();
    assert.match(copied({}, { type: 'redacted_thinking' }, use), /^Read /);
    assert.match(copied({}, thinking, use), /^hm\n\nRead /);
    assert.equal(copied({ providerAPhase: 'commentary' }, thinking, text('So far')), 'So far');
    assert.equal(copied({ role: 'user' }, { type: 'document', name: 'plan.pdf' }), 'plan.pdf');
  });
});

describe('the use of a tool in a transcript', () => {
  const call = (name: string, input: object) =>
    message('use', { createdAt: DAY, content: [{ type: 'tool_use', id: 'u', name, input }] });
  const result = (content: unknown, facts: object = {}) => {
    const items = [{ type: 'tool_result', toolUseId: 'u', content }];
    return message('result', { createdAt: DAY + 1, role: 'tool', content: items, ...facts });
  };

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
      const rows = shown(call(name, given as object), result(content));
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
    const told = (...known: readonly StoredMessage[]) => {
      const [part] = shown(...known)[0]?.parts ?? [];
      assert.ok(part?.kind === 'fold');
      return [part.label.join(''), part.failed, part.texts.at(-1)?.replace(/[^]*\}/, '')];
    };
    const run = call('Execute', { command: 'npm ci' });
    assert.deepEqual(told(run), ['Ran npm ci', false, '']);
    assert.deepEqual(told(run, result('no', { isError: true })), ['Ran npm ci, failed', true, 'no']);
    assert.deepEqual(told(result('yes')), ['Used a tool', false, 'yes']);
  });
});
