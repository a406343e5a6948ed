import { untilAborted } from './abort';

/** Why a body was not taken. */
export type BodyProblem = 'tooLarge' | 'html' | 'notJson' | 'empty';

export type Body =
  { readonly blocks: readonly Uint8Array[]; readonly size: number } | { readonly problem: BodyProblem };

const LARGEST_BLOCK = 64 * 1024;
const LARGE = 16 * 1024;

/**
 * Bytes as they come. Large chunks that own their memory are kept; others go into blocks of our own, so that neither tiny
 * chunks nor the network's buffers pile up.
 */
class Blocks {
  readonly #done: Uint8Array[] = [];
  /** A small chunk that may be all there is, as most answers are: it is read at once, and not copied before. */
  #only: Uint8Array | undefined;
  #size = 0;
  #block = new Uint8Array(0);
  #used = 0;

  get size(): number {
    return this.#size;
  }

  add(chunk: Uint8Array): void {
    if (this.#size === 0 && chunk.length < LARGE) {
      this.#only = chunk;
      this.#size = chunk.length;
      return;
    }
    this.#copyOnly();
    if (chunk.length >= LARGE && chunk.length === chunk.buffer.byteLength) {
      this.#begin(0);
      this.#done.push(chunk);
      this.#size += chunk.length;
      return;
    }
    this.#copy(chunk);
    this.#size += chunk.length;
  }

  #copyOnly(): void {
    const only = this.#only;
    this.#only = undefined;
    if (only !== undefined) this.#copy(only);
  }

  #copy(chunk: Uint8Array): void {
    let rest = chunk;
    while (rest.length > 0) {
      if (this.#used === this.#block.length) this.#begin(rest.length);
      const part = rest.subarray(0, this.#block.length - this.#used);
      this.#block.set(part, this.#used);
      this.#used += part.length;
      rest = rest.subarray(part.length);
    }
  }

  finish(): readonly Uint8Array[] {
    if (this.#only !== undefined) return [this.#only];
    this.#begin(0);
    return this.#done;
  }

  #begin(wanted: number): void {
    if (this.#used > 0) this.#done.push(this.#block.subarray(0, this.#used));
    this.#block = new Uint8Array(
      wanted === 0 ? 0 : Math.min(LARGEST_BLOCK, Math.max(wanted, this.#size, 1024)),
    );
    this.#used = 0;
  }
}

/**
 * Reads a body of at most `maxBytes` (after decompression). What is too large by its own account, or begins like nothing
 * JSON begins with, is given up without being read. Rejects with what the stream throws, or with the signal's reason.
 */
export async function readBody(response: Response, maxBytes: number, signal: AbortSignal): Promise<Body> {
  const { body } = response;
  if (body === null) return { problem: 'empty' };
  if (Number(response.headers.get('content-length') ?? 0) > maxBytes) {
    void body.cancel().catch(() => undefined);
    return { problem: 'tooLarge' };
  }
  const reader = body.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  const blocks = new Blocks();
  let first: number | undefined;
  try {
    for (;;) {
      const { done, value } = await untilAborted(reader.read(), signal);
      if (done) break;
      if (blocks.size + value.length > maxBytes) return { problem: 'tooLarge' };
      first ??= firstByte(value);
      if (first !== undefined && !mayBeginJson(first))
        return { problem: first === LESS_THAN ? 'html' : 'notJson' };
      blocks.add(value);
    }
    return first === undefined ? { problem: 'empty' } : { blocks: blocks.finish(), size: blocks.size };
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}

const LESS_THAN = 0x3c;
const SKIPPED: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf]);

/** The first byte that is neither white space nor part of a byte order mark. */
function firstByte(chunk: Uint8Array): number | undefined {
  return chunk.find(byte => !SKIPPED.has(byte));
}

function mayBeginJson(byte: number): boolean {
  return '{["-0123456789tfn'.includes(String.fromCharCode(byte));
}

/** The value of a JSON body. Rejects with a `SyntaxError` when it is none. The one place where answers are parsed. */
export function parseBody(blocks: readonly Uint8Array[]): Promise<unknown> {
  return new Promise(resolve => resolve(JSON.parse(textOf(blocks)) as unknown));
}

const UTF8 = new TextDecoder();

/** What is in one piece, as most answers are, is decoded without the state that pieces need: several times as fast. */
function textOf(blocks: readonly Uint8Array[]): string {
  if (blocks.length <= 1) return UTF8.decode(blocks[0]);
  const decoder = new TextDecoder();
  let text = '';
  for (const block of blocks) text += decoder.decode(block, { stream: true });
  return text + decoder.decode();
}
