import type { SearchTerm } from '../storage';

/** What a person has typed. */
export interface TypedQuery {
  readonly terms: readonly SearchTerm[];
  readonly by?: 'me' | 'agent' | undefined;
  /** Words of a title. */
  readonly inTitle?: string | undefined;
  /** Unix ms: from the begin of a day on, and before it. */
  readonly after?: number | undefined;
  readonly before?: number | undefined;
}

const PART = /(?:from|in|after|before):(?!\S)|(?:(from|in|after|before):)?(?:"([^"]*)("?)|(\S+))/giu;
const DAY = /^(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?$/;
/** More words than these narrow nothing. */
const MOST = 20;

/**
 * Words, `"phrases"`, `beginnings*`, `from:me`, `in:title`, `after:2026-11-01`, `before:2026-11`. The last word counts as a beginning
 * while it is typed; what is none of these is words as well.
 */
export function parseQuery(text: string): TypedQuery {
  const terms: SearchTerm[] = [];
  const narrowed: Record<string, string> = {};
  for (const match of text.matchAll(PART)) {
    const [whole, name, quoted, closing, word] = match;
    const key = name?.toLowerCase();
    const said = quoted ?? word ?? '';
    if (key !== undefined && (key !== 'from' || /^(me|agent)$/i.test(said))) narrowed[key] = said;
    else if (quoted !== undefined) terms.push({ text: said, isPrefix: closing === '' });
    else if (said !== '') {
      const isTyped = match.index + whole.length === text.length;
      terms.push({ text: whole.replace(/\*$/, ''), isPrefix: isTyped || whole.endsWith('*') });
    }
  }
  const { from, in: inTitle, after, before } = narrowed;
  return {
    terms: terms.slice(0, MOST),
    by: from === undefined ? undefined : from.toLowerCase() === 'me' ? 'me' : 'agent',
    inTitle: inTitle === '' ? undefined : inTitle,
    after: dayOf(after),
    before: dayOf(before),
  };
}

/** When a day, month or year begins here; nothing for one that is not whole yet. */
function dayOf(text = ''): number | undefined {
  const [, year, month = '1', day = '1'] = DAY.exec(text) ?? [];
  return year === undefined ? undefined : new Date(Number(year), Number(month) - 1, Number(day)).getTime();
}
