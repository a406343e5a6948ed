import assert from 'node:assert/strict';
import { Sample } from './harness';

interface Computer {
  readonly id: string;
  readonly name: string;
  readonly providerType: string;
  readonly createdAt: number;
  readonly status?: string;
  readonly relayClientUrl?: string;
  readonly provisioningSteps?: readonly {
    readonly status: string;
    readonly error?: string;
    readonly startedAt?: number;
    readonly completedAt?: number;
  }[];
}

describe('the computers of the sample', () => {
  const list = async (sample: Sample): Promise<readonly Computer[]> =>
    (await sample.ok<{ computers: Computer[] }>('/api/v0/computers')).computers;

  it('are in every state, with a readable error and relay addresses', async () => {
    const sample = new Sample();
    const all = await list(sample);
    assert.deepEqual(
      all.map(({ name, providerType, status }) => [name, providerType, status]),
      [
        ['atlas', 'cloud', 'active'],
        ['boreal', 'cloud', 'provisioning'],
        ['cinder', 'cloud', 'error'],
        ['dune', 'byom', 'active'],
        ['ember', 'cloud', 'paused'],
        ['fjord', 'byom', undefined],
      ],
    );
    const failed = all[2]?.provisioningSteps?.find(step => step.status === 'error');
    assert.match(failed?.error ?? '', /^Quota exceeded[^]*\n[^]*\n/);
    assert.match(all[0]?.relayClientUrl ?? '', /^wss:\/\/.+token=/);
    assert.deepEqual(Object.keys(all[5] ?? {}), ['id', 'name', 'providerType', 'createdAt']);
    for (const one of all) assert.deepEqual(await sample.ok(`/api/v0/computers/${one.id}`), one);
    const fjord = { computerId: all[5]?.id };
    assert.equal((await sample.call('/api/v0/sessions', { body: fjord })).status, 201);
  });

  for (const pace of [1, 0.1]) {
    it(`are set up step by step over 40 s at pace ${pace}, from when they are first seen`, async () => {
      const sample = new Sample({ pace });
      await sample.sessions();
      sample.time += 3_600_000;
      const began = sample.time;
      const boreal = async (): Promise<Computer> => (await list(sample))[1]!;
      const history: string[] = [];
      for (let seen = await boreal(); ; seen = await boreal()) {
        const steps = seen.provisioningSteps ?? [];
        const letters = steps.map(step => step.status[0]).join('');
        if (letters !== history.at(-1)) history.push(letters);
        assert.equal(seen.createdAt, began);
        for (const { status, startedAt, completedAt } of steps) {
          assert.equal(startedAt === undefined, status === 'pending');
          assert.equal(completedAt === undefined, status !== 'completed');
        }
        if (seen.status !== 'provisioning') break;
        sample.time += 500 * pace;
      }
      assert.deepEqual(history, ['rpppp', 'crppp', 'ccrpp', 'cccrp', 'ccccr', 'ccccc']);
      const ready = await boreal();
      assert.ok(ready.status === 'active' && ready.relayClientUrl);
      assert.ok(sample.time - began >= 40_000 * pace && sample.time - began < 42_000 * pace);
      assert.equal((await sample.call('/api/v0/sessions', { body: { computerId: ready.id } })).status, 201);
    });
  }
});
