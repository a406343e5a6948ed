import { Lexer, type MarkedExtension, type Token, type TokensList } from 'marked';

const MOST = {
  /** Steps that reading inline parts may take, about 0.2 s; everyday texts of any length need a hundredth. */
  work: 20_000_000,
  /** Cells of all tables, since a wide head makes every row below it as wide. */
  cells: 10_000,
  /** Characters that may be looked at for the ends of paragraphs; everyday texts need a hundredth. */
  looks: 5_000_000,
};
const MOST_DEPTH = 50;

/** A text was made to be read slowly, or to be huge when it is read: whoever reads it shows it as it is. */
class TooMuch extends Error {}

/** What the texts of this turn have taken: one message may hold a thousand. */
let spent: Record<keyof typeof MOST, number> | undefined;

function spend(what: keyof typeof MOST, amount: number): void {
  if (spent === undefined) setTimeout(() => (spent = undefined));
  spent ??= { work: 0, cells: 0, looks: 0 };
  spent[what] += amount;
  if (spent[what] > MOST[what]) throw new TooMuch();
}

/** What keeps foreign texts from holding up whoever reads them: too much of anything throws. Make it anew for each text. */
export function bounds(): MarkedExtension {
  return {
    hooks: { provideLexer: () => (text, options) => new BoundedLexer(options).lex(text) },
    tokenizer: {
      table(text) {
        spend('cells', cellsOf(text));
        return false;
      },
      /** Asked wherever a paragraph may begin, it reads to the end of that. */
      lheading(rest) {
        const end = rest.indexOf('\n\n');
        spend('looks', end < 0 ? rest.length : end);
        return false;
      },
    },
  };
}

class BoundedLexer<P, R> extends Lexer<P, R> {
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
    spend('work', workOf(text));
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
