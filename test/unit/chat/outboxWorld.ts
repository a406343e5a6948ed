import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { mock } from 'node:test';
import { ApiError, type ApiClient } from '../../../src/api';
import { Conversation } from '../../../src/chat/conversation';
import type { OutboxRecord } from '../../../src/chat/outbox/record';
import type { ChatSession } from '../../../src/chat/sessions';
import { openStorage, StorageError } from '../../../src/storage';
import { Database, type Row, type Write } from '../../../src/storage/database';
import type { Engine, MakeEngine } from '../../../src/storage/engine';
import { Emitter } from '../../../src/util/lifecycle';
import { silentLog } from '../../fakes/log';
import { quiet } from '../../fakes/storage';
import { later, message, temporaryFolder, text as words } from './support';

/** The same for all windows of one run. */
const SESSION = 'session';

export type Answer = 'accepted' | 'refused' | 'lost' | 'never arrived';

/** A process with its window: what it knows, and what the page in it shows. */
export interface Process {
  readonly pid: number;
  readonly conversation: Conversation;
  readonly follow: (rows: readonly Row[]) => void;
  readonly tellStatus: () => void;
  isAlive: boolean;
  /** Dies with its next write, after it. */
  isDoomed: boolean;
  /** The composer's text as the page has it, and what it would keep over a crash. */
  shown: string;
  unsaved: { readonly text: string; at: number; readonly sendId?: string } | undefined;
  isSubmitting: boolean;
  hasErased: boolean;
}

const settle = (): Promise<void> => new Promise(resolve => setImmediate(resolve));
const done = (): Promise<void> => Promise.resolve();
const request = { method: 'POST', path: '', origin: '' } as const;

/**
 * One database, clock and service that processes share. Each write, lease, notice of another window's write, look and request is a
 * step that somebody else decides to take.
 */
export class World {
  now = Date.now();
  status: 'idle' | 'running' = 'idle';
  /** The service's own clock, which nobody changes. */
  #clock = 1_000_000;
  readonly #steps: { readonly pid: number; readonly go: () => void }[] = [];
  readonly #processes: Process[] = [];
  /** Requests without an answer. */
  readonly open: { readonly text: string; readonly answer: (answer: Answer) => void }[] = [];
  /** Every message that left, by its text. */
  readonly posted: string[] = [];
  /** How the next writes end: not at all, or written all the same. */
  readonly failures: ('before' | 'after')[] = [];
  /** In memory where that is possible: it is not the disk that is tested. */
  readonly #root = temporaryFolder(existsSync('/dev/shm') ? '/dev/shm' : tmpdir());
  readonly #database: Database;
  /** The messages of the session, as the service answers with them. */
  readonly #served = new Map<string, object>();
  /** By process: the last that its engine has said. */
  readonly #said = new Map<number, Promise<void>>();
  #pids = 0;

  constructor() {
    this.#database = new Database({ root: this.#root, now: () => this.now, ...quiet });
    this.#database.write([]);
    later(() => this.#database.close());
  }

  /** Opens a process and lets it read what is stored. */
  async start(unsaved?: Process['unsaved']): Promise<Process> {
    const pid = ++this.#pids;
    let follow: Process['follow'] = () => undefined;
    const [log, now] = [silentLog(), (): number => this.now];
    const engine: MakeEngine = options => {
      follow = options.onChanged;
      return this.#engine(pid);
    };
    const storage = openStorage({ root: this.#root, log, now, engine });
    const changed = new Emitter<readonly string[]>();
    let known = this.#session();
    const tellStatus = (): void => {
      known = this.#session();
      changed.fire([SESSION]);
    };
    const sessions = {
      ...{ get: () => known, onDidChange: changed.event, read: done, noteSend: done },
      watch: () => ({ dispose: () => undefined }),
      refresh: () => this.#step(pid).then(tellStatus),
    };
    const attachments = { parts: () => this.#step(pid).then(() => []), tooMuch: () => undefined };
    const conversation = new Conversation({
      ...{ serviceId: 'service1', sessionId: SESSION, storage, log, now },
      ...{ sessions: sessions as never, attachments: attachments as never },
      ...{ extras: () => false, api: () => this.#client(pid), describe: String },
    });
    const process: Process = {
      ...{ pid, conversation, tellStatus, unsaved, follow: rows => follow(rows) },
      ...{ isAlive: true, isDoomed: false, shown: '', isSubmitting: false, hasErased: false },
    };
    this.#processes.push(process);
    await this.finish(conversation.load(), pid);
    const taken = unsaved && conversation.takeUnsaved(unsaved).then(() => (process.unsaved = undefined));
    if (taken !== undefined) await this.finish(taken, pid);
    process.shown = conversation.composition.draft.text;
    return process;
  }

  /** Ends a process: nothing of it goes on. */
  end(process: Process): void {
    process.isAlive = false;
    process.conversation.dispose();
    const others = this.#steps.filter(({ pid }) => pid !== process.pid);
    this.#steps.splice(0, Infinity, ...others);
  }

  /** Takes the steps there are, of one process or of all, and those that follow from them. */
  async go(pid?: number, most = 3000): Promise<void> {
    for (let round = 0; round < most; round++) {
      await settle();
      const index = this.#steps.findIndex(step => pid === undefined || step.pid === pid);
      if (index === -1) return;
      this.#steps.splice(index, 1)[0]?.go();
    }
    assert.ok(most < 3000, 'It never comes to rest');
  }

  async take(which: number): Promise<void> {
    this.#steps.splice(which % Math.max(1, this.#steps.length), 1)[0]?.go();
    await settle();
  }

  /** Lets the steps of one process go until `work` is done. */
  async finish(work: Promise<unknown>, pid: number): Promise<void> {
    const state = { isDone: false };
    const end = (): unknown => (state.isDone = true);
    work.then(end, end);
    for (let round = 0; !state.isDone && round < 500; round++) await this.go(pid, 1);
    assert.ok(state.isDone || !this.#isAlive(pid), 'It is never done');
  }

  /** Time goes by in all processes, ms. */
  async pass(ms: number): Promise<void> {
    this.now += ms;
    mock.timers.tick(ms);
    await settle();
  }

  /** Whether a piece of text has left the composer, as far as it is stored. */
  hasLeft(piece: string): boolean {
    const row = this.#database.read('services/service1/outbox', SESSION);
    const { entries } = JSON.parse(row?.value ?? '{"entries":[]}') as OutboxRecord;
    return [...entries.map(({ text }) => text), ...this.posted].some(text => text.includes(piece));
  }

  /** Resolves when the process may go on; never for one that is gone. */
  #step(pid: number): Promise<void> {
    return new Promise(go => this.#isAlive(pid) && this.#steps.push({ pid, go }));
  }

  #isAlive(pid: number): boolean {
    return !this.#processes.some(it => it.pid === pid && !it.isAlive);
  }

  #session(): ChatSession {
    const { status, now: statusAt } = this;
    const told = { messageCount: this.#served.size, updatedAt: this.#clock };
    return { sessionId: SESSION, title: '', status, statusAt, ...told };
  }

  #engine(pid: number): Engine {
    return async (name, ...args) => {
      await this.#step(pid);
      const isWrite = name === 'write';
      const failure = isWrite ? this.failures.shift() : undefined;
      const work = this.#database[name] as (...args: unknown[]) => never;
      const result = failure === 'before' ? undefined : Reflect.apply(work, this.#database, args);
      if (isWrite && failure !== 'before') this.#tell(pid, args[0] as readonly Write[]);
      const doomed = this.#processes.find(it => it.pid === pid && it.isDoomed);
      if (isWrite && failure === undefined && doomed !== undefined) this.end(doomed);
      await this.#inOrder(pid, isWrite || name === 'lease' ? this.#step(pid) : undefined);
      if (failure !== undefined) throw new StorageError('no space left');
      return result as never;
    };
  }

  /** Other processes hear of a write, each at some time, with what is stored by then. */
  #tell(from: number, writes: readonly Write[]): void {
    for (const { pid, follow, isAlive } of this.#processes) {
      if (pid === from || !isAlive) continue;
      const go = (): void => {
        const rows = writes.flatMap(({ collection, id }) => {
          const row = this.#database.read(collection, id);
          return row === undefined ? [] : [{ ...row, collection }];
        });
        void this.#inOrder(pid).then(() => follow(rows));
      };
      this.#steps.push({ pid, go });
    }
  }

  /** A thread's messages arrive in the order it has sent them, each when all that followed from the one before is done, and after `wait`. */
  #inOrder(pid: number, wait?: Promise<void>): Promise<void> {
    const turn = Promise.all([this.#said.get(pid), wait]).then(
      () => new Promise<void>(resolve => process.nextTick(resolve)),
    );
    this.#said.set(pid, turn);
    return turn;
  }

  #client(pid: number): ApiClient {
    const post = (text: string): Promise<unknown> =>
      new Promise((resolve, reject) => {
        this.posted.push(text);
        const answer = (kind: Answer): void => {
          const messageId = kind === 'accepted' || kind === 'lost' ? this.#serve(text) : '';
          if (!this.#isAlive(pid)) return;
          if (kind === 'accepted') resolve({ messageId, status: this.status });
          else if (kind === 'lost') reject(new Error('Nobody expects this'));
          else reject(new ApiError(kind === 'refused' ? 'refused' : 'outcomeUnknown', { request }));
        };
        this.open.push({ text, answer });
      });
    const read = async (id: string): Promise<unknown> => {
      await this.#step(pid);
      return this.#served.get(id) ?? Promise.reject(new ApiError('notFound', { request }));
    };
    type Asked = { readonly ids: { readonly messageId: string }; readonly body?: string };
    return {
      one: (name: string, { ids, body = '' }: Asked) =>
        name === 'sendMessage'
          ? post((JSON.parse(body) as { readonly text: string }).text)
          : read(ids.messageId),
    } as never;
  }

  #serve(text: string): string {
    const [id, createdAt] = [`message${this.#served.size + 1}`, ++this.#clock];
    const parentId = [...this.#served.keys()].at(-1);
    const links = parentId === undefined ? {} : { parentId };
    const facts = { role: 'user', createdAt, updatedAt: createdAt, content: [words(text)] };
    this.#served.set(id, message(id, { ...facts, ...links }));
    return id;
  }
}
