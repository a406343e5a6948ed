import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { RemoteList, type RemoteListOptions } from '../../../src/sync/remoteList';
import type { ListState } from '../../../src/sync/stored';
import { ConnectedList } from '../../../src/ui/connectedList';
import { Emitter, ObservableValue } from '../../../src/util/lifecycle';
import { later } from '../../fakes/cleanUp';
import { silentLog } from '../../fakes/log';
import { spoil, storedRows } from '../../fakes/storage';
import { openWindow, temporaryFolder, until } from '../storage/support';

interface Item {
  readonly id: string;
  readonly text?: string;
}
type Page = Readonly<{ items: readonly Item[]; problems: readonly { id?: string; reason: string }[] }>;

/** Items by their ids and texts, such as `a b=new`. */
const page = (words: string, problems: Page['problems'] = []): Page => {
  const all = words.split(' ').flatMap(word => (word === '' ? [] : [word.split('=')]));
  return { items: all.map(([id = '', text]) => (text === undefined ? { id } : { id, text })), problems };
};
const wordsOf = (items: readonly Item[]): string =>
  items
    .map(({ id, text }) => (text === undefined ? id : `${id}=${text}`))
    .sort()
    .join(' ');

/** What the service answers: pages, what is waited for between them, an error; or that the request was ended. */
const pages = (...all: readonly (Page | string | Error | Promise<unknown>)[]) =>
  async function* (signal: AbortSignal): AsyncGenerator<Page> {
    const gone = Promise.withResolvers<never>();
    gone.promise.catch(() => undefined);
    signal.addEventListener('abort', () => gone.reject(new DOMException('gone', 'AbortError')));
    for (const each of all) {
      const told = await Promise.race([each, gone.promise]);
      if (each instanceof Error) throw each;
      if (typeof each === 'string') yield page(each);
      else if (told !== undefined) yield told as Page;
    }
  };

const PATH = 'services/s/lists/items';
const OTHER = 'services/other/lists/items';
const MINUTE = 60_000;
const shownBy = ({ state }: RemoteList<Item>): string => wordsOf(state.current.items);

describe('a list from the service', () => {
  let root: string;
  let clock: number;
  let answer: ReturnType<typeof pages>;
  let asked: number;
  let isForbidden: boolean;

  beforeEach(() => {
    root = temporaryFolder();
    [clock, asked, isForbidden, answer] = [Date.UTC(2026, 10, 21), 0, false, pages('a b')];
  });

  async function open(options: Partial<RemoteListOptions<Item>> = {}) {
    const storage = openWindow(root, { now: () => clock });
    const list = new RemoteList<Item>({
      ...{ storage, log: silentLog(), now: () => clock },
      keyOf: ({ id }) => id,
      schema: { parse: value => value as Item },
      pages: signal => {
        asked += 1;
        return answer(signal);
      },
      failureOf: error =>
        (error as Error).name === 'AbortError'
          ? undefined
          : { sentence: String(error), forbidden: isForbidden },
      ...options,
    });
    later(() => list.dispose());
    await list.use(PATH);
    return list;
  }
  const dueIn = (list: RemoteList<Item>): number => list.untilDue(MINUTE);
  const take = (list: RemoteList<Item>): Promise<boolean> =>
    list.readInTurn(MINUTE, new AbortController().signal);
  const isAt = (list: RemoteList<Item>, holds: (state: ListState<Item>) => boolean): Promise<void> =>
    until(list.state.onDidChange, () => holds(list.state.current));

  it('shows what has been read so far, and stays as it was when the rest fails', async () => {
    const list = await open();
    await list.read();
    const counts: (number | undefined)[] = [];
    list.state.onDidChange(({ reading }) => counts.push(reading?.count));
    answer = pages('a=new', 'c', new Error('down'));
    const before = list.state.current.at;
    clock += 5;
    await list.read();
    const { at, failure, partial } = list.state.current;
    assert.deepEqual(counts, [0, 1, 2, undefined]);
    assert.deepEqual([at, failure?.sentence, failure?.at, partial], [before, 'Error: down', clock, true]);
    assert.deepEqual([shownBy(list), list.unknownSince], ['a=new b c', before]);
    answer = pages('c');
    await list.read();
    assert.deepEqual([shownBy(list), list.state.current.failure], ['c', undefined]);
  });

  it('is asked for more and more rarely while nobody answers, and once an hour without the right', async () => {
    const list = await open();
    answer = pages(new Error('down'));
    for (const wait of [1, 2, 2, 2]) {
      await take(list);
      assert.equal(dueIn(list), wait * MINUTE);
      clock += 10 * MINUTE;
    }
    isForbidden = true;
    await take(list);
    clock += 50 * MINUTE;
    assert.equal(dueIn(list), 10 * MINUTE);
    list.forgive();
    assert.deepEqual([dueIn(list), list.state.current.failure], [0, undefined], 'another key');
  });

  it('is asked for once by all who ask at the same time, read to its end while anybody waits, and due when all have left', async () => {
    const list = await open();
    const held = Promise.withResolvers<undefined>();
    answer = pages('a', held.promise);
    const [leaving, staying] = [new AbortController(), new AbortController()];
    const readings = [list.read(leaving.signal), list.read(staying.signal)];
    await isAt(list, ({ reading }) => reading?.count === 1);
    leaving.abort();
    await readings[0];
    assert.notEqual(list.state.current.reading, undefined);
    staying.abort();
    await Promise.all(readings);
    await isAt(list, ({ reading }) => reading === undefined);
    assert.equal(dueIn(list), 0);
    held.resolve(undefined);
    await Promise.all([list.read(), list.read(new AbortController().signal)]);
    assert.deepEqual([asked, dueIn(list), list.state.current.at], [2, MINUTE, clock]);
  });

  it('is kept for the next window, which asks nobody; only what changed is written, and what cannot be read is named', async () => {
    /** Each as often as it was written. */
    const written = () =>
      storedRows(root)
        .filter(({ collection, id, value }) => collection === PATH && id !== 'head' && value !== null)
        .map(({ id, seq }) => `${id} ${seq}`);
    const first = await open();
    answer = pages('a=old b');
    await first.read();
    const before = written();
    assert.equal(before.length, 2);
    clock += 5;
    answer = pages({ items: [{ text: 'old', id: 'a' }, { id: 'b' }], problems: [] });
    await first.read();
    assert.deepEqual(written(), before, 'a poll that brings nothing new writes no item');
    const bad = { id: 'bad', reason: 'no name' };
    answer = pages(page('a=new c', [bad]));
    await first.read();
    assert.match(written().sort().join(), /^item a \d+,item c \d+$/);
    assert.deepEqual(first.state.current.problems, [bad]);
    spoil(root, PATH, 'item c', '{ broken');
    const second = await open();
    const { problems, at } = second.state.current;
    assert.deepEqual([shownBy(second), problems.map(({ id }) => id).join()], ['a=new', 'bad,item c']);
    assert.deepEqual([at, dueIn(second), asked], [clock, MINUTE, 3]);
  });

  it('is the same in all windows, with its failure and its recovery, and one of them asks, or the next where that has died', async () => {
    const [first, second] = [await open(), await open()];
    await Promise.all([take(first), take(second)]);
    for (const each of [first, second]) await isAt(each, ({ items }) => items.length === 2);
    assert.deepEqual([asked, second.state.current.at], [1, first.state.current.at]);
    answer = pages(new Error('not reachable'));
    clock += MINUTE;
    await take(first);
    await isAt(second, ({ failure }) => failure !== undefined);
    assert.equal(shownBy(second), 'a b');
    answer = pages('c');
    clock += 5 * MINUTE;
    assert.equal(await take(second), true);
    await isAt(first, ({ failure }) => failure === undefined);
    assert.equal(shownBy(first), 'c');
    answer = pages(new Promise(() => undefined));
    clock += MINUTE;
    void take(first);
    await isAt(first, ({ reading }) => reading !== undefined);
    answer = pages('a');
    clock += 19_000;
    assert.equal(await take(second), false);
    clock += 1_000;
    assert.equal(await take(second), true);
    assert.equal(shownBy(second), 'a');
  });

  it('shows a key nothing of what another one was told, right or refusal, and asks for it at once', async () => {
    const withKey = (key: string) => open({ key: () => key });
    [isForbidden, answer] = [true, pages(new Error('forbidden'))];
    await (await withKey('one')).read();
    const other = await withKey('other');
    assert.deepEqual([dueIn(other), other.state.current.failure], [0, undefined]);
    answer = pages('c');
    await other.read();
    const again = await withKey('one');
    assert.deepEqual([shownBy(again), dueIn(again)], ['', 0]);
    answer = pages(new Error('down'));
    await again.read();
    const { failure } = again.state.current;
    assert.deepEqual([shownBy(again), failure?.sentence], ['', 'Error: down']);
    const last = await withKey('other');
    assert.deepEqual([shownBy(last), last.state.current.failure], ['c', undefined]);
  });

  it('shows nothing that is dated in the future', async () => {
    answer = pages('cinder');
    await (await open()).read();
    assert.equal(shownBy(await open()), 'cinder');
    clock -= 24 * 60 * MINUTE;
    const list = await open();
    assert.deepEqual([shownBy(list), dueIn(list)], ['', 0]);
    answer = pages('now');
    await list.read();
    assert.equal(shownBy(await open()), 'now');
  });

  it('keeps services apart, and drops what the one before answers late', async () => {
    const list = await open();
    const held = Promise.withResolvers<undefined>();
    answer = pages('a', held.promise, 'b');
    const reading = list.read();
    await isAt(list, ({ reading }) => reading?.count === 1);
    await list.use(OTHER);
    held.resolve(undefined);
    await reading;
    assert.equal(shownBy(list), '');
    answer = pages('other');
    await list.read();
    await list.use(PATH);
    assert.equal(shownBy(list), '');
    await list.use(OTHER);
    assert.equal(shownBy(list), 'other');
  });

  it('may keep what the service no longer lists, unless that is of another organization', async () => {
    const list = await open({ keepsGone: true });
    for (const [listed, kept] of [
      ['a b', 'a b'],
      ['c b', 'a b c'],
      ['', 'a b c'],
      ['x y', 'x y'],
    ] as const) {
      answer = pages(listed);
      clock += MINUTE;
      await list.read();
      for (const each of [list, await open({ keepsGone: true })]) assert.equal(shownBy(each), kept);
    }
  });

  it('is asked for while somebody looks, in a window with the focus; soon where another window asks, or something is learned; and once after the machine has slept', async () => {
    mock.timers.enable({ apis: ['setTimeout', 'Date'], now: clock });
    later(() => mock.timers.reset());
    let visible = false;
    const [changed, anotherKey] = [new Emitter<void>(), new Emitter<void>()];
    const focused = new ObservableValue(true);
    const signedIn = new ObservableValue({ kind: 'signedIn' });
    const [ready, keyMark] = [() => Promise.resolve(signedIn.current), () => 'key'];
    const connection = { api: {}, state: signedIn, ready, keyMark, onDidBecomeReady: anotherKey.event };
    const list = new ConnectedList<Item>({
      ...{ storage: openWindow(root), log: silentLog(), connection: connection as never },
      keyOf: ({ id }) => id,
      schema: { parse: value => value as Item },
      pathOf: () => PATH,
      pages: (_, signal) => {
        asked += 1;
        return answer(signal);
      },
    });
    later(() => list.dispose());
    const isSeen = list.follow({
      usualMs: () => MINUTE,
      isSeen: () => visible,
      onDidChangeSeen: [changed.event],
      focused,
    });
    /** How often it was asked for when so much time has passed. */
    const after = async (ms: number): Promise<number> => {
      for (let passed = 0; passed <= ms; passed += 500) {
        for (let turn = 0; turn < 5; turn++) await new Promise(resolve => setImmediate(resolve));
        mock.timers.tick(passed < ms ? 500 : 0);
      }
      return asked;
    };
    const show = (isVisible: boolean): void => {
      visible = isVisible;
      changed.fire();
    };
    assert.deepEqual([await after(MINUTE), isSeen.current], [0, false]);
    show(true);
    assert.equal(await after(MINUTE - 5_000), 1);
    assert.equal(await after(10_000), 2);
    focused.set(false);
    assert.equal(await after(5 * MINUTE), 2);
    focused.set(true);
    assert.equal(await after(1_000), 3, 'at once when the window is there again');
    show(false);
    assert.equal(await after(5 * MINUTE), 3);
    const other = Promise.withResolvers<undefined>();
    void openWindow(root).tryRun(PATH, 20_000, () => other.promise);
    show(true);
    assert.equal(await after(5_000), 3, 'another window asks');
    other.resolve(undefined);
    assert.equal(await after(1_500), 4);
    anotherKey.fire();
    assert.equal(await after(1_000), 5);
    mock.timers.setTime(Date.now() + 60 * MINUTE);
    assert.equal(await after(500), 5, 'not in the moment in which it wakes');
    assert.equal(await after(30_000), 6);
  });
});
