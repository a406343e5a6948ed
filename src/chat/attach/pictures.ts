import { MAX_PIECE, type Picture } from '../protocol';

/** A picture as a whole. */
export interface WholePicture {
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/** The piece of a picture from one of its bytes on, with a buffer of its own: of a view, the whole buffer would cross. */
export function pictureFrom({ mediaType, bytes }: WholePicture, from: number): Picture {
  const to = from + MAX_PIECE;
  return { mediaType, bytes: Uint8Array.from(bytes.subarray(from, to)), isLast: to >= bytes.length };
}

/** Pictures whose pieces are being asked for one after another, so that each is read once. */
export class Pictures {
  readonly #read: (key: string) => Promise<WholePicture>;
  readonly #open = new Map<string, Promise<WholePicture>>();

  constructor(read: (key: string) => Promise<WholePicture>) {
    this.#read = read;
  }

  /** Rejects with a sentence where there is no picture. */
  async piece(key: string, from: number): Promise<Picture> {
    const picture = (from > 0 ? this.#open.get(key) : undefined) ?? this.#read(key);
    this.#open.set(key, picture);
    try {
      const piece = pictureFrom(await picture, from);
      if (piece.isLast) this.#open.delete(key);
      return piece;
    } catch (error) {
      this.#open.delete(key);
      throw error;
    }
  }

  /** Nobody asks for the rest any more. */
  clear(): void {
    this.#open.clear();
  }
}
