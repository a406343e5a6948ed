import { Lexer, type MarkedExtension, type Token, type TokensList } from 'marked';

/** Steps that reading the inline parts of one text may take, about 0.2 s; everyday texts of any length need a hundredth. */
const MOST_WORK = 20_000_000;
/** Cells of all tables of one text, since a wide head makes every row below it as wide. */
const MOST_CELLS = 10_000;
/** Characters that may be looked at for the ends of paragraphs; everyday texts need a hundredth. */
const MOST_LOOKS = 5_000_000;
const MOST_DEPTH = 50;

/** A text was made to be read slowly, or to be huge when it is read: whoever reads it shows it as it is. */
class TooMuch extends Error {}

/** What keeps a foreign text from holding up whoever reads it: too much of anything throws. For one text; make it anew for the next. */
export function bounds(): MarkedExtension {
  let cells = 0;
  let looks = 0;
  return {
    hooks: { provideLexer: () => (text, options) => new BoundedLexer(options).lex(text) },
    tokenizer: {
      table(text) {
        cells += cellsOf(text);
        if (cells > MOST_CELLS) throw new TooMuch();
        return false;
      },
      /** Asked wherever a paragraph may begin, it reads to the end of that. */
      lheading(rest) {
        const end = rest.indexOf('\n\n');
        looks += end < 0 ? rest.length : end;
        if (looks > MOST_LOOKS) throw new TooMuch();
        return false;
      },
    },
  };
}

class BoundedLexer<P, R> extends Lexer<P, R> {
  #work = 0;
  #depth = 0;

  override blockTokens(source: string, tokens?: Token[], isClipped?: boolean): Token[];
  override blockTokens(source: string, tokens?: TokensList, isClipped?: boolean): TokensList;
  override blockTokens(source: string, given?: Token[], isClipped?: boolean): Token[] {
    if (++this.#depth > MOST_DEPTH) throw new TooMuch();
    const tokens = super.blockTokens(source, given, isClipped);
    this.#depth--;
    return tokens;
  }

  override inlineTokens(text: string, tokens?: Token[]): Token[] {
    this.#work += workOf(text);
    if (this.#work > MOST_WORK) throw new TooMuch();
    return super.inlineTokens(text, tokens);
  }
}

/** The reader looks from each mark to the end of the text, and from each letter of a word to the end of the word. */
function workOf(text: string): number {
  const marks = text.match(/[*_~`[\]<@:]/g)?.length ?? 0;
  const words = text.match(/\S{100,}/g) ?? [];
  return text.length * marks + words.reduce((sum, word) => sum + word.length ** 2 / 10, 0);
}

/** Of the table that may begin here. Asked at every line, so it reads the rest only for a table. */
function cellsOf(text: string): number {
  const head = text.indexOf('\n');
  const rule = head < 0 ? -1 : text.indexOf('\n', head + 1);
  // `|---|:-:|`, the line below the heads.
  if (rule < 0 || !/^[ |:]*-[ |:-]*$/.test(text.slice(head + 1, rule))) return 0;
  const end = text.indexOf('\n\n', rule);
  const rows = text.slice(rule, end < 0 ? undefined : end).split('\n').length;
  return text.slice(0, head).split('|').length * rows;
}
