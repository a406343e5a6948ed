import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { pathToFileURL, fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import * as vscode from 'vscode';
import { ApiClient } from '../../../src/api';
import {
  Attachments,
  readLocal,
  type AttachableFiles,
  type AttachmentLimits,
} from '../../../src/chat/attach/attachments';
import { Conversation } from '../../../src/chat/conversation';
import type { KnownMessage, StoredMessage } from '../../../src/chat/transcript/messages';
import type { Entry } from '../../../src/chat/outbox/record';
import type { ChatSession } from '../../../src/chat/sessions';
import type { Storage } from '../../../src/storage';
import { openStorage } from '../../fakes/storage';
import { errorSentence } from '../../../src/util/errorSentence';
import { Emitter } from '../../../src/util/event';
import { silentLog } from '../../fakes/log';
import type { SampleService } from '../../fakes/sampleService';
import { window } from '../../fakes/vscode';
export { until } from '../../until';

const cleanups: (() => unknown)[] = [];

/** Runs after the test, the last first. */
export function afterwards(run: () => unknown): void {
  cleanups.push(run);
}

export async function cleanUp(): Promise<void> {
  for (const run of cleanups.splice(0).reverse()) await run();
}

export function temporaryFolder(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'agent-console-chat-'));
  // What still reads in the background may write there once more.
  afterwards(() => fs.promises.rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 20 }));
  return folder;
}

export function storageIn(root: string, now = Date.now): Storage {
  const storage = openStorage({ root, log: silentLog(), now });
  afterwards(async () => {
    await storage.settled();
    storage.dispose();
  });
  return storage;
}

/** What it is, but for some of it. */
function but<T extends object>(real: T, instead: Partial<T>): T {
  const get = (_: T, name: string | symbol): unknown => {
    if (name in instead) return Reflect.get(instead, name);
    const value: unknown = Reflect.get(real, name, real);
    return typeof value === 'function' ? (value.bind(real) as unknown) : value;
  };
  return new Proxy(real, { get });
}

/** A storage in which some changes fail, as on a full disk; `fails` is asked before each. */
export function brittle(storage: Storage, fails: (path: string) => boolean): Storage {
  return but(storage, {
    collection: options => {
      const real = storage.collection(options);
      const change = async <T>(work: () => Promise<T>): Promise<T> => {
        if (fails(options.path)) throw new Error('no space left');
        return work();
      };
      return but(real, {
        put: (id, value) => change(() => real.put(id, value)),
        update: (id, make) => change(() => real.update(id, make)),
        remove: (id, unless) => change(() => real.remove(id, unless)),
      });
    },
  });
}

/** Files of this machine, as the editor's file system shows them. */
export const diskFiles: AttachableFiles = {
  stat: async uri => {
    const facts = await fs.promises.lstat(fileURLToPath(uri));
    const { File, Directory, SymbolicLink, Unknown } = vscode.FileType;
    const other = facts.isDirectory() ? Directory : facts.isSymbolicLink() ? SymbolicLink : Unknown;
    const type = facts.isFile() ? File : other;
    return { type, size: facts.size, ctime: 0, mtime: facts.mtimeMs };
  },
  read: (uri, most) => readLocal(fileURLToPath(uri), most),
  workspacePath: uri => `src/${path.basename(fileURLToPath(uri))}`,
};

export function writeFile(folder: string, name: string, content: string | Uint8Array): string {
  const file = path.join(folder, name);
  fs.writeFileSync(file, content);
  return pathToFileURL(file).href;
}

/** The sessions feature as far as the chat needs it: asks the real service each time. */
function askingSessions(api: ApiClient) {
  const changed = new Emitter<readonly string[]>();
  const known = new Map<string, ChatSession>();
  const learn = (sessionId: string, facts: Partial<ChatSession>): unknown => {
    const before = known.get(sessionId);
    return before && known.set(sessionId, { ...before, ...facts });
  };
  const sessions = {
    noted: [] as { readonly sessionId: string; readonly status: string | undefined; readonly text: string }[],
    watched: [] as (string | undefined)[],
    /** What another window has stored of a session, and this one has not heard of yet. */
    unheard: {} as Partial<ChatSession>,
    onDidChange: changed.event,
    get: (sessionId: string) => known.get(sessionId),
    watch: (_: string, why?: 'inFront') => {
      sessions.watched.push(why);
      return { dispose: () => undefined };
    },
    pick: () => Promise.resolve(undefined),
    ensure: async (sessionId: string): Promise<void> => {
      await sessions.refresh(sessionId);
    },
    refresh: async (sessionId: string, signal?: AbortSignal): Promise<ChatSession> => {
      const told = await api.one('session', { ids: { sessionId }, signal });
      const { title = '', status = 'unknown', messageCount, updatedAt } = told;
      const session = { sessionId, title, status, messageCount, updatedAt, statusAt: Date.now() };
      known.set(sessionId, { ...session, shown: { word: status, icon: 'circle-outline', spin: false } });
      changed.fire([sessionId]);
      return session;
    },
    read: (sessionId: string) => Promise.resolve(learn(sessionId, sessions.unheard)),
    /** Makes what is known of a session older, ms. */
    age: (sessionId: string, ms: number) => learn(sessionId, { statusAt: Date.now() - ms }),
    noteSend: (sessionId: string, { status, text }: { status: string | undefined; text: string }) =>
      Promise.resolve(void sessions.noted.push({ sessionId, status, text })),
  };
  return sessions;
}

export function clientOf({ baseUrl, appUrl, apiKey }: SampleService): ApiClient {
  const timeouts = { get: 2_000, post: 2_000 };
  const client = new ApiClient({
    ...{ baseUrl, appUrl, key: () => Promise.resolve(apiKey), log: silentLog(), timeouts },
  });
  afterwards(() => client.dispose());
  return client;
}

export type Window = Awaited<ReturnType<typeof openWindow>>;

/** One window that shows a session: everything real but the files' place and the sessions feature. */
export async function openWindow(options: {
  readonly root: string;
  readonly client: ApiClient;
  readonly sessionId: string;
  readonly signedIn?: () => boolean;
  /** The machine's clock, Unix ms. */
  readonly now?: () => number;
  readonly fails?: Parameters<typeof brittle>[1];
  readonly extras?: () => boolean;
  /** Leaves what is stored to be read later. */
  readonly unread?: boolean;
  readonly attachments?: Attachments;
}) {
  const { root, client, sessionId, signedIn = () => true } = options;
  const storage = brittle(storageIn(root, options.now), options.fails ?? (() => false));
  const log = silentLog();
  const sessions = askingSessions(client);
  const conversation = new Conversation({
    ...{ serviceId: 'service1', sessionId, storage, sessions, log },
    attachments: options.attachments ?? attachmentsIn(temporaryFolder()),
    api: () => (signedIn() ? client : undefined),
    describe: error => errorSentence(error),
    extras: options.extras ?? (() => false),
  });
  afterwards(() => conversation.dispose());
  if (options.unread !== true) await conversation.load();
  return { conversation, sessions, storage, log };
}

/** Files that may have `maxBytes`; what is in none is kept below `root`. */
export function attachmentsIn(root: string, maxBytes = 1024 * 1024, files = diskFiles): Attachments {
  return new Attachments(root, () => limits(maxBytes), 'en', files);
}

/** The person answers what the editor asks in the way of these functions, until the test ends; the rest is as ever. */
export function answering(answers: Partial<Record<keyof typeof vscode.window, unknown>>): void {
  const editor = window as Record<string, unknown>;
  Object.assign(editor, answers);
  afterwards(() => {
    for (const name of Object.keys(answers)) Reflect.deleteProperty(editor, name);
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

/** The same limit for everything, bytes. */
export function limits(bytes: number): AttachmentLimits {
  return { file: bytes, message: 10 * bytes };
}

export function message(id: string, facts: Partial<StoredMessage> = {}): StoredMessage {
  return {
    id,
    role: 'assistant',
    createdAt: 0,
    updatedAt: 0,
    content: [{ type: 'text', text: id }],
    ...facts,
  };
}

export function knownOf(...messages: readonly StoredMessage[]): Map<string, KnownMessage> {
  return new Map(messages.map(body => [body.id, { id: body.id, message: body }]));
}

export function sendRecord(facts: Partial<Entry> = {}): Entry {
  return { id: 's1', text: 'Hello', attachments: [], state: 'unknown', at: 1_000_000, ...facts };
}

/** What is still in memory when all that nobody holds is collected. */
export function left<T extends object>(refs: readonly WeakRef<T>[]): readonly T[] {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return refs.flatMap(ref => ref.deref() ?? []);
}
