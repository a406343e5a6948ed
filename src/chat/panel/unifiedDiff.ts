/** What a unified diff says of one file. */
export interface FileChange {
  /** As it is named there; missing where the diff names none. */
  readonly path?: string;
  readonly isNew: boolean;
  readonly isDeleted?: boolean;
  readonly hunks: readonly Hunk[];
}

interface Hunk {
  /** The line it begins at before the change, from 1, or after which it only adds; missing where that is not told. */
  readonly line?: number;
  readonly before: string[];
  readonly after: string[];
}

/** Reads a diff as agents write it: with or without the names of files and the places of its hunks. */
export function readDiff(diff: string): readonly FileChange[] {
  const changes: { path?: string; isNew: boolean; isDeleted?: boolean; hunks: Hunk[] }[] = [];
  let hunk: Hunk | undefined;
  /** Empty lines of which only the next line tells whether they belong to the hunk. */
  let empty = 0;
  const change = () => changes.at(-1) ?? changes[changes.push({ isNew: false, hunks: [] }) - 1];
  const lines = diff.replace(/\r?\n$/, '').split(/\r?\n/);
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? '';
    const [, old] = /^--- (.+)$/.exec(line) ?? [];
    const [, now] = /^\+\+\+ (.+)$/.exec(lines[index + 1] ?? '') ?? [];
    if (old !== undefined && now !== undefined) {
      const isDeleted = now.startsWith('/dev/null');
      const path = (isDeleted ? old : now).replace(/\t.*$/, '').trim();
      changes.push({ path, isNew: old.startsWith('/dev/null'), isDeleted, hunks: [] });
      hunk = undefined;
      index++;
      continue;
    }
    const [, at] = /^@@ -(\d+)/.exec(line) ?? [];
    if (line.startsWith('@@')) {
      hunk = { before: [], after: [], ...(at === undefined ? {} : { line: Number(at) }) };
      empty = 0;
      change()?.hunks.push(hunk);
      continue;
    }
    // What is left out stands between two places.
    if (/^\s*(?:…|\.\.\.)\s*$/.test(line)) {
      hunk = undefined;
      continue;
    }
    const isHead = /^(?:diff |index |new file|deleted file|old mode|new mode|similarity |rename )/.test(line);
    if (isHead || (hunk === undefined && !/^[-+ ]/.test(line)) || line.startsWith('\\')) continue;
    if (hunk === undefined) {
      hunk = { before: [], after: [] };
      empty = 0;
      change()?.hunks.push(hunk);
    }
    if (line === '') {
      empty++;
      continue;
    }
    for (; empty > 0; empty--) for (const side of [hunk.before, hunk.after]) side.push('');
    const text = line.slice(1);
    if (!line.startsWith('+')) hunk.before.push(text);
    if (!line.startsWith('-')) hunk.after.push(text);
  }
  return changes.filter(({ hunks }) => hunks.length > 0);
}

/** Lines that are compared to find places; a change with more to be found is not one a person can look through. */
const MOST_COMPARED = 5_000_000;

/** A text with a change made to it; `undefined` where the change does not fit it, or fits several places. */
export function changed(text: string, { hunks }: FileChange): string | undefined {
  const end = text.includes('\r\n') ? '\r\n' : '\n';
  const lines = text === '' ? [] : text.split(/\r?\n/);
  let [moved, left] = [0, MOST_COMPARED];
  for (const { line, before, after } of hunks) {
    const wanted = line === undefined ? undefined : line - 1 + moved;
    const isThere = before.every(
      (each, offset) => lines[(wanted ?? NaN) + offset]?.trimEnd() === each.trimEnd(),
    );
    if (before.length > 0 && !isThere) left -= lines.length + before.length;
    const at =
      before.length === 0 ? placeOfNew(lines, wanted) : isThere ? wanted : placeOf(lines, before, wanted);
    if (at === undefined || left < 0) return undefined;
    lines.splice(at, before.length, ...after);
    moved += after.length - before.length;
  }
  const whole = lines.join(end);
  return text === '' ? `${whole}${end}` : whole;
}

function placeOfNew(lines: readonly string[], wanted: number | undefined): number | undefined {
  return lines.length === 0
    ? 0
    : wanted === undefined
      ? undefined
      : Math.min(Math.max(0, wanted + 1), lines.length);
}

/** Where these lines stand: the place nearest to the wanted one, or the only one. */
function placeOf(
  lines: readonly string[],
  before: readonly string[],
  wanted: number | undefined,
): number | undefined {
  // Up to each line, as many of the lines before it as these begin with: each is compared about twice (Knuth, Morris, Pratt).
  const all = [...before, undefined, ...lines].map(line => line?.trimEnd());
  const alike = [0];
  for (let at = 1; at < all.length; at++) {
    let count = alike[at - 1] ?? 0;
    while (count > 0 && all[at] !== all[count]) count = alike[count - 1] ?? 0;
    alike.push(all[at] === all[count] ? count + 1 : 0);
  }
  const places = alike.flatMap((count, at) => (count === before.length ? [at - 2 * before.length] : []));
  if (wanted === undefined) return places.length === 1 ? places[0] : undefined;
  return places.sort((one, other) => Math.abs(one - wanted) - Math.abs(other - wanted))[0];
}
