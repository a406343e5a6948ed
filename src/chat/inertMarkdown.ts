/** A fence as others write it: in a list too, however deep. Backticks have none behind them. */
const FENCE = /^((?:[ \t]*(?:[-*+]|\d{1,9}[.)])(?=[ \t]))*[ \t]*)(`{3,}(?![^]*`)|~{3,})/;
/** What is escaped, backticks, exclamation marks that may begin a picture, and what may begin a tag, an address or math. */
const MARKS = /\\[!-/:-@[-`{-~]|`+|!+\[?|<(?=[A-Za-z/!?])|\$/g;
const PLACES = new RegExp(`${MARKS.source}|://|\\s`, 'g');

/**
 * Foreign Markdown that loads nothing when it is shown: outside of code, pictures become links, and raw HTML and math are shown as
 * written. Whoever reads it finds code in the same places: fences stand at the beginning of their line and are closed, and code
 * within a line ends there. `change` is applied to each line outside of fences.
 */
export function inertMarkdown(text: string, change: (line: string) => string = line => line): string {
  const lines: string[] = [];
  let open: { readonly fence: string; readonly indent: RegExp } | undefined;
  for (const line of text.split(/\r\n?|\n/)) {
    if (open !== undefined) {
      const content = line.replace(open.indent, '');
      const [, end = ''] = /^ {0,3}(`+|~+)[ \t]*$/.exec(content) ?? [];
      const isEnd = end.startsWith(open.fence);
      // Not every reader takes a fence with a tab behind it for the end.
      lines.push(isEnd ? content.trimEnd() : content);
      if (isEnd) open = undefined;
      continue;
    }
    const [whole, before = '', fence] = FENCE.exec(line) ?? [];
    if (whole === undefined || fence === undefined) {
      lines.push(inertLine(change(line)));
      continue;
    }
    if (before.trim() !== '') lines.push('', before.trimEnd());
    // With a bar it might be the head of a table.
    lines.push(line.slice(before.length).replace(/\|[^]*/, ''));
    open = { fence, indent: new RegExp(`^[ \\t]{0,${before.length}}`) };
  }
  return [...lines, ...(open === undefined ? [] : [open.fence])].join('\n');
}

/** The same for text on one line. */
export function inertLine(line: string): string {
  const spans = codeIn(line);
  // In a table a bar ends a cell, and with it the code.
  const isCode = !spans.some(({ from, to }) => line.slice(from, to).includes('|'));
  let written = '';
  let at = 0;
  for (const { from, to } of [...spans, { from: line.length, to: line.length }]) {
    written += inertWords(line.slice(at, from));
    const code = line.slice(from, to);
    written += isCode ? code : inertWords(code);
    at = to;
  }
  return written;
}

/** Code within a line, from its first backtick to behind its last. */
function codeIn(line: string): readonly { readonly from: number; readonly to: number }[] {
  const spans: { readonly from: number; readonly to: number }[] = [];
  let behind = 0;
  // Backticks without a space before them may belong to an address.
  let isAddress = false;
  for (const { 0: mark, index } of line.matchAll(PLACES)) {
    if (mark === '://' || mark.trim() === '') isAddress = mark === '://';
    if (index < behind || isAddress || !mark.startsWith('`')) continue;
    const rest = index + mark.length;
    const end = endOf(line, rest, mark.length);
    if (end === undefined) continue;
    behind = end;
    spans.push({ from: index, to: behind });
  }
  return spans;
}

/** Where the next run of so many backticks ends. */
function endOf(line: string, from: number, length: number): number | undefined {
  const runs = /`+/g;
  runs.lastIndex = from;
  for (let run = runs.exec(line); run !== null; run = runs.exec(line))
    if (run[0].length === length) return runs.lastIndex;
  return undefined;
}

/** Shown as they are, also behind an address, to which a backslash before them might belong. */
const SHOWN: Readonly<Record<string, string>> = { '`': '&#96;', '!': '&#33;', '<': '&lt;', $: '\\$' };

function inertWords(words: string): string {
  return words.replace(MARKS, mark => {
    if (mark.startsWith('\\')) return SHOWN[mark.slice(1)] ?? mark;
    if (mark.endsWith('!')) return mark;
    const shown = mark.endsWith('[') ? mark.slice(0, -2) : mark;
    return shown.replace(/[^]/g, each => SHOWN[each] ?? each) + (mark.endsWith('[') ? '[' : '');
  });
}
