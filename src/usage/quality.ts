import * as vscode from 'vscode';
import { compare, shown, type Entry } from './kit';
import type { QualityNote } from './report';

/** How names are shown, and what that hides. */
export interface Folded {
  readonly entries: readonly Entry[];
  readonly note?: QualityNote;
}

/** Names that differ by letter case only are one, spelled as most often (section 8). */
export function foldCase(entries: readonly Entry[]): Folded {
  const groups = new Map<string, Entry[]>();
  for (const entry of entries) {
    const key = (entry.names[0] ?? '').toLowerCase();
    groups.set(key, [...(groups.get(key) ?? []), entry]);
  }
  const folded = [...groups.values()].map(group => {
    const [first, ...rest] = group.toSorted(
      (a, b) => b.count - a.count || compare(b.names[0] ?? '', a.names[0] ?? ''),
    );
    const names = first?.names ?? [];
    return { names, count: rest.reduce((sum, { count }) => sum + count, first?.count ?? 0), group };
  });
  const merged = folded.filter(({ group }) => group.length > 1);
  return {
    entries: sorted(folded.map(({ names, count }) => ({ names, count }))),
    ...(merged.length === 0
      ? {}
      : {
          note: {
            id: 'servers',
            sentence: foldedText(
              merged.reduce((sum, { group }) => sum + group.length, 0),
              merged.length,
            ),
            names: merged.flatMap(({ names, group }) =>
              group.map(({ names: [sent = ''], count }) => ({
                shown: shown(names[0] ?? ''),
                sent: shown(sent),
                count,
              })),
            ),
          },
        }),
  };
}

/** A server has at least two spellings. */
function foldedText(spellings: number, servers: number): string {
  return servers === 1
    ? vscode.l10n.t(
        'Names of MCP servers that differ only in upper and lower case are one server here: {0} spellings, 1 server.',
        spellings,
      )
    : vscode.l10n.t(
        'Names of MCP servers that differ only in upper and lower case are one server here: {0} spellings, {1} servers.',
        spellings,
        servers,
      );
}

/** Odd names below this share of all calls are grouped. */
export const ODD_SHARE = 0.001;
/** Letters, digits and the signs that names of tools are made of. */
const PLAIN_NAME = /^[\p{L}\p{N} _.:/@#-]{1,80}$/u;

/** Tool names that look like leftovers of a parser are one row, if each is rare (section 8). */
export function groupOdd(entries: readonly Entry[]): Folded {
  const total = entries.reduce((sum, { count }) => sum + count, 0);
  const isOdd = ({ names: [name = ''], count }: Entry): boolean =>
    !PLAIN_NAME.test(name) && count < total * ODD_SHARE;
  const odd = entries.filter(isOdd);
  if (odd.length === 0) return { entries };
  const other = vscode.l10n.t('Other (odd names: {0})', odd.length);
  const count = odd.reduce((sum, entry) => sum + entry.count, 0);
  return {
    entries: [...entries.filter(entry => !isOdd(entry)), { names: [other], count }],
    note: {
      id: 'tools',
      sentence: vscode.l10n.t(
        'Tool names that look like leftovers of a parser, each with less than 0.1 % of the calls, are one row here: {0}, {1}.',
        odd.length === 1 ? vscode.l10n.t('1 name') : vscode.l10n.t('{0} names', odd.length),
        count === 1 ? vscode.l10n.t('1 call') : vscode.l10n.t('{0} calls', count),
      ),
      names: odd.map(({ names: [sent = ''], count }) => ({ shown: other, sent: shown(sent), count })),
    },
  };
}

function sorted(entries: readonly Entry[]): Entry[] {
  return entries.toSorted((a, b) => b.count - a.count || compare(a.names[0] ?? '', b.names[0] ?? ''));
}

/** What could not be read of the service's answers, if anything. */
export function unreadNote(problems: readonly string[]): QualityNote | undefined {
  if (problems.length === 0) return undefined;
  const counts = new Map<string, number>();
  for (const problem of problems) counts.set(problem, (counts.get(problem) ?? 0) + 1);
  return {
    id: 'unread',
    sentence: vscode.l10n.t(
      'Parts of the service’s answers could not be read and are not counted: {0}.',
      problems.length,
    ),
    names: [...counts].map(([problem, count]) => ({ shown: '', sent: shown(problem), count })),
  };
}
