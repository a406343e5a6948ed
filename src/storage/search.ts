import type { StatementSync } from 'node:sqlite';

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

export interface SearchAnswer {
  /** The latest first. */
  readonly hits: readonly SearchHit[];
  /** There are more than were asked for. */
  readonly isMore: boolean;
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

const BITS = 20;
const MAX_AT = 2 ** 42;
/** What stands around a match, characters; one that comes later in a text is not looked for. */
const [LEAD, REST, LOOKED_AT] = [40, 160, 50_000];

type Sql = (text: string) => StatementSync;

/** Notes what a record says from now on. `at` is when it was stored. */
export function putText(
  sql: Sql,
  record: { readonly key: number; readonly collection: string; readonly at: number },
  text: SearchText | undefined,
): void {
  const { key, collection, at } = record;
  const known = sql(`SELECT place >> ${BITS} AS at, by, text FROM texts WHERE key = ?`).get(key);
  const time = clamped(text?.at ?? at, MAX_AT - 1);
  const isSame = known?.['text'] === text?.text && (known?.['by'] ?? undefined) === text?.by;
  if (isSame && (known === undefined || known['at'] === time)) return;
  sql('DELETE FROM words WHERE rowid = (SELECT place FROM texts WHERE key = ?)').run(key);
  sql('DELETE FROM texts WHERE key = ?').run(key);
  if (text === undefined) return;
  const place = `(? << ${BITS}) | (? & ${2 ** BITS - 1})`;
  const row = [time, key, key, text.by ?? null, text.text] as const;
  sql(`INSERT OR REPLACE INTO texts VALUES (${place}, ?, ?, ?)`).run(...row);
  // A collection is found by its own path and by those above it.
  const paths = collection.split('/').map((_, index, parts) => parts.slice(0, index + 1).join('/'));
  const tags = [...paths.map(tagOf), text.by ?? ''].join(' ');
  const insert = `INSERT OR REPLACE INTO words (rowid, said, tags) VALUES (${place}, ?, ?)`;
  sql(insert).run(time, key, wordsOf(text.text).join(' '), tags);
}

/** What the latest records of a collection say, each at most `LOOKED_AT` characters of it. */
export function latestTexts(sql: Sql, collection: string, limit: number): readonly SearchText[] {
  const rows = sql(
    `SELECT substr(text, 1, ${LOOKED_AT}) AS text, place >> ${BITS} AS at, by
     FROM documents JOIN texts USING (key) WHERE collection = ? ORDER BY place DESC LIMIT ?`,
  ).all(collection, limit) as unknown as readonly Pick<Said, 'text' | 'at' | 'by'>[];
  return rows.map(({ by, ...said }) => ({ ...said, by: by ?? undefined }));
}

/** The latest records with these words, and whether there are more. */
export function findTexts(sql: Sql, query: SearchQuery): SearchAnswer {
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
  const rows = sql(
    `SELECT collection, id, place >> ${BITS} AS at, by, text
     FROM words JOIN texts ON texts.place = words.rowid JOIN documents USING (key)
     WHERE words MATCH ? AND words.rowid >= (? << ${BITS}) AND words.rowid < (? << ${BITS})
     ORDER BY words.rowid DESC LIMIT ?`,
  ).all(match, clamped(after), clamped(before), limit + 1) as unknown as readonly Said[];
  const hits = rows
    .slice(0, limit)
    .map(({ by, text, ...row }) => ({ ...row, by: by ?? undefined, ...around(text, terms) }));
  return { hits, isMore: rows.length > limit };
}

/** A text as it is stored, with its record. */
interface Said extends Pick<SearchHit, 'collection' | 'id' | 'at'> {
  readonly by: 'me' | 'agent' | null;
  readonly text: string;
}

interface Sought {
  readonly words: readonly string[];
  readonly isPrefix: boolean;
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
  const endOfLine = (from: number): number => (text.indexOf('\n', from) + 1 || text.length + 1) - 1;
  const first = text.slice(0, endOfLine(0));
  const read: { readonly word: string; readonly from: number }[] = [];
  const isLast = ({ words, isPrefix }: Sought): boolean =>
    words.every((word, at) => {
      const found = read.at(at - words.length)?.word;
      return found === word || (isPrefix && at === words.length - 1 && found?.startsWith(word) === true);
    });
  // A text is read no further than to the end of the match.
  for (const { 0: written, index } of text.slice(0, LOOKED_AT).matchAll(WORD)) {
    read.push({ word: wordsOf(written).join(''), from: index });
    const term = terms.find(isLast);
    if (term === undefined) continue;
    const [from, to] = [read.at(-term.words.length)?.from ?? index, index + written.length];
    const lead = `${from > LEAD ? '…' : ''}${text.slice(Math.max(0, from - LEAD), from)}`;
    const line = text.slice(text.lastIndexOf('\n', from) + 1, endOfLine(from));
    return { first, line, lead, match: text.slice(from, to), rest: text.slice(to, to + REST) };
  }
  return { first, line: first, lead: '', match: '', rest: text.slice(0, LEAD + REST) };
}
