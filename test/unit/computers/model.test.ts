import assert from 'node:assert/strict';
import type { Computer } from '../../../src/api';
import { stepTimes } from '../../../src/computers/rows';
import { durationOf, errorOf, progressOf, sortComputers, stepState } from '../../../src/computers/model';
import { Formatter } from '../../../src/util/format';

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
    assert.deepEqual(steps.map(stepState), ['done', 'failed', 'running', 'waiting']);
    assert.deepEqual(progressOf(computer({ provisioningSteps: steps })), { done: 1, all: 4 });
    assert.equal(errorOf(computer({ provisioningSteps: steps })), 'quota exceeded');
    assert.deepEqual(
      [progressOf(computer({ provisioningSteps: [] })), errorOf(computer({}))],
      [undefined, undefined],
    );
  });

  it('shows no check beside a word that says otherwise, with or without an error text', () => {
    const states = {
      failed: 'failed FAILURE error STEP_FAILED createFailed timed_out timeout rejected',
      stopped: 'cancelled canceled Aborted skipped interrupted not_started',
      waiting: 'pending running in_progress',
      done: 'completed succeeded novel',
    };
    for (const [state, words] of Object.entries(states))
      for (const status of ['', ...words.split(' ')]) {
        const step = { id: 'a', startedAt: 1, completedAt: 2, status };
        assert.equal(stepState(step), status === '' ? 'done' : state, status);
        if (status === '') continue;
        const told = stepTimes(step, new Formatter('en')).map(([name]) => name);
        assert.equal(told.includes('Completed'), state === 'done', 'another one has only ended');
      }
    assert.equal(stepState({ id: 'a', startedAt: 1, status: 'failed' }), 'failed');
    assert.equal(stepState({ id: 'a', startedAt: 1, status: 'cancelled' }), 'stopped');
  });

  it('measures steps from their start to their end, or to now; a clock that is ahead is no negative time', () => {
    assert.equal(durationOf({ id: 'a', startedAt: 10, completedAt: 30 }, 100), 20);
    assert.equal(durationOf({ id: 'a', startedAt: 10 }, 100), 90);
    assert.equal(durationOf({ id: 'a', startedAt: 200 }, 100), 0);
    assert.equal(durationOf({ id: 'a' }, 100), undefined);
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
});
