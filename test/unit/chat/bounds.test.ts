import assert from 'node:assert/strict';
import { Marked } from 'marked';
import { bounds } from '../../../media/chat/bounds';
import { growsEvenly } from '../../growth';

const bounded = (text: string): string =>
  new Marked({ gfm: true, ...bounds() }).parse(text, { async: false });
/** Whoever reads it shows as it is what is too much. */
const attempt = (text: string): void => {
  try {
    bounded(text);
  } catch {
    // That took no time either.
  }
};
const repeated = (text: string, length: number): string => text.repeat(Math.floor(length / text.length));

describe('bounds of Markdown', () => {
  it('change nothing in everyday texts', () => {
    const text = repeated(
      [
        '## Part\n\nA paragraph with **bold**, *emphasis*, `code` and a [link](https://example.com/a_b_c).',
        '| name | value |\n| :--- | ---: |\n| a | 1 |\n| b | `2` |',
        '1. first\n   - nested\n\n> quoted\n\n```ts\nlet a = b * c;\n```\n\n',
      ].join('\n\n'),
      50_000,
    );
    assert.equal(bounded(text), new Marked({ gfm: true }).parse(text, { async: false }));
  });

  it('keep a wide head from making every short row as wide', () => {
    assert.throws(() => bounded(`${'|a'.repeat(8000)}\n${'|-'.repeat(8000)}\n${'|a\n'.repeat(6000)}`));
    assert.match(bounded(`| a | b |\n| - | - |\n${'| 1 | 2 |\n'.repeat(1000)}`), /<table>/);
  });

  for (const [name, piece] of Object.entries({
    emphasis: '*_a ',
    underscores: 'a_',
    'strikes on lines': '~~a~\n',
    brackets: '![a](',
    'half an address': 'a',
    'rules of tables': '|-\n',
    'underlined titles': 'a\n-\n',
  })) {
    it(`keep ${name} from holding up the page`, async () => {
      await growsEvenly(name, 120_000, size => attempt(`${repeated(piece, size)}@`));
    });
  }
});
