import assert from 'node:assert/strict';
import { goesOn, partText, withDays, type MessageRow, type Row } from '../../../src/chat/protocol';
import { RowBuilder, rowKeyOf, rowText, type RowsInput } from '../../../src/chat/transcript/rows';
import { toStored } from '../../../src/chat/transcript/messages';
import { Formatter } from '../../../src/util/format';
import { knownOf, message, sendRecord } from './support';

const DAY = Date.UTC(2026, 10, 20, 10);

function input(facts: Partial<RowsInput> = {}): RowsInput {
  return {
    known: new Map(),
    sends: [],
    messageCount: undefined,
    ...facts,
  };
}

const build = (facts: Partial<RowsInput>): Row[] => new RowBuilder(new Formatter('en')).build(input(facts));
const messages = (rows: readonly Row[]): MessageRow[] => rows.filter(row => row.kind === 'message');

describe('rows of a transcript', () => {
  it('have a heading a day in the zone of whoever reads, behind which the author is named again', () => {
    const at = (hour: number, minute: number): number => new Date(2026, 10, 20, hour, minute).getTime();
    const known = knownOf(
      message('a', { createdAt: at(23, 50) }),
      message('b', { createdAt: at(23, 58) }),
      message('c', { createdAt: at(24, 2) }),
      message('d', { createdAt: 1e18 }),
    );
    assert.deepEqual(
      withDays(build({ known })).map((row, index, all) =>
        row.kind === 'message' ? goesOn(row, all[index - 1]) : row.kind,
      ),
      ['date', false, true, 'date', false, false],
    );
  });

  it('names the agent once for what it says in one go, tools and all', () => {
    const known = knownOf(
      message('q', { role: 'user', createdAt: DAY }),
      message('a', { createdAt: DAY + 1000 }),
      message('t', {
        role: 'tool',
        createdAt: DAY + 2000,
        content: [{ type: 'tool_result', toolUseId: 'u', content: 'done' }],
      }),
      message('b', { createdAt: DAY + 3000 }),
      message('c', { createdAt: DAY + 60 * 60_000 }),
    );
    const rows = messages(build({ known }));
    assert.deepEqual(
      rows.map((row, index) => [row.author, goesOn(row, rows[index - 1])]),
      [
        ['person', false],
        ['agent', false],
        ['agent', true],
        ['agent', true],
        ['agent', false],
      ],
    );
  });

  it('renders no hidden message, and counts it as known', () => {
    const content = [{ type: 'text', text: 'XYZZY' }];
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

  it('shows what the system says to everybody as a block of its own', () => {
    const content = [{ type: 'text', text: 'Be **brief**.' }];
    for (const visibility of [{}, { visibility: 'both' }, { visibility: 'user_only' }]) {
      const rows = build({ known: knownOf(message('s', { role: 'system', content, ...visibility })) });
      const [part] = messages(rows)[0]?.parts ?? [];
      assert.ok(part?.kind === 'fold' && !part.isCode);
      assert.deepEqual([part.label, part.texts], [['System message'], ['Be **brief**.']]);
      assert.ok(!rows.some(row => row.kind === 'gap'));
    }
  });

  it('shows messages of an unknown time last and of an unknown author as such', () => {
    const content = [{ type: 'text', text: 'words' }];
    const known = knownOf({ id: 'bare', content }, message('a', { createdAt: DAY, content }));
    const rows = build({ known });
    assert.deepEqual(
      rows.map(row => row.kind),
      ['message', 'message'],
    );
    const last = messages(rows).at(-1);
    assert.deepEqual(
      [last?.id, last?.author, last?.role, last?.at],
      ['bare', 'other', 'author unknown', undefined],
    );
  });

  describe('with messages that are not known', () => {
    const asked = knownOf(message('q', { role: 'user', createdAt: DAY }));
    const answered = knownOf(message('a', { createdAt: DAY }));
    const broken = knownOf(message('q', { role: 'user', parentId: 'p' }));
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
      [
        '7 messages have not been read yet',
        false,
        { known: broken, walk: { isOn: false, failed: new Map() } },
      ],
    ];
    for (const [sentence, isReasoned, facts] of cases)
      it(`says "${sentence}" of ${JSON.stringify(Object.keys(facts))}, ${facts.status ?? ''}`, () => {
        const rows = build({ messageCount: 8, status: 'idle', webApp: true, ...facts });
        const gap = rows.findLast(row => row.kind === 'gap');
        const reason = isReasoned ? 'This service shows replies only after your next message.' : undefined;
        assert.deepEqual(
          [gap?.sentence, gap?.reason, gap?.webApp],
          [sentence, reason, isReasoned || undefined],
        );
      });

    it('says where it has not read on, and that it can', () => {
      const [gap] = build({ known: broken, walk: { isOn: false, failed: new Map([['p', 'Down.']]) } });
      assert.ok(gap?.kind === 'gap' && gap.canRead === true);
      assert.equal(gap.sentence, 'Earlier messages could not be read: Down.');
    });
  });

  it('shows each kind of content as what it is', () => {
    const body = message('a', {
      createdAt: DAY,
      providerAReasoningSummary: 'I think',
      content: [
        { type: 'text', text: 'words' },
        { type: 'thinking', thinking: 'hm' },
        { type: 'redacted_thinking' },
        { type: 'tool_use', id: 'u1', name: 'Read', input: { path: 'a.ts' } },
        {
          type: 'tool_result',
          toolUseId: 'u1',
          content: [{ type: 'text', text: 'out' }, { type: 'image' }],
          isError: true,
        },
        { type: 'image', source: { type: 'base64', data: 'AAAA', mediaType: 'image/png' } },
        { type: 'document', source: { type: 'base64', data: 'AAAA', mediaType: 'application/pdf' } },
        { type: 'hologram', depth: 3 },
        { type: 'text', text: '  ' },
      ],
    });
    const [row] = messages(build({ known: knownOf(body) }));
    const prose = { kind: 'fold', icon: 'lightbulb', preview: '', isCode: false, failed: false };
    const code = { ...prose, isCode: true };
    assert.deepEqual(row?.parts, [
      { ...prose, label: ['Reasoning'], preview: 'I think', texts: ['I think'] },
      { kind: 'text', text: 'words' },
      { ...prose, label: ['Reasoning'], preview: 'hm', texts: ['hm'] },
      { ...prose, label: ['Reasoning withheld by the model provider'], texts: [] },
      {
        ...code,
        icon: 'error',
        label: ['Read ', 'a.ts', ', failed'],
        preview: 'out [image]',
        texts: ['Read {\n  "path": "a.ts"\n}', 'out\n[image]'],
        failed: true,
      },
      { kind: 'file', label: 'Image · image/png · 3 bytes', picture: 'a\n5' },
      { kind: 'file', label: 'Document · application/pdf · 3 bytes' },
      {
        ...code,
        icon: 'symbol-misc',
        label: ['Content of the type "hologram"'],
        texts: ['{\n  "depth": 3\n}'],
      },
    ]);
  });

  it('shows what a person attached as the composer does, with the names it was sent from here with', () => {
    const picture = (data: string) => ({
      type: 'image',
      source: { type: 'base64', mediaType: 'image/png', data },
    });
    const content = [{ type: 'text', text: 'Look' }, ...['QUJD', 'QUI='].map(picture)];
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

  it('shows a document of a person that was not sent from here, also where there is nothing else', () => {
    const source = { type: 'base64', mediaType: 'application/pdf', data: 'QUJD', name: 'plan.pdf' };
    const known = knownOf(message('a', { role: 'user', content: [{ type: 'document', source }] }));
    const [row] = messages(build({ known }));
    assert.deepEqual(
      row?.chips.map(({ name, kind, size }) => [name, kind, size]),
      [['plan.pdf', 'pdf', '3 bytes']],
    );
  });

  it('shows sends by their state, the unknown one with what is known', () => {
    const sends = [
      sendRecord({ id: 'u', before: { messageCount: 13, updatedAt: 1 } }),
      sendRecord({ id: 's', state: 'sending' }),
      sendRecord({ id: 'a', state: 'accepted', messageId: 'm' }),
    ];
    const asked = { messageCount: 14, statusAt: 2_000_000 };
    const rows = build({ sends, ...asked, known: knownOf(message('m', { visibility: 'llm_only' })) });
    assert.deepEqual(
      messages(rows).map(({ send }) => send && [send.state, send.sentence]),
      [
        [
          'unknown',
          'It is not known whether this message arrived. The session has 14 messages now, 13 when last checked.',
        ],
        ['sending', ''],
      ],
    );
  });

  it('never lets an accepted send out of sight before the transcript has its message', () => {
    const sends = [sendRecord({ state: 'accepted', messageId: 'm' })];
    const keys = (facts: Partial<RowsInput>): string[] => build({ sends, ...facts }).map(row => row.key);
    assert.deepEqual(keys({}), ['send:s1']);
    assert.deepEqual(keys({ known: knownOf(message('m', { role: 'user', createdAt: DAY })) }), ['message:m']);
  });

  it('takes bidi and control characters out of what it shows', () => {
    const body = message('a', {
      createdAt: DAY,
      role: 'wiz\u202eard',
      content: [{ type: 'text', text: 'a\u202eb\u0007' }],
    });
    const [row] = messages(build({ known: knownOf(body) }));
    assert.doesNotMatch(JSON.stringify(row), /[\u202e\u0007]/);
  });
});

describe('a message that is longer than a page takes', () => {
  const long = `${'word '.repeat(20_000)}the very end`;
  const text = (content: string) => ({ type: 'text', text: content });

  it('is shown by its beginning, never half a character, with how much more there is', () => {
    const cut = '50,012 more characters are not shown here.';
    const known = knownOf(message('a', { content: [text(long), text(`x${'🙂'.repeat(50_000)}`)] }));
    const [row] = messages(build({ known }));
    assert.deepEqual(row?.parts[0], { kind: 'text', text: long.slice(0, 50_000), cut });
    assert.doesNotMatch(JSON.stringify(row.parts[1]), /\p{Surrogate}/u);
    const [send] = messages(build({ sends: [sendRecord({ text: long })] }));
    assert.deepEqual(send?.parts, [{ kind: 'text', text: long.slice(0, 50_000), cut }]);
  });

  it('is cut as a whole, too, however many parts it has', () => {
    const known = knownOf(message('a', { content: Array.from({ length: 100 }, () => text(long)) }));
    const parts = messages(build({ known }))[0]!.parts;
    assert.equal(parts.map(partText).join('').length, 400_000);
    assert.ok(parts.every(part => 'cut' in part));
    const [use, result] = [
      { type: 'tool_use', id: 'u', name: 'Run', input: long },
      { type: 'tool_result', toolUseId: 'u', content: `${long}!` },
    ];
    const [row] = messages(build({ known: knownOf(message('a', { content: [use, result] })) }));
    const { cut } = row?.parts[0] as { readonly cut: string };
    assert.match(cut, /^50,014 more characters are not shown here\. 50,013 more characters/);
  });

  it('is whole where it is copied or written', () => {
    const rows = new RowBuilder(new Formatter('en'), true).build(
      input({ known: knownOf(message('a', { content: [text(long)] })), sends: [sendRecord({ text: long })] }),
    );
    assert.deepEqual(
      rows.map(rowText).filter(said => said !== ''),
      [long, long],
    );
  });

  it('is copied as what it says, else as all it holds', () => {
    const use = { type: 'tool_use', id: 'u', name: 'Read', input: { path: 'a.ts' } };
    const copied = (fields: object, ...content: object[]): string =>
      build({ known: knownOf(message('a', { ...fields, content: content as never })) })
        .map(rowText)
        .join();
    assert.match(copied({}, { type: 'redacted_thinking' }, use), /^Read /);
    assert.match(copied({}, { type: 'thinking', thinking: 'hm' }, use), /^hm\n\nRead /);
    const phase = { providerAPhase: 'commentary' };
    assert.equal(copied(phase, { type: 'thinking', thinking: 'hm' }, text('So far')), 'So far');
    assert.equal(copied({ role: 'user' }, { type: 'document', name: 'plan.pdf' }), 'plan.pdf');
  });
});

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
      const rows = messages(build({ known: knownOf(call(name, given as object), result(content)) }));
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
      const [first] = messages(build({ known: knownOf(...known) }))[0]?.parts ?? [];
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
