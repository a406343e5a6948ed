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

/** A piece of the body: JSON as it is, bytes to be encoded as base64, or bytes of UTF-8 to be escaped inside a JSON string. */
type Piece =
  | { readonly kind: 'json'; readonly json: string }
  | { readonly kind: 'base64' | 'escaped'; readonly bytes: Uint8Array };

/** Bytes taken at once; a multiple of three, so that base64 joins without padding between. */
const AT_ONCE = 3 * 32 * 1024;

/** The JSON body of section 4.7. Order is kept in each list. */
export function messageBody(source: BodySource): Uint8Array {
  return Buffer.concat([...messagePieces(source)]);
}

/**
 * The same as pieces of at most a few MB, so that besides the body itself little memory is needed. With `scratch` they are written
 * there, where each stands until the next is taken.
 */
export function* messagePieces(
  source: BodySource,
  scratch?: Buffer<ArrayBuffer>,
): Iterable<Uint8Array<ArrayBuffer>> {
  const written = (text: string, encoding: 'latin1' | 'utf8'): Uint8Array<ArrayBuffer> =>
    scratch !== undefined && text.length * (encoding === 'utf8' ? 3 : 1) <= scratch.length
      ? scratch.subarray(0, scratch.write(text, encoding))
      : Buffer.from(text, encoding);
  for (const piece of piecesOf(source)) {
    if (piece.kind === 'json') {
      yield written(piece.json, 'utf8');
    } else if (piece.kind === 'escaped') {
      for (const text of escaped(piece.bytes)) yield written(text, 'utf8');
    } else {
      for (const part of inParts(piece.bytes)) {
        const view = Buffer.from(part.buffer, part.byteOffset, part.length);
        yield written(view.toString('base64'), 'latin1');
      }
    }
  }
}

function piecesOf({ text, computerId, parts }: BodySource): readonly Piece[] {
  const images = parts.filter(({ kind }) => kind === 'image');
  const files = parts.filter(({ kind }) => kind !== 'image');
  return [
    json(`{"text":${JSON.stringify(text)}`),
    ...list('images', images, image => [
      json(`{"type":"base64","data":"`),
      { kind: 'base64', bytes: image.bytes },
      json(`","mediaType":${JSON.stringify(image.mediaType)}}`),
    ]),
    ...list('files', files, file => [
      json(`{"type":"base64","mediaType":${JSON.stringify(file.mediaType)},"data":"`),
      { kind: 'base64', bytes: file.bytes },
      ...(file.kind === 'text'
        ? [json(`","parsedData":"`), { kind: 'escaped' as const, bytes: file.bytes }]
        : []),
      json(`","name":${JSON.stringify(file.name)},"path":${JSON.stringify(file.path)}}`),
    ]),
    json(computerId === undefined ? '}' : `,"computerId":${JSON.stringify(computerId)}}`),
  ];
}

function list(
  name: string,
  parts: readonly BodyPart[],
  each: (part: BodyPart) => readonly Piece[],
): readonly Piece[] {
  if (parts.length === 0) return [];
  const items = parts.flatMap((part, index) => [json(index === 0 ? '' : ','), ...each(part)]);
  return [json(`,"${name}":[`), ...items, json(']')];
}

function json(text: string): Piece {
  return { kind: 'json', json: text };
}

function* inParts(bytes: Uint8Array): Iterable<Uint8Array> {
  for (let from = 0; from < bytes.length; from += AT_ONCE) yield bytes.subarray(from, from + AT_ONCE);
}

function* escaped(bytes: Uint8Array): Iterable<string> {
  const decoder = new TextDecoder('utf-8');
  for (const part of inParts(bytes))
    yield JSON.stringify(decoder.decode(part, { stream: true })).slice(1, -1);
  yield JSON.stringify(decoder.decode()).slice(1, -1);
}

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
