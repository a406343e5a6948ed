import assert from 'node:assert/strict';
import { mock } from 'node:test';
import type { ListState } from '../../../src/sync/stored';
import { Refresher } from '../../../src/sync/refresher';
import { isSame } from '../../../src/sync/same';
import { Emitter, ObservableValue } from '../../../src/util/event';

const MINUTE = 60_000;

describe('when a list is asked for', () => {
  let asked: number[];
  let due: number;
  let isOther: boolean;
  let canAsk: boolean;
  let visible: boolean;
  let refresher: Refresher;
  const changed = new Emitter<void>();
  const focused = new ObservableValue(true);
  const state = new ObservableValue<ListState<object>>({ items: [], problems: [] });

  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1_000_000 });
    [asked, due, isOther, canAsk, visible] = [[], 0, false, true, false];
    focused.set(true);
    refresher = new Refresher({
      list: {
        state,
        untilDue: () => Math.max(0, due - Date.now()),
        readInTurn: () => {
          if (isOther) return Promise.resolve(false);
          asked.push(Date.now() - 1_000_000);
          due = Date.now() + MINUTE;
          return Promise.resolve(true);
        },
      },
      pace: () => ({ usualMs: MINUTE }),
      isSeen: () => visible,
      onDidChangeSeen: [changed.event],
      focused,
      ready: () => Promise.resolve(),
      canAsk: () => canAsk,
    });
  });
  afterEach(() => {
    refresher.dispose();
    mock.timers.reset();
  });

  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed <= ms; passed += 500) {
      for (let turn = 0; turn < 5; turn++) await new Promise(resolve => setImmediate(resolve));
      mock.timers.tick(passed < ms ? 500 : 0);
    }
  };
  const show = (isVisible: boolean): void => {
    visible = isVisible;
    changed.fire();
  };

  it('while somebody looks, in a window with the focus, and never else', async () => {
    await pass(MINUTE);
    assert.deepEqual([asked, refresher.isSeen.current], [[], false]);
    show(true);
    await pass(2 * MINUTE + 5_000);
    const [first = 0, second = 0, third = 0, ...more] = asked;
    assert.ok(second - first >= MINUTE && third - second >= MINUTE && more.length === 0, asked.join());
    focused.set(false);
    await pass(5 * MINUTE);
    assert.equal(asked.length, 3);
    focused.set(true);
    await pass(1_000);
    assert.equal(asked.length, 4, 'at once when the window is there again');
    show(false);
    await pass(5 * MINUTE);
    assert.equal(asked.length, 4);
  });

  it('soon again where another window asks, and as soon as something is learned', async () => {
    isOther = true;
    show(true);
    await pass(5_000);
    isOther = false;
    await pass(1_000);
    assert.equal(asked.length, 1);
    due = 0;
    state.set({ items: [], problems: [], at: 1 });
    await pass(1_000);
    assert.equal(asked.length, 2);
  });

  it('not while there is nobody to ask, and at once when there is', async () => {
    canAsk = false;
    show(true);
    await pass(5 * MINUTE);
    assert.deepEqual(asked, []);
    canAsk = true;
    refresher.poke();
    await pass(1_000);
    assert.equal(asked.length, 1);
  });

  it('not in the moment in which the machine wakes, and once after it', async () => {
    show(true);
    await pass(1_000);
    assert.equal(asked.length, 1);
    mock.timers.setTime(Date.now() + 60 * MINUTE);
    await pass(500);
    assert.equal(asked.length, 1);
    await pass(30_000);
    assert.equal(asked.length, 2);
  });
});

describe('the same JSON', () => {
  it('has the same values, whatever the order of its names', () => {
    assert.ok(isSame({ a: 1, b: [{ c: null }], d: undefined }, { b: [{ c: null }], a: 1 }));
    const other = ['{"a":1}', '{"a":2}', '{"a":1,"b":2}', '[1,2]', '[2,1]', '[]', '{}', '{"a":null}', 'null'];
    for (const [at, a] of other.entries())
      for (const b of other.slice(at + 1)) assert.ok(!isSame(JSON.parse(a), JSON.parse(b)), `${a} ${b}`);
  });
});
