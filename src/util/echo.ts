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
