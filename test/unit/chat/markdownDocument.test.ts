import assert from 'node:assert/strict';
import { tests as commonmark } from 'commonmark-spec';
import * as fc from 'fast-check';
import MarkdownIt from 'markdown-it';
import { marked } from 'marked';
import { inertMarkdown, transcriptDocument } from '../../../src/chat/transcript/markdownDocument';
import { toStored } from '../../../src/chat/transcript/messages';
import type { RowsInput } from '../../../src/chat/transcript/rows';
import { inMarkdown } from '../../../src/ui/text';
import { growsEvenly } from '../../growth';
import { hostileForms, hostileTargets, isFollowable } from './hostileLinks';
import { knownOf, message, rowsOf, sendRecord, text } from './support';

const about = {
  ...{ title: 'Fix it', facts: [{ label: 'Model', value: 'onyx' }], messages: '3 messages' },
  tokens: { short: '5', detail: 'Input: 3\nOutput: 2' },
};
const written = (facts: Partial<RowsInput>, header = about): string =>
  transcriptDocument(header, rowsOf(facts));

describe('a session as Markdown', () => {
  it('has headings for the day, each message and what is collapsed, and nothing a person must not see', () => {
    // Documents are written in the time zone of the machine.
    const at = { createdAt: new Date(2026, 10, 20, 10, 2).getTime() };
    const answer = {
      ...message('b', { createdAt: at.createdAt + 60_000, providerAPhase: 'final_answer' }),
      ...{ providerAEncryptedContent: 'hidden!', providerAReasoningSummary: 'Thinking' },
      content: [
        text('Done\n```js\n# no heading\n'),
        { type: 'tool_use', name: 'Read', input: { fence: '````', signature: 'hidden!' } },
        { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'hidden!' } },
        { type: 'odd', value: 1 },
      ],
    } as Parameters<typeof toStored>[1];
    const known = knownOf(
      message('a', { ...at, role: 'user', content: [text('# Please\nlook')] }),
      message('h', { ...at, visibility: 'llm_only', content: [text('hidden!')] }),
      message('s', { ...at, role: 'system', visibility: 'user_only', content: [text('For all.')] }),
      toStored('b', answer),
    );
    const document = written({ known });
    const parts = [
      ...['# Fix it', '- Model: onyx\n- Input: 3\n- Output: 2\n- 3 messages', '## Friday, November 20, 2026'],
      ...['### You, 10:02', '##### Please\nlook', '### system, 10:02', '#### System message', 'For all.'],
      ...['### Agent (Final answer), 10:03', '#### Reasoning', 'Thinking'],
      ...['Done', '```js\n# no heading\n```', '#### Used Read', '`````\nRead {\n  "fence": "````"\n}\n`````'],
      ...['*Image · image/png · 5 bytes*', '#### Content of the type "odd"'],
      '```\n{\n  "value": 1\n}\n```\n',
    ];
    assert.deepEqual(document.replace(/ AM$/gm, '').split('\n\n'), parts);
  });

  it('tells of sends by their state, and of the gap with its number', () => {
    const document = written({ sends: [sendRecord({ text: 'Hi' })], messageCount: 4 });
    assert.match(document, /### You, .* \(outcome unknown\)\n\nHi\n\nIt is not known whether/);
    assert.match(document, /\*4 messages cannot be read before/);
  });

  it('loads nothing of what others have written when it is shown', () => {
    const bad = '![a](https://x.invalid/1) <img src=https://x.invalid/2>';
    const source = { type: 'base64', mediaType: bad, data: 'AAAA' };
    const content = [
      ...[text(bad), { type: 'thinking', thinking: bad }, { type: 'tool_use', name: bad, input: { bad } }],
      ...[{ type: bad, value: bad }, ...['document', 'image'].map(type => ({ type, name: bad, source }))],
    ];
    const known = knownOf(message('a', { role: bad, content }), message('b', { role: 'user', content }));
    const document = written({ known }, { ...about, title: bad, facts: [{ label: 'Model', value: bad }] });
    assert.deepEqual([document.split('x.invalid').length > 20, activeIn(document)], [true, []]);
  });
});

/** As VS Code sets it up, but for addresses: all are taken. */
const markdownIt = new MarkdownIt({ html: true, linkify: true });
markdownIt.linkify.set({ fuzzyLink: false });
markdownIt.validateLink = () => true;

const examples = commonmark.map(({ markdown }) => markdown.replaceAll('→', '\t'));

/** What two readers of Markdown would load or follow. */
function activeIn(text: string): readonly string[] {
  const found: string[] = [];
  void marked.walkTokens(marked.lexer(text), token => {
    if (token.type === 'image' || token.type === 'html') found.push(token.raw);
    if (token.type === 'link' && !isFollowable((token as { href: string }).href)) found.push(token.raw);
  });
  for (const token of markdownIt.parse(text, {}).flatMap(each => [each, ...(each.children ?? [])])) {
    const href = token.attrGet('href') ?? '';
    if (token.type.startsWith('html') || token.type === 'image') found.push(token.content);
    if (token.type === 'link_open' && !isFollowable(href)) found.push(href);
  }
  return found;
}

function assertInert(text: string): void {
  const inert = inertMarkdown(text);
  const line = inMarkdown(text);
  const document = `# Title\n\n${inert}\n\n### Next ${line}\n\n- ${line}\n\n[last](https://last.invalid)\n`;
  const told = JSON.stringify({ text, document });
  assert.deepEqual(activeIn(document), [], told);
  const last = '<a href="https://last.invalid">last</a></p>\n';
  assert.ok(markdownIt.render(document).endsWith(last), `nothing is left open: ${told}`);
}

describe('foreign Markdown in a document', () => {
  for (const [written, expected] of [
    ['![a](https://x.invalid/1) !![b](http://x.y "t")', '[a](https://x.invalid/1) [b](http://x.y)'],
    ['https://x.invalid/a_(b). [https://a.b](https://a.b)', '<https://x.invalid/a_%28b%29>. <https://a.b>'],
    ["https://a.b/It's_a https://a.b/?q=a[]=1", '<https://a.b/It%27s_a> <https://a.b/?q=a%5B%5D=1>'],
    ["**https://a.b/x*y** 'https://a.b/c|d'", "**<https://a.b/x%2Ay>** '<https://a.b/c%7Cd>'"],
    ['https://a.b[1]', '<https://a.b>[1]'],
    ['|https://a.b/c|https://d|\n|-|-|', '|<https://a.b/c>|<https://d>|\n|-|-|'],
    ['a\n\n    <b>\n\n\t  [c](d)', 'a\n\n    &lt;b>\n\n\t  [c]\\(d)'],
    ['[`a.ts` of https://a.b](https://c.d/(e))', '[`a.ts` of https:/\\/a.b](https://c.d/%28e%29)'],
    ['[a](./b.ts) [b][c]\n\n[c]: https://x.invalid', '[a]\\(./b.ts) [b][c]\n\n[c]\\: <https://x.invalid>'],
    ['[click](command:x?[1])', '[click]\\(command:x?[1])'],
    ['<command:x> <b> <mailto:a@b.c>', '&lt;command:x> &lt;b> <mailto:a@b.c>'],
    ['a < b, c[0], d[e[1]] and ~/f!', 'a < b, c[0], d\\[e[1]] and ~/f!'],
    ['`![a](b)` ``![a`b](c)`` ![a](b)', '`![a](b)` ``![a`b](c)`` ![a]\\(b)'],
    ['`Array<string | x>` and \\`x\\`', '`Array<string | x>` and &#96;x&#96;'],
    ['| a |\n|:-:|\n| `x\\|y` *c* `d|e` |', '| a |\n|:-:|\n| `x\\|y` *c* &#96;d|e&#96; |'],
    ['`a ``[x](command:y) b`', '```a ``[x](command:y) b```'],
    ['> a `b [x](y)\n> c` d', '> a &#96;b [x]\\(y)\n> c&#96; d'],
    ['costs $5 `echo $HOME`', 'costs \\$5 `echo $HOME`'],
    ['```js x\n![a](b) <b> $ `\n```\n<b>', '```js\n![a](b) <b> $ `\n```\n\n&lt;b>'],
    ['~~~~\n```\n~~~\n<b>', '````\n```\n~~~\n<b>\n````'],
    ['1. a\n   ```sh\n   cat <f\n   ```\n2. - [x] b', '1. a\n\n   ```sh\n   cat <f\n   ```\n\n2. - [x] b'],
    ['> - ```\n>   a\n>\n>   b\n>   ```', '> - ```\n>   a\n>\n>   b\n>   ```'],
    ['>1. ```\n>    a\n>    ```', '> 1. ```\n>    a\n>    ```'],
    ['> a\n>\n> - b\n>   - c  \nd', '> a\n>\n> - b\n>   - c  \nd'],
    ['# a\n\n- ## b\n\nc\n===\nd\n---', '##### a\n\n- ###### b\n\nc\n\n===\nd\n\n---'],
    ['`<a href=x>` `<a href="x">` `<a href={x}>`', '`<\\a href=x>` `<a href="x">` `<a href={x}>`'],
  ] as const)
    it(`is ${JSON.stringify(expected)} for ${JSON.stringify(written)}`, () =>
      assert.equal(inertMarkdown(written, 4), expected));

  for (const target of hostileTargets)
    it(`leads nowhere by ${target}`, () => {
      hostileForms(target).forEach(assertInert);
      for (const example of examples) assertInert(example.replaceAll('/url', target));
    });

  it('leads nowhere, whatever it is made of', () => {
    const target = fc.constantFrom(...hostileTargets);
    const marks =
      '` `` ``` ~~~ ~ ! !!!! \' [ ] ( ) ]( ]: < > <b <!-- --> \\ | $ $$ * ** _ # --- " = &lt; &#91; word';
    const spaces = ['\n', '\n\n', ' ', '    ', '\t', '- ', '1. ', '> ', '# ', '\r', '\u2028'];
    const others = ['\n|-|-|\n', '\n[x]: ', '<a href="', 'https://x.invalid', '[x](https://x.invalid)'];
    const pieces = fc.constantFrom(...marks.split(' '), ...spaces, ...others);
    const form = target.chain(each => fc.constantFrom(...hostileForms(each)));
    const whole = fc.oneof(target, form, fc.constantFrom(...examples));
    const piece = fc.oneof({ weight: 2, arbitrary: pieces }, { weight: 1, arbitrary: whole });
    assertInert('\\https://x.invalid!!!!//x.invalid/share');
    const inert = fc.property(fc.array(piece, { maxLength: 30 }), all => assertInert(all.join('')));
    fc.assert(inert, { numRuns: 3000 });
  });

  it('leaves code as it is', () => {
    const marks = ['[a](b)', '<b>', '$', '\\', '|', ' ', '\n', '&lt;', '    ', '~~~', '- ', 'x', '"'];
    const pieces = fc.array(fc.constantFrom(...marks), { maxLength: 20 });
    const code = pieces.map(each => each.join('')).filter(text => text.trim() !== '');
    fc.assert(
      fc.property(code, text => {
        const block = `\`\`\`js\n${text}\n\`\`\``;
        assert.equal(inertMarkdown(`a\n\n${block}\n\nb`), `a\n\n${block}\n\nb`);
        const span = `\`a${text.replace(/\s+|\|/g, '')}a\``;
        assert.equal(inertMarkdown(`a ${span} b`), `a ${span} b`);
      }),
    );
  });

  it('is about as long as it was, and as much as there may be', () => {
    const quoted = `${'>'.repeat(30_000)}\`\`\`\n${'a\n'.repeat(30_000)}`;
    for (const text of [quoted, `\`\`\`\n${'a\n'.repeat(500_000)}`, `~~~\n${'`a'.repeat(500_000)}`])
      assert.ok(inertMarkdown(text).length < 2 * text.length);
  });

  for (const piece of [
    ...['- ', '>', '1. > - ', '|-\n', '`a``b', '` `` ``` ', '![a](', '[a]:\n', '!'],
    ...['<a "', 'https://a(', 'https://a[', '    a\n\n', '/]:$|~!="'],
  ])
    it(`grows in time as ${JSON.stringify(piece)} grows in number`, () =>
      growsEvenly(piece, 48_000, size =>
        ['', 'https://'].map(before => inertMarkdown(before + piece.repeat(size / piece.length))),
      ));
});
