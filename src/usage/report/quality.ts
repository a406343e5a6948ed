import * as l10n from '@vscode/l10n';
import { knownOf } from '../../util/amount';
import { byCount, compare, type Entry, type Folded } from './parts';

const nameOf = ({ names: [name = ''] }: Entry): string => name;
const countOf = ({ counts: [count] }: Entry): number => knownOf(count) ?? 0;
const countAll = (entries: readonly Entry[]): number =>
  entries.reduce((sum, entry) => sum + countOf(entry), 0);

/** Names that differ by letter case only are one, spelled as most often (section 8). */
export function foldCase(entries: readonly Entry[]): Folded {
  const groups = [...Map.groupBy(entries, entry => nameOf(entry).toLowerCase()).values()].map(group =>
    group.toSorted((a, b) => countOf(b) - countOf(a) || compare(nameOf(b), nameOf(a))),
  );
  const spelling = (group: readonly Entry[]): string => group.map(nameOf)[0] ?? '';
  const folded = groups.map(group => ({ names: [spelling(group)], counts: [countAll(group)] }));
  const merged = groups.filter(group => group.length > 1);
  if (merged.length === 0) return { entries: folded };
  const spellings = merged.flat().length;
  return {
    entries: folded.sort(byCount),
    note:
      merged.length === 1
        ? l10n.t(
            'MCP servers whose names differ only by letter case count as one: {0} spellings, 1 server.',
            spellings,
          )
        : l10n.t(
            'MCP servers whose names differ only by letter case count as one: {0} spellings, {1} servers.',
            spellings,
            merged.length,
          ),
  };
}

/** Odd names below this share of all calls are grouped. */
const ODD_SHARE = 0.001;
/** Letters, digits and the signs that names of tools are made of. */
const PLAIN_NAME = /^[\p{L}\p{N} _.:/@#-]{1,80}$/u;

/** Tool names that look like leftovers of a parser are one row, if each is rare (section 8). */
export function groupOdd(entries: readonly Entry[]): Folded {
  const total = countAll(entries);
  const isOdd = (entry: Entry): boolean =>
    !PLAIN_NAME.test(nameOf(entry)) && countOf(entry) < total * ODD_SHARE;
  const odd = entries.filter(isOdd);
  if (odd.length === 0) return { entries };
  const other = l10n.t('Other (odd names: {0})', odd.length);
  const count = countAll(odd);
  return {
    entries: [...entries.filter(entry => !isOdd(entry)), { names: [other], counts: [count] }],
    note: l10n.t(
      'Tool names that look like parser debris, each with less than 0.1% of the calls, are combined in one row: {0}, {1}.',
      odd.length === 1 ? l10n.t('1 name') : l10n.t('{0} names', odd.length),
      count === 1 ? l10n.t('1 call') : l10n.t('{0} calls', count),
    ),
  };
}
