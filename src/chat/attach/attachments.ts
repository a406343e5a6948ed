import * as vscode from 'vscode';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import { join, posix } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { format } from '../../ui/text';
import { privateFolder } from '../../util/files';
import { oneLine } from '../../util/text';
import type { BodyPart } from './body';
import { pathIn, placeOf, type AwayFile } from './given';
import type { Attachment } from '../outbox/record';
import type { Picture } from '../protocol';

/** A file as it is called: what is in no file of the person says where it belongs. */
type Named = Pick<Attachment, 'uri' | 'name' | 'path'>;

/** The files attachments come from. Addresses are URIs as text. */
export interface AttachableFiles {
  stat(uri: string): Thenable<vscode.FileStat>;
  read(uri: string): Thenable<Uint8Array>;
  /** Relative to the workspace, with `/`; the name alone for files outside it. */
  workspacePath(uri: string): string;
}

/** The file systems of the editor, local and remote. */
const workspaceFiles: AttachableFiles = {
  stat: async uri => vscode.workspace.fs.stat(here(uri)),
  read: async uri => vscode.workspace.fs.readFile(here(uri)),
  workspacePath: uri => placeOf(here(uri)),
};

/** Explorer and drops name remote files `vscode-remote:`; on the machine this runs on they are `file:`, as the workspace is. */
function here(uri: string): vscode.Uri {
  const parsed = vscode.Uri.parse(uri, true);
  return parsed.scheme === 'vscode-remote' && vscode.env.remoteName !== undefined
    ? vscode.Uri.file(parsed.path)
    : parsed;
}

/** What is accepted, bytes. */
export interface AttachmentLimits {
  readonly file: number;
  /** All attachments of a message together, before encoding. */
  readonly message: number;
}

/** Larger pictures are not even read to make them smaller, bytes. */
const MOST_SHRINKABLE = 64 * 1024 * 1024;
/** Others get their turn after so many bytes. */
const SLICE = 1024 * 1024;
/** Kept files that nobody refers to any more are removed after this long, ms. */
const GRACE = 24 * 60 * 60_000;

/** Reads files for messages: checked before and after reading, typed by content (trust.md 14). */
export class Attachments {
  readonly #files: AttachableFiles;
  readonly #root: string;
  readonly #limits: () => AttachmentLimits;

  /** Below `root` is kept what is in no file of the person. */
  constructor(root: string, limits: () => AttachmentLimits, files = workspaceFiles) {
    this.#files = files;
    this.#root = root;
    this.#limits = limits;
  }

  /** Says what a file is and whether it can be sent. */
  async inspect(uri: string): Promise<Attachment> {
    return (await this.#read({ uri, name: posix.basename(pathIn(uri)) })).attachment;
  }

  /**
   * Keeps what is in no file of the person, pasted or selected, in one of ours until no draft or message refers to it; resolves when
   * that is durable. Rejects with a sentence where it cannot be read or is too large, which shows when it is read at the latest.
   */
  async keep(serviceId: string, name: string, away: AwayFile): Promise<Attachment> {
    const check = (size: number): void => {
      const unfit = this.#unfit({ type: vscode.FileType.File, size }, name);
      if (unfit !== undefined) throw new Error(unfit);
    };
    check(away.size ?? 1);
    const bytes = await Promise.resolve(away.read()).catch((error: unknown): never => {
      throw new Error(cannotBeRead(name, error));
    });
    check(bytes.length);
    const folder = join(this.#folder(serviceId), randomUUID());
    const file = join(folder, fileName(name));
    await privateFolder(folder);
    try {
      await fs.writeFile(file, bytes, { flag: 'wx', flush: true, mode: 0o600 });
    } catch (error) {
      // A full disk gets its room back: what is written goes there, too.
      await fs.rm(folder, { recursive: true, force: true });
      throw error;
    }
    const kept = { uri: pathToFileURL(file).href, name, path: away.path ?? name };
    return (await this.#read(kept)).attachment;
  }

  /** Removes what was kept more than a day ago and is none of these attachments. */
  async sweep(serviceId: string, inUse: readonly Attachment[], now = Date.now()): Promise<void> {
    const folder = this.#folder(serviceId);
    if (!existsSync(folder)) return;
    for (const id of await fs.readdir(folder)) {
      if (inUse.some(({ uri }) => uri.includes(id))) continue;
      const { mtimeMs } = await fs.stat(join(folder, id));
      if (mtimeMs < now - GRACE) await fs.rm(join(folder, id), { recursive: true, force: true });
    }
  }

  #folder(serviceId: string): string {
    return join(this.#root, 'services', serviceId, 'attachments');
  }

  /** Why so many bytes cannot go with one message; `undefined` when they can. */
  tooMuch(total: number): string | undefined {
    const { message } = this.#limits();
    if (total <= message) return undefined;
    const [size, limit] = [format.bytes(total), format.bytes(message)];
    return vscode.l10n.t('The attachments are {0} together; the limit for a message is {1}.', size, limit);
  }

  /** Reads all of them for the body of a message, in order; rejects with the reasons when some cannot be sent. */
  async parts(attachments: readonly Attachment[]): Promise<readonly BodyPart[]> {
    const problems: string[] = [];
    const parts: BodyPart[] = [];
    for (const { uri, name, path } of attachments) {
      const { attachment, ...read } = await this.#read({ uri, name, path });
      const { kind, problem } = attachment;
      if (problem !== undefined) problems.push(problem);
      else if (problems.length === 0)
        parts.push({ ...read, kind, name, path: path ?? this.#files.workspacePath(uri) });
    }
    if (problems.length > 0) throw new Error(problems.join(' '));
    return parts;
  }

  /** A picture as it is, to be shown or made smaller; rejects when it is none, or far too large. */
  async picture(uri: string): Promise<Picture> {
    const { type, size } = await this.#files.stat(uri);
    const isLegible = type === vscode.FileType.File && size <= MOST_SHRINKABLE;
    return pictureFrom(isLegible ? await this.#files.read(uri) : new Uint8Array());
  }

  async #read(
    file: Named,
  ): Promise<{ readonly attachment: Attachment } & Pick<BodyPart, 'bytes' | 'mediaType'>> {
    const { uri } = file;
    const name = oneLine(file.name, 100);
    const refused = (problem: string, size = 0, shrinkable = false) => ({
      attachment: { ...file, kind: 'text' as const, size, problem, shrinkable },
      ...{ bytes: new Uint8Array(), mediaType: '' },
    });
    try {
      const before = await this.#files.stat(uri);
      const { size, mtime } = before;
      const unfit = this.#unfit(before, name);
      if (unfit !== undefined) {
        const isPicture = before.type === vscode.FileType.File && /\.(?:png|jpe?g|webp)$/i.test(name);
        return refused(unfit, size, isPicture && size > 0 && size <= MOST_SHRINKABLE);
      }
      const bytes = await this.#files.read(uri);
      const found = await sniff(bytes);
      const after = await this.#files.stat(uri);
      if (bytes.length !== size || after.type !== before.type || after.size !== size || after.mtime !== mtime)
        return refused(vscode.l10n.t('{0} changed while being read. Attach it again.', name), size);
      if (found !== undefined)
        return { attachment: { ...file, kind: found.kind, size }, bytes, mediaType: found.mediaType };
      const taken = vscode.l10n.t(
        '{0} is not supported. The service takes images (PNG, JPEG, GIF, WebP), PDF and UTF-8 text.',
        name,
      );
      return refused(taken, size);
    } catch (error) {
      return refused(cannotBeRead(name, error));
    }
  }

  /** Why such a file cannot be sent; `undefined` where it can. */
  #unfit({ type, size }: Pick<vscode.FileStat, 'type' | 'size'>, name: string): string | undefined {
    const limit = this.#limits().file;
    const { SymbolicLink, Directory, File } = vscode.FileType;
    if ((type & SymbolicLink) !== 0)
      return vscode.l10n.t('{0} is a symbolic link. Attach the file it points to.', name);
    if ((type & Directory) !== 0) return vscode.l10n.t('{0} is a folder. Attach the files in it.', name);
    if (type !== File) return vscode.l10n.t('{0} is not a regular file.', name);
    if (size === 0) return vscode.l10n.t('{0} is empty.', name);
    if (size <= limit) return undefined;
    const [has, most] = [format.bytes(size), format.bytes(limit)];
    return vscode.l10n.t('{0} is {1}; the limit is {2}.', name, has, most);
  }
}

/** A picture as it crosses; throws a sentence when these bytes are none. */
export function pictureFrom(bytes: Uint8Array): Picture {
  const mediaType = imageType(bytes);
  if (mediaType === undefined) throw new Error(vscode.l10n.t('This picture cannot be shown.'));
  return { mediaType, bytes: Uint8Array.from(bytes) };
}

function cannotBeRead(name: string, error: unknown): string {
  const why = oneLine(error instanceof Error ? error.message : String(error));
  return vscode.l10n.t('{0} cannot be read: {1}', name, why);
}

/** A name every file system takes; some take no more than 140 bytes. */
function fileName(name: string): string {
  const safe = name.slice(-45).replace(/[^\p{L}\p{N} ._()-]/gu, '_');
  return safe.replace(/^[. ]+|[. ]+$/g, '_') || '_';
}

/** What a file is by its bytes, never by its name, if the service takes it; text is well-formed UTF-8 without NUL. */
async function sniff(bytes: Uint8Array): Promise<Pick<BodyPart, 'kind' | 'mediaType'> | undefined> {
  const image = imageType(bytes);
  if (image !== undefined) return { kind: 'image', mediaType: image };
  if (ascii(bytes, 0, 5) === '%PDF-') return { kind: 'pdf', mediaType: 'application/pdf' };
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for (let from = 0; from < bytes.length; from += SLICE) {
      if (from > 0) await setImmediate();
      const slice = bytes.subarray(from, from + SLICE);
      if (slice.includes(0)) return undefined;
      decoder.decode(slice, { stream: true });
    }
    decoder.decode();
    return { kind: 'text', mediaType: 'text/plain' };
  } catch {
    return undefined;
  }
}

const ascii = (bytes: Uint8Array, from: number, to: number): string =>
  String.fromCharCode(...bytes.subarray(from, to));

/** Image types by their first bytes. */
const IMAGES: readonly (readonly [string, (head: Uint8Array) => boolean])[] = [
  ['image/png', head => ascii(head, 0, 8) === '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', head => head[0] === 0xff && head[1] === 0xd8 && head[2] === 0xff],
  ['image/gif', head => /^GIF8[79]a$/.test(ascii(head, 0, 6))],
  ['image/webp', head => ascii(head, 0, 4) === 'RIFF' && ascii(head, 8, 12) === 'WEBP'],
];

function imageType(bytes: Uint8Array): string | undefined {
  const head = bytes.subarray(0, 32);
  return IMAGES.find(([, matches]) => matches(head))?.[0];
}
