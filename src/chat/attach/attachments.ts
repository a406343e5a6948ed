import * as vscode from 'vscode';
import { Formatter } from '../../util/format';
import { oneLine } from '../../util/text';
import type { BodyPart } from './body';
import { imageType } from './imageType';
import type { AttachmentReference } from '../outbox/record';
import type { WholePicture } from './pictures';
import { sniffPieces, type MediaType, type Sniffed } from './mediaTypes';

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
  /** The same in pieces of at least a few KB each; none for an empty file. */
  pieces(uri: string): AsyncIterable<Uint8Array>;
  /** The last part of the path. */
  name(uri: string): string;
  /** Relative to the workspace, with `/`; the name alone for files outside it. */
  workspacePath(uri: string): string;
}

/** What a look at a file found. */
export type Inspected =
  | ({ readonly ok: true; readonly name: string; readonly size: number } & MediaType)
  | {
      readonly ok: false;
      readonly name: string;
      readonly size?: number;
      readonly problem: string;
      /** A picture that could be sent if it were smaller. */
      readonly shrinkable?: boolean;
    };

/** What is accepted, bytes. */
export interface AttachmentLimits {
  readonly file: number;
  /** All attachments of a message together, before encoding. */
  readonly message: number;
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

/** Larger pictures are not even read to make them smaller, bytes. */
const MOST_SHRINKABLE = 64 * 1024 * 1024;

/** Reads files for messages: checked before and after reading, typed by content (trust.md 14). */
export class Attachments {
  readonly #files: AttachableFiles;
  readonly #limits: () => AttachmentLimits;
  readonly #format: Formatter;
  readonly #inspected = new Map<string, { readonly stamp: string; readonly result: Inspected }>();

  constructor(files: AttachableFiles, limits: () => AttachmentLimits, language: string) {
    this.#files = files;
    this.#limits = limits;
    this.#format = new Formatter(language);
  }

  /** Says what a file is and whether it can be attached. A file that did not change is read once. */
  async inspect(uri: string): Promise<Inspected> {
    const read = await this.#read(uri);
    return read.result;
  }

  /** What a message says of its files; rejects with `AttachmentsRefused` at the first that cannot be sent. */
  async references(uris: readonly string[]): Promise<AttachmentReference[]> {
    const references = [];
    for (const uri of uris) {
      const found = await this.inspect(uri);
      if (!found.ok) throw new AttachmentsRefused(new Map([[uri, found.problem]]));
      references.push({ uri, name: found.name, kind: found.kind, size: found.size });
    }
    return references;
  }

  /** What is accepted now. */
  get limits(): AttachmentLimits {
    return this.#limits();
  }

  /** Why so many bytes cannot go with one message; `undefined` when they can. */
  tooMuch(total: number): string | undefined {
    const { message } = this.#limits();
    if (total <= message) return undefined;
    const [size, limit] = [this.#format.bytes(total), this.#format.bytes(message)];
    return vscode.l10n.t('The attachments have {0} together; the limit of a message is {1}.', size, limit);
  }

  /** Reads all of them for the body of a message, in order; rejects with `AttachmentsRefused` when one cannot be sent. */
  async parts(uris: readonly string[]): Promise<readonly BodyPart[]> {
    const problems = new Map<string, string>();
    const parts: BodyPart[] = [];
    for (const uri of uris) {
      const { result, bytes } = await this.#read(uri, true);
      if (!result.ok) {
        problems.set(uri, result.problem);
      } else if (bytes !== undefined && problems.size === 0) {
        const { kind, mediaType } = result;
        parts.push({
          kind,
          mediaType,
          bytes,
          name: this.#files.name(uri),
          path: this.#files.workspacePath(uri),
        });
      }
    }
    if (problems.size > 0) throw new AttachmentsRefused(problems);
    return parts;
  }

  /** A picture as it is, to be shown or made smaller; rejects when it is none, or far too large. */
  async picture(uri: string): Promise<WholePicture> {
    const { kind, size } = await this.#files.stat(uri);
    const bytes = kind === 'file' && size <= MOST_SHRINKABLE ? await this.#files.read(uri) : undefined;
    const mediaType = bytes && imageType(bytes);
    if (bytes === undefined || mediaType === undefined)
      throw new Error(vscode.l10n.t('This picture cannot be shown.'));
    return { mediaType, bytes };
  }

  async #read(
    uri: string,
    needBytes = false,
  ): Promise<{ readonly result: Inspected; readonly bytes?: Uint8Array }> {
    const name = this.#nameOf(uri);
    let size: number | undefined;
    const refused = (problem: string, shrinkable = false): { readonly result: Inspected } => ({
      result: {
        ok: false,
        name,
        ...(size === undefined ? {} : { size }),
        problem,
        ...(shrinkable ? { shrinkable } : {}),
      },
    });
    try {
      const before = await this.#files.stat(uri);
      const unfit = this.#unfit(before, name);
      if (before.kind === 'file') size = before.size;
      if (unfit !== undefined)
        return refused(unfit, before.size <= MOST_SHRINKABLE && /\.(?:png|jpe?g|webp)$/i.test(name));
      const stamp = `${before.size} ${before.mtime}`;
      const known = this.#inspected.get(uri);
      if (!needBytes && known?.stamp === stamp) return known;
      const bytes = needBytes ? await this.#files.read(uri) : undefined;
      const found = await sniffPieces(bytes === undefined ? this.#files.pieces(uri) : inOne(bytes));
      const after = await this.#files.stat(uri);
      const isWhole = bytes === undefined || bytes.length === before.size;
      if (after.kind !== 'file' || !isWhole || `${after.size} ${after.mtime}` !== stamp) {
        return refused(vscode.l10n.t('{0} changed while it was read. Attach it again.', name));
      }
      const result = typed(name, before.size, found);
      this.#inspected.set(uri, { stamp, result });
      return bytes === undefined ? { result } : { result, bytes };
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

  /** The name of a file; of what is no address at all, the beginning of that. */
  #nameOf(uri: string): string {
    try {
      return oneLine(this.#files.name(uri), 100);
    } catch {
      return oneLine(uri, 100);
    }
  }

  #unfit({ kind, size }: FileFacts, name: string): string | undefined {
    const limit = this.#limits().file;
    switch (kind) {
      case 'folder':
        return vscode.l10n.t('{0} is a folder. Attach the files in it.', name);
      case 'symbolicLink':
        return vscode.l10n.t('{0} is a symbolic link. Attach the file it points to.', name);
      case 'other':
        return vscode.l10n.t('{0} is not a regular file.', name);
      case 'file':
        if (size <= limit) return undefined;
        return vscode.l10n.t(
          '{0} has {1}; the limit is {2}.',
          name,
          this.#format.bytes(size),
          this.#format.bytes(limit),
        );
    }
  }
}

function typed(name: string, size: number, found: Sniffed): Inspected {
  switch (found.kind) {
    case 'empty':
      return { ok: false, name, size, problem: vscode.l10n.t('{0} is empty.', name) };
    case 'unsupportedImage':
      return {
        ok: false,
        name,
        size,
        problem: vscode.l10n.t(
          '{0} is an image type the service does not take. Convert it to PNG or JPEG.',
          name,
        ),
      };
    case 'binary':
      return {
        ok: false,
        name,
        size,
        problem: vscode.l10n.t(
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

/** Bytes that are there already, as the only piece. */
export async function* inOne(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  if (bytes.length > 0) yield await Promise.resolve(bytes);
}
