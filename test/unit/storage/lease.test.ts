import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import * as path from 'node:path';
import { mock } from 'node:test';
import type { Storage } from '../../../src/storage';
import { cleanUp, openWindow, temporaryFolder } from './support';

const script = path.join(__dirname, 'writer.child.js');

describe('a lease between windows', function () {
  let clock: number;
  let root: string;
  beforeEach(() => ([clock, root] = [1_000_000, temporaryFolder()]));
  afterEach(cleanUp);
  afterEach(() => mock.timers.reset());

  const open = () => openWindow(root, { now: () => clock });
  /** Whether the window is let in for a moment. */
  const enters = async (window: Storage, name = 'a') =>
    (await window.tryRun(name, 900, () => Promise.resolve(true))) === true;
  /** Everything that is under way in this thread goes on until it waits. */
  const ready = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn++) await new Promise(resolve => setImmediate(resolve));
  };

  it('lets one in at a time, for as long as the work takes, and the next when that one is through or has failed', async () => {
    mock.timers.enable({ apis: ['setInterval'] });
    const [one, other] = [open(), open()];
    const gate = Promise.withResolvers<undefined>();
    const held = one.tryRun('a', 900, async ({ isHeld }) => {
      await gate.promise;
      return isHeld();
    });
    await ready();
    for (let n = 0; n < 10; n++) {
      clock += 300;
      mock.timers.tick(300);
      await ready();
      assert.deepEqual([await enters(other), await enters(one)], [false, false]);
    }
    assert.equal(await enters(other, 'b'), true, 'another name');
    gate.resolve(undefined);
    assert.equal(await held, true);
    assert.equal(await enters(other), true);
    await assert.rejects(
      one.tryRun('a', 900, () => Promise.reject(new Error('no'))),
      /no/,
    );
    assert.equal(await enters(other), true);
  });

  it('is left to lapse by work that is not to be done again soon', async () => {
    const window = open();
    await window.tryRun('a', 900, ({ keep }) => {
      keep();
      return Promise.resolve();
    });
    clock += 899;
    assert.equal(await enters(window), false);
    clock += 1;
    assert.equal(await enters(window), true);
  });

  it('is lost by a holder that slept, who learns it before it acts, and never takes it up again', async () => {
    mock.timers.enable({ apis: ['setInterval'] });
    const [one, other] = [open(), open()];
    const gate = Promise.withResolvers<boolean>();
    const told: boolean[] = [];
    const slept = one.tryRun('a', 900, async ({ isHeld }) => {
      await gate.promise;
      told.push(isHeld());
      mock.timers.tick(300);
      await ready();
      told.push(isHeld());
    });
    await ready();
    clock += 60_000;
    const taken = Promise.withResolvers<boolean>();
    const second = other.tryRun('a', 900, ({ isHeld }) => taken.promise.then(isHeld));
    await ready();
    gate.resolve(true);
    await slept;
    assert.deepEqual(told, [false, false]);
    taken.resolve(true);
    assert.equal(await second, true, 'the first has not taken away what the other holds');
  });

  it('does not outlive a clock that was ahead', async () => {
    clock = 10_000_000_000;
    void open().tryRun('a', 900, () => new Promise<void>(() => undefined));
    await ready();
    clock = 1_000_000;
    assert.equal(await enters(open()), true);
  });

  it('of a process that is killed passes on after its time', async () => {
    const child = fork(script, ['hold', root]);
    await once(child, 'message');
    clock = Date.now();
    assert.equal(await enters(open()), false);
    child.kill('SIGKILL');
    await once(child, 'exit');
    clock += 61_000;
    assert.equal(await enters(open()), true);
  });

  it('goes to one of four processes at a time, whatever is killed', async function () {
    const children = Array.from({ length: 4 }, () => fork(script, ['compete', root, '100']));
    const codes = await Promise.all(children.map(async child => (await once(child, 'exit'))[0] as unknown));
    assert.deepEqual(codes, [0, 0, 0, 0], 'no process found another one inside');
    const counter = open().collection<number>({ path: 'inside', version: 1, schema: { parse: Number } });
    assert.deepEqual([await counter.read('entered'), await counter.read('inside')], [400, 0]);
  });
});
