import type { Blob } from 'node:buffer';

/** Of a body only this much is compared, bytes. */
const COMPARED = 64 * 1024;
/** As many characters in a row are no coincidence. */
const RUN = 12;
/** Shorter texts say nothing about anybody. */
const SHORTEST = 4;

/** The texts of a message's body (section 4.7), as far as they stand at its beginning. */
export async function sentTexts(body: string | Uint8Array | Blob | undefined): Promise<readonly string[]> {
  if (body === undefined) return [];
  const json =
    typeof body === 'string'
      ? body.slice(0, COMPARED)
      : body instanceof Uint8Array
        ? new TextDecoder().decode(body.subarray(0, COMPARED))
        : await body.slice(0, COMPARED).text();
  const values = json.matchAll(/(?<!\\)"(?:text|parsedData|data)":"((?:[^"\\]|\\(?:u[\da-f]{4}|[^u]))*)/gi);
  return [...values].flatMap(([, value = '']) => {
    const text = inLine(String(JSON.parse(`"${value}"`)));
    return text.length < SHORTEST ? [] : [text];
  });
}

/** The service's words without what they quote of what was sent to it (trust.md 21). */
export function withoutEcho(words: string, sent: readonly string[]): string {
  const inOneLine = inLine(words);
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

function inLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
