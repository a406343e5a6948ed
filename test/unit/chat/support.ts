import * as fs from 'node:fs';
import * as path from 'node:path';
import { pathToFileURL, fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import * as vscode from 'vscode';
import { Attachments, readLocal, type AttachableFiles } from '../../../src/chat/attach/attachments';
import type { KnownMessage, StoredMessage } from '../../../src/chat/transcript/messages';
import type { Entry } from '../../../src/chat/outbox/record';
import { RowBuilder, type RowsInput } from '../../../src/chat/transcript/rows';
import { StorageError, type Storage } from '../../../src/storage';
import type { Write } from '../../../src/storage/database';
import type { MakeEngine } from '../../../src/storage/engine';
import { Formatter } from '../../../src/util/format';
import { later } from '../../fakes/cleanUp';
import { silentLog } from '../../fakes/log';
import { localEngine, openStorage } from '../../fakes/storage';
import { window } from '../../fakes/vscode';
export { cleanUp, later, temporaryFolder } from '../../fakes/cleanUp';
export { until } from '../../until';

/** Asked before each write to a collection: whether it fails, as on a full disk. */
export type Fails = (collection: string) => boolean;

export function storageIn(root: string, now = Date.now, fails: Fails = () => false): Storage {
  const engine: MakeEngine = options => {
    const real = localEngine(options);
    return {
      ...real,
      call: (name, ...args) =>
        name === 'write' && (args[0] as readonly Write[]).some(({ collection }) => fails(collection))
          ? Promise.reject(new StorageError('no space left'))
          : real.call(name, ...args),
    };
  };
  const storage = openStorage({ root, log: silentLog(), now, engine });
  later(async () => {
    await storage.settled();
    storage.dispose();
  });
  return storage;
}

/** Files of this machine, as the editor's file system shows them. */
export const diskFiles: AttachableFiles = {
  stat: async uri => {
    const facts = await fs.promises.lstat(fileURLToPath(uri));
    const { File, Directory, SymbolicLink, Unknown } = vscode.FileType;
    const other = facts.isDirectory() ? Directory : facts.isSymbolicLink() ? SymbolicLink : Unknown;
    return { type: facts.isFile() ? File : other, size: facts.size, ctime: 0, mtime: facts.mtimeMs };
  },
  read: (uri, most) => readLocal(fileURLToPath(uri), most),
  workspacePath: uri => `src/${path.basename(fileURLToPath(uri))}`,
};

/** A file in a folder, by its address. */
export function writeFile(folder: string, name: string, content: string | Uint8Array): string {
  const file = path.join(folder, name);
  fs.writeFileSync(file, content);
  return pathToFileURL(file).href;
}

/** Files that may have `maxBytes` each, and ten times that together; what is in none is kept below `root`. */
export function attachmentsIn(root: string, maxBytes = 1024 * 1024, files = diskFiles): Attachments {
  return new Attachments(root, () => ({ file: maxBytes, message: 10 * maxBytes }), 'en', files);
}

/** A part of the editor answers in the way of these, until the test ends; the rest is as ever. */
export function answering(answers: Readonly<Record<string, unknown>>, part: object = window): void {
  const before = Object.getOwnPropertyDescriptors(part);
  Object.assign(part, answers);
  later(() => {
    for (const name of Object.keys(answers)) Reflect.deleteProperty(part, name);
    Object.defineProperties(part, before);
  });
}

/** A memory of a window, which VS Code keeps over a reload: as JSON. */
export function memoryOf(): vscode.Memento {
  const kept = new Map<string, string>();
  return {
    keys: () => [...kept.keys()],
    get: (key: string) => JSON.parse(kept.get(key) ?? 'null') as unknown,
    update: (key: string, value: unknown) => Promise.resolve(void kept.set(key, JSON.stringify(value))),
  } as vscode.Memento;
}

export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

export const text = (words: string) => ({ type: 'text', text: words });

export function message(id: string, facts: Partial<StoredMessage> = {}): StoredMessage {
  return { id, role: 'assistant', createdAt: 0, updatedAt: 0, content: [text(id)], ...facts };
}

export function knownOf(...messages: readonly StoredMessage[]): Map<string, KnownMessage> {
  return new Map(messages.map(body => [body.id, { id: body.id, message: body }]));
}

export function sendRecord(facts: Partial<Entry> = {}): Entry {
  return { id: 's1', text: 'Hello', attachments: [], state: 'unknown', at: 1_000_000, ...facts };
}

export const format = new Formatter('en');

/** The rows of a transcript of which only this is known. */
export function rowsOf(facts: Partial<RowsInput>, whole = false) {
  return new RowBuilder(format, whole).build({
    ...{ known: new Map(), sends: [], messageCount: undefined },
    ...facts,
  });
}

/** What is still in memory when all that nobody holds is collected. */
export function left<T extends object>(refs: readonly WeakRef<T>[]): readonly T[] {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return refs.flatMap(ref => ref.deref() ?? []);
}
