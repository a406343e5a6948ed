import { Blob } from 'node:buffer';
import { setImmediate } from 'node:timers/promises';

/** One attachment of a message before it is encoded: an image, or a file with its name (section 4.7). */
export interface BodyPart {
  readonly kind: 'image' | 'pdf' | 'text';
  readonly mediaType: string;
  readonly bytes: Uint8Array;
  readonly name: string;
  /** Relative to the workspace. */
  readonly path: string;
}

export interface BodySource {
  readonly text: string;
  readonly computerId?: string | undefined;
  readonly parts: readonly BodyPart[];
}

/** Bytes encoded at once: a multiple of three, so that base64 joins without padding between; more at once would leave more behind in memory. */
const AT_ONCE = 3 * 8 * 1024;

/**
 * The JSON body of section 4.7; order is kept in each list. With attachments it is made of small pieces, between which others get
 * their turn, and which are never joined: they are read one by one while it is sent.
 */
export async function messageBody(source: BodySource): Promise<string | Blob> {
  if (source.parts.length === 0) return [...piecesOf(source)].join('');
  const pieces: Blob[] = [];
  for (const piece of piecesOf(source)) {
    if (piece.length > 1000) await setImmediate();
    pieces.push(new Blob([piece]));
  }
  return new Blob(pieces);
}

function* piecesOf({ text, computerId, parts }: BodySource): Iterable<string> {
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
