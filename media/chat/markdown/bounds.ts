import type { MarkedExtension } from 'marked';

/** Steps that reading one text may take, about 0.2 s; everyday texts of any length need a hundredth. */
const MOST_WORK = 20_000_000;
/** What a cell of a table and a character of a paragraph take; a wide head makes every row below it as wide. */
const CELL = 2_000;
const LOOK = 4;
/** Lists and quotes within each other, as many as nobody writes. */
const DEEP = /^(?:[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t]))){50}|^[ \t]{200,}(?:[-+*]|\d{1,9}[.)])[ \t]/m;

/** Keeps a foreign text from holding up whoever reads it: throws where it was made to be read slowly. For one text. */
export function bounds(): MarkedExtension {
  let left = MOST_WORK;
  const spend = (work: number): false => {
    left -= work;
    if (left < 0) throw new Error('This text takes too long to be read.');
    return false;
  };
  return {
    hooks: { preprocess: text => (DEEP.test(text) ? String(spend(Infinity)) : text) },
    tokenizer: {
      table: rest => spend(CELL * cellsAt(rest)),
      /** Asked wherever a paragraph may begin, it reads to the end of that. */
      lheading: rest => spend(LOOK * paragraphAt(rest).length),
      /** Asked first at each mark: most look on to the end of the text, and from each letter of a word to the end of that. */
      escape: rest =>
        spend(
          (rest.match(/\S{100,}/g) ?? []).reduce((sum, { length }) => sum + length ** 2 / 10, rest.length),
        ),
    },
  };
}

function paragraphAt(text: string): string {
  const end = text.indexOf('\n\n');
  return end < 0 ? text : text.slice(0, end);
}

/** Cells of the table that may begin here. Asked at every line, so it reads the rest only for a table. */
function cellsAt(text: string): number {
  const head = text.indexOf('\n') + 1;
  const rule = head === 0 ? '' : text.slice(head, text.indexOf('\n', head) + 1 || undefined);
  if (!/^[ |:-]*-[ |:-]*\n?$/.test(rule)) return 0;
  return rule.split('|').length * paragraphAt(text).split('\n').length;
}
