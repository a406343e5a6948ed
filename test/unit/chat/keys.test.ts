import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { HistoryWalk, sends, type Key } from '../../../media/chat/composer/keys';

const enter = (facts: Partial<Key> = {}): Key => ({
  key: 'Enter',
  shiftKey: false,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  isComposing: false,
  keyCode: 13,
  ...facts,
});

describe('Enter', () => {
  it('sends as the person has set it', () => {
    assert.ok(sends(enter(), 'enter', false));
    assert.ok(sends(enter({ ctrlKey: true }), 'enter', false));
    assert.ok(!sends(enter({ shiftKey: true }), 'enter', false));
    assert.ok(!sends(enter(), 'ctrl+enter', false));
    assert.ok(sends(enter({ ctrlKey: true }), 'ctrl+enter', false));
    assert.ok(sends(enter({ metaKey: true }), 'ctrl+enter', false));
    assert.ok(!sends(enter({ key: 'a' }), 'enter', false));
  });

  it('never sends while an input method composes, however that is told', () => {
    for (const sendKey of ['enter', 'ctrl+enter'] as const) {
      for (const ctrlKey of [false, true]) {
        assert.ok(!sends(enter({ ctrlKey, isComposing: true }), sendKey, false));
        assert.ok(!sends(enter({ ctrlKey, keyCode: 229 }), sendKey, false));
        assert.ok(!sends(enter({ ctrlKey }), sendKey, true));
      }
    }
  });
});

describe('a walk through earlier messages', () => {
  it('has nowhere to go without messages, nor to the text that is there', () => {
    const walk = new HistoryWalk();
    assert.equal(walk.begin([], 'x'), undefined);
    assert.equal(walk.begin(['x'], 'x'), undefined);
    assert.ok(!walk.isAway);
  });

  it('always finds the draft on the way down', () => {
    const moves = fc.array(fc.boolean(), { maxLength: 30 });
    fc.assert(
      fc.property(fc.uniqueArray(fc.string()), fc.string(), moves, (texts, draft, ups) => {
        const walk = new HistoryWalk();
        let shown = walk.begin(texts, draft) ?? draft;
        for (const up of ups) shown = (up && walk.isAway ? walk.older() : walk.newer()) ?? shown;
        while (walk.isAway) shown = walk.newer() ?? shown;
        assert.equal(shown, draft);
      }),
    );
  });
});
