import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { UsageStatusBar } from '../../../src/usage/statusBar';
import { Formatter } from '../../../src/util/format';
import {
  calls,
  cleanUp,
  Clock,
  never,
  openWindow,
  query,
  sample,
  temporaryFolder,
  type Window,
} from './support';

const MINUTE = 60_000;
/** Half an hour before a day of UTC ends. */
const BEGIN = Date.UTC(2026, 10, 21, 23, 30);

/** All timers and the clock are the test's; requests and files are real, and have ended before each step does. */
describe('an hour of windows that stay open', function () {
  const fetchOfNode = globalThis.fetch;
  let inFlight = 0;
  let clock: Clock;
  let windows: Window[];
  let bars: UsageStatusBar[];

  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'], now: BEGIN });
    [inFlight, clock, windows, bars] = [0, new Clock(), [], []];
    clock.now = BEGIN;
    globalThis.fetch = async (...request) => {
      inFlight++;
      try {
        const answer = await fetchOfNode(...request);
        return new Response(await answer.arrayBuffer(), answer);
      } finally {
        inFlight--;
      }
    };
  });
  afterEach(async () => {
    for (const bar of bars) bar.dispose();
    await quiet();
    globalThis.fetch = fetchOfNode;
    mock.timers.reset();
    await cleanUp();
  });

  async function quiet(): Promise<void> {
    for (let still = 0, turn = 1; still < 20; turn++) {
      const state = { isSettled: false };
      void Promise.all(windows.map(({ storage }) => storage.settled())).then(() => (state.isSettled = true));
      await new Promise(resolve => setImmediate(resolve));
      still = state.isSettled && inFlight === 0 ? still + 1 : 0;
      // Storage pauses a moment where two windows write at once.
      if (turn % 200 === 0) mock.timers.tick(1);
    }
  }

  async function pass(minutes: number): Promise<void> {
    for (let second = 0; second < minutes * 60; second += 5) {
      mock.timers.tick(5_000);
      clock.now = Date.now();
      await quiet();
    }
  }

  /** The analytics requests of an hour in which every window looks at people twice. */
  async function hour(count: number): Promise<string[]> {
    const service = await sample(clock);
    const root = temporaryFolder();
    windows = Array.from({ length: count }, () => openWindow(service, root, clock));
    bars = windows.map(
      ({ data }) =>
        new UsageStatusBar({
          usage: data,
          item: {
            text: '',
            tooltip: '',
            accessibilityInformation: undefined,
            backgroundColor: undefined,
            show: nothing,
            hide: nothing,
          },
          settings: {
            usageStatusBar: () => 'lastDay',
            usageBudget: () => ({ tokens: 0, per: 'day' }),
            onDidChange: () => ({ dispose: nothing }),
          },
          format: new Formatter('en'),
          tooltip: heading => heading,
          tell: nothing,
          now: clock.read,
          random: () => 0,
        }),
    );
    for (const bar of bars) bar.start();
    await pass(10);
    const look = async (): Promise<void> => {
      const wanted = query('people', '2026-11-01', '2026-11-20');
      const looks = windows.map(({ data }) => data.fetch(wanted, { signal: never() }));
      await pass(2);
      await Promise.all(looks);
    };
    await look();
    await pass(36);
    await look();
    await pass(10);
    assert.equal(Date.now() - BEGIN >= 60 * MINUTE, true);
    return calls(service).sort();
  }

  it('eight cause the requests of one, over the end of a day too', async () => {
    const alone = await hour(1);
    for (const bar of bars.splice(0)) bar.dispose();
    await quiet();
    assert.ok(
      alone.some(call => call.startsWith('/tokens') && call.endsWith('..2026-11-21')),
      `the new day is asked for: ${alone.join()}`,
    );
    assert.equal(alone.filter(call => call.startsWith('/users')).length, 1);
    mock.timers.setTime(BEGIN);
    clock.now = BEGIN;
    assert.deepEqual(await hour(8), alone);
  });
});

function nothing(): void {
  return undefined;
}
