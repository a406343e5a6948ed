import assert from 'node:assert/strict';
import type { Computer } from '../../../src/api';
import {
  durationOf,
  errorOf,
  hasFailed,
  iconOf,
  isDone,
  isRunning,
  nextListing,
  progressOf,
  sortComputers,
  stepIconOf,
} from '../../../src/computers/model';

const computer = (fields: Partial<Computer>): Computer => ({
  id: 'c1',
  name: 'atlas',
  providerType: 'byom',
  createdAt: 1,
  ...fields,
});

describe('computers model', () => {
  it('counts a step as done only when it was completed without an error', () => {
    const steps = [
      { id: 'a', name: 'A', status: 'completed', startedAt: 1, completedAt: 2 },
      { id: 'b', name: 'B', status: 'failed', startedAt: 2, completedAt: 3, error: 'quota exceeded' },
      { id: 'c', name: 'C', status: 'something new', startedAt: 3 },
      { id: 'd', name: 'D', status: 'pending' },
    ];
    assert.deepEqual(steps.map(isDone), [true, false, false, false]);
    assert.deepEqual(steps.map(hasFailed), [false, true, false, false]);
    assert.deepEqual(steps.map(isRunning), [false, false, true, false]);
    assert.deepEqual(
      steps.map(step => stepIconOf(step).id),
      ['check', 'error', 'sync~spin', 'circle-outline'],
    );
    assert.deepEqual(progressOf(computer({ provisioningSteps: steps })), { done: 1, all: 4 });
    assert.equal(errorOf(computer({ provisioningSteps: steps })), 'quota exceeded');
  });

  it('tells no progress where the service names no steps', () => {
    assert.equal(progressOf(computer({})), undefined);
    assert.equal(progressOf(computer({ provisioningSteps: [] })), undefined);
    assert.equal(errorOf(computer({})), undefined);
  });

  it('measures steps from their start to their end, or to now', () => {
    assert.equal(durationOf({ id: 'a', startedAt: 10, completedAt: 30 }, 100), 20);
    assert.equal(durationOf({ id: 'a', startedAt: 10 }, 100), 90);
    assert.equal(
      durationOf({ id: 'a', startedAt: 200 }, 100),
      0,
      'a clock that is ahead is no negative time',
    );
    assert.equal(durationOf({ id: 'a' }, 100), undefined);
  });

  it('shows every state, also ones it does not know', () => {
    for (const status of ['active', 'provisioning', 'error', 'paused', undefined]) {
      assert.ok(iconOf(computer(status === undefined ? {} : { status })).id.startsWith('vm'));
    }
  });

  it('sorts by name in the language of the person, numbers by value, ties by id', () => {
    const names = sortComputers(
      [
        computer({ id: '1', name: 'node 10' }),
        computer({ id: '3', name: 'node 9' }),
        computer({ id: '2', name: 'Äpfel' }),
        computer({ id: '0', name: 'node 9' }),
      ],
      'de',
    ).map(each => each.id);
    assert.deepEqual(names, ['2', '0', '3', '1']);
  });

  it('reads the list sooner while something is being set up', () => {
    assert.equal(nextListing([computer({ status: 'active' })], 30_000), 30_000);
    assert.equal(nextListing([computer({ status: 'provisioning' })], 30_000), 3_000);
    assert.equal(nextListing([computer({ status: 'provisioning' })], 1_000), 1_000);
  });
});
