import type { StatementSync } from 'node:sqlite';
import type { SearchAnswer, SearchHit, SearchQuery, SearchText } from './types';

const LETTER = '[\\p{L}\\p{N}\\p{M}\\p{Co}]';
/** Scripts without spaces: each character counts as a word, and a run of them as words that follow each other. */
const SINGLE = `(?=${LETTER})[\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Thai}\\p{scx=Laoo}\\p{scx=Khmr}\\p{scx=Mymr}]`;
const WORD = new RegExp(`${SINGLE}|(?:(?!${SINGLE})${LETTER})+`, 'gu');
/** Of Latin, Greek, Cyrillic, Hebrew and Arabic, which people leave out; in other scripts marks tell words apart. */
const MARKS = /[\u0300-\u036f\u0483-\u0489\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670]/g;
const ASCII = /^[\0-\x7f]*$/;

/** The words of a text, spelt alike whatever their case, marks and width. */
export function wordsOf(text: string): string[] {
  const plain = ASCII.test(text) ? text : text.normalize('NFKD').replace(MARKS, '').normalize('NFC');
  return plain.toLowerCase().replaceAll('ς', 'σ').match(WORD) ?? [];
}

/** Every text beside its record, in the order of time. */
export const TEXTS = `
  -- \`place\` is the time in ms and, below it, bits of the key: the index, read backwards, is the latest first.
  CREATE TABLE texts (place INTEGER PRIMARY KEY, key INTEGER NOT NULL UNIQUE, by TEXT, text TEXT NOT NULL);`;
/** The index of their words, where this SQLite can have it: it needs FTS5 of 3.43. Elsewhere texts are looked through one by one. */
export const WORDS = `
  -- The words come separated by spaces already, so this tokenizer need not know any script.
  CREATE VIRTUAL TABLE words USING fts5 (
    said, tags, content = '', contentless_delete = 1, tokenize = 'ascii', prefix = '1'
  );`;
const BITS = 20;
const MAX_AT = 2 ** 42;
/** What stands around a match, characters; one that comes later in a text is not looked for. */
const [LEAD, REST, LOOKED_AT] = [40, 160, 50_000];

/** The texts of records, changed in the transactions of their records. */
export class TextIndex {
  readonly #sql: (text: string) => StatementSync;

  constructor(sql: (text: string) => StatementSync) {
    this.#sql = sql;
  }

  get #isIndexed(): boolean {
    try {
      this.#sql('SELECT 1 FROM words');
      return true;
    } catch {
      return false;
    }
  }

  /** Whether a record is found by these words already, whatever their time. */
  hasWords(key: number, text: SearchText | undefined): boolean {
    const known = this.#sql('SELECT by, text FROM texts WHERE key = ?').get(key);
    return known?.['text'] === text?.text && (known?.['by'] ?? undefined) === text?.by;
  }

  /** Notes what a record says from now on; `at` is when it was stored. */
  put(key: number, collection: string, at: number, text: SearchText | undefined): void {
    const known = this.#sql(`SELECT place >> ${BITS} AS at FROM texts WHERE key = ?`).get(key);
    const time = clamped(text?.at ?? at, MAX_AT - 1);
    if (this.hasWords(key, text) && (known === undefined || known['at'] === time)) return;
    const isIndexed = this.#isIndexed;
    if (isIndexed)
      this.#sql('DELETE FROM words WHERE rowid = (SELECT place FROM texts WHERE key = ?)').run(key);
    this.#sql('DELETE FROM texts WHERE key = ?').run(key);
    if (text === undefined) return;
    const place = `(? << ${BITS}) | (? & ${2 ** BITS - 1})`;
    const row = [time, key, key, text.by ?? null, text.text] as const;
    this.#sql(`INSERT OR REPLACE INTO texts VALUES (${place}, ?, ?, ?)`).run(...row);
    if (!isIndexed) return;
    const tags = [...folders(collection).map(tagOf), text.by ?? ''].join(' ');
    const insert = `INSERT OR REPLACE INTO words (rowid, said, tags) VALUES (${place}, ?, ?)`;
    this.#sql(insert).run(time, key, wordsOf(text.text).join(' '), tags);
  }

  /** What the latest records of a collection say, each at most `LOOKED_AT` characters of it. */
  latest(collection: string, limit: number): readonly SearchText[] {
    const rows = this.#sql(
      `SELECT substr(text, 1, ${LOOKED_AT}) AS text, place >> ${BITS} AS at, by
       FROM documents JOIN texts USING (key) WHERE collection = ? ORDER BY place DESC LIMIT ?`,
    ).all(collection, limit) as unknown as readonly Pick<Said, 'text' | 'at' | 'by'>[];
    return rows.map(({ by, ...said }) => ({ ...said, by: by === 'me' || by === 'agent' ? by : undefined }));
  }

  /** The latest records with these words, and whether there are more. */
  find(query: SearchQuery): SearchAnswer {
    const { within, without = [], by, after = 0, before = MAX_AT, limit } = query;
    const terms = query.terms
      .map(({ text, isPrefix }) => ({ words: wordsOf(text), isPrefix }))
      .filter(({ words }) => words.length > 0);
    if (terms.length === 0 || within.length === 0) return { hits: [], isMore: false };
    // Of what people write only words come here, and words are letters and digits.
    const said = terms.map(({ words, isPrefix }) => `"${words.join(' ')}"${isPrefix ? ' *' : ''}`);
    const tags = [`(${within.map(tagOf).join(' OR ')})`, ...(by === undefined ? [] : [by])];
    const none = without.length === 0 ? '' : ` NOT tags : (${without.map(tagOf).join(' OR ')})`;
    const match = `said : (${said.join(' AND ')}) AND tags : (${tags.join(' AND ')})${none}`;
    const isIndexed = this.#isIndexed;
    const [from, where] = isIndexed
      ? ['words JOIN texts ON texts.place = words.rowid', 'words MATCH ?']
      : ['texts AS words', '? IS NOT NULL'];
    const found = this.#sql(
      `SELECT collection, id, place >> ${BITS} AS at, by, text FROM ${from} JOIN documents USING (key)
       WHERE ${where} AND words.rowid >= (? << ${BITS}) AND words.rowid < (? << ${BITS}) ORDER BY words.rowid DESC`,
    ).iterate(match, clamped(after), clamped(before)) as Iterable<unknown> as Iterable<Said>;
    const rows: Said[] = [];
    for (const row of found) {
      if (isIndexed || isSought(row, query, terms)) rows.push(row);
      if (rows.length > limit) break;
    }
    const hits = rows
      .slice(0, limit)
      .map(({ by, text, ...row }) => ({ ...row, by: by ?? undefined, ...around(text, terms) }));
    return { hits, isMore: rows.length > limit };
  }
}

/** A text as it is stored, with its record. */
interface Said {
  readonly collection: string;
  readonly id: string;
  readonly at: number;
  readonly by: string | null;
  readonly text: string;
}

/** What an index would say of a text. */
function isSought({ collection, by, text }: Said, query: SearchQuery, terms: readonly Sought[]): boolean {
  const isIn = (path: string): boolean => `${collection}/`.startsWith(`${path}/`);
  const spaced = ` ${wordsOf(text).join(' ')} `;
  const isSaid = ({ words, isPrefix }: Sought): boolean =>
    spaced.includes(` ${words.join(' ')}${isPrefix ? '' : ' '}`);
  const isThere = query.within.some(isIn) && query.without?.some(isIn) !== true;
  return isThere && (query.by ?? by) === by && terms.every(isSaid);
}

interface Sought {
  readonly words: readonly string[];
  readonly isPrefix: boolean;
}

/** A collection's path and those above it. */
function folders(collection: string): string[] {
  return collection.split('/').map((_, index, parts) => parts.slice(0, index + 1).join('/'));
}

/** One word for a path, whatever is in it. */
function tagOf(path: string): string {
  return `x${Buffer.from(path).toString('hex')}`;
}

function clamped(at: number, most = MAX_AT): number {
  return Math.trunc(Math.min(Math.max(at, 0), most)) || 0;
}

/** The first match in a text as it is written, and what stands around it. */
function around(
  text: string,
  terms: readonly Sought[],
): Pick<SearchHit, 'first' | 'line' | 'lead' | 'match' | 'rest'> {
  const end = (from: number): number => (text.indexOf('\n', from) + 1 || text.length + 1) - 1;
  const first = text.slice(0, end(0));
  const source = text.slice(0, LOOKED_AT).matchAll(WORD);
  const read: { readonly word: string; readonly from: number; readonly to: number }[] = [];
  // A text is read no further than to the end of the match.
  const wordAt = (at: number): (typeof read)[number] | undefined => {
    while (read.length <= at) {
      const found = source.next().value;
      if (found === undefined) break;
      read.push({ word: wordsOf(found[0]).join(''), from: found.index, to: found.index + found[0].length });
    }
    return read[at];
  };
  const isAt = (at: number, { words, isPrefix }: Sought): boolean =>
    words.every((word, index) => {
      const found = wordAt(at + index)?.word;
      return found === word || (isPrefix && index === words.length - 1 && found?.startsWith(word) === true);
    });
  for (let at = 0, here = wordAt(0); here !== undefined; here = wordAt(++at)) {
    const { from } = here;
    const term = terms.find(each => isAt(at, each));
    if (term === undefined) continue;
    const to = wordAt(at + term.words.length - 1)?.to ?? from;
    const lead = `${from > LEAD ? '…' : ''}${text.slice(Math.max(0, from - LEAD), from)}`;
    const line = text.slice(text.lastIndexOf('\n', from) + 1, end(from));
    return { first, line, lead, match: text.slice(from, to), rest: text.slice(to, to + REST) };
  }
  return { first, line: first, lead: '', match: '', rest: text.slice(0, LEAD + REST) };
}
