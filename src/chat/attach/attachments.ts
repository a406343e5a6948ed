import * as vscode from 'vscode';
import { Formatter } from '../../util/format';
import { oneLine } from '../../util/text';
import type { BodyPart } from './body';
import { imageType } from './imageType';
import { sniff, type MediaType } from './mediaTypes';
import type { AttachmentReference } from '../outbox/record';
import type { Picture } from '../protocol';

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
  /** The bytes, so many of the beginning at most. */
  read(uri: string, most?: number): Promise<Uint8Array>;
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
/** So much of a file is looked at when it is attached; the rest when it is sent. */
const HEAD = 64 * 1024;

/** Reads files for messages: checked before and after reading, typed by content (trust.md 14). */
export class Attachments {
  readonly #files: AttachableFiles;
  readonly #limits: () => AttachmentLimits;
  readonly #format: Formatter;

  constructor(files: AttachableFiles, limits: () => AttachmentLimits, language: string) {
    this.#files = files;
    this.#limits = limits;
    this.#format = new Formatter(language);
  }

  /** Says what a file is and whether it can be attached, by its beginning. */
  async inspect(uri: string): Promise<Inspected> {
    return (await this.#read(uri, false)).result;
  }

  /** What a message says of its files; rejects with `AttachmentsRefused` at the first that cannot be sent. */
  async references(uris: readonly string[]): Promise<AttachmentReference[]> {
    const references: AttachmentReference[] = [];
    for (const uri of uris) {
      const found = await this.inspect(uri);
      if (!found.ok) throw new AttachmentsRefused(new Map([[uri, found.problem]]));
      references.push({ uri, name: found.name, kind: found.kind, size: found.size });
    }
    return references;
  }

  /** Why so many bytes cannot go with one message; `undefined` when they can. */
  tooMuch(total: number): string | undefined {
    const { message } = this.#limits();
    if (total <= message) return undefined;
    const [size, limit] = [this.#format.bytes(total), this.#format.bytes(message)];
    return vscode.l10n.t('The attachments are {0} together; the limit for a message is {1}.', size, limit);
  }

  /** Reads all of them for the body of a message, in order; rejects with `AttachmentsRefused` when one cannot be sent. */
  async parts(uris: readonly string[]): Promise<readonly BodyPart[]> {
    const problems = new Map<string, string>();
    const parts: BodyPart[] = [];
    for (const uri of uris) {
      const { result, bytes } = await this.#read(uri, true);
      if (!result.ok) {
        problems.set(uri, result.problem);
      } else if (problems.size === 0) {
        const { kind, mediaType } = result;
        const [name, path] = [this.#files.name(uri), this.#files.workspacePath(uri)];
        parts.push({ kind, mediaType, bytes, name, path });
      }
    }
    if (problems.size > 0) throw new AttachmentsRefused(problems);
    return parts;
  }

  /** A picture as it is, to be shown or made smaller; rejects when it is none, or far too large. */
  async picture(uri: string): Promise<Picture> {
    const { kind, size } = await this.#files.stat(uri);
    const isLegible = kind === 'file' && size <= MOST_SHRINKABLE;
    return pictureFrom(isLegible ? await this.#files.read(uri) : new Uint8Array());
  }

  async #read(
    uri: string,
    isWhole: boolean,
  ): Promise<{ readonly result: Inspected; readonly bytes: Uint8Array }> {
    const name = this.#nameOf(uri);
    const refused = (problem: string, facts: { size?: number; shrinkable?: boolean } = {}) => ({
      result: { ok: false as const, name, problem, ...facts },
      bytes: new Uint8Array(),
    });
    try {
      const before = await this.#files.stat(uri);
      const { size, mtime } = before;
      const unfit = this.#unfit(before, name);
      if (unfit !== undefined) {
        const shrinkable = size > 0 && size <= MOST_SHRINKABLE && /\.(?:png|jpe?g|webp)$/i.test(name);
        return refused(unfit, before.kind === 'file' ? { size, shrinkable } : {});
      }
      const bytes = await this.#files.read(uri, isWhole ? undefined : HEAD);
      const type = await sniff(bytes, bytes.length === size);
      const after = await this.#files.stat(uri);
      const isRead = bytes.length === (isWhole ? size : Math.min(size, HEAD));
      if (!isRead || after.kind !== 'file' || after.size !== size || after.mtime !== mtime)
        return refused(vscode.l10n.t('{0} changed while being read. Attach it again.', name), { size });
      if (type !== undefined) return { result: { ok: true, name, size, ...type }, bytes };
      const taken = vscode.l10n.t(
        '{0} is not supported. The service takes images (PNG, JPEG, GIF, WebP), PDF and UTF-8 text.',
        name,
      );
      return refused(taken, { size });
    } catch (error) {
      const why = oneLine(error instanceof Error ? error.message : String(error));
      return refused(vscode.l10n.t('{0} cannot be read: {1}', name, why));
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
    if (kind === 'folder') return vscode.l10n.t('{0} is a folder. Attach the files in it.', name);
    if (kind === 'symbolicLink')
      return vscode.l10n.t('{0} is a symbolic link. Attach the file it points to.', name);
    if (kind === 'other') return vscode.l10n.t('{0} is not a regular file.', name);
    if (size === 0) return vscode.l10n.t('{0} is empty.', name);
    if (size <= limit) return undefined;
    const [has, most] = [this.#format.bytes(size), this.#format.bytes(limit)];
    return vscode.l10n.t('{0} is {1}; the limit is {2}.', name, has, most);
  }
}

/** A picture as it crosses; throws a sentence when these bytes are none. */
export function pictureFrom(bytes: Uint8Array): Picture {
  const mediaType = imageType(bytes);
  if (mediaType === undefined) throw new Error(vscode.l10n.t('This picture cannot be shown.'));
  return { mediaType, bytes: Uint8Array.from(bytes) };
}
