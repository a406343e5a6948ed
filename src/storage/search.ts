import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { pageOf, rowOf, type ChangedRow, type Page } from './rows';

/** What a record says, to be found by. */
export interface SearchText {
  readonly text: string;
  /** When it was said; Unix ms. Without it, when it was stored. */
  readonly at?: number | undefined;
  readonly by?: 'me' | 'agent' | undefined;
}

export interface SearchTerm {
  /** One word, or several that follow each other. */
  readonly text: string;
  /** The last word may go on. */
  readonly isPrefix: boolean;
}

export interface SearchQuery {
  /** All of them are to be found in one record. */
  readonly terms: readonly SearchTerm[];
  /** Paths of collections, or of the folders they are in, such as `services/ab12`; one of them. */
  readonly within: readonly string[];
  /** Collections that are left out. */
  readonly without?: readonly string[] | undefined;
  readonly by?: 'me' | 'agent' | undefined;
  /** Unix ms: from this on, and before that. */
  readonly after?: number | undefined;
  readonly before?: number | undefined;
  readonly limit: number;
}

export interface SearchHit {
  readonly collection: string;
  readonly id: string;
  readonly at: number;
  readonly by: string | undefined;
  /** The first line of what it is found by, and the one with the match. */
  readonly first: string;
  readonly line: string;
  /** The first place of the first term that was found, as it is written, and what stands around it. */
  readonly lead: string;
  readonly match: string;
  readonly rest: string;
}

/** A record of which nobody has told what it is found by. */
export interface UntoldRow extends ChangedRow {
  readonly key: number;
}

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

/** The tables: every text beside its record, in the order of time, and the index of their words where SQLite has FTS5. */
export const TEXTS = `
  -- \`place\` is the time in ms and, below it, bits of the key: the index, read backwards, is the latest first.
  CREATE TABLE texts (place INTEGER PRIMARY KEY, key INTEGER NOT NULL UNIQUE, by TEXT, text TEXT NOT NULL);
`;
export const WORDS = `
  -- The words come separated by spaces already, so this tokenizer need not know any script.
  CREATE VIRTUAL TABLE words USING fts5 (
    said, tags, content = '', contentless_delete = 1, tokenize = 'ascii', prefix = '1'
  );
`;
const BITS = 20;
const MAX_AT = 2 ** 42;
/** What stands around a match, characters; one that comes later in a text is not looked for. */
const [LEAD, REST, LOOKED_AT] = [40, 160, 50_000];

/** Whether this SQLite has full-text search. */
export function hasFts5(db: DatabaseSync): boolean {
  return db.prepare("SELECT 1 FROM pragma_module_list WHERE name = 'fts5'").get() !== undefined;
}

const HAS_WORDS = `SELECT 1 FROM sqlite_schema AS made, pragma_module_list AS module
  WHERE made.name = 'words' AND module.name = 'fts5'`;

/** The texts of records, changed in the transactions of their records. */
export class TextIndex {
  readonly #sql: (text: string) => StatementSync;
  #isIndexed: boolean | undefined;

  constructor(sql: (text: string) => StatementSync) {
    this.#sql = sql;
  }

  /** Notes what a record says: null for nothing, `undefined` where that was not asked. */
  put(key: number, collection: string, at: number, text: SearchText | null | undefined): void {
    const known = this.#sql(`SELECT place >> ${BITS} AS at, by, text FROM texts WHERE key = ?`).get(key);
    const time = Math.trunc(Math.min(Math.max(text?.at ?? at, 0), MAX_AT - 1)) || 0;
    const isSame = known?.['text'] === text?.text && known?.['by'] === (text?.by ?? null);
    if (known !== undefined && isSame && known['at'] === time) return;
    if (known !== undefined) this.#remove(key);
    if (text === undefined) return;
    const place = `(? << ${BITS}) | (? & ${2 ** BITS - 1})`;
    this.#sql(`INSERT OR REPLACE INTO texts VALUES (${place}, ?, ?, ?)`).run(
      time,
      key,
      key,
      text?.by ?? null,
      text?.text ?? '',
    );
    const words = wordsOf(text?.text ?? '').join(' ');
    if (words === '' || !this.#hasWords) return;
    const tags = [...folders(collection).map(tagOf), text?.by ?? ''].join(' ');
    this.#sql(`INSERT OR REPLACE INTO words (rowid, said, tags) VALUES (${place}, ?, ?)`).run(
      time,
      key,
      words,
      tags,
    );
  }

  /** Some of the records in the collections that a GLOB pattern names of which nobody has told, in the order of their keys. */
  untold(pattern: string, after: number): Page<UntoldRow> {
    const found = this.#sql(
      `SELECT * FROM documents WHERE value IS NOT NULL AND key IN (
         SELECT key FROM documents WHERE collection GLOB ? AND key > ? EXCEPT SELECT key FROM texts
       ) ORDER BY key`,
    ).iterate(pattern, after);
    return pageOf(found, row => ({
      ...rowOf(row),
      key: Number(row['key']),
      collection: String(row['collection']),
    }));
  }

  /** Notes what records are found by that are still what they were. */
  tell(told: readonly (readonly [row: UntoldRow, text: SearchText | null])[]): void {
    for (const [{ key, collection, seq }, text] of told) {
      const row = this.#sql('SELECT at FROM documents WHERE key = ? AND seq = ?').get(key, seq);
      if (row !== undefined) this.put(key, collection, Number(row['at']), text);
    }
  }

  /** The latest records with these words, and whether there are more. */
  find(query: SearchQuery): { readonly hits: readonly SearchHit[]; readonly isMore: boolean } {
    const terms = query.terms.map(({ text, isPrefix }) => ({ words: wordsOf(text), isPrefix }));
    const sought = terms.filter(({ words }) => words.length > 0);
    if (sought.length === 0 || query.within.length === 0) return { hits: [], isMore: false };
    const rows = this.#hasWords ? this.#indexed(query, sought) : this.#scanned(query, sought);
    const hits: SearchHit[] = [];
    for (const row of rows) {
      if (hits.length === query.limit) return { hits, isMore: true };
      const [collection, id, by] = [String(row['collection']), String(row['id']), row['by']];
      const at = Number(row['at']);
      hits.push({
        collection,
        id,
        at,
        by: by === null ? undefined : String(by),
        ...around(String(row['text']), sought),
      });
    }
    return { hits, isMore: false };
  }

  #remove(key: number): void {
    if (this.#hasWords)
      this.#sql('DELETE FROM words WHERE rowid = (SELECT place FROM texts WHERE key = ?)').run(key);
    this.#sql('DELETE FROM texts WHERE key = ?').run(key);
  }

  #indexed(
    { within, without = [], by, after = 0, before = MAX_AT, limit }: SearchQuery,
    terms: readonly Sought[],
  ) {
    // Of what people write only words come here, and words are letters and digits.
    const words = terms.map(({ words, isPrefix }) => `"${words.join(' ')}"${isPrefix ? ' *' : ''}`);
    const tags = [`(${within.map(tagOf).join(' OR ')})`, ...(by === undefined ? [] : [by])];
    return this.#sql(
      `${SELECT} FROM words JOIN texts ON texts.place = words.rowid JOIN documents USING (key)
       WHERE words MATCH ? AND words.rowid >= (? << ${BITS}) AND words.rowid < (? << ${BITS})
       ORDER BY words.rowid DESC LIMIT ?`,
    ).iterate(
      `said : (${words.join(' AND ')}) AND tags : (${tags.join(' AND ')})${
        without.length === 0 ? '' : ` NOT tags : (${without.map(tagOf).join(' OR ')})`
      }`,
      clamped(after),
      clamped(before),
      limit + 1,
    );
  }

  *#scanned({ within, without = [], by, after = 0, before = MAX_AT }: SearchQuery, terms: readonly Sought[]) {
    const all = `${SELECT} FROM texts JOIN documents USING (key)
      WHERE place >= (? << ${BITS}) AND place < (? << ${BITS}) ORDER BY place DESC`;
    for (const row of this.#sql(all).iterate(clamped(after), clamped(before))) {
      const [paths, words] = [folders(String(row['collection'])), wordsOf(String(row['text']))];
      const isWithin = within.some(path => paths.includes(path)) && (by === undefined || row['by'] === by);
      if (without.some(path => paths.includes(path))) continue;
      if (isWithin && terms.every(term => words.some((_, at) => isAt(each => words[each], at, term))))
        yield row;
    }
  }

  get #hasWords(): boolean {
    this.#isIndexed ??= this.#sql(HAS_WORDS).get() !== undefined;
    return this.#isIndexed;
  }
}

const SELECT = `SELECT collection, id, place >> ${BITS} AS at, by, text`;

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

function clamped(at: number): number {
  return Math.trunc(Math.min(Math.max(at, 0), MAX_AT)) || 0;
}

/** Whether what is sought stands at this place. */
function isAt(wordAt: (at: number) => string | undefined, at: number, { words, isPrefix }: Sought): boolean {
  return words.every((word, index) =>
    isPrefix && index === words.length - 1
      ? wordAt(at + index)?.startsWith(word) === true
      : wordAt(at + index) === word,
  );
}

/** The first match in a text as it is written, and what stands around it. No more of the text is looked at than it takes. */
function around(
  text: string,
  terms: readonly Sought[],
): Pick<SearchHit, 'first' | 'line' | 'lead' | 'match' | 'rest'> {
  const end = (from: number): number => (text.indexOf('\n', from) + 1 || text.length + 1) - 1;
  const first = text.slice(0, end(0));
  const found = text.slice(0, LOOKED_AT).matchAll(WORD);
  const written: { readonly word: string; readonly from: number; readonly to: number }[] = [];
  const wordAt = (at: number): string | undefined => {
    while (at >= written.length) {
      const { value } = found.next();
      if (value === undefined) return undefined;
      const [word] = value;
      written.push({ word: wordsOf(word).join(''), from: value.index, to: value.index + word.length });
    }
    return written[at]?.word;
  };
  for (let at = 0; wordAt(at) !== undefined; at++) {
    const term = terms.find(each => isAt(wordAt, at, each));
    const [start, stop] = [written[at], written[at + (term?.words.length ?? 0) - 1]];
    if (term === undefined || start === undefined || stop === undefined) continue;
    const lead = `${start.from > LEAD ? '…' : ''}${text.slice(Math.max(0, start.from - LEAD), start.from)}`;
    const line = text.slice(text.lastIndexOf('\n', start.from) + 1, end(start.from));
    return {
      first,
      line,
      lead,
      match: text.slice(start.from, stop.to),
      rest: text.slice(stop.to, stop.to + REST),
    };
  }
  return { first, line: first, lead: '', match: '', rest: text.slice(0, LEAD + REST) };
}
