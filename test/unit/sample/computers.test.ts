import assert from 'node:assert/strict';
import { computer, computers, session } from './contract';
import { closeAll, computerId, ManualClock, NOW, ok, start } from './harness';

describe('sample service: computers', () => {
  afterEach(closeAll);

  it('has them in every state, with a readable error and relay addresses', async () => {
    const service = await start();
    const { computers: all } = await ok(service, '/api/v0/computers', computers);
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
    assert.equal(new Set(all.map(({ id }) => id)).size, 6);
  });

  for (const pace of [1, 0.1]) {
    it(`provisions step by step over 40 s at pace ${pace}, from when it is first seen`, async () => {
      const clock = new ManualClock();
      const service = await start({ now: clock.now, pace });
      clock.advance(3_600_000);
      const began = clock.time;
      const id = await computerId(service, 'boreal');
      const history: string[] = [];
      let seen = await ok(service, `/api/v0/computers/${id}`, computer);
      for (; seen.status === 'provisioning'; clock.time += 500 * pace) {
        seen = await ok(service, `/api/v0/computers/${id}`, computer);
        const steps = (seen.provisioningSteps ?? []).map(step => step.status[0]).join('');
        if (steps !== history.at(-1)) history.push(steps);
        assert.equal(seen.createdAt, began);
        for (const step of seen.provisioningSteps ?? []) {
          assert.equal(step.startedAt === undefined, step.status === 'pending');
          assert.equal(step.completedAt === undefined, step.status !== 'completed');
        }
      }
      assert.deepEqual(history, ['rpppp', 'crppp', 'ccrpp', 'cccrp', 'ccccr', 'ccccc']);
      assert.equal(seen.status, 'active');
      assert.ok(seen.hostname && seen.relayAgentUrl);
      assert.ok(clock.time - began >= 40_000 * pace && clock.time - began < 42_000 * pace);
      await ok(service, '/api/v0/sessions', session, { body: { computerId: id } });
    });
  }

  it('takes sessions on a computer that does not tell its status', async () => {
    const service = await start();
    const body = { computerId: await computerId(service, 'fjord') };
    const created = await ok(service, '/api/v0/sessions', session, { body });
    assert.equal(created.createdAt, NOW);
  });
});
