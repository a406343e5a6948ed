import { Lexer, type MarkedExtension, type Token } from 'marked';

/** Steps that reading the inline parts of one text may take, about 0.2 s; everyday texts of any length need a hundredth. */
const MOST_WORK = 20_000_000;
/** Cells of all tables of one text, since a wide head makes every row below it as wide; after these no table is made. */
const MOST_CELLS = 10_000;

/**
 * What keeps a foreign text from holding up the page: paragraphs made to be read slowly, and tables made to be huge, become
 * plain text. For one text; make it anew for the next.
 */
export function bounds(): MarkedExtension {
  let cells = 0;
  return {
    hooks: { provideLexer: () => (text, options) => new BoundedLexer(options).lex(text) },
    tokenizer: {
      table(text) {
        if (cells <= MOST_CELLS) cells += cellsOf(text);
        return cells > MOST_CELLS ? undefined : false;
      },
    },
  };
}

class BoundedLexer<P, R> extends Lexer<P, R> {
  #work = 0;

  override inlineTokens(text: string, tokens: Token[] = []): Token[] {
    const work = workOf(text);
    if (this.#work + work > MOST_WORK) {
      tokens.push({ type: 'text', raw: text, text, escaped: false });
      return tokens;
    }
    this.#work += work;
    return super.inlineTokens(text, tokens);
  }
}

/** The reader looks from each mark to the end of the text, and from each letter of a word to the end of the word. */
function workOf(text: string): number {
  const marks = text.match(/[*_~`[\]<@:]/g)?.length ?? 0;
  const words = text.match(/\S{100,}/g) ?? [];
  return text.length * marks + words.reduce((sum, word) => sum + word.length ** 2 / 10, 0);
}

/** Cells of a table that may begin here; 0 where none does. Asked at every line, so it reads the rest only for a table. */
function cellsOf(text: string): number {
  const head = text.indexOf('\n');
  const rule = head < 0 ? -1 : text.indexOf('\n', head + 1);
  if (rule < 0 || !/^[ |:-]*-[ |:-]*$/.test(text.slice(head + 1, rule))) return 0;
  let rows = 2;
  for (let at = rule + 1; at > 0 && at < text.length && text[at] !== '\n'; at = text.indexOf('\n', at) + 1)
    rows++;
  return text.slice(0, head).split('|').length * rows;
}
