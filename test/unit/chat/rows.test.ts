import assert from 'node:assert/strict';
import { contributes } from '../../../package.json';
import { headerOf } from '../../../src/chat/panel/panelState';
import { goesOn, partText, withDays, type MessageRow, type Row } from '../../../src/chat/protocol';
import type { ChatSession } from '../../../src/chat/sessions';
import { rowKeyOf, rowText, type RowsInput } from '../../../src/chat/transcript/rows';
import { toStored, type StoredMessage } from '../../../src/chat/transcript/messages';
import { format } from '../../../src/ui/text';
import { holds } from '../../fakes/when';
import { knownOf, message, rowsOf, sendRecord, text } from './support';

const messages = (rows: readonly Row[]): MessageRow[] => rows.filter(row => row.kind === 'message');
const shown = (...known: readonly StoredMessage[]) => messages(rowsOf({ known: knownOf(...known) }));

describe('rows of a transcript', () => {
  /** Days, authors with what they say, and what is missing. */
  const inWords = (rows: readonly Row[]): string[] =>
    withDays(rows).flatMap((row, index, all) => {
      if (row.kind !== 'message') return row.kind === 'gap' ? row.sentence : row.kind;
      const parts = row.parts.map(part => {
        if (part.kind !== 'fold') return part.kind === 'text' ? part.text : `${part.label} ${part.picture}`;
        const { icon, isCode, failed, label, preview, texts } = part;
        const kind = `${icon}${isCode ? ' code' : ''}${failed ? ' failed' : ''}`;
        return [kind, ...label, preview, ...texts].join('|');
      });
      const how = `${goesOn(row, all[index - 1]) ? ' again' : ''}${row.failed ? ' failed' : ''}`;
      return [`${row.author}${how}: ${row.role}`, ...parts];
    });

  it('have a heading a day, name an author once for what it says in one go, show each kind of content as what it is, and nothing hidden', () => {
    // In the zone of whoever reads.
    const at = (hour: number, minute: number): number => new Date(2026, 10, 20, hour, minute).getTime();
    const hidden = { createdAt: at(23, 51), content: [text('XYZZY')] };
    const source = (mediaType: string) => ({ type: 'base64', data: 'AAAA', mediaType });
    const content = [
      ...[text('words'), { type: 'thinking', thinking: 'hm' }, { type: 'redacted_thinking' }],
      { type: 'tool_use', id: 'u1', name: 'Read', input: { path: 'a.ts' } },
      { type: 'image', source: source('image/png') },
      { type: 'document', source: source('application/pdf') },
      ...[{ type: 'hologram', depth: 3 }, text('  ')],
    ];
    const output = [text('out'), { type: 'image' }];
    const result = { type: 'tool_result', toolUseId: 'u1', content: output };
    const known = knownOf(
      message('q', { role: 'user', createdAt: at(23, 48) }),
      message('a', { createdAt: at(23, 50), providerAReasoningSummary: 'I think', content }),
      message('h', { ...hidden, visibility: 'llm_only', role: 'system' }),
      message('i', { ...hidden, isUserVisible: false }),
      message('t', { role: 'tool', createdAt: at(23, 54), isError: true, content: [result] }),
      message('b', { createdAt: at(23, 58) }),
      message('c', { createdAt: at(24, 2), isError: true }),
      message('s', { createdAt: at(25, 2), role: 'system', visibility: 'both' }),
      message('e', { createdAt: 1e18, role: 'wiz\u202eard', content: [text('a\u202eb\u0007')] }),
      { id: 'bare', content: [text('of no author and time')] },
    );
    assert.deepEqual(inWords(rowsOf({ known, messageCount: 12 })), [
      ...['date', 'person: user', 'q', 'agent: assistant', 'lightbulb|Reasoning|I think|I think', 'words'],
      ...['lightbulb|Reasoning|hm|hm', 'lightbulb|Reasoning withheld by the model provider|'],
      'error code failed|Read |a.ts|, failed|out [image]|Read {\n  "path": "a.ts"\n}|out\n[image]',
      ...['Image · image/png · 3 bytes a\n4', 'Document · application/pdf · 3 bytes undefined'],
      'symbol-misc code|Content of the type "hologram"||{\n  "depth": 3\n}',
      ...['agent again: assistant', 'b', 'date', 'agent failed: assistant', 'c'],
      ...['other: system', 'info|System message|s|s', 'other: wiz\ufffdard', 'a\ufffdb\ufffd'],
      ...['other: author unknown', 'of no author and time'],
      '2 messages cannot be read before your next message',
    ]);
    const others = knownOf(message('h', { visibility: 'llm_only' }));
    const nothing = inWords(rowsOf({ known: others, messageCount: 1 }));
    assert.deepEqual(nothing, ['The service does not show 1 message of this session']);
  });

  const asked = knownOf(message('q', { role: 'user' }));
  const broken = knownOf(message('q', { role: 'user', parentId: 'p' }));
  const walk = { isOn: false, failed: new Map<string, string>() };
  const later = '7 messages cannot be read before your next message';
  for (const [what, sentence, isReasoned, facts] of [
    ['the agent rests', 'The agent has answered (7 messages).', true, {}],
    ['it is one message', 'The agent has answered (1 message).', true, { messageCount: 2 }],
    ['the agent has answered', later, true, { known: knownOf(message('a')) }],
    ['nothing is known', later.replace('7', '8'), true, { known: new Map() }],
    ['one is on its way', later, false, { sends: [sendRecord({ state: 'sending' })] }],
    ['the agent works', later, false, { status: 'running' }],
    ['the agent begins', later, false, { status: 'pending' }],
    ['its status is not known', later, false, { status: undefined }],
    ['all were listed', 'The service does not show 7 messages of this session', false, { complete: true }],
    ['a walk has ended', '7 messages not read yet', false, { known: broken, walk }],
  ] as readonly (readonly [string, string, boolean, Partial<RowsInput>])[])
    it(`say what is missing where ${what}: ${sentence}`, () => {
      const rows = rowsOf({ known: asked, messageCount: 8, status: 'idle', webApp: true, ...facts });
      const gap = rows.findLast(row => row.kind === 'gap');
      const reason = isReasoned ? 'This service shows replies only after your next message.' : undefined;
      const told = [gap?.sentence, gap?.reason, gap?.webApp];
      assert.deepEqual(told, [sentence, reason, isReasoned || undefined]);
    });

  it('show what a person attached as the composer does, with the names it was sent from here with', () => {
    const item = (type: string, mediaType: string, data: string, name?: string) => ({
      ...{ type, source: { mediaType, data, name } },
    });
    const pictures = ['QUJD', 'QUI='].map(data => item('image', 'image/png', data));
    const file = (name: string, size: number, kind: 'image' | 'text' = 'image') => ({ name, size, kind });
    const chips = (content: object[], ...attachments: readonly ReturnType<typeof file>[]): unknown[] => {
      const body = { id: 'a', role: 'user', createdAt: 0, updatedAt: 0, content: content as never };
      const sent = { at: 0, text: '', attachments };
      const known = new Map([['a', { id: 'a', message: toStored('a', body), sent }]]);
      const [row = assert.fail()] = messages(rowsOf({ known }));
      const shown = row.chips.map(({ name, kind, size, picture }) => [name, kind, size, picture].join());
      return [...row.parts.map(partText), ...shown];
    };
    const named = [file('one.png', 3), file('notes.md', 9, 'text'), file('two.png', 2)];
    assert.deepEqual(chips([text('Look'), ...pictures], ...named), [
      ...['Look', 'one.png,image,3 bytes,a\n1', 'notes.md,text,9 bytes,', 'two.png,image,2 bytes,a\n2'],
    ]);
    assert.deepEqual(chips([...pictures, item('document', 'application/pdf', 'QUJD', 'plan.pdf')]), [
      ...['Image,image,3 bytes,a\n0', 'Image,image,2 bytes,a\n1', 'plan.pdf,pdf,3 bytes,'],
    ]);
  });

  it('show sends by their state until the transcript has their message, the unknown one with what is known', () => {
    const sends = [
      sendRecord({ id: 'u', before: { messageCount: 13, updatedAt: 1 } }),
      sendRecord({ id: 's', state: 'sending' }),
      sendRecord({ id: 'a', state: 'accepted', messageId: 'm' }),
    ];
    const told = (known: RowsInput['known']): string[] =>
      messages(rowsOf({ sends, messageCount: 14, statusAt: 2_000_000, known })).map(
        ({ key, send }) => `${key} ${send?.state} ${send?.sentence}`,
      );
    const unknown = 'It is not known whether this message arrived.';
    const now = 'The session has 14 messages now, 13 when last checked.';
    const rows = [`send:u unknown ${unknown} ${now}`, 'send:s sending '];
    assert.deepEqual(told(new Map()), [...rows, 'send:a sending ']);
    assert.deepEqual(told(knownOf(message('m'))), ['message:m undefined undefined', ...rows]);
    assert.deepEqual(told(knownOf(message('m', { visibility: 'llm_only' }))), rows);
  });
});

describe('a message that is longer than a page takes', () => {
  const long = `${'word '.repeat(20_000)}the very end`;

  it('is shown by its beginning, never half a character, with how much more there is, but copied whole', () => {
    const cut = '50,012 more characters are not shown here.';
    const part = { kind: 'text', text: long.slice(0, 50_000), cut };
    const [row] = shown(message('a', { content: [text(long), text(`x${'🙂'.repeat(50_000)}`)] }));
    assert.deepEqual(row?.parts[0], part);
    assert.doesNotMatch(JSON.stringify(row.parts[1]), /\p{Surrogate}/u);
    const sends = [sendRecord({ text: long })];
    assert.deepEqual(messages(rowsOf({ sends }))[0]?.parts, [part]);
    const known = knownOf(message('a', { content: [text(long)] }));
    assert.deepEqual(rowsOf({ known, sends }, true).map(rowText).filter(Boolean), [long, long]);
    const use = { type: 'tool_use', id: 'u', name: 'Run', input: long };
    const result = { type: 'tool_result', toolUseId: 'u', content: `${long}!` };
    const [used] = shown(message('a', { content: [use, result] }))[0]!.parts as readonly {
      readonly cut?: string;
    }[];
    assert.match(used?.cut ?? '', /^50,014 more characters are not shown here\. 50,013 more characters/);
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
    message('use', { content: [{ type: 'tool_use', id: 'u', name, input }] });
  const result = (content: unknown, facts: object = {}) => {
    const items = [{ type: 'tool_result', toolUseId: 'u', content }];
    return message('result', { createdAt: 1, role: 'tool', content: items, ...facts });
  };
  const told = (...known: readonly StoredMessage[]) => {
    const [row, ...others] = shown(...known);
    const [part] = row?.parts ?? [];
    assert.ok(part?.kind === 'fold' && others.length === 0, 'a result has no row of its own');
    return [part.label.join('|'), part.failed, part.texts.at(-1)?.replace(/[^]*\}/, '')];
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
    ['str_replace_editor', { command: 'insert', path: 'src/a.ts' }, 'done', 'Edited |src/a.ts|'],
    ['Execute', { command: 'npm  ci' }, 'added 3', 'Ran |npm ci|'],
    ['WebFetch', { url: 'https://example.com' }, 'text', 'Fetched |https://example.com|'],
    ['mcp__tracker__close', { id: 4 }, 'closed', 'Used |mcp__tracker__close|'],
    ['Read', { path: ['odd'] }, '', 'Used |Read|'],
    ['', null, 'done', 'Used a tool||'],
  ] as const)
    it(`tells what "${name}" did: ${words.replaceAll('|', '')}`, () => {
      assert.deepEqual(told(call(name, given as object), result(content)), [words, false, content]);
    });

  it('tells that a tool failed, also where only its message says so, and shows a result without its use', () => {
    const run = call('Execute', { command: 'npm ci' });
    assert.deepEqual(told(run), ['Ran |npm ci|', false, '']);
    assert.deepEqual(told(run, result('no', { isError: true })), ['Ran |npm ci|, failed', true, 'no']);
    assert.deepEqual(told(result('yes')), ['Used a tool||', false, 'yes']);
    const known = knownOf(run, result('text'), message('a'));
    const keys = ['result', 'use', 'a', 'gone'].map(id => rowKeyOf(known, id));
    assert.deepEqual(keys, ['message:use', 'message:use', 'message:a', 'message:gone'], 'found by either');
  });
});

const headerWith = (known: Partial<ChatSession> | undefined) =>
  headerOf(known && { sessionId: 's', title: 't', status: 'idle', ...known }, 't', false, 0);

describe('the header of a chat', () => {
  const tokens = (settings: ChatSession['settings']) => headerWith({ settings }).tokens;

  it('tells tokens kind by kind, as the service counts them, also of kinds nobody knew, or of some only', () => {
    const counted = { inputTokens: 12_000, outputTokens: 3_456, cacheCreationTokens: 789 };
    const unknown = { audioTokens: 7, note: 'text', 'bad\u202ename': 1 };
    const others = { cacheReadTokens: 0, thinkingTokens: 42, ...unknown };
    assert.deepEqual(tokens({ tokenUsage: { ...counted, ...others }, assistantActiveTimeMs: 125_000 }), {
      short: `${format.compact(15_456)} tokens`,
      detail: [
        ...['Input: 12,000', 'Output: 3,456', 'Cache creation: 789', 'Cache read: 0', 'Thinking: 42'],
        ...['audioTokens: 7', 'bad\ufffdname: 1', `Agent active: ${format.span(125_000)}`],
      ].join('\n'),
    });
    for (const [some, line] of [
      [{ inputTokens: 12_000, cacheReadTokens: 5 }, 'Input: 12,000'],
      [{ cacheReadTokens: 0 }, 'Cache read: 0'],
    ] as const)
      assert.equal(tokens({ tokenUsage: some })?.short, line, 'no sum of what is not known');
    for (const nothing of [undefined, {}, { tokenUsage: {} }]) assert.equal(tokens(nothing), undefined);
  });

  it('has a menu that offers what is not so already or takes it back, and changes nothing of a session that is not in the list', () => {
    const repository = { gitOpenRepositoryCount: 1, 'agentConsole.draftComments': true };
    const menuOf = (known: Partial<ChatSession> | undefined): unknown[] => {
      const about = JSON.parse(headerWith(known).about) as Record<string, string>;
      const facts = { webviewId: 'agentConsole.chat', ...repository, ...about };
      const offered = contributes.menus['webview/context'].filter(({ when }) => holds(when, facts));
      return offered.map(({ command }) => command.split('.').at(-1));
    };
    const changes = ['show', 'chooseBranch', 'bringHome', 'sendComments'];
    const copies = ['takeAlong', 'copyId', 'copyLink', 'showDetails', 'rename', 'pin'];
    for (const [session, expected] of [
      [{}, [...copies, 'archive', ...changes]],
      [{ isArchived: true }, [...copies, 'unarchive', ...changes]],
      [undefined, []],
    ] as const)
      assert.deepEqual(menuOf(session), ['find', 'export', ...expected]);
  });
});
