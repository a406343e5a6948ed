import type { Blob } from 'node:buffer';

/** Of a body only this much is compared, bytes. */
const COMPARED = 64 * 1024;
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

function inLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
