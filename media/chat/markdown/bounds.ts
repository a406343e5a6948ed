import { Lexer, type MarkedExtension, type Token, type Tokens, type TokensList } from 'marked';

/** Steps that reading the inline parts of one text may take, about 0.2 s; everyday texts of any length need a hundredth. */
const MOST_WORK = 20_000_000;
/** Cells of all tables of one text, since a wide head makes every row below it as wide; after these no table is made. */
const MOST_CELLS = 10_000;
/** Characters that may be looked at for the ends of paragraphs; everyday texts need a hundredth. */
const MOST_LOOKS = 5_000_000;
/** Of lists and quotes within others. */
const MOST_DEPTH = 50;

/** A text was made to be read slowly: whoever reads it shows it as it is. */
class TooSlow extends Error {}

/**
 * What keeps a foreign text from holding up whoever reads it: paragraphs made to be read slowly, and tables made to be huge, become
 * plain text, and what else there is throws. For one text; make it anew for the next.
 */
export function bounds(): MarkedExtension {
  let cells = 0;
  let looks = 0;
  return {
    hooks: { provideLexer: () => (text, options) => new BoundedLexer(options).lex(text) },
    tokenizer: {
      table(text) {
        const raw = tableAt(text);
        if (cells <= MOST_CELLS) cells += cellsOf(raw);
        // As a whole: of a text that is read line by line, each line would be looked through to the end of the table.
        return raw !== '' && cells > MOST_CELLS ? (plain('paragraph', raw) as Tokens.Table) : false;
      },
      /** Asked wherever a paragraph may begin, it reads to the end of that. */
      lheading(rest) {
        const end = rest.indexOf('\n\n');
        looks += end < 0 ? rest.length : end;
        if (looks > MOST_LOOKS) throw new TooSlow();
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
    if (++this.#depth > MOST_DEPTH) throw new TooSlow();
    const tokens = super.blockTokens(source, given, isClipped);
    this.#depth--;
    return tokens;
  }

  override inlineTokens(text: string, tokens: Token[] = []): Token[] {
    const work = workOf(text);
    if (this.#work + work > MOST_WORK) {
      tokens.push(plain('text', text));
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

/** The table that may begin here; empty where none does. Asked at every line, so it reads the rest only for a table. */
function tableAt(text: string): string {
  const head = text.indexOf('\n');
  const rule = head < 0 ? -1 : text.indexOf('\n', head + 1);
  if (rule < 0 || !isRule(text.slice(head + 1, rule))) return '';
  const end = text.indexOf('\n\n', rule);
  return end < 0 ? text : text.slice(0, end + 1);
}

function cellsOf(table: string): number {
  const [head = '', ...rows] = table.split('\n');
  return head.split('|').length * rows.length;
}

/** A piece of text that is read no further. */
function plain(type: 'text' | 'paragraph', raw: string): Token {
  const text: Tokens.Text = { type: 'text', raw, text: raw, escaped: false };
  return type === 'text' ? text : { type, raw, text: raw, tokens: [text] };
}

/** `|---|:-:|`, the line below the heads of a table. */
const isRule = (line: string): boolean => /^[ |:-]+$/.test(line) && line.includes('-');
