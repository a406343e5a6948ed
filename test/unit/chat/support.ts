import * as fs from 'node:fs';
import * as path from 'node:path';
import { pathToFileURL, fileURLToPath } from 'node:url';
import * as vscode from 'vscode';
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Attachments, type AttachableFiles } from '../../../src/chat/attach/attachments';
import { inOrder, textOf } from '../../../src/chat/transcript/messages';
import type { KnownMessage, StoredMessage } from '../../../src/chat/transcript/messages';
import type { Entry } from '../../../src/chat/outbox/record';
import { RowBuilder, type RowsInput } from '../../../src/chat/transcript/rows';
import { StorageError, type Storage } from '../../../src/storage';
import type { Write } from '../../../src/storage/database';
import type { MakeEngine } from '../../../src/storage/engine';
import { later, temporaryFolder } from '../../fakes/cleanUp';
import { silentLog } from '../../fakes/log';
import { localEngine, openStorage } from '../../fakes/storage';
import { window, Uri } from '../../fakes/vscode';
import { collectGarbage } from '../../growth';
import { until } from '../../until';
import { ApiClient } from '../../../src/api';
import { Chat } from '../../../src/chat';
import { Conversation } from '../../../src/chat/conversation';
import { ChatPanel, type PanelDeps } from '../../../src/chat/panel/panel';
import type { PanelState, Start } from '../../../src/chat/protocol';
import type { ChatSession } from '../../../src/chat/sessions';
import { errorSentence } from '../../../src/util/errorSentence';
import { Emitter, ObservableValue } from '../../../src/util/lifecycle';
import type { DetailsDocuments } from '../../../src/util/detailsDocuments';
import type { Place } from '../../../src/webview/page';
import { startSampleService } from '../../fakes/sampleService';

export { later, temporaryFolder, until };

/** Asked before each write to a collection: whether it fails, as on a full disk. */
export type Fails = (collection: string) => boolean;

export function storageIn(root: string, now = Date.now, fails: Fails = () => false): Storage {
  const engine: MakeEngine = options => {
    const real = localEngine(options);
    return (name, ...args) =>
      name === 'write' && (args[0] as readonly Write[]).some(({ collection }) => fails(collection))
        ? Promise.reject(new StorageError('no space left'))
        : real(name, ...args);
  };
  const storage = openStorage({ root, log: silentLog(), now, engine });
  later(() => storage.settled().finally(() => storage.dispose()));
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
  read: uri => fs.promises.readFile(fileURLToPath(uri)),
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
  return new Attachments(root, () => ({ file: maxBytes, message: 10 * maxBytes }), files);
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

/** The rows of a transcript of which only this is known. */
export function rowsOf(facts: Partial<RowsInput>, whole = false) {
  const nothing = { known: new Map(), sends: [], messageCount: undefined };
  return new RowBuilder(whole).build({ ...nothing, ...facts });
}

/** What is still in memory when all that nobody holds is collected. */
export function left<T extends object>(refs: readonly WeakRef<T>[]): readonly T[] {
  collectGarbage();
  return refs.flatMap(ref => ref.deref() ?? []);
}

/** The sessions feature as far as the chat needs it: asks the real service each time. */
function askingSessions(api: ApiClient) {
  const changed = new Emitter<readonly string[]>();
  const known = new Map<string, ChatSession>();
  const sessions = {
    noted: [] as string[],
    /** Why sessions are watched now. */
    watched: [] as (string | undefined)[],
    /** What another window has stored of a session, and this one has not heard of yet. */
    unheard: {} as Partial<ChatSession>,
    onDidChange: changed.event,
    get: (sessionId: string) => known.get(sessionId),
    all: () => [...known.values()],
    watch: (_: string, why?: 'inFront') => {
      sessions.watched.push(why);
      return { dispose: () => sessions.watched.splice(sessions.watched.indexOf(why), 1) };
    },
    pick: () => Promise.resolve(undefined),
    ensure: (sessionId: string) => sessions.refresh(sessionId).then(() => undefined),
    refresh: async (sessionId: string, signal?: AbortSignal): Promise<ChatSession> => {
      const told = await api.one('session', { ids: { sessionId }, signal });
      const { title = '', status = 'unknown', messageCount, updatedAt } = told;
      const session = { sessionId, title, status, messageCount, updatedAt, statusAt: Date.now() };
      known.set(sessionId, { ...session, shown: { word: status, icon: 'circle-outline', spin: false } });
      changed.fire([sessionId]);
      return session;
    },
    read: (sessionId: string) => {
      const before = known.get(sessionId);
      return Promise.resolve(before && known.set(sessionId, { ...before, ...sessions.unheard }));
    },
    noteSend: (_: string, __: string, { text }: { text: string }) =>
      Promise.resolve(void sessions.noted.push(text)),
  };
  return sessions;
}

interface WindowOptions {
  readonly signedIn?: () => boolean;
  /** The machine's clock, Unix ms. */
  readonly now?: () => number;
  readonly fails?: Fails;
  readonly extras?: () => boolean;
  /** Leaves what is stored to be read later. */
  readonly unread?: boolean;
  readonly attachments?: Attachments;
}

export type Window = Awaited<ReturnType<typeof openWindow>>;

/** A window that shows a session: everything real but the files' place and the sessions feature. */
async function openWindow(root: string, client: ApiClient, sessionId: string, options: WindowOptions) {
  const { signedIn = () => true, extras = () => false } = options;
  const { attachments = attachmentsIn(temporaryFolder()), unread = false } = options;
  const storage = storageIn(root, options.now, options.fails);
  const [log, sessions] = [silentLog(), askingSessions(client)];
  const conversation = new Conversation({
    ...{ serviceId: 'service1', sessionId, storage, sessions, log, extras, attachments },
    api: () => (signedIn() ? client : undefined),
    describe: error => errorSentence(error),
  });
  later(() => conversation.dispose());
  if (!unread) await conversation.load();
  const { composition, transcript } = conversation;
  const refresh = () => sessions.refresh(sessionId);
  const changed = (holds: () => boolean): Promise<void> => until(conversation.onDidChange, holds);
  /** Resolves when the next send of this window has an outcome. */
  const settled = (): Promise<unknown> => new Promise(resolve => conversation.onDidSettle(resolve));
  return {
    ...{ client, sessionId, conversation, composition, transcript, sessions, storage, log },
    ...{ refresh, changed, settled },
    /** The composer's text and the addresses of its files. */
    draft: () => [composition.draft.text, ...composition.draft.attachments.map(({ uri }) => uri)],
    queued: () => conversation.queued.map(({ text }) => text),
    /** What the person said, as the transcript has it. */
    texts: () =>
      inOrder(transcript.known).flatMap(({ message }) => (message?.role === 'user' ? [textOf(message)] : [])),
    /** Sends and waits for the outcome and for what can be read then. */
    send: async (text: string): Promise<void> => {
      const outcome = settled();
      await conversation.submit(text);
      await outcome;
      await conversation.readOn();
    },
    queue: async (...texts: readonly string[]): Promise<void> => {
      await refresh();
      for (const text of texts) await conversation.submit(text, randomUUID());
    },
    /** Resolves when nothing is queued or on its way. */
    drained: async (): Promise<void> => {
      await refresh();
      await changed(() => conversation.queued.length === 0 && !conversation.isSending);
    },
  };
}

export type Scene = Awaited<ReturnType<typeof scene>>;

/** A service whose agents answer at once, and perhaps lists sessions and messages; a new session, and a window that shows it. */
export async function scene({ lists = false, ...options }: WindowOptions & { lists?: boolean } = {}) {
  const service = await startSampleService({ pace: 0, extras: lists });
  later(() => service.close());
  const { baseUrl, appUrl, apiKey, requests } = service;
  const key = () => Promise.resolve(apiKey);
  const client = new ApiClient({ baseUrl, appUrl, key, log: silentLog() });
  later(() => client.dispose());
  const [{ id: computerId, name = '' } = assert.fail()] = (await client.list('computers')).items;
  const { sessionId } = await client.createSession({ computerId });
  const root = temporaryFolder();
  const window = await openWindow(root, client, sessionId, options);
  const posts = () => requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/messages'));
  return {
    ...{ ...window, service, computer: { computerId, name }, root, posts },
    open: (more: WindowOptions = {}) => openWindow(root, client, sessionId, more),
    sent: () => posts().map(({ body }) => (body as { text: unknown }).text),
    /** The next send fails in this way. */
    failSend: (how: 'reset' | 'truncate' | number) =>
      service.fail({
        ...(typeof how === 'number' ? { kind: 'status', status: how } : { kind: how }),
        ...{ match: { method: 'POST' }, times: 1 },
      }),
    /** The agent works until this is disposed of: what the service says of the session is changed. */
    busy: () => service.busy(sessionId),
  };
}

/** What a panel says to its page. */
interface ToPage {
  readonly kind: string;
  readonly id?: number;
  readonly name?: string;
  readonly payload?: unknown;
  /** Why it refuses what was asked. */
  readonly reason?: string;
}

const never = new Emitter<never>().event;

/** A place as VS Code hands it over, and both ends of what its page would say and hear. */
export function pageOf(kind: 'panel' | 'view') {
  const said = new Emitter<unknown>();
  const posted: ToPage[] = [];
  const heard = new Emitter<ToPage>();
  const written: string[] = [];
  const shown = new Emitter<void>();
  const webview = {
    ...{ options: {}, cspSource: 'pages:', onDidReceiveMessage: said.event },
    asWebviewUri: (uri: unknown) => uri,
    postMessage: (message: ToPage) => {
      posted.push(message);
      heard.fire(message);
      return Promise.resolve(true);
    },
    set html(text: string) {
      written.push(text);
    },
  };
  const gone = new Emitter<void>();
  const [own, nothing] = [{ active: true, onDidChangeViewState: shown.event }, (): void => undefined];
  const place = {
    ...(kind === 'panel' ? own : { onDidChangeVisibility: shown.event }),
    ...{ visible: true, webview, reveal: nothing, show: nothing },
    ...{ onDidDispose: gone.event, dispose: () => gone.fire() },
  };
  return {
    ...{ place: place as unknown as Place, said, posted, written },
    until: (holds: () => boolean) => until(heard.event, holds),
    /** As the person shows and hides it. */
    show: (visible: boolean): void => {
      place.visible = visible;
      shown.fire();
    },
    /** The page listens. */
    begun: () => said.fire({ name: 'ready', params: {} }),
    /** What the page was told last under this name. */
    told: (name: string): unknown => posted.findLast(message => message.name === name)?.payload,
  };
}

/** What panels need of a window, and the state of its connection. */
function depsOf({ client, conversation, sessions }: Window, show: DetailsDocuments['show']) {
  const service = { id: conversation.serviceId, host: 'localhost' };
  const state = new ObservableValue({ kind: 'signedIn', service });
  const becameReady = new Emitter<void>();
  const ready = () => Promise.resolve();
  const connection = { state, api: client, onDidBecomeReady: becameReady.event, ready };
  const log = silentLog();
  const deps: PanelDeps = {
    ...{ connection: connection as unknown as PanelDeps['connection'], sessions, log },
    extensionUri: Uri.file('/extension') as unknown as vscode.Uri,
    changes: { of: () => undefined, onDidChange: never },
    details: { show, compare: () => assert.fail('a document is shown') },
    composer: {
      ...{ sendKey: () => 'enter', onDidChange: never },
      limits: () => ({ file: 1024, message: 10_240 }),
    },
  };
  return { deps, log, state, becameReady };
}

/** The real panel of a conversation, and its page. */
export function panelOf(it: Window, kind: 'panel' | 'view' = 'panel', title = 'Session') {
  const page = pageOf(kind);
  const { posted, told } = page;
  const shown: string[][] = [];
  const { deps, ...rest } = depsOf(it, (about, name, content) =>
    Promise.resolve(void shown.push([about, name, content()])),
  );
  let isLet = true;
  const lease = { dispose: () => (isLet = false) };
  const { conversation } = it;
  const panel = new ChatPanel(page.place, { ...deps, conversation, lease, title, reading: new Map() });
  later(() => panel.dispose());
  const sendId = 'an-id-of-a-send';
  const say = (name: string, params: object, id?: number): void =>
    page.said.fire({ name, params, ...(id === undefined ? {} : { id }) });
  return {
    ...{ ...page, ...rest, panel, shown, say, sendId, isLet: () => isLet },
    /** Asks the panel, as its page does: resolves to the answer, rejects with the reason. */
    ask: async (name: string, params: object): Promise<void> => {
      page.begun();
      const id = posted.length + 1;
      say(name, params, id);
      const answer = (): ToPage | undefined => posted.find(message => message.id === id);
      await page.until(() => answer() !== undefined);
      if (answer()?.reason !== undefined) throw new Error(answer()?.reason);
    },
    write: (text: string, seen: number, version: number) => say('draft', { text, seen, version }),
    send: (text: string) => say('send', { text, seen: 0, sendId }, 1),
    draft: () => (told('setDraft') as { readonly text?: string } | undefined)?.text,
    start: () => told('start') as Start | undefined,
    shows: () => told('state') as PanelState | undefined,
  };
}

/** A panel whose page listens. */
export function begunOf(...about: Parameters<typeof panelOf>): ReturnType<typeof panelOf> {
  const panel = panelOf(...about);
  panel.begun();
  return panel;
}

/** The whole chat of a window, in its view. */
export function chatOf(
  it: Window,
  options: Partial<ConstructorParameters<typeof Chat>[0]> = {},
  show: DetailsDocuments['show'] = () => assert.fail('a document is shown'),
): Chat {
  const chat = new Chat({
    ...{ ...depsOf(it, show).deps, storage: it.storage, memory: memoryOf(), onDidSelect: never },
    storageUri: Uri.file(temporaryFolder()) as unknown as vscode.Uri,
    ...{ location: () => 'view', extras: () => true, diffOf: () => assert.fail('a diff is asked for') },
    ...options,
  });
  later(() => chat.dispose());
  return chat;
}
