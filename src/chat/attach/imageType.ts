export const ascii = (bytes: Uint8Array, from: number, to: number): string =>
  String.fromCharCode(...bytes.subarray(from, to));

/** Image types by their first bytes. */
const IMAGES: readonly (readonly [string, (head: Uint8Array) => boolean])[] = [
  ['image/png', head => ascii(head, 0, 8) === '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', head => head[0] === 0xff && head[1] === 0xd8 && head[2] === 0xff],
  ['image/gif', head => /^GIF8[79]a$/.test(ascii(head, 0, 6))],
  ['image/webp', head => ascii(head, 0, 4) === 'RIFF' && ascii(head, 8, 12) === 'WEBP'],
];

export function imageType(bytes: Uint8Array): string | undefined {
  const head = bytes.subarray(0, 32);
  return IMAGES.find(([, matches]) => matches(head))?.[0];
}
