import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { mock } from 'node:test';
import type { ApiClient } from '../../../src/api';
import { Conversation } from '../../../src/chat/conversation';
import { LOOK_EVERY_MS } from '../../../src/chat/conversationOptions';
import { Drafts } from '../../../src/chat/drafts';
import { ReadingPlaces } from '../../../src/chat/readingPlaces';
import { SendJournal } from '../../../src/chat/sendJournal';
import { SendQueue } from '../../../src/chat/sendQueue';
import type { ChatSession } from '../../../src/chat/sessions';
import type { Collection, Storage } from '../../../src/storage';
import { Emitter } from '../../../src/util/event';
import { silentLog } from '../../fakes/log';

const SESSION = 'session';
const TEXTS = ['one', 'two', 'three'];
const settle = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

/** One process with its window. What it does goes on only where `World.steps` lets it. */
interface Process {
  readonly pid: number;
  readonly conversation: Conversation;
  readonly queue: SendQueue;
  isAlive: boolean;
}

/** A disk, a clock and a service shared by processes; every write, look and request is a step that somebody else decides to take. */
class World {
  now = 1_000_000_000;
  readonly posts: string[] = [];
  readonly steps: { readonly pid: number; readonly go: () => void }[] = [];
  readonly processes: Process[] = [];
  /** How the next writes end: not at all, or written all the same. */
  readonly failures: ('before' | 'after')[] = [];
  readonly #disk = new Map<string, Map<string, unknown>>();
  readonly #followers: ((path: string, id: string) => void)[] = [];

  async open(pid: number): Promise<Process> {
    const owner = { host: 'here', pid, startedAt: 1 };
    const isRunning = (other: number): boolean => this.processes.some(it => it.pid === other && it.isAlive);
    const own = { owner, isRunning, now: () => this.now };
    const storage = this.#storage(pid);
    const ignore = (): void => undefined;
    const changed = new Emitter<readonly string[]>();
    const session: ChatSession = { sessionId: SESSION, title: '', status: 'idle' };
    const options = { storage, serviceId: 'ab12', ...own };
    const queue = new SendQueue(options);
    const conversation = new Conversation({
      ...{ storage, serviceId: 'ab12', sessionId: SESSION, queue, log: silentLog(), now: own.now },
      drafts: new Drafts(storage, 'ab12', ignore),
      places: new ReadingPlaces(storage, 'ab12', ignore),
      journal: new SendJournal(options),
      attachments: { parts: () => Promise.resolve([]), tooMuch: () => undefined } as never,
      buildBody: ({ text }) => this.#step(pid).then(() => text as never),
      sessions: {
        get: () => session,
        onDidChange: changed.event,
        refresh: () => this.#step(pid).then(() => (changed.fire([SESSION]), session)),
        watch: () => ({ dispose: ignore }),
        noteSend: () => Promise.resolve(),
        ensure: () => Promise.resolve(),
        pick: () => Promise.resolve(undefined),
      },
      api: () => this.#service(pid),
      describe: String,
    });
    const process = { pid, conversation, queue, isAlive: true };
    this.processes.push(process);
    const loaded = conversation.load();
    await this.run(pid);
    await loaded;
    return process;
  }

  /** Takes the steps there are, of one process or of all, and those that follow from them. */
  async run(pid?: number, most = 2000): Promise<void> {
    for (let round = 0; round < most; round++) {
      await settle();
      const index = this.steps.findIndex(step => pid === undefined || step.pid === pid);
      if (index === -1) return;
      this.steps.splice(index, 1)[0]?.go();
    }
    assert.ok(most < 2000, 'It never comes to rest');
  }

  end(process: Process): void {
    process.isAlive = false;
    process.conversation.dispose();
    for (let at = this.steps.length - 1; at >= 0; at--)
      if (this.steps[at]?.pid === process.pid) this.steps.splice(at, 1);
  }

  #step(pid: number): Promise<void> {
    // A process that is gone waits for ever.
    if (this.processes.some(it => it.pid === pid && !it.isAlive)) return new Promise(() => undefined);
    return new Promise(go => this.steps.push({ pid, go }));
  }

  #service(pid: number): ApiClient {
    return {
      messages: {
        sendBody: async (_: string, text: string) => {
          this.posts.push(text);
          await this.#step(pid);
          return { messageId: `message-${text}`, status: 'running' };
        },
        get: () => Promise.reject(new Error('not now')),
      },
    } as never;
  }

  #storage(pid: number): Storage {
    return {
      collection: <T>({ path }: { readonly path: string }): Collection<T> => {
        const disk = (this.#disk.get(path) ?? new Map()) as Map<string, T>;
        this.#disk.set(path, disk);
        const seen = new Map<string, T>(disk);
        const changed = new Emitter<readonly string[]>();
        const read = (id: string): void => {
          const value = disk.get(id);
          if (seen.get(id) === value) return;
          if (value === undefined) seen.delete(id);
          else seen.set(id, value);
          changed.fire([id]);
        };
        this.#followers.push((where, id) => {
          if (where === path && seen.get(id) !== disk.get(id)) void this.#step(pid).then(() => read(id));
        });
        const write = async (
          id: string,
          change: (current: T | undefined) => T | undefined,
        ): Promise<T | undefined> => {
          await this.#step(pid);
          const current = disk.get(id);
          read(id);
          const value = change(current);
          const failure = value === current ? undefined : this.failures.shift();
          if (failure === 'before') throw new Error('no space left');
          if (value === undefined) disk.delete(id);
          else disk.set(id, value);
          if (value !== current) for (const follow of this.#followers) follow(path, id);
          if (failure === 'after') throw new Error('the disk is slow');
          await this.#step(pid);
          read(id);
          return current;
        };
        return {
          load: () => Promise.resolve(seen),
          get: id => seen.get(id),
          values: seen,
          unreadable: [],
          put: async (id, value) => {
            await write(id, () => value);
          },
          update: async (id, change) => {
            await write(id, current => change(current) ?? current);
            return disk.get(id);
          },
          remove: (id, unless) =>
            write(id, current => (current !== undefined && unless?.(current) === true ? current : undefined)),
          onDidChange: changed.event,
          dispose: () => changed.dispose(),
        };
      },
      settled: () => Promise.resolve(),
      dispose: () => undefined,
    };
  }
}

describe('windows that send one queue', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setInterval'] }));
  afterEach(() => mock.timers.reset());

  it('send each message once, lose none, and need no reload, whatever happens between two steps', async function () {
    this.timeout(120_000);
    const acts = fc.array(fc.tuple(fc.nat(99), fc.nat(1000)), { minLength: 10, maxLength: 150 });
    await fc.assert(
      fc.asyncProperty(acts, async chosen => {
        const world = new World();
        const [first, second] = [await world.open(1), await world.open(2)];
        for (const text of TEXTS) {
          const added = first.queue.add(SESSION, { id: `id-${text}`, text, attachments: [] });
          // A window may claim it before the next one is there.
          for (let step = world.steps.findIndex(({ pid }) => pid === 1); step >= 0;) {
            world.steps.splice(step, 1)[0]?.go();
            await settle();
            step =
              (await Promise.race([added.then(() => true), settle()])) === true
                ? -1
                : world.steps.findIndex(({ pid }) => pid === 1);
          }
          await added;
        }
        for (const [act, which] of chosen) {
          if (act < 20) await world.run((which % 2) + 1, which % 30);
          else if (act < 80) world.steps.splice(which % Math.max(1, world.steps.length), 1)[0]?.go();
          else if (act < 86) world.now += 20 * 60_000;
          else if (act < 90) mock.timers.tick(LOOK_EVERY_MS);
          else if (act < 92) world.now -= 24 * 60 * 60_000;
          else if (act < 95) world.failures.push('before');
          else if (act < 98) world.failures.push('after');
          else if (first.isAlive) world.end(first);
          await settle();
        }
        // From here on nothing fails, and the person decides what has to be decided, in the window that was open all the time.
        world.failures.length = 0;
        const { conversation } = second;
        const decided = new Set<string>();
        for (let round = 0; round < 12; round++) {
          await world.run();
          world.now += 20 * 60_000;
          mock.timers.tick(LOOK_EVERY_MS);
          await world.run();
          for (const { sendId, state, text } of conversation.sends) {
            if (state !== 'unknown' && state !== 'refused') continue;
            const discarded = conversation.discard(sendId).then(
              () => decided.add(text),
              () => undefined,
            );
            await world.run();
            await discarded;
          }
          if (conversation.queued[0]?.problem === undefined) continue;
          const sent = conversation.queue.sendNow();
          await world.run();
          await sent;
        }
        const state = JSON.stringify({
          posts: world.posts,
          sends: conversation.sends,
          queued: conversation.queued,
        });
        assert.equal(new Set(world.posts).size, world.posts.length, `sent twice: ${state}`);
        assert.deepEqual([conversation.isSending, conversation.queued.length], [false, 0], `stuck: ${state}`);
        for (const text of TEXTS)
          assert.ok(world.posts.includes(text) || decided.has(text), `lost: ${text} ${state}`);
        for (const { conversation: each, queue } of world.processes) {
          each.dispose();
          queue.dispose();
        }
      }),
      { numRuns: Number(process.env['AGENT_CONSOLE_INTERLEAVINGS'] ?? 150) },
    );
  });
});
