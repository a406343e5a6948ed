import type { Blob } from 'node:buffer';
import { Worker } from 'node:worker_threads';
import { messageBody, type BodySource } from './body';

/** Makes the body of a message; the bytes of its parts may not be used any more afterwards. */
export type BuildBody = (source: BodySource) => Promise<Uint8Array | Blob>;

/** From this size on, bytes, encoding would hold up everything else. */
const LARGE = 512 * 1024;

/** Builds small bodies here and large ones in a thread of their own, run from `workerFile`. */
export function bodyBuilder(workerFile: string): BuildBody {
  return async source => {
    const size = source.parts.reduce((sum, { bytes }) => sum + bytes.length, source.text.length);
    return size < LARGE ? messageBody(source) : inWorker(workerFile, source);
  };
}

function inWorker(workerFile: string, source: BodySource): Promise<Blob> {
  const parts = source.parts.map(part => ({ ...part, bytes: ownBytes(part.bytes) }));
  const transferList = [...new Set(parts.map(({ bytes }) => bytes.buffer))];
  return new Promise((resolve, reject) => {
    const worker = new Worker(workerFile, { workerData: { ...source, parts }, transferList });
    worker.once('message', (body: Blob) => resolve(body));
    worker.once('error', reject);
    worker.once('exit', code => reject(new Error(`The message could not be built (${code}).`)));
  });
}

/** The bytes in a buffer that holds nothing else, so that it can be handed over; a `Buffer` would arrive as something else. */
function ownBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = bytes;
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength
    ? new Uint8Array(buffer)
    : Uint8Array.from(bytes);
}
