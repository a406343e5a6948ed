import assert from 'node:assert/strict';
import { base64, Sample } from './harness';

describe('the agents of the sample', () => {
  it('go from pending over running to idle, take up what came meanwhile, and are read back from the last message', async () => {
    const sample = new Sample();
    const session = await sample.newSession();
    const file = { type: 'base64', mediaType: 'text/markdown', name: 'no`tes.md', data: base64('# Notes') };
    const first = await sample.send(session, { text: 'Explain the billing job', files: [file] });
    assert.equal(first.status, 'pending');
    sample.time += 2_500;
    assert.equal((await sample.send(session, 'And the tests')).status, 'running');
    sample.time += 10_500;
    assert.equal((await sample.session(session)).status, 'running');
    sample.time += 10_500;
    const { status, title, completedAt, updatedAt, messageCount } = await sample.session(session);
    assert.deepEqual([status, title, completedAt], ['idle', 'Explain the billing job', updatedAt]);
    const last = await sample.send(session, 'Thanks');
    const chain = (await sample.ancestors(session, last.messageId)).toReversed();
    assert.equal(chain.length, messageCount + 1);
    assert.equal(chain[0]?.id, first.messageId);
    assert.deepEqual(
      chain.flatMap(({ providerAPhase }) => providerAPhase ?? []),
      ['commentary', 'final_answer', 'commentary', 'final_answer'],
      'one answer after the other',
    );
    const said = JSON.stringify(chain);
    for (const part of ["I have read `no'tes.md`.", '"type":"tool_use"', '```diff', '| ---'])
      assert.ok(said.includes(part), part);
  });
});
