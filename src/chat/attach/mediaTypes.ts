import { setImmediate } from 'node:timers/promises';
import { ascii, imageType } from './imageType';
import type { AttachmentKind } from '../transcript/messages';

export interface MediaType {
  readonly kind: AttachmentKind;
  readonly mediaType: string;
}

/** What a file is by its bytes: something the service takes, or the name of a kind it does not. */
export type Sniffed = MediaType | { readonly kind: 'unsupportedImage' | 'binary' | 'empty' };

const OTHER_IMAGES: readonly ((head: Uint8Array) => boolean)[] = [
  head =>
    ascii(head, 4, 8) === 'ftyp' &&
    /^(?:heic|heix|hevc|heim|heis|mif1|msf1|avif|avis)$/.test(ascii(head, 8, 12)),
  head => /^(?:II\*\0|MM\0\*)$/.test(ascii(head, 0, 4)),
  head => ascii(head, 0, 2) === 'BM' && head.length > 14 && ascii(head, 6, 10) === '\0\0\0\0',
  head => ascii(head, 0, 4) === '8BPS',
];

/** Decides by content, never by name. */
export function sniff(bytes: Uint8Array): Sniffed {
  return typeOfHead(bytes) ?? (isText(bytes) ? TEXT : BINARY);
}

/** As `sniff`, of a file that comes in pieces; nothing else has to wait for a large one. */
export async function sniffPieces(pieces: AsyncIterable<Uint8Array>): Promise<Sniffed> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let isFirst = true;
  for await (const piece of pieces) {
    const known = isFirst ? typeOfHead(piece) : undefined;
    if (known !== undefined) return known;
    isFirst = false;
    for (let from = 0; from < piece.length; from += PIECE) {
      if (from > 0) await setImmediate();
      if (!isText(piece.subarray(from, from + PIECE), decoder, true)) return BINARY;
    }
  }
  if (isFirst) return { kind: 'empty' };
  return isText(new Uint8Array(), decoder) ? TEXT : BINARY;
}

const PIECE = 1024 * 1024;
const TEXT: Sniffed = { kind: 'text', mediaType: 'text/plain' };
const BINARY: Sniffed = { kind: 'binary' };

function typeOfHead(bytes: Uint8Array): Sniffed | undefined {
  if (bytes.length === 0) return { kind: 'empty' };
  const image = imageType(bytes);
  if (image !== undefined) return { kind: 'image', mediaType: image };
  const head = bytes.subarray(0, 32);
  if (ascii(head, 0, 5) === '%PDF-') return { kind: 'pdf', mediaType: 'application/pdf' };
  return OTHER_IMAGES.some(matches => matches(head)) ? { kind: 'unsupportedImage' } : undefined;
}

/** Well-formed UTF-8 without NUL. */
function isText(
  bytes: Uint8Array,
  decoder = new TextDecoder('utf-8', { fatal: true }),
  stream = false,
): boolean {
  if (bytes.includes(0)) return false;
  try {
    decoder.decode(bytes, { stream });
    return true;
  } catch {
    return false;
  }
}
