import assert from 'node:assert/strict';
import type { Session } from '../../../src/api';
import { SessionMonitor } from '../../../src/sessions/status/monitor';
import type { SessionIndex } from '../../../src/sessions/store/sessionIndex';
import { ObservableValue } from '../../../src/util/event';
import { sessionOf, until, Windows } from './support';

const FASTEST_MS = 60;

/** A service that counts questions, and windows that ask it. Each answer says something new, so nobody slows down. */
class Service {
  readonly asked: number[] = [];
  readonly ids: string[] = [];
  open = 0;
  mostAtOnce = 0;
  fails = false;
  readonly #waiting: { readonly count: number; readonly resolve: () => void }[] = [];

  readonly api = {
    sessions: {
      get: async (sessionId: string): Promise<Session> => {
        this.asked.push(performance.now());
        this.ids.push(sessionId);
        this.mostAtOnce = Math.max(this.mostAtOnce, ++this.open);
        await new Promise(resolve => setImmediate(resolve));
        this.open--;
        for (const { count, resolve } of this.#waiting) if (this.asked.length >= count) resolve();
        if (this.fails) throw new Error('not reachable');
        return sessionOf({ sessionId, status: 'running', messageCount: this.asked.length });
      },
    },
  };

  /** Resolves when so many questions have been asked. */
  reached(count: number): Promise<void> {
    return new Promise(resolve => {
      if (this.asked.length >= count) resolve();
      else this.#waiting.push({ count, resolve });
    });
  }
}

describe('windows that show the same session', () => {
  let windows: Windows;
  let service: Service;
  let monitors: SessionMonitor[];
  let indexes: SessionIndex[];
  beforeEach(async () => {
    windows = await Windows.make();
    service = new Service();
    [monitors, indexes] = [[], []];
  });
  afterEach(async () => {
    for (const monitor of monitors) monitor.dispose();
    await windows.close();
  });

  const monitorOf = (index: SessionIndex, focused = new ObservableValue(true)): SessionMonitor => {
    const monitor = new SessionMonitor({
      index,
      focused,
      fastestMs: () => FASTEST_MS,
      apartMs: 0,
      sentence: error => (error instanceof Error ? error.message : undefined),
      api: () => service.api,
    });
    monitors.push(monitor);
    indexes.push(index);
    return monitor;
  };

  const open = async (focused?: ObservableValue<boolean>): Promise<SessionMonitor> =>
    monitorOf((await windows.open()).index, focused);

  /** What a window leaves behind that is killed while it asks about s1. */
  const leaveLease = async (now: () => number): Promise<void> => {
    const { index } = await windows.open('service', { now });
    await index.tryRun('s1', 20_000, async ({ keep }) => {
      keep();
      return Promise.resolve();
    });
  };

  it('ask as often as one window would, eight of them', async () => {
    const { index } = await windows.open();
    await index.learn('service', { session: sessionOf({ status: 'running' }), origin: 'created', at: 5 });
    for (let n = 0; n < 8; n++) await open();
    for (const monitor of monitors) monitor.watch('s1');
    await service.reached(20);
    assert.equal(service.mostAtOnce, 1, 'never two questions at once');
    assert.ok(service.asked[19]! - service.asked[0]! >= 19 * FASTEST_MS * 0.85, service.asked.join());
  });

  it('share the answer', async () => {
    const [first, second] = [await windows.open(), await open()];
    await first.index.learn('service', { session: sessionOf({ status: 'idle' }), origin: 'created', at: 5 });
    (await open()).watch('s1');
    await service.reached(1);
    await until(first.index.onDidChange, () => second.statusOf('s1').value === 'running');
  });

  it('share a failure too, and ask no more often because of it', async () => {
    service.fails = true;
    const { index } = await windows.open();
    await index.learn('service', {
      session: sessionOf({ status: 'running' }),
      origin: 'created',
      at: Date.now() - 60_000,
    });
    for (let n = 0; n < 4; n++) await open();
    for (const monitor of monitors) monitor.watch('s1');
    const knowing = monitors.map((monitor, n) =>
      until(indexes[n]!.onDidChange, () => monitor.statusOf('s1').problem !== undefined),
    );
    await Promise.all(knowing);
    assert.equal(service.asked.length, 1);
    for (const monitor of monitors)
      assert.deepEqual([monitor.statusOf('s1').value, monitor.statusOf('s1').last], ['unknown', 'running']);
  });

  it('take over from a window that asked and died', async () => {
    const { index } = await windows.open();
    await index.learn('service', { session: sessionOf({ status: 'running' }), origin: 'created', at: 5 });
    await leaveLease(() => Date.now() - 30_000);
    (await open()).watch('s1');
    await service.reached(1);
  });

  it('ask nothing in a turn that was slept through', async () => {
    let [ahead, turns] = [0, 0];
    const { index } = await windows.open('service', { now: () => Date.now() + ahead });
    await index.learn('service', { session: sessionOf({ status: 'running' }), origin: 'created', at: 5 });
    const monitor = monitorOf(index);
    const read = index.read.bind(index);
    index.read = async (...args) => {
      const record = await read(...args);
      if (turns++ === 0) ahead = 60_000;
      return record;
    };
    monitor.watch('s1');
    await service.reached(1);
    assert.ok(turns > 1, 'the first one was lost');
  });

  it('wait for a window that asked a moment ago', async () => {
    const { index } = await windows.open();
    await index.learn('service', { session: sessionOf({ status: 'running' }), origin: 'created', at: 5 });
    await index.learn('service', {
      session: sessionOf({ sessionId: 's2', status: 'running' }),
      origin: 'created',
      at: 5,
    });
    await leaveLease(Date.now);
    const monitor = await open();
    monitor.watch('s1');
    monitor.watch('s2');
    await service.reached(3);
    assert.deepEqual([...new Set(service.ids)], ['s2']);
  });

  it('ask nothing without the focus', async () => {
    const { index } = await windows.open();
    for (const sessionId of ['s1', 's2'])
      await index.learn('service', {
        session: sessionOf({ sessionId, status: 'running' }),
        origin: 'created',
        at: 5,
      });
    (await open(new ObservableValue(false))).watch('s1');
    (await open()).watch('s2');
    await service.reached(2);
    assert.deepEqual([...new Set(service.ids)], ['s2']);
  });
});
