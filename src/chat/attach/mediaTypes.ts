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

/** Others get their turn after so many bytes. */
const SLICE = 1024 * 1024;

/** Decides by content, never by name; text is well-formed UTF-8 without NUL. Of a file's beginning, as far as that tells. */
export async function sniff(bytes: Uint8Array, isWhole = true): Promise<Sniffed> {
  if (bytes.length === 0) return { kind: 'empty' };
  const image = imageType(bytes);
  if (image !== undefined) return { kind: 'image', mediaType: image };
  const head = bytes.subarray(0, 32);
  if (ascii(head, 0, 5) === '%PDF-') return { kind: 'pdf', mediaType: 'application/pdf' };
  if (OTHER_IMAGES.some(matches => matches(head))) return { kind: 'unsupportedImage' };
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for (let from = 0; from < bytes.length; from += SLICE) {
      if (from > 0) await setImmediate();
      const slice = bytes.subarray(from, from + SLICE);
      if (slice.includes(0)) return { kind: 'binary' };
      decoder.decode(slice, { stream: true });
    }
    if (isWhole) decoder.decode();
    return { kind: 'text', mediaType: 'text/plain' };
  } catch {
    return { kind: 'binary' };
  }
}
