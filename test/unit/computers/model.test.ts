import assert from 'node:assert/strict';
import type { Computer, ProvisioningStep } from '../../../src/api';
import { stepTimes } from '../../../src/computers/rows';
import {
  durationOf,
  errorOf,
  iconOf,
  progressOf,
  sortComputers,
  stepState,
} from '../../../src/computers/model';
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
  });

  it('shows no check and counts no step beside a word that says otherwise, with or without an error text', () => {
    const ended = (status?: string): ProvisioningStep => ({
      id: 'a',
      startedAt: 1,
      completedAt: 2,
      ...(status === undefined ? {} : { status }),
    });
    const states = (...words: readonly string[]): readonly string[] => [
      ...new Set(words.map(word => stepState(ended(word)))),
    ];
    const failed = [
      'failed',
      'FAILURE',
      'error',
      'STEP_FAILED',
      'createFailed',
      'timed_out',
      'timeout',
      'rejected',
    ];
    const stopped = ['cancelled', 'canceled', 'Aborted', 'skipped', 'interrupted', 'not_started'];
    assert.deepEqual(states(...failed), ['failed']);
    assert.deepEqual(states(...stopped), ['stopped']);
    assert.deepEqual(states('pending', 'running', 'in_progress'), ['waiting']);
    assert.deepEqual(states('completed', 'succeeded', 'a new word', ''), ['done']);
    assert.equal(stepState(ended()), 'done');
    const provisioningSteps = [...failed, ...stopped, 'pending', 'done'].map(ended);
    assert.deepEqual(progressOf(computer({ provisioningSteps })), { done: 1, all: provisioningSteps.length });
    assert.equal(stepState({ id: 'a', startedAt: 1, status: 'failed' }), 'failed');
    assert.equal(stepState({ id: 'a', startedAt: 1, status: 'cancelled' }), 'stopped');
    const told = (step: ProvisioningStep): readonly string[] =>
      stepTimes(step, new Formatter('en')).flatMap(([name, value]) => (value === undefined ? [] : [name]));
    assert.deepEqual(told(ended('failed')).includes('Completed'), false, 'it ended');
    assert.ok(told(ended('failed')).includes('Ended') && told(ended('completed')).includes('Completed'));
    assert.equal(
      errorOf(computer({ provisioningSteps: [ended('failed'), { id: 'b', error: 'no room' }] })),
      'no room',
    );
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

  it('shows every state as the design has it, also ones it does not know', () => {
    const iconAs = (status?: string): readonly unknown[] =>
      Object.values(iconOf(computer(status === undefined ? {} : { status })));
    assert.deepEqual(iconAs('active'), ['vm-active', 'charts.green']);
    assert.deepEqual(iconAs('provisioning'), ['vm-outline']);
    assert.deepEqual(iconAs('error'), ['vm', 'list.errorForeground']);
    assert.deepEqual([iconAs('paused'), iconAs()], [['vm'], ['vm']]);
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
