import type { Blob } from 'node:buffer';
import { Worker } from 'node:worker_threads';

/** One attachment of a message before it is encoded: an image, or a file with its name (section 4.7). */
export interface BodyPart {
  readonly kind: 'image' | 'pdf' | 'text';
  readonly mediaType: string;
  readonly bytes: Uint8Array;
  readonly name: string;
  /** Relative to the workspace. */
  readonly path: string;
}

/** What a message is made of. */
export interface BodySource {
  readonly text: string;
  readonly computerId?: string | undefined;
  readonly parts: readonly BodyPart[];
}

/** Bytes encoded at once; a multiple of three, so that base64 joins without padding between. */
const AT_ONCE = 3 * 32 * 1024;

/** The JSON body of section 4.7, in small pieces, so that besides the body itself little memory is needed. Order is kept in each list. */
export function* messagePieces({ text, computerId, parts }: BodySource): Iterable<string> {
  yield `{"text":${JSON.stringify(text)}`;
  for (const list of ['images', 'files']) {
    const items = parts.filter(({ kind }) => (kind === 'image') === (list === 'images'));
    for (const [index, { kind, mediaType, bytes, name, path }] of items.entries()) {
      yield `${index === 0 ? `,"${list}":[` : ','}{"type":"base64","mediaType":${JSON.stringify(mediaType)},"data":"`;
      for (const some of inTurn(bytes))
        yield Buffer.from(some.buffer, some.byteOffset, some.length).toString('base64');
      if (kind === 'text') yield '","parsedData":"';
      if (kind === 'text') yield* escaped(bytes);
      yield kind === 'image' ? '"}' : `","name":${JSON.stringify(name)},"path":${JSON.stringify(path)}}`;
    }
    if (items.length > 0) yield ']';
  }
  yield computerId === undefined ? '}' : `,"computerId":${JSON.stringify(computerId)}}`;
}

function* inTurn(bytes: Uint8Array): Iterable<Uint8Array> {
  for (let from = 0; from < bytes.length; from += AT_ONCE) yield bytes.subarray(from, from + AT_ONCE);
}

/** UTF-8 as what stands inside a JSON string. */
function* escaped(bytes: Uint8Array): Iterable<string> {
  const decoder = new TextDecoder('utf-8');
  for (const some of inTurn(bytes)) yield JSON.stringify(decoder.decode(some, { stream: true })).slice(1, -1);
  yield JSON.stringify(decoder.decode()).slice(1, -1);
}

/** Makes the body of a message; the bytes of its parts may not be used any more afterwards. */
export type BuildBody = (source: BodySource) => Promise<string | Blob>;

/** From this size on, bytes, encoding would hold up everything else. */
const LARGE = 512 * 1024;

/** Builds small bodies here and large ones in a thread of their own, run from `workerFile`. */
export function bodyBuilder(workerFile: string): BuildBody {
  return async source => {
    const size = source.parts.reduce((sum, { bytes }) => sum + bytes.length, source.text.length);
    return size < LARGE ? [...messagePieces(source)].join('') : inWorker(workerFile, source);
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
