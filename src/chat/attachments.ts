import * as vscode from 'vscode';
import { setImmediate } from 'node:timers/promises';
import { Formatter } from '../util/format';
import { oneLine } from '../util/text';
import { sniff, type MediaType } from './mediaTypes';

export interface FileFacts {
  readonly kind: 'file' | 'folder' | 'symbolicLink' | 'other';
  /** Bytes. */
  readonly size: number;
  /** Unix ms. */
  readonly mtime: number;
}

/** The files attachments come from, local or remote. Addresses are URIs as text. */
export interface AttachableFiles {
  stat(uri: string): Promise<FileFacts>;
  read(uri: string): Promise<Uint8Array>;
  /** The last part of the path. */
  name(uri: string): string;
  /** Relative to the workspace, with `/`; the name alone for files outside it. */
  workspacePath(uri: string): string;
}

/** What a look at a file found. */
export type Inspected =
  | ({ readonly ok: true; readonly name: string; readonly size: number } & MediaType)
  | { readonly ok: false; readonly name: string; readonly size?: number; readonly problem: string };

export type AttachmentImage = { readonly type: 'base64'; readonly data: string; readonly mediaType: string };
export type AttachmentFile = {
  readonly type: 'base64';
  readonly mediaType: string;
  readonly data: string;
  readonly parsedData?: string;
  readonly name: string;
  readonly path: string;
};

/** The attachments of one message as the interface takes them (4.7); order is kept in each list. */
export interface AttachmentBody {
  readonly images?: readonly AttachmentImage[];
  readonly files?: readonly AttachmentFile[];
}

/** Some attachments cannot be sent; nothing was. The message is a sentence for a person. */
export class AttachmentsRefused extends Error {
  override readonly name = 'AttachmentsRefused';
  /** Sentence by address. */
  readonly problems: ReadonlyMap<string, string>;

  constructor(problems: ReadonlyMap<string, string>) {
    super([...problems.values()].join(' '));
    this.problems = problems;
  }
}

/** Reads files for messages: checked before and after reading, typed by content (trust.md 14). */
export class Attachments {
  readonly #files: AttachableFiles;
  readonly #maxBytes: () => number;
  readonly #format: Formatter;
  readonly #inspected = new Map<string, { readonly stamp: string; readonly result: Inspected }>();

  constructor(files: AttachableFiles, maxBytes: () => number, language: string) {
    this.#files = files;
    this.#maxBytes = maxBytes;
    this.#format = new Formatter(language);
  }

  /** Says what a file is and whether it can be attached. A file that did not change is read once. */
  async inspect(uri: string): Promise<Inspected> {
    const read = await this.#read(uri);
    return read.result;
  }

  /** Reads and encodes all of them; rejects with `AttachmentsRefused` when one cannot be sent. */
  async body(uris: readonly string[]): Promise<AttachmentBody> {
    const problems = new Map<string, string>();
    const images: AttachmentImage[] = [];
    const files: AttachmentFile[] = [];
    for (const uri of uris) {
      const { result, bytes } = await this.#read(uri, true);
      if (!result.ok) {
        problems.set(uri, result.problem);
      } else if (bytes !== undefined && problems.size === 0) {
        const data = await toBase64(bytes);
        const { mediaType } = result;
        if (result.kind === 'image') {
          images.push({ type: 'base64', data, mediaType });
        } else {
          const parsed = result.kind === 'text' ? { parsedData: new TextDecoder('utf-8').decode(bytes) } : {};
          const path = this.#files.workspacePath(uri);
          files.push({ type: 'base64', mediaType, data, ...parsed, name: this.#files.name(uri), path });
        }
      }
    }
    if (problems.size > 0) throw new AttachmentsRefused(problems);
    return { ...(images.length > 0 ? { images } : {}), ...(files.length > 0 ? { files } : {}) };
  }

  async #read(
    uri: string,
    needBytes = false,
  ): Promise<{ readonly result: Inspected; readonly bytes?: Uint8Array }> {
    const name = oneLine(this.#files.name(uri), 100);
    let size: number | undefined;
    const refused = (problem: string): { readonly result: Inspected } => ({
      result: { ok: false, name, ...(size === undefined ? {} : { size }), problem },
    });
    try {
      const before = await this.#files.stat(uri);
      const unfit = this.#unfit(before, name);
      if (before.kind === 'file') size = before.size;
      if (unfit !== undefined) return refused(unfit);
      const stamp = `${before.size} ${before.mtime}`;
      const known = this.#inspected.get(uri);
      if (!needBytes && known?.stamp === stamp) return known;
      const bytes = await this.#files.read(uri);
      const after = await this.#files.stat(uri);
      if (after.kind !== 'file' || bytes.length !== before.size || `${after.size} ${after.mtime}` !== stamp) {
        return refused(vscode.l10n.t('{0} changed while it was read. Attach it again.', name));
      }
      const result = this.#typed(name, bytes);
      this.#inspected.set(uri, { stamp, result });
      return { result, bytes };
    } catch (error) {
      return refused(
        vscode.l10n.t(
          '{0} cannot be read: {1}',
          name,
          oneLine(error instanceof Error ? error.message : String(error)),
        ),
      );
    }
  }

  #unfit({ kind, size }: FileFacts, name: string): string | undefined {
    const { t } = vscode.l10n;
    const limit = this.#maxBytes();
    switch (kind) {
      case 'folder':
        return t('{0} is a folder. Attach the files in it.', name);
      case 'symbolicLink':
        return t('{0} is a symbolic link. Attach the file it points to.', name);
      case 'other':
        return t('{0} is not a regular file.', name);
      case 'file':
        return size > limit
          ? t('{0} has {1}; the limit is {2}.', name, this.#format.bytes(size), this.#format.bytes(limit))
          : undefined;
    }
  }

  #typed(name: string, bytes: Uint8Array): Inspected {
    const { t } = vscode.l10n;
    const size = bytes.length;
    const found = sniff(bytes);
    switch (found.kind) {
      case 'empty':
        return { ok: false, name, size, problem: t('{0} is empty.', name) };
      case 'unsupportedImage':
        return {
          ok: false,
          name,
          size,
          problem: t('{0} is an image type the service does not take. Convert it to PNG or JPEG.', name),
        };
      case 'binary':
        return {
          ok: false,
          name,
          size,
          problem: t(
            '{0} is not supported. The service takes images (PNG, JPEG, GIF, WebP), PDF and UTF-8 text.',
            name,
          ),
        };
      case 'image':
      case 'pdf':
      case 'text':
        return { ok: true, name, size, ...found };
    }
  }
}

/** Bytes encoded in one go; a multiple of three, so that the pieces join without padding between them. */
const ENCODED_AT_ONCE = 3 * 1024 * 1024;

async function toBase64(bytes: Uint8Array): Promise<string> {
  const pieces: string[] = [];
  for (let from = 0; from < bytes.length; from += ENCODED_AT_ONCE) {
    if (from > 0) await setImmediate();
    const piece = bytes.subarray(from, from + ENCODED_AT_ONCE);
    pieces.push(Buffer.from(piece.buffer, piece.byteOffset, piece.length).toString('base64'));
  }
  return pieces.join('');
}
