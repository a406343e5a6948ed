import { setImmediate } from 'node:timers/promises';
import { ascii, imageType } from './imageType';
import type { AttachmentKind } from '../transcript/messages';

export interface MediaType {
  readonly kind: AttachmentKind;
  readonly mediaType: string;
}

/** Others get their turn after so many bytes. */
const SLICE = 1024 * 1024;

/**
 * What a file is by its bytes, never by its name, if the service takes it; text is well-formed UTF-8 without NUL. Of a file's
 * beginning, as far as that tells.
 */
export async function sniff(bytes: Uint8Array, isWhole = true): Promise<MediaType | undefined> {
  const image = imageType(bytes);
  if (image !== undefined) return { kind: 'image', mediaType: image };
  if (ascii(bytes, 0, 5) === '%PDF-') return { kind: 'pdf', mediaType: 'application/pdf' };
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for (let from = 0; from < bytes.length; from += SLICE) {
      if (from > 0) await setImmediate();
      const slice = bytes.subarray(from, from + SLICE);
      if (slice.includes(0)) return undefined;
      decoder.decode(slice, { stream: true });
    }
    if (isWhole) decoder.decode();
    return { kind: 'text', mediaType: 'text/plain' };
  } catch {
    return undefined;
  }
}
