import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { SessionMonitor } from '../../../src/sessions/status/monitor';
import { Refresher } from '../../../src/sync/refresher';
import { RemoteList } from '../../../src/sync/remoteList';
import { Ticker } from '../../../src/util/ticker';
import type { Storage } from '../../../src/storage';
import { ObservableValue } from '../../../src/util/event';
import { silentLog } from '../../fakes/log';
import { sessionOf, Windows } from './support';

const HOUR = 3_600_000;
const STEP = 250;
const IDS = ['s1', 's2', 's3'];

/** The clock and all timers are the test's; what waits for the disk has gone on before each step ends. */
describe('after the machine has slept', () => {
  let windows: Windows;
  let storages: Storage[];
  let asked: string[];
  let woken: number;
  let parts: { dispose(): void }[];

  beforeEach(async () => {
    mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'], now: Date.UTC(2026, 10, 21, 8) });
    windows = await Windows.make();
    [storages, asked, woken, parts] = [[], [], 0, []];
  });
  afterEach(async () => {
    for (const part of parts) part.dispose();
    await quiet();
    mock.timers.reset();
    await windows.close();
  });

  /** Resolves when nothing waits for the disk; storage itself pauses a moment where two windows write at once. */
  async function quiet(): Promise<void> {
    for (let round = 0; round < 3; round++) {
      const state = { isSettled: false };
      const settled = Promise.all(storages.map(storage => storage.settled())).then(() => {
        state.isSettled = true;
      });
      for (let turn = 1; !state.isSettled && turn < 100_000; turn++) {
        await new Promise(resolve => setImmediate(resolve));
        if (turn % 100 === 0) mock.timers.tick(1);
      }
      await settled;
    }
  }

  async function pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += STEP) {
      mock.timers.tick(STEP);
      await new Promise(resolve => setImmediate(resolve));
      await quiet();
    }
  }

  /** A window that shows three sessions and the computers, as the views do. */
  async function open(focused: boolean): Promise<void> {
    const { index, storage } = await windows.open();
    storages.push(storage);
    const focus = new ObservableValue(focused);
    const monitor = new SessionMonitor({
      index,
      focused: focus,
      fastestMs: () => 3_000,
      sentence: String,
      api: () => ({
        sessions: {
          get: sessionId => {
            asked.push(sessionId);
            return Promise.resolve(sessionOf({ sessionId }));
          },
        },
      }),
    });
    const list = new RemoteList<object>({
      storage,
      log: silentLog(),
      keyOf: () => 'one',
      schema: { parse: value => value as object },
      pages: async function* () {
        asked.push('list');
        yield await Promise.resolve({ items: [], problems: [] });
      },
      failureOf: error => ({ sentence: String(error) }),
    });
    const refresher = new Refresher({
      list,
      pace: () => ({ usualMs: 30_000 }),
      isSeen: () => true,
      onDidChangeSeen: [],
      focused: focus,
      ready: () => list.use('services/service/lists/computers'),
      canAsk: () => true,
    });
    const onWake = (): void => {
      woken++;
      monitor.wake();
    };
    const ticker = new Ticker({ everyMs: 15_000, onTick: () => undefined, onWake });
    parts.push(monitor, refresher, list, ticker);
    for (const id of IDS) monitor.watch(id);
    ticker.want(true);
  }

  it('asks once about each session and for the computers, three windows together', async function () {
    const { index } = await windows.open();
    for (const sessionId of IDS)
      await index.learn('service', { session: sessionOf({ sessionId }), origin: 'created', at: Date.now() });
    for (let n = 0; n < 3; n++) await open(true);
    await open(false);
    await pass(45_000);
    assert.equal(woken, 0, 'nobody has slept so far');
    assert.ok(asked.includes('list') && IDS.every(id => asked.includes(id)), asked.join());
    asked = [];
    mock.timers.setTime(Date.now() + HOUR);
    await pass(500);
    assert.deepEqual(asked, [], 'not in the moment of waking, when there is no network yet');
    assert.equal(woken, 4);
    await pass(24_500);
    assert.deepEqual(asked.toSorted(), ['list', ...IDS]);
  });

  it('tells work that went on as unknown until it is asked about', async function () {
    const { index } = await windows.open();
    const running = sessionOf({ status: 'running' });
    await index.learn('service', { session: running, origin: 'created', at: Date.now() });
    const monitor = new SessionMonitor({
      index,
      focused: new ObservableValue(true),
      fastestMs: () => 60_000,
      sentence: String,
      api: () => undefined,
    });
    parts.push(monitor);
    assert.equal(monitor.statusOf('s1').value, 'running');
    mock.timers.setTime(Date.now() + HOUR);
    assert.deepEqual([monitor.statusOf('s1').value, monitor.statusOf('s1').last], ['unknown', 'running']);
  });
});
