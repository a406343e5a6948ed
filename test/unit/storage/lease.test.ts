import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import * as path from 'node:path';
import { mock } from 'node:test';
import { cleanUp, openWindow, temporaryFolder } from './support';

describe('a lease between windows', function () {
  afterEach(cleanUp);
  afterEach(() => mock.timers.reset());

  it('lets one window in at a time, and the next when that one is through', async () => {
    const root = temporaryFolder();
    const [one, other] = [openWindow(root), openWindow(root)];
    const gate = Promise.withResolvers<string>();
    const first = one.tryRun('a', 1_000, () => gate.promise);
    await ready();
    assert.equal(await other.tryRun('a', 1_000, async () => Promise.resolve('no')), undefined);
    assert.equal(
      await one.tryRun('a', 1_000, async () => Promise.resolve('no')),
      undefined,
      'not twice in one window either',
    );
    assert.equal(await other.tryRun('b', 1_000, async () => Promise.resolve('another name')), 'another name');
    gate.resolve('done');
    assert.equal(await first, 'done');
    assert.equal(await other.tryRun('a', 1_000, async () => Promise.resolve('now')), 'now');
  });

  it('is given back by work that fails', async () => {
    const window = openWindow(temporaryFolder());
    await assert.rejects(
      window.tryRun('a', 1_000, () => Promise.reject(new Error('no'))),
      /no/,
    );
    assert.equal(await window.tryRun('a', 1_000, async () => Promise.resolve(1)), 1);
  });

  it('is left to lapse by work that is not to be done again soon', async () => {
    const clock = { now: 1_000_000 };
    const window = openWindow(temporaryFolder(), { now: () => clock.now });
    const told = () =>
      window.tryRun('a', 1_000, async ({ keep }) => {
        keep();
        return Promise.resolve('told');
      });
    assert.equal(await told(), 'told');
    clock.now += 999;
    assert.equal(await told(), undefined);
    clock.now += 1;
    assert.equal(await told(), 'told');
  });

  it('is renewed as long as the work takes', async () => {
    mock.timers.enable({ apis: ['setInterval'] });
    const clock = { now: 1_000_000 };
    const root = temporaryFolder();
    const [one, other] = [0, 1].map(() => openWindow(root, { now: () => clock.now }));
    const gate = Promise.withResolvers<boolean>();
    const held = one!.tryRun('a', 900, async lease => {
      await gate.promise;
      return lease.isHeld();
    });
    await ready();
    for (let n = 0; n < 10; n++) {
      clock.now += 300;
      mock.timers.tick(300);
      await ready();
      assert.equal(await other!.tryRun('a', 900, async () => Promise.resolve(true)), undefined);
    }
    gate.resolve(true);
    assert.equal(await held, true);
  });

  it('is lost by a holder that slept, who learns it before it acts, and never takes it up again', async () => {
    mock.timers.enable({ apis: ['setInterval'] });
    const clock = { now: 1_000_000 };
    const root = temporaryFolder();
    const [one, other] = [0, 1].map(() => openWindow(root, { now: () => clock.now }));
    const gate = Promise.withResolvers<boolean>();
    const told: boolean[] = [];
    const slept = one!.tryRun('a', 900, async ({ isHeld, signal }) => {
      await gate.promise;
      told.push(isHeld());
      mock.timers.tick(300);
      await ready();
      told.push(signal.aborted);
    });
    await ready();
    clock.now += 60_000;
    const taken = Promise.withResolvers<boolean>();
    const second = other!.tryRun('a', 900, ({ isHeld }) => taken.promise.then(isHeld));
    await ready();
    gate.resolve(true);
    await slept;
    assert.deepEqual(told, [false, true]);
    taken.resolve(true);
    assert.equal(await second, true, 'the first has not taken away what the other holds');
  });

  it('does not outlive a clock that was ahead', async () => {
    const root = temporaryFolder();
    const ahead = openWindow(root, { now: () => 10_000_000_000 });
    void ahead.tryRun('a', 1_000, () => new Promise<void>(() => undefined));
    await ready();
    const right = openWindow(root, { now: () => 1_000_000 });
    assert.equal(await right.tryRun('a', 1_000, async () => Promise.resolve(1)), 1);
  });

  it('of a process that is killed passes on after its time', async () => {
    const root = temporaryFolder();
    const child = fork(path.join(__dirname, 'writer.child.js'), ['hold', root]);
    await once(child, 'message');
    const window = openWindow(root);
    assert.equal(await window.tryRun('a', 1_000, async () => Promise.resolve(1)), undefined);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const later = openWindow(root, { now: () => Date.now() + 61_000 });
    assert.equal(await later.tryRun('a', 1_000, async () => Promise.resolve(1)), 1);
  });

  it('goes to one of four processes at a time, whatever is killed', async function () {
    const root = temporaryFolder();
    const counter = openWindow(root).collection<number>({
      path: 'inside',
      version: 1,
      schema: { parse: Number },
    });
    const children = Array.from({ length: 4 }, () =>
      fork(path.join(__dirname, 'writer.child.js'), ['compete', root, '100']),
    );
    const codes = await Promise.all(children.map(async child => (await once(child, 'exit'))[0] as unknown));
    assert.deepEqual(codes, [0, 0, 0, 0], 'no process found another one inside');
    await counter.load();
    assert.equal(counter.get('entered'), 400);
    assert.equal(counter.get('inside'), 0);
  });
});

/** Everything that is under way in this thread goes on until it waits. */
async function ready(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise(resolve => setImmediate(resolve));
}
