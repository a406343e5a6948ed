import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { SessionMonitor } from '../../../src/sessions/status/monitor';
import { SessionIndex } from '../../../src/sessions/store/sessionIndex';
import { ObservableValue } from '../../../src/util/event';
import { MemoryStorage } from '../../fakes/memoryStorage';
import { sessionOf } from './support';

const SESSIONS = 200;
const IN_FRONT = 's150';
const STEP_MS = 50;
const ids = Array.from({ length: SESSIONS }, (_, index) => `s${index}`);

describe('many working sessions', () => {
  let storage: MemoryStorage;
  let ends: { dispose(): void }[];
  let asked: { readonly sessionId: string; readonly at: number }[];

  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1_800_000_000_000 });
    storage = new MemoryStorage();
    [ends, asked] = [[], []];
  });
  afterEach(() => {
    for (const end of ends) end.dispose();
    mock.timers.reset();
  });

  const open = async (): Promise<{ index: SessionIndex; monitor: SessionMonitor }> => {
    const index = new SessionIndex(storage);
    await index.use('service');
    const get = (sessionId: string) => {
      asked.push({ sessionId, at: Date.now() });
      return Promise.resolve(sessionOf({ sessionId, status: 'running', messageCount: asked.length }));
    };
    const monitor = new SessionMonitor({
      index,
      focused: new ObservableValue(true),
      fastestMs: () => 2_000,
      sentence: String,
      api: () => ({ sessions: { get } }),
    });
    ends.push(monitor, index);
    return { index, monitor };
  };

  const step = async (): Promise<void> => {
    mock.timers.tick(STEP_MS);
    for (let turn = 0; turn < 3; turn++) await new Promise(resolve => setImmediate(resolve));
  };

  for (const count of [1, 3]) {
    it(`are asked about at most twice a second by ${count} windows together, each in turn, the one in front first`, async () => {
      const opened = [];
      for (let n = 0; n < count; n++) opened.push(await open());
      for (const sessionId of ids)
        await opened[0]?.index.learn('service', {
          session: sessionOf({ sessionId, status: 'running' }),
          origin: 'created',
          at: Date.now() - 3_600_000,
        });
      for (const { monitor } of opened) for (const id of ids) monitor.watch(id);
      opened[0]?.monitor.watch(IN_FRONT, 'inFront');
      const others = (): Set<string> =>
        new Set(asked.map(({ sessionId }) => sessionId).filter(id => id !== IN_FRONT));
      const last = Date.now() + SESSIONS * 1_000;
      while (others().size < SESSIONS - 1 && Date.now() < last) await step();

      const times = asked.map(({ at }) => at);
      const inSecondFrom = (from: number): number =>
        times.filter(at => at >= from && at < from + 1_000).length;
      assert.ok(
        Math.max(...times.map(inSecondFrom)) <= 2,
        `${Math.max(...times.map(inSecondFrom))} in a second`,
      );
      assert.equal(others().size, SESSIONS - 1, 'each has had its turn');
      const again = asked.filter(({ sessionId }) => sessionId !== IN_FRONT).length - others().size;
      assert.ok(again <= count, `${again} were asked again before others had their first turn`);
      assert.ok(
        asked.slice(0, count).some(({ sessionId }) => sessionId === IN_FRONT),
        'who looks waits for no others',
      );
    });
  }
});
