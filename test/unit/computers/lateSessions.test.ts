import assert from 'node:assert/strict';
import { LateSessions } from '../../../src/computers/lateSessions';
import type { SessionOfComputer } from '../../../src/computers/sessions';
import { Emitter } from '../../../src/util/event';

const session: SessionOfComputer = {
  sessionId: 's1',
  label: 'One',
  description: '',
  icon: { id: 'circle-outline' },
  context: 'session',
  spoken: 'Session One',
};

describe('sessions below computers', () => {
  it('are loaded once, and again after a failure', async () => {
    const changes = new Emitter<unknown>();
    let loads = 0;
    const late = new LateSessions(() => {
      loads++;
      if (loads === 1) return Promise.reject(new Error('the disk is full'));
      return Promise.resolve({ ofComputer: () => [session], onDidChange: changes.event });
    });
    let changed = 0;
    late.onDidChange(() => changed++);
    await Promise.all([late.load(), late.load()]);
    assert.deepEqual([loads, changed, late.of('c1')], [1, 0, []]);
    await late.load();
    assert.deepEqual([loads, changed, late.of('c1')], [2, 1, [session]]);
    await late.load();
    changes.fire(undefined);
    assert.deepEqual([loads, changed], [2, 2]);
    late.dispose();
    changes.fire(undefined);
    assert.equal(changed, 2);
  });

  it('are none where there is no such part', async () => {
    const late = new LateSessions(undefined);
    await late.load();
    assert.deepEqual(late.of('c1'), []);
    late.dispose();
  });
});
