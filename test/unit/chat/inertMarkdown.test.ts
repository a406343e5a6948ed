import assert from 'node:assert/strict';
import { tests as commonmark } from 'commonmark-spec';
import * as fc from 'fast-check';
import MarkdownIt from 'markdown-it';
import { Marked } from 'marked';
import { inertLine, inertMarkdown } from '../../../src/chat/transcript/inertMarkdown';
import { hostileForms, hostileTargets, isFollowable } from './hostileLinks';
import { growsEvenly } from '../../growth';

/** As VS Code sets it up, but for addresses: all are taken. */
const markdownIt = new MarkdownIt({ html: true, linkify: true });
markdownIt.linkify.set({ fuzzyLink: false });
markdownIt.validateLink = () => true;

const examples = commonmark.map(({ markdown }) => markdown.replaceAll('→', '\t'));

/** What two readers of Markdown would load or follow. */
function activeIn(text: string): readonly string[] {
  const found: string[] = [];
  const marked = new Marked({ gfm: true });
  void marked.walkTokens(marked.lexer(text), token => {
    if (token.type === 'image' || token.type === 'html') found.push(token.raw);
    if (token.type === 'link' && !isFollowable((token as { href: string }).href)) found.push(token.raw);
  });
  const tokens = markdownIt.parse(text, {});
  for (const token of tokens.flatMap(each => [each, ...(each.children ?? [])])) {
    if (token.type.startsWith('html') || token.type === 'image') found.push(token.content);
    if (token.type === 'link_open' && !isFollowable(token.attrGet('href') ?? ''))
      found.push(token.attrGet('href') ?? '');
  }
  return found;
}

function assertInert(text: string): void {
  const inert = inertMarkdown(text);
  const line = inertLine(text.replace(/\s+/g, ' '));
  const document = `# Title\n\n${inert}\n\n### Next ${line}\n\n- ${line}\n\n[last](https://last.invalid)\n`;
  assert.deepEqual(activeIn(document), [], JSON.stringify({ text, document }));
  assert.match(
    markdownIt.render(document),
    /<a href="https:\/\/last.invalid">last<\/a><\/p>\n$/,
    'nothing is left open',
  );
}

describe('foreign Markdown in a document', () => {
  for (const [written, expected] of [
    ['![a](https://x.invalid/1)', '[a](https://x.invalid/1)'],
    [
      '[a](http://x.invalid/1 "t") <a@x.invalid>',
      '[a](http://x.invalid/1) [a@x.invalid](mailto:a@x.invalid)',
    ],
    [
      'https://x.invalid/a_b, www.x.invalid, a@x.invalid',
      '<https://x.invalid/a_b>, [www.x.invalid](http://www.x.invalid), a@x.invalid',
    ],
    [
      '[a][b] [b]\n\n[b]: https://x.invalid',
      '[a](https://x.invalid) [b](https://x.invalid)\n\n[b]\\: https://x.invalid',
    ],
    ['[click](command:x?[1])', '[click]\\(command:x?[1])'],
    ['[x]: command:x', '[x]\\: command:x'],
    ['<command:x> <b>', '&lt;command:x> &lt;b>'],
    ['a < b, c[0], d[e[1]] and ~/f!', 'a < b, c[0], d\\[e[1]] and ~/f!'],
    ['!![a](https://b.invalid)', '\\![a](https://b.invalid)'],
    ['`![a](b)` ``![a`b](c)`` ![a](b)', '`![a](b)` ``![a`b](c)`` ![a]\\(b)'],
    ['`Array<string>` and \\`x\\`', '`Array<string>` and &#96;x&#96;'],
    ['| a | b |\n|:-:|---|\n| `x\\|y` | *c* |', '| a | b |\n| :-: | --- |\n| `x\\|y` | *c* |'],
    ['costs $5 `echo $HOME`', 'costs \\$5 `echo $HOME`'],
    ['```js x\n![a](b) <b> $ `\n```\n<b>', '```js\n![a](b) <b> $ `\n```\n\n&lt;b>'],
    ['~~~~\n```\n~~~\n<b>', '````\n```\n~~~\n<b>\n````'],
    ['    a\n\tb', '```\na\nb\n```'],
    [
      '1. a\n   ```sh\n   cat <f\n   ```\n2. - [x] b\n   - c',
      '1. a\n\n   ```sh\n   cat <f\n   ```\n\n2. - [x] b\n   - c',
    ],
    ['> a\n>\n> - b\n>   - c', '> a\n>\n> - b\n>   - c'],
    ['a  \nb\nc', 'a\\\nb\nc'],
    ['# a\n\n## b ##\n\n***', '##### a\n\n###### b\n\n***'],
    ['`<a href=x>` `<a href="x">` `<a href={x}>`', '`<\\a href=x>` `<a href="x">` `<a href={x}>`'],
  ] as const)
    it(`is ${JSON.stringify(expected)} for ${JSON.stringify(written)}`, () => {
      assert.equal(inertMarkdown(written, 4), expected);
    });

  for (const target of hostileTargets)
    it(`leads nowhere by ${target}`, () => {
      hostileForms(target).forEach(assertInert);
      for (const example of examples) assertInert(example.replaceAll('/url', target));
    });

  it('leads nowhere, whatever it is made of', () => {
    const target = fc.constantFrom(...hostileTargets);
    const pieces = [
      ...[
        '`',
        '``',
        '```',
        '~~~',
        '~',
        '!',
        '[',
        ']',
        '(',
        ')',
        '](',
        ']:',
        '<',
        '>',
        '<a href="',
        '<b',
        '<!--',
        '-->',
      ],
      ...[
        '\\',
        '|',
        '$',
        '$$',
        '*',
        '**',
        '_',
        '\n',
        '\n\n',
        ' ',
        '    ',
        '\t',
        '- ',
        '1. ',
        '> ',
        '# ',
        '---',
        '"',
        '=',
      ],
      ...[
        '\n|-|-|\n',
        '\r',
        '\u2028',
        '&lt;',
        '&#91;',
        'word',
        'https://x.invalid',
        '[x](https://x.invalid)',
        '\n[x]: ',
      ],
    ];
    const piece = fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(...pieces) },
      { weight: 1, arbitrary: target },
      { weight: 1, arbitrary: target.chain(each => fc.constantFrom(...hostileForms(each))) },
      { weight: 1, arbitrary: fc.constantFrom(...examples) },
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), all => assertInert(all.join(''))),
      { numRuns: 3000 },
    );
  });

  it('leaves code as it is', () => {
    const code = fc
      .array(
        fc.constantFrom('[a](b)', '<b>', '$', '\\', '|', ' ', '\n', '&lt;', '    ', '~~~', '- ', 'x', '"'),
        { maxLength: 20 },
      )
      .map(pieces => pieces.join(''))
      .filter(text => text.trim() !== '');
    fc.assert(
      fc.property(code, text => {
        const block = `\`\`\`js\n${text}\n\`\`\``;
        assert.equal(inertMarkdown(`a\n\n${block}\n\nb`), `a\n\n${block}\n\nb`);
        const span = `\`a${text.replace(/\s+|\|/g, '')}a\``;
        assert.equal(inertMarkdown(`a ${span} b`), `a ${span} b`);
      }),
    );
  });

  it('reads everyday texts to their end, however long and without empty lines', () => {
    const part =
      '## A\nSome *words*.\n- one\n  - two\n    > three\n```js\nlet a;\n```\n| a |\n|---|\n| b |\n';
    for (const text of [part.repeat(150), `${part}\n`.repeat(500)]) {
      const headings = text.split('## A').length;
      assert.equal(inertMarkdown(text).split(/^## A$/m).length, headings);
    }
  });

  for (const [name, piece] of Object.entries({
    'nested lists': '- ',
    'nested quotes': '>',
    'lists in quotes': '1. > - ',
    'lazy quotes': `${'> '.repeat(19)}a\n${'> '.repeat(9)}b\n`,
    'rules of tables': '|-\n',
    'heads of tables': 'a|b\n-|-\n',
    'underlines in lists': '- a\n -',
    code: '`a``b',
    backticks: '` `` ``` ',
    brackets: '![a](',
    definitions: '[a]:\n',
    emphasis: '*_a ',
    tags: '<a "',
    comments: '<!--\n\n',
    addresses: 'a@',
    'marks of ours': '/]:$|~!="',
  }))
    it(`grows in time as ${name} grow in number`, () =>
      growsEvenly(name, 48_000, size => inertMarkdown(piece.repeat(size / piece.length))));
});
