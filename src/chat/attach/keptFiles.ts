import { randomUUID } from 'node:crypto';
import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AttachableFiles, FileFacts } from './attachments';

/** Bytes that are in no file a person has: pasted, dropped, selected or made smaller. */
export interface LooseFile {
  readonly name: string;
  /** Where it belongs in the workspace; the name without it. */
  readonly path?: string | undefined;
  readonly bytes: Uint8Array;
}

const SCHEME = 'agentconsole-attachment';
const ADDRESS = /^agentconsole-attachment:\/([a-z0-9_-]+)\/([0-9a-f-]{36})\/([^/?#]+)(?:\?(.*))?$/;
/** Some encrypted file systems take no longer name, bytes. */
const MOST_BYTES = 140;
/** What nobody refers to any more is removed after this long, ms. */
const GRACE = 24 * 60 * 60_000;

/**
 * Keeps loose files durably below the storage folder until no draft, queue or send refers to them, and reads them back beside
 * all other files. The address of one holds its name and path.
 */
export class KeptFiles implements AttachableFiles {
  readonly #root: string;
  readonly #others: AttachableFiles;

  constructor(root: string, others: AttachableFiles) {
    this.#root = root;
    this.#others = others;
  }

  /** Resolves to the address when the bytes are durable. */
  async keep(serviceId: string, { name, path: place, bytes }: LooseFile): Promise<string> {
    const id = randomUUID();
    const folder = path.join(this.#folder(serviceId), id);
    await fs.mkdir(folder, { recursive: true });
    try {
      await fs.writeFile(path.join(folder, fileName(name)), bytes, { flag: 'wx', flush: true });
    } catch (error) {
      await fs.rm(folder, { recursive: true, force: true });
      throw error;
    }
    const query = place === undefined ? '' : `?${encoded(place)}`;
    return `${SCHEME}:/${serviceId}/${id}/${encoded(name)}${query}`;
  }

  /** The file a kept one is in; `undefined` for other addresses. */
  fileOf(uri: string): string | undefined {
    return this.#kept(uri)?.file;
  }

  stat(uri: string): Promise<FileFacts> {
    return this.#others.stat(this.#addressOf(uri));
  }

  read(uri: string, most?: number): Promise<Uint8Array> {
    return this.#others.read(this.#addressOf(uri), most);
  }

  name(uri: string): string {
    return this.#kept(uri)?.name ?? this.#others.name(uri);
  }

  workspacePath(uri: string): string {
    return this.#kept(uri)?.path ?? this.#others.workspacePath(uri);
  }

  /** Removes what is older than a day and in none of these addresses. */
  async sweep(serviceId: string, inUse: readonly string[], now = Date.now()): Promise<void> {
    const used = new Set(inUse.flatMap(uri => this.fileOf(uri)?.split(path.sep).at(-2) ?? []));
    const folder = this.#folder(serviceId);
    for (const id of await fs.readdir(folder).catch(() => [])) {
      if (used.has(id)) continue;
      const { mtimeMs } = await fs.stat(path.join(folder, id));
      if (mtimeMs < now - GRACE) await fs.rm(path.join(folder, id), { recursive: true, force: true });
    }
  }

  #folder(serviceId: string): string {
    return path.join(this.#root, 'services', serviceId, 'attachments');
  }

  #addressOf(uri: string): string {
    const file = this.fileOf(uri);
    return file === undefined ? uri : pathToFileURL(file).href;
  }

  #kept(uri: string): { readonly file: string; readonly name: string; readonly path: string } | undefined {
    const [, serviceId, id, encodedName, place] = ADDRESS.exec(uri) ?? [];
    if (serviceId === undefined || id === undefined || encodedName === undefined) return undefined;
    try {
      const name = decodeURIComponent(encodedName);
      const file = path.join(this.#folder(serviceId), id, fileName(name));
      return { file, name, path: place === undefined ? name : decodeURIComponent(place) };
    } catch {
      return undefined;
    }
  }
}

/** Half a character, which no address can hold, becomes U+FFFD. */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** A name every file system takes: the end of it, in whole characters. */
function fileName(name: string): string {
  const safe = name.replace(/[^\p{L}\p{N} ._()-]/gu, '_').replace(/^[. ]+|[. ]+$/g, '_');
  const characters = Array.from(safe).slice(-100);
  while (Buffer.byteLength(characters.join('')) > MOST_BYTES) characters.shift();
  return characters.join('') || '_';
}
