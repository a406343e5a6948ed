import assert from 'node:assert/strict';
import type { Computer, ProvisioningStep } from '../../../src/api';
import {
  computerDocument,
  computerNode,
  paceOf,
  sortComputers,
  stepState,
} from '../../../src/computers/rows';
import { joined } from '../../../src/ui/text';
import { Formatter } from '../../../src/util/format';

const words = { format: new Formatter('en') };
const computer = (fields: Partial<Computer> = {}): Computer => ({
  id: 'c1',
  name: 'boreal',
  providerType: 'cloud',
  createdAt: 1,
  ...fields,
});

/** Label and description of a computer's row, and the descriptions of its steps. */
const rowOf = (of: Computer): string =>
  joined([computerNode(of, words).row().label, computerNode(of, words).row().description], ': ');
const stepsOf = (of: Computer): unknown[] =>
  (computerNode(of, words).children?.() ?? []).map(node => node.row().description);

describe('a computer in words', () => {
  const steps: readonly ProvisioningStep[] = [
    { id: 'create-computer', name: 'Create computer', status: 'completed', startedAt: 0, completedAt: 8_000 },
    { id: 'start', name: 'Start', status: 'error', startedAt: 8_000, completedAt: 9_000, error: 'No\nroom' },
    { id: 'connect', name: 'Connect', status: 'pending' },
  ];

  it('tells its state, how far a set-up is, and steps that a failed one never began', () => {
    assert.match(rowOf(computer()), /^boreal: status unknown · cloud/);
    assert.match(rowOf(computer({ status: 'hibernating' })), /^boreal: hibernating/);
    assert.equal(rowOf({ id: 'c9' }), 'c9: status unknown');
    assert.match(rowOf({ id: 'c9', hostname: 'h' }), /^h: /);
    const [failed, running] = ['error', 'provisioning'].map(status =>
      computer({ status, provisioningSteps: [...steps] }),
    ) as [Computer, Computer];
    assert.match(rowOf(failed), /^boreal: error · No room/);
    assert.deepEqual(stepsOf(failed), ['completed · 8 sec', 'error · 1 sec · No room', 'not started']);
    assert.match(rowOf(running), /^boreal: provisioning 1\/3/);
    assert.equal(stepsOf(running)[2], 'pending');
    const ahead = { id: 'a', startedAt: Date.now() + 60_000 };
    assert.deepEqual(stepsOf(computer({ provisioningSteps: [ahead] })), ['running · 0 sec']);
  });

  it('gives the whole error, and no relay address in full, in its document', () => {
    const told = computer({
      status: 'error',
      provisioningSteps: [...steps],
      remoteUser: 'agent',
      relayClientUrl: 'wss://relay.example/abc/client?token=secret',
      relayAgentUrl: 'no address at all',
    });
    const text = computerDocument(told, words);
    for (const part of [
      /\*\*Error\*\*: No room/,
      /\*\*Remote user\*\*: agent/,
      /relay\.example/,
      /not started/,
    ])
      assert.match(text, part);
    for (const secret of ['secret', '/abc', 'no address at all']) assert.ok(!text.includes(secret), text);
    assert.match(computerDocument({ id: 'c9' }, words), /\*\*Created\*\*: not known/);
  });

  it('calls a step done only when it was completed and neither an error nor a word says otherwise', () => {
    const states = {
      failed: 'failed FAILURE error STEP_FAILED createFailed timed_out timeout rejected',
      stopped: 'cancelled canceled Aborted skipped interrupted not_started',
      waiting: 'pending running in_progress',
      done: 'completed succeeded novel',
    };
    for (const [state, all] of Object.entries(states))
      for (const status of all.split(' ')) {
        const step = { id: 'a', startedAt: 1, completedAt: 2, status };
        assert.equal(stepState(step), state, status);
        const text = computerDocument(computer({ provisioningSteps: [step] }), words);
        assert.equal(text.includes('Completed'), state === 'done', 'another one has only ended');
      }
    assert.equal(stepState({ id: 'a', startedAt: 1, completedAt: 2 }), 'done');
    assert.equal(stepState({ id: 'a', startedAt: 1, completedAt: 2, error: 'quota' }), 'failed');
    assert.deepEqual([stepState({ id: 'a', startedAt: 1 }), stepState({ id: 'a' })], ['running', 'waiting']);
  });

  it('is sorted by name in the language of the person, numbers by value, ties by id', () => {
    const all = Object.entries({ 1: 'node 10', 3: 'node 9', 2: 'Äpfel', 0: 'node 9' });
    const sorted = sortComputers(
      all.map(([id, name]) => computer({ id, name })),
      'de',
    );
    assert.deepEqual(
      sorted.map(({ id }) => id),
      ['2', '0', '3', '1'],
    );
  });

  it('is asked about often while its set-up goes on, and the less the longer nothing happens', () => {
    const paces = [10_000, 200_000, 400_000, 3_600_000].map(now => {
      const setUp = computer({ status: 'provisioning', provisioningSteps: [{ id: 'a', startedAt: 2 }] });
      return Math.round(paceOf([computer(), setUp], now, 30_000));
    });
    assert.deepEqual(paces, [5_000, 10_000, 20_000, 30_000]);
    assert.equal(paceOf([computer({ status: 'active' })], 10_000, 30_000), 30_000);
  });
});
