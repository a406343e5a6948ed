import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Computer } from '../../../src/api';
import { ComputerList } from '../../../src/computers/computerList';
import { SharedList } from '../../../src/computers/sharedList';
import { openStorage, type Storage } from '../../../src/storage';
import type { Event } from '../../../src/util/event';
import { silentLog } from '../../fakes/log';

const USUAL_MS = 80;

const computerOf = (id: string, status = 'active'): Computer => ({
  id,
  name: id,
  providerType: 'cloud',
  createdAt: 1,
  status,
});

/** Resolves once `holds` is true, looking again whenever `event` fires. */
function until(event: Event<unknown>, holds: () => boolean): Promise<void> {
  return new Promise(resolve => {
    const subscription = event(check);
    function check(): void {
      if (!holds()) return;
      subscription.dispose();
      resolve();
    }
    check();
  });
}

describe('windows that show the same computers', () => {
  let root: string;
  let windows: { readonly storage: Storage; readonly shared: SharedList; readonly list: ComputerList }[];
  let asked: number[];
  let answer: () => Promise<readonly Computer[]>;
  let waiting: { readonly count: number; readonly resolve: () => void }[];

  beforeEach(async () => {
    root = await mkdtemp(path.join(os.tmpdir(), 'computers-'));
    [windows, asked, waiting] = [[], [], []];
    answer = () => Promise.resolve([computerOf('atlas'), computerOf('boreal')]);
  });
  afterEach(async () => {
    for (const { list, shared, storage } of windows) {
      list.dispose();
      shared.dispose();
      await storage.settled();
      storage.dispose();
    }
    await rm(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  });

  const open = async (now: () => number = Date.now, usualMs = USUAL_MS): Promise<ComputerList> => {
    const storage = openStorage({ root, log: silentLog() });
    const shared = new SharedList(storage, now);
    const api = {
      computers: {
        list: async () => {
          asked.push(performance.now());
          for (const { count, resolve } of waiting) if (asked.length >= count) resolve();
          return { items: await answer(), problems: [] };
        },
        get: (id: string) => Promise.resolve(computerOf(id, 'read alone')),
      },
    };
    const list = new ComputerList({
      api: () => api,
      usualMs: () => usualMs,
      sentence: error => (error instanceof Error ? error.message : undefined),
      language: 'en',
      shared,
      now,
    });
    await shared.use('service');
    windows.push({ storage, shared, list });
    return list;
  };
  const reached = (count: number): Promise<void> =>
    new Promise(resolve => {
      if (asked.length >= count) resolve();
      else waiting.push({ count, resolve });
    });

  it('ask as often as one window would, and all of them show the answer', async () => {
    for (let n = 0; n < 6; n++) await open();
    const begun = performance.now();
    for (const { list } of windows) list.setVisible(true);
    await reached(8);
    const took = asked[7]! - begun;
    assert.ok(took >= 7 * USUAL_MS * 0.8, `8 questions in ${took} ms`);
    for (const { list } of windows)
      await until(list.state.onDidChange, () => list.find('boreal')?.status === 'active');
  });

  it('know at once, without asking, what another has read lately, also when they open later', async () => {
    const first = await open(Date.now, 60_000);
    const second = await open(Date.now, 60_000);
    await first.readFirst();
    await until(second.state.onDidChange, () => second.find('atlas') !== undefined);
    assert.equal(second.state.current.at, first.state.current.at);
    const later = await open(Date.now, 60_000);
    await later.readFirst();
    later.setVisible(true);
    await new Promise(resolve => setImmediate(resolve));
    assert.equal(later.state.current.computers.length, 2);
    assert.equal(asked.length, 1);
    await later.refresh();
    assert.equal(asked.length, 2, 'who presses refresh gets a new list');
  });

  it('share a failure, keep their rows, and recover together', async () => {
    const [first, second] = [await open(), await open()];
    await first.refresh();
    await until(second.state.onDidChange, () => second.find('atlas') !== undefined);
    answer = () => Promise.reject(new Error('not reachable'));
    await first.refresh();
    await until(second.state.onDidChange, () => second.state.current.failure?.sentence === 'not reachable');
    assert.equal(second.state.current.computers.length, 2);
    answer = () => Promise.resolve([computerOf('cinder')]);
    await second.refresh();
    await until(first.state.onDidChange, () => first.find('cinder') !== undefined);
    assert.equal(first.state.current.failure, undefined);
  });

  it('take over from a window that asked and died, and wait for one that asked a moment ago', async () => {
    let now = 1_000_000;
    const dead = new SharedList(openStorage({ root, log: silentLog() }), () => now);
    await dead.use('service');
    assert.equal(await dead.take(30_000), 0);
    const storage = openStorage({ root, log: silentLog() });
    const mine = new SharedList(storage, () => now);
    await mine.use('service');
    now += 500;
    assert.equal(await mine.take(0), 1_000);
    now += 20_000;
    assert.equal(await mine.take(0), 0);
    now += 1_000;
    assert.equal(await mine.take(30_000), 29_000, 'asked a second ago');
    await mine.tell(undefined);
    assert.equal(await dead.take(30_000), 0, 'a question that was given up holds nobody back');
    now -= 3_600_000;
    assert.equal(await mine.take(30_000), 0, 'nor does a clock that was wrong');
    mine.dispose();
    dead.dispose();
    storage.dispose();
  });

  it('do not put a list that was asked for before in the place of a computer read since', async () => {
    let now = 1_000;
    const [first, second] = [await open(() => now), await open(() => now)];
    let release = (): void => undefined;
    const held = new Promise<void>(resolve => (release = resolve));
    answer = async () => {
      await held;
      return [computerOf('atlas', 'old'), computerOf('boreal', 'old')];
    };
    const listing = first.refresh();
    now += 100;
    await second.refreshOne('atlas');
    now += 100;
    release();
    await listing;
    await until(second.state.onDidChange, () => second.find('boreal') !== undefined);
    assert.equal(second.find('atlas')?.status, 'read alone');
    assert.equal(first.find('atlas')?.status, 'old');
    now += 100;
    answer = () => Promise.resolve([computerOf('atlas', 'new')]);
    await first.refresh();
    await until(second.state.onDidChange, () => second.find('atlas')?.status === 'new');
    assert.equal(second.find('boreal'), undefined);
  });

  it('pass what is stored and cannot be read', async () => {
    const storage = openStorage({ root, log: silentLog() });
    const records = storage.collection<unknown>({
      path: 'services/service/computers',
      version: 1,
      decode: value => value,
    });
    const bad = { id: 'bad', name: 5, providerType: 'cloud', createdAt: 1 };
    await records.put('list', { list: { askedAt: 1, at: 2, computers: [bad, computerOf('atlas')] } });
    await records.put('turn', { turn: 'nobody' });
    storage.dispose();
    const list = await open(() => 1_000);
    assert.deepEqual(
      list.state.current.computers.map(({ id }) => id),
      ['atlas'],
    );
    await list.refresh();
    assert.equal(asked.length, 1);
  });
});
