/** What a unified diff says of one file. */
export interface FileChange {
  /** As it is named there; missing where the diff names none. */
  readonly path?: string;
  readonly isNew: boolean;
  readonly hunks: readonly Hunk[];
}

interface Hunk {
  /** The line it begins at before the change, from 1; missing where that is not told. */
  readonly line?: number;
  readonly before: string[];
  readonly after: string[];
}

/** Reads a diff as agents write it: with or without the names of files and the places of its hunks. */
export function readDiff(diff: string): readonly FileChange[] {
  const changes: { path?: string; isNew: boolean; hunks: Hunk[] }[] = [];
  let hunk: Hunk | undefined;
  const change = () => changes.at(-1) ?? changes[changes.push({ isNew: false, hunks: [] }) - 1];
  const lines = diff.replace(/\r?\n$/, '').split(/\r?\n/);
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? '';
    const [, old] = /^--- (.+)$/.exec(line) ?? [];
    const [, now] = /^\+\+\+ (.+)$/.exec(lines[index + 1] ?? '') ?? [];
    if (old !== undefined && now !== undefined) {
      const path = (now === '/dev/null' ? old : now).replace(/\t.*$/, '').trim();
      changes.push({ path, isNew: old.startsWith('/dev/null'), hunks: [] });
      hunk = undefined;
      index++;
      continue;
    }
    const [, at] = /^@@ -(\d+)/.exec(line) ?? [];
    if (line.startsWith('@@')) {
      hunk = { before: [], after: [], ...(at === undefined ? {} : { line: Number(at) }) };
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
      change()?.hunks.push(hunk);
    }
    const text = line.slice(1);
    if (!line.startsWith('+')) hunk.before.push(text);
    if (!line.startsWith('-')) hunk.after.push(text);
  }
  return changes.filter(({ hunks }) => hunks.length > 0);
}

/** A text with a change made to it; `undefined` where the change does not fit it, or fits several places. */
export function changed(text: string, { hunks }: FileChange): string | undefined {
  const end = text.includes('\r\n') ? '\r\n' : '\n';
  const lines = text === '' ? [] : text.split(/\r?\n/);
  let moved = 0;
  for (const { line, before, after } of hunks) {
    const wanted = line === undefined ? undefined : Math.max(0, line - 1) + moved;
    const at = before.length === 0 ? placeOfNew(lines, wanted) : placeOf(lines, before, wanted);
    if (at === undefined) return undefined;
    lines.splice(at, before.length, ...after);
    moved += after.length - before.length;
  }
  const whole = lines.join(end);
  return text === '' ? `${whole}${end}` : whole;
}

function placeOfNew(lines: readonly string[], wanted: number | undefined): number | undefined {
  return lines.length === 0 ? 0 : wanted === undefined ? undefined : Math.min(wanted + 1, lines.length);
}

/** Where these lines stand: the place nearest to the wanted one, or the only one. */
function placeOf(
  lines: readonly string[],
  before: readonly string[],
  wanted: number | undefined,
): number | undefined {
  const places = lines.flatMap((_, at) =>
    before.every((line, offset) => lines[at + offset]?.trimEnd() === line.trimEnd()) ? [at] : [],
  );
  if (wanted === undefined) return places.length === 1 ? places[0] : undefined;
  return places.sort((one, other) => Math.abs(one - wanted) - Math.abs(other - wanted))[0];
}
