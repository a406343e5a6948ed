/**
 * Text from the service, from hooks or from files is foreign: it may hold command links, icon syntax, bidi overrides or
 * control characters. Everything foreign passes one of these functions on its way to a person (trust.md 1-3).
 */

/** C0 and C1 controls (but not tab and line feed), bidi embeddings, overrides and isolates, invisible marks, BOM. */
const CONTROL =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/** Foreign text for any place that shows it as it is: control and bidi characters become U+FFFD, lengths are capped. */
export function plain(text: string, maxLength = 10_000): string {
  const lines = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
  const clean = lines.replace(CONTROL, '\ufffd');
  return clean.length > maxLength ? `${start(clean, maxLength - 1)}…` : clean;
}

/** The first characters, never half of one. */
function start(text: string, length: number): string {
  return text.slice(0, length).replace(/[\ud800-\udbff]$/, '');
}

/** Foreign text on one line: as `plain`, with every run of white space a single space. */
export function oneLine(text: string, maxLength = 200): string {
  return plain(text.replace(/\s+/g, ' ').trim(), maxLength);
}

/** For notifications, progress, input prompts and validation messages, where `[x](command:…)` would become a link. */
export function forNotification(text: string, maxLength = 300): string {
  return oneLine(text, maxLength).replace(/\](?=\()/g, '] ');
}

/** For status bar and quick pick text, where `$(name)` would become an icon. */
export function forQuickPick(text: string, maxLength = 200): string {
  return oneLine(text, maxLength).replace(/\$(?=\()/g, '$\u200b');
}

/**
 * For what an editor opens, where VS Code makes a link of every `file://`, in code too. Where a backslash escapes, as in Markdown
 * and in the strings of JSON, the text stays the same.
 */
export function forEditor(text: string): string {
  return text.replace(/file:(?=\/\/)/gi, '$&\\');
}

/** At least so many backticks, more than any run in this code: Markdown ends the code with none of those. */
export function longerThanIn(code: string, least: number): string {
  let length = least;
  for (const [run] of code.matchAll(/`+/g)) length = Math.max(length, run.length + 1);
  return '`'.repeat(length);
}

/** Keeps both ends of a long path: `/home/…/file.ts`. */
export function middle(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const tail = Math.ceil((maxLength - 1) * 0.6);
  return `${text.slice(0, maxLength - 1 - tail)}…${text.slice(-tail)}`;
}

/** Words of names that are written in capitals. */
const CAPITALS = /\b(?:adr|api|cd|ci|cli|css|html|http|id|json|llm|mcp|pr|sbom|sdk|sql|ui|url|yaml)\b/gi;

/** `type_check`, `typeCheck` and `type-check` as `Type check`; `ci_pipeline` as `CI pipeline`. */
export function readableName(id: string): string {
  const words = id
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .replace(/[_\-./:\s]+/g, ' ')
    .trim();
  if (words === '') return id;
  const rest = words.slice(1).replace(/\b\p{Lu}\p{Ll}+/gu, word => word.toLowerCase());
  return (words.charAt(0).toUpperCase() + rest).replace(CAPITALS, word => word.toUpperCase());
}

/** As many characters in a row are no coincidence. */
const RUN = 12;

/** Words in one line without what they quote of `sent`, texts in one line each (trust.md 21). */
export function withoutEcho(words: string, sent: readonly string[]): string {
  const inOneLine = words.replace(/\s+/g, ' ').trim();
  let result = '';
  for (let at = 0; at < inOneLine.length;) {
    const quoted = Math.max(0, ...sent.map(text => quotedAt(inOneLine, at, text)));
    result += quoted > 0 ? '…' : inOneLine.charAt(at);
    at += Math.max(1, quoted);
  }
  return result;
}

/** How many characters from `at` on are of `text`; 0 for a few that may be so by chance. */
function quotedAt(words: string, at: number, text: string): number {
  let length = Math.min(RUN, text.length);
  const isQuoted = (): boolean => at + length <= words.length && text.includes(words.slice(at, at + length));
  if (!isQuoted()) return 0;
  while (isQuoted()) length++;
  return length - 1;
}
