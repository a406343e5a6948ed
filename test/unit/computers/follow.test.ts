import assert from 'node:assert/strict';
import { ApiError, type Computer } from '../../../src/api';
import { computerDetails, computerFacts, relayText } from '../../../src/computers/facts';
import { followComputer } from '../../../src/computers/follow';
import { isUntouched } from '../../../src/computers/model';
import { computerRow, stepRow } from '../../../src/computers/row';
import { outline } from '../../../src/util/details';
import { Formatter } from '../../../src/util/format';

const format = new Formatter('en');
const computer = (fields: Partial<Computer> = {}): Computer => ({
  id: 'c1',
  name: 'boreal',
  providerType: 'cloud',
  createdAt: 1,
  ...fields,
});

function failure(kind: 'unavailable' | 'forbidden'): ApiError {
  const request = { method: 'GET', origin: 'https://api.example.com', path: '/api/v0/computers/c1' } as const;
  return new ApiError(kind, { request, status: kind === 'forbidden' ? 403 : 503 });
}

describe('following a computer', () => {
  const follow = async (
    answers: readonly (Computer | Error)[],
    abort = new AbortController(),
  ): Promise<{ outcome: Awaited<ReturnType<typeof followComputer>>; waits: number[]; told: number }> => {
    const [waits, left] = [[] as number[], [...answers]];
    let told = 0;
    const outcome = await followComputer({
      read: () => {
        const next = left.shift();
        if (next === undefined) abort.abort();
        return next instanceof Error || next === undefined
          ? Promise.reject(next ?? new Error('aborted'))
          : Promise.resolve(next);
      },
      tell: () => told++,
      signal: abort.signal,
      fastestMs: 100,
      wait: ms => Promise.resolve(waits.push(ms)),
    });
    return { outcome, waits, told };
  };
  const provisioning = (done: number): Computer =>
    computer({ status: 'provisioning', provisioningSteps: [{ id: 'a', startedAt: done }] });

  it('ends when it is ready, and when it has failed', async () => {
    for (const status of ['active', 'error', 'paused']) {
      const { outcome } = await follow([provisioning(1), computer({ status })]);
      assert.equal(outcome.kind === 'settled' && outcome.computer.status, status);
    }
  });

  it('asks soon after a change and slower while nothing happens', async () => {
    const { waits } = await follow([
      provisioning(1),
      provisioning(1),
      provisioning(1),
      provisioning(2),
      computer({ status: 'active' }),
    ]);
    assert.deepEqual(waits, [100, 150, 225, 100]);
  });

  it('bears a service that does not answer for a while, and tells so', async () => {
    const { outcome, told } = await follow([
      failure('unavailable'),
      failure('unavailable'),
      computer({ status: 'active' }),
    ]);
    assert.equal(outcome.kind, 'settled');
    assert.equal(told, 3);
    const gone = await follow(Array.from({ length: 20 }, () => failure('unavailable')));
    assert.equal(gone.outcome.kind, 'failed');
    assert.equal(gone.told, 9);
  });

  it('ends at once when it may not ask, and when it is cancelled', async () => {
    assert.equal((await follow([failure('forbidden')])).outcome.kind, 'failed');
    assert.equal((await follow([provisioning(1)])).outcome.kind, 'cancelled');
  });
});

describe('a computer in words', () => {
  const steps = [
    { id: 'create-computer', name: 'Create computer', status: 'completed', startedAt: 0, completedAt: 8_000 },
    { id: 'start', name: 'Start', status: 'error', startedAt: 8_000, completedAt: 9_000, error: 'No\nroom' },
    { id: 'connect', name: 'Connect', status: 'pending' },
  ];

  it('says when the service reports no status, and shows one it does not know', () => {
    assert.match(computerRow(computer(), format).description, /^no status reported · cloud/);
    assert.match(computerRow(computer({ status: 'hibernating' }), format).description, /^hibernating/);
  });

  it('tells steps that a failed computer never began from steps that are to come', () => {
    const failed = computer({ status: 'error', provisioningSteps: steps });
    const rows = (of: Computer): string[] =>
      steps.map((step, index) => stepRow(step, index, isUntouched(of, step), format).description);
    assert.deepEqual(rows(failed), ['completed · 8 sec', 'error · 1 sec · No room', 'not started']);
    assert.equal(rows(computer({ status: 'provisioning' }))[2], 'pending');
    assert.match(computerRow(failed, format).description, /^error · No room/);
  });

  it('gives the whole error, and no relay address in full, in its facts and its document', () => {
    const told = computer({
      status: 'error',
      provisioningSteps: steps,
      hostname: 'boreal.example',
      remoteUser: 'agent',
      relayClientUrl: 'wss://relay.example/abc/client?token=secret',
      relayAgentUrl: 'no address at all',
    });
    const facts = new Map(computerFacts(told, format));
    assert.equal(facts.get('Error'), 'No\nroom');
    assert.equal(facts.get('Remote user'), 'agent');
    const text = outline(computerDetails(told, [], format), format);
    for (const secret of ['secret', '/abc', 'no address at all']) assert.ok(!text.includes(secret), text);
    assert.match(text, /relay\.example/);
    assert.match(text, /not started/);
    assert.equal(relayText(undefined), undefined);
  });
});
