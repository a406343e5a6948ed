import * as vscode from 'vscode';
import { Formatter } from '../../util/format';
import type { Arriving } from './keptFiles';

export interface Piece {
  /** The same for all pieces of one file. */
  readonly upload: string;
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly isLast: boolean;
}

export interface UploadsOptions {
  readonly begin: (name: string) => Promise<Arriving>;
  /** Largest file taken, bytes. */
  readonly limit: () => number;
  readonly language: string;
}

/** A page hands files over one after another; this many at once are no work of a person. */
const MOST_OPEN = 10;

/** The files a page is handing over in pieces, none larger than the limit. */
export class Uploads {
  readonly #options: UploadsOptions;
  readonly #open = new Map<string, { readonly arriving: Arriving; size: number }>();
  /** One piece at a time, in the order they came. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: UploadsOptions) {
    this.#options = options;
  }

  /** Resolves to the address after the last piece, else to nothing; rejects with a sentence, and then nothing is left. */
  take(piece: Piece): Promise<string | undefined> {
    const taken = this.#turn.then(() => this.#take(piece));
    this.#turn = taken.catch(() => undefined);
    return taken;
  }

  /** The page is gone: what it has not handed over to the end is given up. */
  clear(): Promise<unknown> {
    this.#turn = this.#turn.then(() =>
      Promise.allSettled([...this.#open.keys()].map(upload => this.#giveUp(upload))),
    );
    return this.#turn;
  }

  async #take({ upload, name, bytes, isLast }: Piece): Promise<string | undefined> {
    try {
      const open = this.#open.get(upload) ?? (await this.#begin(upload, name));
      open.size += bytes.length;
      this.#check(name, open.size);
      await open.arriving.write(bytes);
      if (!isLast) return undefined;
      const uri = await open.arriving.end();
      this.#open.delete(upload);
      return uri;
    } catch (error) {
      await this.#giveUp(upload);
      throw error;
    }
  }

  async #begin(upload: string, name: string): Promise<{ readonly arriving: Arriving; size: number }> {
    if (this.#open.size >= MOST_OPEN) throw new RangeError('Too many files at once.');
    const open = { arriving: await this.#options.begin(name), size: 0 };
    this.#open.set(upload, open);
    return open;
  }

  #check(name: string, size: number): void {
    const limit = this.#options.limit();
    if (size > limit) throw new Error(moreThan(name, limit, this.#options.language));
  }

  async #giveUp(upload: string): Promise<void> {
    const open = this.#open.get(upload);
    this.#open.delete(upload);
    await open?.arriving.giveUp();
  }
}

/** Says that a file whose size is not known is larger than the limit, bytes. */
export function moreThan(name: string, limit: number, language: string): string {
  return vscode.l10n.t('{0} is larger than the limit of {1}.', name, new Formatter(language).bytes(limit));
}
