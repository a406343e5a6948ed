import type { ItemProblem } from './decode';
import { isRecord } from './decode';

/** One page of a list, with what could not be read. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly problems: readonly ItemProblem[];
  /** What was passed to get the next page; absent on the last one. */
  readonly cursor?: string;
  readonly hasMore: boolean;
}

/** Where a page says the list goes on. */
export interface Onward {
  readonly cursor: string | undefined;
  readonly problems: readonly ItemProblem[];
}

/** No list of ours is longer: more pages than this are a fault of the service. */
const MOST_PAGES = 10_000;

/** Reads `{ hasMore, nextCursor }`, whatever the two are called. A page that contradicts itself ends the list, and says so. */
export function onward(holder: unknown, moreName: string, cursorName: string): Onward {
  if (!isRecord(holder)) return end('pagination is missing: there may be more');
  const more = holder[moreName];
  const cursor = holder[cursorName];
  if (more !== true) return more === false ? END : end(`${moreName} is missing: there may be more`);
  if (typeof cursor !== 'string' || cursor === '') return end(`there is more, but no ${cursorName}`);
  return { cursor, problems: [] };
}

const END: Onward = { cursor: undefined, problems: [] };

function end(reason: string): Onward {
  return { cursor: undefined, problems: [{ reason }] };
}

/**
 * Follows cursors until there is none. A cursor met before ends the list, so a service that goes in circles does not keep
 * us; each page is asked for when the one before has been taken. `first` is where to begin, such as where another reading ended.
 */
export async function* follow<P extends Page<unknown>>(
  read: (cursor: string | undefined) => Promise<P & { readonly onward: Onward }>,
  first?: string,
): AsyncGenerator<Omit<P, 'onward'>, void, undefined> {
  const met = new Set<string>(first === undefined ? [] : [first]);
  let cursor = first;
  for (let count = 1; ; count++) {
    const { onward: next, ...page } = await read(cursor);
    const repeats = next.cursor !== undefined && (met.has(next.cursor) || count >= MOST_PAGES);
    const problems = [
      ...page.problems,
      ...next.problems,
      ...(repeats ? [{ reason: 'the next page was read before: there may be more' }] : []),
    ];
    if (next.cursor === undefined || repeats) {
      yield { ...page, problems, hasMore: false };
      return;
    }
    met.add(next.cursor);
    yield { ...page, problems, cursor: next.cursor, hasMore: true };
    cursor = next.cursor;
  }
}
