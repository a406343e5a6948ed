import assert from 'node:assert/strict';
import type { Session } from '../../../src/api';
import { SessionMonitor } from '../../../src/sessions/monitor';
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
  beforeEach(async () => {
    windows = await Windows.make();
    service = new Service();
    monitors = [];
  });
  afterEach(async () => {
    for (const monitor of monitors) monitor.dispose();
    await windows.close();
  });

  const open = async (focused = new ObservableValue(true)): Promise<SessionMonitor> => {
    const { index } = await windows.open();
    const monitor = new SessionMonitor({
      index,
      focused,
      fastestMs: () => FASTEST_MS,
      sentence: error => (error instanceof Error ? error.message : undefined),
      api: () => service.api,
    });
    monitors.push(monitor);
    return monitor;
  };

  it('ask as often as one window would, eight of them', async () => {
    const { index } = await windows.open();
    await index.learn('service', { session: sessionOf({ status: 'running' }), origin: 'created', at: 5 });
    for (let n = 0; n < 8; n++) await open();
    for (const monitor of monitors) monitor.watch('s1');
    await service.reached(20);
    assert.equal(service.mostAtOnce, 1, 'never two questions at once');
    const gaps = service.asked.slice(1, 20).map((at, n) => at - service.asked[n]!);
    for (const gap of gaps) assert.ok(gap >= FASTEST_MS * 0.85, `asked again after ${gap} ms`);
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
    const knowing = monitors.map(monitor =>
      until(monitor.onDidChange, () => monitor.statusOf('s1').problem !== undefined),
    );
    await Promise.all(knowing);
    assert.equal(service.asked.length, 1);
    for (const monitor of monitors)
      assert.deepEqual([monitor.statusOf('s1').value, monitor.statusOf('s1').last], ['unknown', 'running']);
  });

  it('take over from a window that asked and died', async () => {
    const { index } = await windows.open();
    await index.learn('service', { session: sessionOf({ status: 'running' }), origin: 'created', at: 5 });
    const check = { by: 'a window that died', seen: '', unchanged: 0 };
    await index.updateCheck('service', 's1', () => ({ ...check, at: Date.now() - 30_000 }));
    (await open()).watch('s1');
    await service.reached(1);
  });

  it('wait for a window that asked a moment ago', async () => {
    const { index } = await windows.open();
    await index.learn('service', { session: sessionOf({ status: 'running' }), origin: 'created', at: 5 });
    await index.learn('service', {
      session: sessionOf({ sessionId: 's2', status: 'running' }),
      origin: 'created',
      at: 5,
    });
    const check = { by: 'another window', seen: '', unchanged: 0 };
    await index.updateCheck('service', 's1', () => ({ ...check, at: Date.now() }));
    const monitor = await open();
    monitor.watch('s1');
    monitor.watch('s2');
    await service.reached(3);
    assert.deepEqual([...new Set(service.ids)], ['s2']);
  });

  it('ask without the focus about a session that is needed, eight of them as one, until it is not', async () => {
    const { index } = await windows.open();
    await index.learn('service', { session: sessionOf({ status: 'running' }), origin: 'created', at: 5 });
    const focused = new ObservableValue(false);
    for (let n = 0; n < 8; n++) await open(focused);
    const watches = monitors.map(monitor => monitor.watch('s1', 'needed'));
    await service.reached(5);
    focused.set(true);
    focused.set(false);
    await service.reached(20);
    assert.equal(service.mostAtOnce, 1, 'never two questions at once');
    const gaps = service.asked.slice(1, 20).map((at, n) => at - service.asked[n]!);
    for (const gap of gaps) assert.ok(gap >= FASTEST_MS * 0.85, `asked again after ${gap} ms`);
    for (const monitor of monitors) monitor.watch('s1');
    for (const watch of watches) watch.dispose();
    const before = service.ids.length;
    await index.learn('service', {
      session: sessionOf({ sessionId: 's2', status: 'running' }),
      origin: 'created',
      at: 5,
    });
    (await open()).watch('s2');
    await service.reached(before + 10);
    // A question may have been on its way; views without the focus ask none.
    assert.ok(service.ids.slice(before).filter(id => id === 's1').length <= 1, service.ids.join());
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
