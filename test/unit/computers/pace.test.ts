import assert from 'node:assert/strict';
import { mock } from 'node:test';
import type { Computer } from '../../../src/api';
import { ComputerList } from '../../../src/computers/computerList';

const SECOND = 1_000;

describe('how often the list of computers is read', () => {
  let computers: readonly Computer[];
  let isDown: boolean;
  /** When the list was asked for: seconds since the test began. */
  let asked: number[];
  let list: ComputerList;

  const computerOf = (status: string): Computer => ({
    id: 'c1',
    name: 'boreal',
    providerType: 'cloud',
    createdAt: 1,
    status,
  });

  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1_000_000 });
    [computers, isDown, asked] = [[computerOf('provisioning')], false, []];
    const api = {
      computers: {
        list: () => {
          asked.push(Math.round((Date.now() - 1_000_000) / SECOND));
          return isDown
            ? Promise.reject(new Error('down'))
            : Promise.resolve({ items: computers, problems: [] });
        },
        get: () => Promise.resolve({ ...computerOf('provisioning'), hostname: 'new.example' }),
      },
    };
    list = new ComputerList({
      api: () => api,
      usualMs: () => 30 * SECOND,
      sentence: error => String(error),
      language: 'en',
    });
  });
  afterEach(() => {
    list.dispose();
    mock.timers.reset();
  });

  /** Lets so many seconds pass, and everything happen that is due in them. */
  const pass = async (seconds: number): Promise<void> => {
    for (let half = 0; half < seconds * 2; half++) {
      await new Promise(resolve => setImmediate(resolve));
      mock.timers.tick(SECOND / 2);
    }
    await new Promise(resolve => setImmediate(resolve));
  };
  /** Seconds between the questions since the last call. */
  const gaps = (): readonly number[] => {
    const times = asked.splice(0);
    return times.slice(1).map((time, index) => time - (times[index] ?? 0));
  };

  it('soon at first, ever more rarely while a computer goes on being set up, and soon again on a change', async () => {
    list.setVisible(true);
    await pass(300);
    const calm = gaps();
    assert.ok(calm.length < 20, `asked ${calm.length} times in 5 minutes`);
    assert.equal(calm[0], 3);
    assert.equal(calm.at(-1), 30, 'in the end as often as usual');
    computers = [{ ...computerOf('provisioning'), hostname: 'new.example' }];
    await pass(40);
    const lively = asked.splice(0);
    assert.ok(lively.length >= 3, `asked only at ${lively.join()}`);
    computers = [computerOf('active')];
    await pass(40);
    asked.splice(0);
    await pass(120);
    assert.equal(asked.length, 4, 'every 30 seconds when nothing is being set up');
  });

  it('more and more rarely while nobody answers; as usual again after an answer', async () => {
    list.setVisible(true);
    await pass(1);
    isDown = true;
    asked.splice(0);
    await pass(600);
    assert.ok(asked.length < 14, `asked ${asked.length} times in 10 minutes`);
    const [before = 0, end = 0] = asked.slice(-2);
    assert.equal(end - before, 120);
    isDown = false;
    await pass(121);
    assert.equal(list.state.current.failure, undefined);
    asked.splice(0);
    await pass(30);
    assert.ok(asked.length > 0);
  });

  it('soon again for a person who refreshes, who comes back, or who signs in anew', async () => {
    const acts: readonly (() => unknown)[] = [
      () => list.refresh(),
      () => {
        list.setVisible(false);
        list.setVisible(true);
      },
      () => list.wake(),
      () => list.refreshOne('c1'),
    ];
    for (const act of acts) {
      computers = [computerOf('provisioning')];
      list.setVisible(true);
      await pass(300);
      asked.splice(0);
      await pass(29);
      assert.ok(asked.length <= 1, 'calm');
      asked.splice(0);
      act();
      await pass(9);
      assert.ok(asked.length >= 2, `asked ${asked.length} times in 9 seconds after ${String(act)}`);
    }
  });
});
