import assert from 'node:assert/strict';
import { panelHandlers, type PanelActions } from '../../../src/chat/panel/panelHandlers';
import { partsOfRow, partText, wordsPattern, type MessageRow } from '../../../src/chat/protocol';
import { RowBuilder, type RowsInput } from '../../../src/chat/transcript/rows';
import { countsIn, messageText, wholeMessage } from '../../../src/chat/transcript/wholeMessage';
import { transcriptDocument } from '../../../src/chat/transcript/markdownDocument';
import { Formatter } from '../../../src/util/format';
import { acts } from '../../fakes/vscode';
import { scene, sendAndRead } from './scene';
import { cleanUp, composingOf, knownOf, message, sendRecord } from './support';

afterEach(cleanUp);

const LIMIT = 200_000;
const format = new Formatter('en');

function input(facts: Partial<RowsInput>): RowsInput {
  const none = {
    sends: [],
    messageCount: undefined,
    breaks: new Map<string, never>(),
    inComposer: undefined,
  };
  return { known: new Map(), ...none, timeZone: 'UTC', ...facts };
}

const shown = (facts: Partial<RowsInput>) =>
  new RowBuilder(format).build(input(facts)).find(row => row.kind === 'message' || row.kind === 'send');
const text = (content: string) => ({ type: 'text', text: content });
const long = `${'word '.repeat(100_000)}the very end`;

describe('a message that is longer than a page takes', () => {
  it('is shown by its beginning, with how much more there is', () => {
    const row = shown({ known: knownOf(message('a', { content: [text(long)] })) }) as MessageRow;
    assert.deepEqual(row.parts, [
      { kind: 'text', text: long.slice(0, LIMIT), cut: '300,012 more characters are not shown here.' },
    ]);
    const send = shown({ sends: [sendRecord({ text: long })] });
    assert.ok(send?.kind === 'send');
    assert.equal(send.text, long.slice(0, LIMIT));
    assert.equal(send.cut, '300,012 more characters are not shown here.');
    const short = shown({
      known: knownOf(message('a', { content: [text('x'.repeat(LIMIT))] })),
    }) as MessageRow;
    assert.deepEqual(short.parts, [{ kind: 'text', text: 'x'.repeat(LIMIT) }]);
  });

  it('has a bound for all its parts together, of which each has its beginning', () => {
    const content = [
      ...Array.from({ length: 50 }, () => text(long)),
      { type: 'tool_use', id: 'u', name: 'Write', input: { file: long } },
      { type: 'tool_result', toolUseId: 'u', content: long },
      { type: 'thinking', thinking: long },
      { type: 'odd', value: long },
    ];
    const row = shown({ known: knownOf(message('a', { content })) }) as MessageRow;
    assert.equal(row.parts.length, content.length);
    assert.ok(JSON.stringify(row).length < 3 * LIMIT);
    for (const part of row.parts) {
      assert.ok(partText(part).length >= 2_000);
      assert.match('cut' in part ? (part.cut ?? '') : '', /more characters/);
    }
  });

  it('is never cut through a character', () => {
    const row = shown({
      known: knownOf(message('a', { content: [text('🙂'.repeat(LIMIT))] })),
    }) as MessageRow;
    const odd = shown({ known: knownOf(message('a', { content: [text(`x${'🙂'.repeat(LIMIT)}`)] })) });
    for (const part of [...row.parts, ...partsOfRow(odd!)])
      assert.doesNotMatch(partText(part), /\p{Surrogate}/u);
  });

  it('keeps the place of a part that begins with white space only', () => {
    const content = [text(`${' '.repeat(LIMIT)}later`), text('second')];
    const row = shown({ known: knownOf(message('a', { content })) }) as MessageRow;
    assert.equal(row.parts.length, 2);
  });

  it('is whole in a document', () => {
    const facts = {
      known: knownOf(message('a', { content: [text(long)] })),
      sends: [sendRecord({ text: long })],
    };
    const rows = new RowBuilder(format, true).build(input(facts));
    const written = transcriptDocument({ header: { title: 'T', facts: [] }, rows, language: 'en' });
    assert.equal(written.split('the very end').length, 3);
    assert.ok(!written.includes('not shown'));
  });

  it('is whole by itself, with the names of tools that other messages tell', () => {
    const known = knownOf(
      message('use', { content: [{ type: 'tool_use', id: 'u', name: 'Read', input: {} }] }),
      message('result', { role: 'tool', content: [{ type: 'tool_result', toolUseId: 'u', content: long }] }),
    );
    const row = wholeMessage(input({ known }), 'message:result');
    assert.deepEqual(partsOfRow(row!), [{ kind: 'toolResult', name: 'Read', text: long, failed: false }]);
  });

  for (const key of [
    '',
    'message:',
    'message:gone',
    'send:gone',
    'date:a',
    'gap',
    '__proto__',
    'message:__proto__',
  ])
    it(`is nothing under the key "${key}"`, () => {
      assert.equal(wholeMessage(input({ known: knownOf(message('a')) }), key), undefined);
    });

  it('stays hidden where nobody may see it', () => {
    const known = knownOf(
      message('a', { visibility: 'llm_only', content: [text('hidden')] }),
      message('b', { isUserVisible: false, content: [text('hidden')] }),
      message('c', { role: 'system', isUserVisible: false, content: [text('hidden')] }),
    );
    for (const id of known.keys()) assert.equal(wholeMessage(input({ known }), `message:${id}`), undefined);
  });
});

describe('what a page asks of a whole message', () => {
  it('is answered for what the system says as for everything else', () => {
    const known = knownOf(message('s', { role: 'system', content: [text('Be brief, be kind.')] }));
    const row = wholeMessage(input({ known }), 'message:s');
    assert.equal(messageText(row!), 'Be brief, be kind.');
    assert.deepEqual(countsIn(row!, 'be'), [2]);
  });

  it('is answered from all of it: copying, finding', async () => {
    const it = await scene();
    await sendAndRead(it.window, `${'word '.repeat(60_000)}\nThe.End(of it)`);
    const { conversation } = it.window;
    const panel: Partial<PanelActions> = { conversation, composing: composingOf(conversation) };
    const { requests, notifications } = panelHandlers(panel as PanelActions);
    const row = new RowBuilder(format)
      .build({ ...conversation.rows, timeZone: 'UTC' })
      .find(each => each.kind === 'message' && each.author === 'person');
    assert.ok(row?.kind === 'message');
    assert.ok('cut' in row.parts[0]!);
    assert.deepEqual(await requests.findWhole({ key: row.key, words: 'WORD' }), [60_000]);
    assert.deepEqual(await requests.findWhole({ key: row.key, words: 'the.end(' }), [1]);
    assert.deepEqual(await requests.findWhole({ key: row.key, words: '' }), []);
    assert.deepEqual(await requests.findWhole({ key: 'message:gone', words: 'word' }), []);
    acts.length = 0;
    await notifications.copyMessage({ key: row.key });
    assert.deepEqual(acts, [`clipboard.writeText=${'word '.repeat(60_000)}\nThe.End(of it)`]);
    await notifications.copyMessage({ key: 'message:gone' });
    assert.equal(acts.length, 1);
  });

  it('counts words on both sides alike', () => {
    for (const words of ['.', '(', 'a\\', '[x]', '🙂', 'İ', '\n'])
      assert.equal(`-${words}-${words}`.match(wordsPattern(words))?.length, 2, words);
  });
});
