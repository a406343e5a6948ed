/** What a unified diff says of one file. */
export interface FileChange {
  /** As it is named there. */
  readonly path: string;
  readonly isNew: boolean;
  readonly isDeleted: boolean;
  readonly hunks: Hunk[];
}

interface Hunk {
  /** The line it begins at before the change, from 1, or after which it only adds; missing where that is not told. */
  readonly line: number | undefined;
  readonly before: string[];
  readonly after: string[];
}

const HEAD = /^(?:diff |index |new file|deleted file|old mode|new mode|similarity |rename |\\)/;

/** Reads what a diff says of the files it names, as agents write it: with or without the places of its hunks. */
export function readDiff(diff: string): readonly FileChange[] {
  const changes: FileChange[] = [];
  let hunk: Hunk | undefined;
  /** Empty lines of which only the next line tells whether they belong to the hunk. */
  let empty = 0;
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
    } else if (line.startsWith('@@')) {
      const [, at] = /^@@ -(\d+)/.exec(line) ?? [];
      hunk = { line: at === undefined ? undefined : Number(at), before: [], after: [] };
      empty = 0;
      changes.at(-1)?.hunks.push(hunk);
    } else if (line === '') {
      empty++;
    } else if (!HEAD.test(line) && hunk !== undefined) {
      const { before, after } = hunk;
      for (; empty > 0; empty--) for (const side of [before, after]) side.push('');
      if (!line.startsWith('+')) before.push(line.slice(1));
      if (!line.startsWith('-')) after.push(line.slice(1));
    }
  }
  return changes.filter(({ hunks }) => hunks.length > 0);
}

/** Lines that are compared to find places; a change with more to be found is not one a person can look through. */
const MOST_COMPARED = 5_000_000;

/** A text with a change made to it; `undefined` where the change does not fit it, or fits several places. */
export function changed(text: string, { hunks }: Pick<FileChange, 'hunks'>): string | undefined {
  const end = text.includes('\r\n') ? '\r\n' : '\n';
  const lines = text === '' ? [] : text.split(/\r?\n/);
  let [moved, left] = [0, MOST_COMPARED];
  for (const { line, before, after } of hunks) {
    const isAt = (at: number): boolean =>
      before.every((each, offset) => left-- > 0 && lines[at + offset]?.trimEnd() === each.trimEnd());
    const wanted = line === undefined ? undefined : line - 1 + moved;
    let at = wanted;
    if (before.length === 0) {
      if (wanted !== undefined) at = Math.max(0, wanted + 1);
      if (lines.length === 0) at = 0;
    } else if (wanted === undefined || !isAt(wanted)) {
      const [only, ...others] = lines.flatMap((_, index) => (isAt(index) ? [index] : []));
      at = others.length > 0 ? undefined : only;
    }
    if (at === undefined || left < 0) return undefined;
    lines.splice(at, before.length, ...after);
    moved += after.length - before.length;
  }
  const whole = lines.join(end);
  return text === '' ? `${whole}${end}` : whole;
}
