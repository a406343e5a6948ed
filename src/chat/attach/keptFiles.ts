import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import type { AttachableFiles } from './attachments';

/** Bytes that are in no file a person has: pasted, dropped, selected or made smaller. */
export interface LooseFile {
  readonly name: string;
  /** Where it belongs in the workspace; the name without it. */
  readonly path?: string | undefined;
  readonly bytes: Uint8Array;
}

/** A loose file that arrives in pieces. Nobody sees it before its end. */
export interface Arriving {
  write(piece: Uint8Array): Promise<void>;
  /** Resolves to the address when all bytes are durable. */
  end(): Promise<string>;
  /** Removes what has arrived. */
  giveUp(): Promise<void>;
}

interface Kept {
  readonly file: string;
  readonly name: string;
  readonly path: string;
}

const SCHEME = 'agentconsole-attachment';
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
  async keep(serviceId: string, { bytes, ...file }: LooseFile): Promise<string> {
    const arriving = await this.begin(serviceId, file);
    try {
      await arriving.write(bytes);
      return await arriving.end();
    } catch (error) {
      await arriving.giveUp();
      throw error;
    }
  }

  /** Begins a file that is written piece by piece, one after another. */
  async begin(serviceId: string, { name, path: place }: Omit<LooseFile, 'bytes'>): Promise<Arriving> {
    const id = randomUUID();
    const folder = path.join(this.#folder(serviceId), id);
    await fs.mkdir(folder, { recursive: true });
    const handle = await fs.open(path.join(folder, fileName(name)), 'wx');
    return {
      write: piece => handle.writeFile(piece),
      end: async () => {
        await handle.sync();
        await handle.close();
        const query = place === undefined ? '' : `?${encoded(place)}`;
        return `${SCHEME}:/${serviceId}/${id}/${encoded(name)}${query}`;
      },
      giveUp: async () => {
        await handle.close().catch(() => undefined);
        await fs.rm(folder, { recursive: true, force: true });
      },
    };
  }

  /** The file a kept one is in; `undefined` for other addresses. */
  fileOf(uri: string): string | undefined {
    return this.#kept(uri)?.file;
  }

  async stat(uri: string) {
    const kept = this.#kept(uri);
    if (kept === undefined) return this.#others.stat(uri);
    const facts = await fs.lstat(kept.file);
    return {
      kind: facts.isFile() ? ('file' as const) : ('other' as const),
      size: facts.size,
      mtime: facts.mtimeMs,
    };
  }

  async read(uri: string): Promise<Uint8Array> {
    const kept = this.#kept(uri);
    return kept === undefined ? this.#others.read(uri) : fs.readFile(kept.file);
  }

  pieces(uri: string): AsyncIterable<Uint8Array> {
    const kept = this.#kept(uri);
    return kept === undefined ? this.#others.pieces(uri) : filePieces(kept.file);
  }

  name(uri: string): string {
    return this.#kept(uri)?.name ?? this.#others.name(uri);
  }

  workspacePath(uri: string): string {
    return this.#kept(uri)?.path ?? this.#others.workspacePath(uri);
  }

  /** Removes what is older than a day and in none of these addresses. */
  async sweep(serviceId: string, inUse: readonly string[], now = Date.now()): Promise<void> {
    const used = new Set(inUse.flatMap(uri => this.#kept(uri)?.file.split(path.sep).at(-2) ?? []));
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

  #kept(uri: string): Kept | undefined {
    const match = /^agentconsole-attachment:\/([a-z0-9_-]+)\/([0-9a-f-]{36})\/([^/?#]+)(?:\?(.*))?$/.exec(
      uri,
    );
    const [, serviceId, id, name, place] = match ?? [];
    if (serviceId === undefined || id === undefined || name === undefined) return undefined;
    try {
      const plainName = decodeURIComponent(name);
      const file = path.join(this.#folder(serviceId), id, fileName(plainName));
      return { file, name: plainName, path: place === undefined ? plainName : decodeURIComponent(place) };
    } catch {
      return undefined;
    }
  }
}

/** A file of this machine, a piece at a time. */
export function filePieces(file: string): AsyncIterable<Uint8Array> {
  return createReadStream(file, { highWaterMark: 256 * 1024 }) as AsyncIterable<Uint8Array>;
}

/** Half a character, which no address can hold, becomes U+FFFD. */
function encoded(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'));
}

/** A name every file system takes: the end of it, in whole characters. */
function fileName(name: string): string {
  const safe = name.replace(/[^\p{L}\p{N} ._()-]/gu, '_').replace(/^[. ]+|[. ]+$/g, '_');
  const characters = Array.from(safe);
  let [first, bytes] = [characters.length, 0];
  while (first > 0 && characters.length - first < 100) {
    bytes += Buffer.byteLength(characters[first - 1] ?? '');
    if (bytes > MOST_BYTES) break;
    first--;
  }
  return characters.slice(first).join('') || '_';
}
