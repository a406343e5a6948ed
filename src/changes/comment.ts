import * as vscode from 'vscode';
import { longerThanIn, oneLine } from '../util/text';
import type { CommentRecord } from './records';

/** Where a comment stands by now: at its own lines, or where the newer version has them. */
export interface Place {
  readonly commit: string;
  /** The first line, from 0. */
  readonly line: number;
}

/** The lines of a text, however they end. */
export function linesOf(text: string): readonly string[] {
  return text.split(/\r\n|\r|\n/);
}

/** The line from which on `lines` say what was quoted from `line` on: the same one, or else the only one; lines count from 0. */
export function placeOf(
  quoted: readonly string[],
  line: number,
  lines: readonly string[],
): number | undefined {
  const isAt = (at: number): boolean => quoted.every((text, index) => lines[at + index] === text);
  if (isAt(line)) return line;
  let found: number | undefined;
  for (let at = 0; at + quoted.length <= lines.length; at++) {
    if (!isAt(at)) continue;
    if (found !== undefined) return undefined;
    found = at;
  }
  return found;
}

/** The word that a comment is found again by in a message. */
export function markOf({ id }: CommentRecord): string {
  return id.slice(0, 8);
}

/** A comment as a part of a message: its mark, where it is, what is there, and the person's words. */
export function blockOf(comment: CommentRecord, { line, commit }: Place): string {
  const { path, count, quoted, words } = comment;
  const file = oneLine(path, 1_000);
  const ticks = longerThanIn(file, 1);
  const pad = ticks.length > 1 ? ' ' : '';
  const where = [
    markOf(comment),
    `${ticks}${pad}${file}${pad}${ticks}`,
    line + 1,
    line + count,
    commit.slice(0, 10),
  ];
  const head =
    count === 1
      ? vscode.l10n.t('Comment {0} on {1}, line {2} (commit {4}):', ...where)
      : vscode.l10n.t('Comment {0} on {1}, lines {2}–{3} (commit {4}):', ...where);
  const code = [...quoted, ...(count > quoted.length ? ['…'] : [])].join('\n');
  const fence = longerThanIn(code, 3);
  const language = /\.([\w+-]+)$/.exec(file)?.[1] ?? '';
  return `${head}\n\n${fence}${language}\n${code}\n${fence}\n\n${words}`;
}
