import assert from 'node:assert/strict';
import { Attention } from '../../../src/chat/attention';

function scene() {
  const facts = { blocked: false, watches: 0, refreshes: 0 };
  const attention = new Attention({
    watch: () => {
      facts.watches++;
      return {
        dispose: () => {
          facts.watches--;
        },
      };
    },
    refresh: () => {
      facts.refreshes++;
    },
    isBlocked: () => facts.blocked,
  });
  return { facts, attention };
}

describe('what a panel asks of the service', () => {
  it('is followed only while it is seen', () => {
    const { facts, attention } = scene();
    attention.update();
    assert.equal(facts.watches, 0);
    attention.setVisible(true);
    attention.setVisible(true);
    assert.equal(facts.watches, 1);
    attention.setVisible(false);
    assert.equal(facts.watches, 0);
  });

  it('rests while another service is in use', () => {
    const { facts, attention } = scene();
    attention.setVisible(true);
    facts.blocked = true;
    attention.update();
    assert.equal(facts.watches, 0);
    attention.setVisible(true);
    attention.becameReady();
    assert.deepEqual([facts.watches, facts.refreshes], [0, 0]);
    facts.blocked = false;
    attention.update();
    attention.becameReady();
    assert.deepEqual([facts.watches, facts.refreshes], [1, 1]);
  });

  it('is asked anew at once when seen, else once when shown', () => {
    const { facts, attention } = scene();
    attention.becameReady();
    attention.becameReady();
    assert.equal(facts.refreshes, 0);
    attention.setVisible(true);
    assert.equal(facts.refreshes, 1);
    attention.setVisible(false);
    attention.setVisible(true);
    assert.equal(facts.refreshes, 1);
    attention.becameReady();
    assert.equal(facts.refreshes, 2);
  });

  it('ends with the panel', () => {
    const { facts, attention } = scene();
    attention.setVisible(true);
    attention.dispose();
    assert.equal(facts.watches, 0);
    attention.becameReady();
    attention.setVisible(true);
    assert.deepEqual([facts.watches, facts.refreshes], [0, 0]);
  });
});
