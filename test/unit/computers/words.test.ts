import assert from 'node:assert/strict';
import type { Computer } from '../../../src/api';
import { computerDocument, computerNode } from '../../../src/computers/rows';
import { joined } from '../../../src/ui/text';
import { Formatter } from '../../../src/util/format';

const format = new Formatter('en');
const words = { format };
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
  const steps = [
    { id: 'create-computer', name: 'Create computer', status: 'completed', startedAt: 0, completedAt: 8_000 },
    { id: 'start', name: 'Start', status: 'error', startedAt: 8_000, completedAt: 9_000, error: 'No\nroom' },
    { id: 'connect', name: 'Connect', status: 'pending' },
  ];

  it('says when the service reports no status, and shows one it does not know', () => {
    assert.match(rowOf(computer()), /^boreal: status unknown · cloud/);
    assert.match(rowOf(computer({ status: 'hibernating' })), /^boreal: hibernating/);
  });

  it('tells steps that a failed computer never began from steps that are to come', () => {
    const failed = computer({ status: 'error', provisioningSteps: steps });
    assert.deepEqual(stepsOf(failed), ['completed · 8 sec', 'error · 1 sec · No room', 'not started']);
    assert.equal(stepsOf(computer({ status: 'provisioning', provisioningSteps: steps }))[2], 'pending');
    const bare = { id: 'c9' };
    assert.equal(rowOf(bare), 'c9: status unknown');
    assert.match(computerDocument(bare, words), /\*\*Created\*\*: not known/);
    assert.match(rowOf({ id: 'c9', hostname: 'h' }), /^h: /);
    assert.match(rowOf(failed), /^boreal: error · No room/);
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
    const text = computerDocument(told, words);
    assert.match(text, /\*\*Error\*\*: No room/);
    assert.match(text, /\*\*Remote user\*\*: agent/);
    for (const secret of ['secret', '/abc', 'no address at all']) assert.ok(!text.includes(secret), text);
    assert.match(text, /relay\.example/);
    assert.match(text, /not started/);
  });
});
