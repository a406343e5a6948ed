import assert from 'node:assert/strict';
import { RemoteList, type RemoteListOptions } from '../../../src/sync/remoteList';
import { cleanUp, later, temporaryFolder } from '../../fakes/cleanUp';
import { silentLog } from '../../fakes/log';
import { openStorage, spoil, storedRows } from '../../fakes/storage';
import { until } from '../../until';

interface Item {
  readonly id: string;
  readonly text?: string;
}
interface Page {
  readonly items: readonly Item[];
  readonly problems: readonly { readonly id?: string; readonly reason: string }[];
}

const pageOf = (...ids: readonly string[]): Page => ({ items: ids.map(id => ({ id })), problems: [] });

/** What the service answers: pages, or an error in their midst. */
type Answer = () => AsyncIterable<Page>;
const pages = (...all: readonly (Page | Error | Promise<unknown>)[]): Answer =>
  async function* () {
    for (const page of all) {
      if (page instanceof Promise) await page;
      else if (page instanceof Error) throw page;
      else yield await Promise.resolve(page);
    }
  };

/** Ends with an `AbortError` as soon as `signal` says so, as requests do. */
async function* abortable(answer: AsyncIterable<Page>, signal: AbortSignal): AsyncGenerator<Page> {
  const gone = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new DOMException('gone', 'AbortError')));
  });
  gone.catch(() => undefined);
  const iterator = answer[Symbol.asyncIterator]();
  for (;;) {
    const next = await Promise.race([iterator.next(), gone]);
    if (next.done === true) return;
    yield next.value;
  }
}

const PATH = 'services/s/lists/items';
const MINUTE = 60_000;
const idsOf = ({ state }: RemoteList<Item>): string[] => state.current.items.map(({ id }) => id).sort();

describe('a list from the service', () => {
  let root: string;
  let clock: number;
  let answer: Answer | undefined;
  let asked: number;
  let isForbidden: boolean;

  beforeEach(() => {
    root = temporaryFolder();
    [clock, asked, isForbidden, answer] = [Date.UTC(2026, 10, 21), 0, false, pages(pageOf('a', 'b'))];
  });
  afterEach(cleanUp);

  async function open(options: Partial<RemoteListOptions<Item>> = {}, isUsed = true) {
    const storage = openStorage({ root, log: silentLog(), now: () => clock });
    const list = new RemoteList<Item>({
      storage,
      log: silentLog(),
      now: () => clock,
      keyOf: ({ id }) => id,
      schema: { parse: value => value as Item },
      pages: signal => {
        asked += 1;
        return answer && abortable(answer(), signal);
      },
      failureOf: error =>
        (error as Error).name === 'AbortError'
          ? undefined
          : { sentence: String(error), forbidden: isForbidden },
      ...options,
    });
    later(async () => {
      list.dispose();
      await storage.settled();
      storage.dispose();
    });
    if (isUsed) await list.use(PATH);
    return list;
  }
  const isDue = (list: RemoteList<Item>, usualMs = MINUTE): boolean => list.untilDue({ usualMs }) === 0;
  const take = (list: RemoteList<Item>): Promise<boolean> =>
    list.readInTurn({ usualMs: MINUTE }, new AbortController().signal);
  const rowsOf = (): string[] =>
    storedRows(root)
      .filter(({ collection, id }) => collection === PATH && id.startsWith('item'))
      .map(({ id, seq }) => `${id} ${seq}`);

  it('is asked for once by all who ask at the same time, and counts for its time', async () => {
    const list = await open();
    assert.ok(isDue(list));
    await Promise.all([list.read(), list.read(), list.read()]);
    assert.deepEqual([asked, idsOf(list), list.state.current.at], [1, ['a', 'b'], clock]);
    assert.ok(!isDue(list));
    clock += MINUTE;
    assert.ok(isDue(list));
  });

  it('shows what has been read so far, and stays as it was when the rest fails', async () => {
    const list = await open();
    await list.read();
    const counts: (number | undefined)[] = [];
    list.state.onDidChange(({ reading }) => counts.push(reading?.count));
    answer = pages({ items: [{ id: 'a', text: 'new' }], problems: [] }, pageOf('c'), new Error('down'));
    const before = list.state.current.at;
    clock += 5;
    await list.read();
    const { at, failure, partial, items } = list.state.current;
    assert.deepEqual(counts, [0, 1, 2, undefined]);
    assert.deepEqual([at, failure?.sentence, failure?.at, partial], [before, 'Error: down', clock, true]);
    assert.deepEqual(idsOf(list), ['a', 'b', 'c']);
    assert.equal(items.find(({ id }) => id === 'a')?.text, 'new');
    assert.equal(list.unknownSince, before);
    answer = pages(pageOf('c'));
    await list.read();
    assert.deepEqual([idsOf(list), list.state.current.failure], [['c'], undefined]);
  });

  it('is asked for more and more rarely while nobody answers, and once an hour without the right', async () => {
    const list = await open();
    answer = pages(new Error('down'));
    const waits: number[] = [];
    for (let n = 0; n < 4; n++) {
      await take(list);
      waits.push(list.untilDue({ usualMs: MINUTE }));
      clock += 10 * MINUTE;
    }
    assert.deepEqual(waits, [MINUTE, 2 * MINUTE, 2 * MINUTE, 2 * MINUTE]);
    isForbidden = true;
    await take(list);
    clock += 50 * MINUTE;
    assert.equal(list.untilDue({ usualMs: MINUTE }), 10 * MINUTE);
    list.forgive();
    assert.deepEqual([isDue(list), list.state.current.failure], [true, undefined], 'another key');
  });

  it('is read to its end while anybody waits, and is due as before when all have left', async () => {
    const list = await open();
    const held = Promise.withResolvers<unknown>();
    answer = pages(pageOf('a'), held.promise);
    const [leaving, staying] = [new AbortController(), new AbortController()];
    const readings = [list.read(leaving.signal), list.read(staying.signal)];
    await until(list.state.onDidChange, () => list.state.current.reading?.count === 1);
    leaving.abort();
    await readings[0];
    assert.notEqual(list.state.current.reading, undefined);
    staying.abort();
    await Promise.all(readings);
    await until(list.state.onDidChange, () => list.state.current.reading === undefined);
    assert.ok(isDue(list));
    held.resolve(undefined);
    await Promise.all([list.read(), list.read(new AbortController().signal)]);
    assert.deepEqual([asked, isDue(list)], [2, false]);
  });

  it('is kept for the next window, which asks nobody, and only what changed is written', async () => {
    const first = await open();
    await first.read();
    const before = rowsOf();
    assert.equal(before.length, 2);
    clock += 5;
    await first.read();
    assert.deepEqual(rowsOf(), before, 'a poll that brings nothing new writes no item');
    answer = pages({ items: [{ id: 'a', text: 'new' }, { id: 'c' }], problems: [] });
    await first.read();
    const kept = storedRows(root).filter(({ id, value }) => id.startsWith('item') && value !== null);
    assert.deepEqual(kept.map(({ id }) => id).sort(), ['item a', 'item c']);
    const count = asked;
    const second = await open();
    assert.deepEqual(second.state.current.items, [{ id: 'a', text: 'new' }, { id: 'c' }]);
    assert.deepEqual([second.state.current.at, isDue(second), asked], [clock, false, count]);
  });

  it('is the same in all windows, with its failure and its recovery, and one of them asks', async () => {
    const [first, second] = [await open(), await open()];
    await Promise.all([take(first), take(second)]);
    await until(second.state.onDidChange, () => second.state.current.items.length === 2);
    await until(first.state.onDidChange, () => first.state.current.items.length === 2);
    assert.equal(asked, 1);
    assert.equal(second.state.current.at, first.state.current.at);
    answer = pages(new Error('not reachable'));
    clock += MINUTE;
    await take(first);
    await until(second.state.onDidChange, () => second.state.current.failure !== undefined);
    assert.equal(second.state.current.items.length, 2);
    answer = pages(pageOf('c'));
    clock += 5 * MINUTE;
    assert.equal(await take(second), true);
    await until(first.state.onDidChange, () => first.state.current.failure === undefined);
    assert.deepEqual(idsOf(first), ['c']);
  });

  it('is taken over from a window that asked and died, and waited for while one asks', async () => {
    const [dead, mine] = [await open(), await open()];
    answer = pages(new Promise(() => undefined));
    void take(dead);
    await until(dead.state.onDidChange, () => dead.state.current.reading !== undefined);
    answer = pages(pageOf('a'));
    clock += 19_000;
    assert.equal(await take(mine), false);
    clock += 1_000;
    assert.equal(await take(mine), true);
    assert.deepEqual(idsOf(mine), ['a']);
  });

  it('does not keep what a window was told late, when another has asked since', async () => {
    const [first, second] = [await open(), await open()];
    const held = Promise.withResolvers<undefined>();
    answer = pages(held.promise, pageOf('late'));
    const late = first.read();
    await until(first.state.onDidChange, () => first.state.current.reading !== undefined);
    clock += 10;
    answer = pages(pageOf('cinder'));
    await second.read();
    held.resolve(undefined);
    await late;
    assert.deepEqual(idsOf(await open()), ['cinder']);
  });

  it('takes over nothing that is dated in the future', async () => {
    clock += 24 * 60 * MINUTE;
    await (await open()).read();
    clock -= 24 * 60 * MINUTE;
    const list = await open();
    assert.deepEqual([list.state.current.items, isDue(list)], [[], true]);
    answer = pages(pageOf('now'));
    await list.read();
    assert.deepEqual(idsOf(await open()), ['now']);
  });

  it('names what cannot be read, of an answer and of what is kept, and hides nothing else', async () => {
    const list = await open();
    answer = pages({ items: [{ id: 'a' }, { id: 'b' }], problems: [{ id: 'bad', reason: 'no name' }] });
    await list.read();
    assert.deepEqual(list.state.current.problems, [{ id: 'bad', reason: 'no name' }]);
    list.dispose();
    spoil(root, PATH, 'item a', '{ broken');
    const next = await open();
    const unread = next.state.current.problems.map(({ id }) => id);
    assert.deepEqual([idsOf(next), unread], [['b'], ['bad', 'item a']]);
  });

  it('keeps services apart, and drops what the one before answers late', async () => {
    const list = await open();
    const held = Promise.withResolvers<undefined>();
    answer = pages(pageOf('a'), held.promise, pageOf('b'));
    const reading = list.read();
    await until(list.state.onDidChange, () => list.state.current.reading?.count === 1);
    await list.use('services/other/lists/items');
    held.resolve(undefined);
    await reading;
    assert.deepEqual(list.state.current.items, []);
    answer = pages(pageOf('other'));
    await list.read();
    await list.use(PATH);
    assert.deepEqual(list.state.current.items, [], 'nothing of the other service');
    await list.use('services/other/lists/items');
    assert.deepEqual(idsOf(list), ['other'], 'which keeps its own');
  });

  it('is read and shown where nothing can be kept, and kept as soon as it can be', async () => {
    const disk = openStorage({ root, log: silentLog(), now: () => clock });
    later(() => disk.dispose());
    let isBroken = true;
    const storage: RemoteListOptions<Item>['storage'] = {
      collection: options => {
        const records = disk.collection(options);
        const load = () => Promise.reject(new Error('the disk is gone'));
        return isBroken ? { ...records, load } : records;
      },
      tryRun: (...args) => disk.tryRun(...args),
    };
    const list = await open({ storage }, false);
    await assert.rejects(list.use(PATH), /the disk is gone/);
    assert.equal(await take(list), true);
    await assert.rejects(list.use(PATH), /the disk is gone/);
    assert.deepEqual([idsOf(list), isDue(list)], [['a', 'b'], false], 'asked once');
    isBroken = false;
    await list.use(PATH);
    assert.deepEqual(idsOf(list), ['a', 'b']);
    await list.read();
    assert.equal(rowsOf().length, 2);
  });

  it('may keep what the service no longer lists', async () => {
    const list = await open({ keepsGone: true });
    await list.read();
    answer = pages(pageOf('c', 'b'));
    clock += MINUTE;
    await list.read();
    assert.deepEqual(idsOf(list), ['a', 'b', 'c']);
    answer = pages(pageOf());
    await list.read();
    assert.deepEqual(idsOf(await open({ keepsGone: true })), ['a', 'b', 'c']);
    answer = pages(pageOf('x', 'y'));
    clock += MINUTE;
    await list.read();
    assert.deepEqual(idsOf(list), ['x', 'y'], 'those of another organization');
    assert.deepEqual(idsOf(await open({ keepsGone: true })), ['x', 'y']);
  });
});
