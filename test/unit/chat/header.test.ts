import assert from 'node:assert/strict';
import { headerOf } from '../../../src/chat/panel/panelState';
import type { ChatSession } from '../../../src/chat/sessions';
import { Formatter } from '../../../src/util/format';

const format = new Formatter('en');
const tokens = (settings: ChatSession['settings']) =>
  headerOf({ sessionId: 's', title: 't', status: 'idle', settings }, 't', false, 0, format).tokens;

describe('the tokens in the header of a chat', () => {
  it('are told kind by kind, as the service counts them', () => {
    const tokenUsage = {
      inputTokens: 12_000,
      outputTokens: 3_456,
      cacheCreationTokens: 789,
      cacheReadTokens: 1_234_567,
      thinkingTokens: 42,
    };
    assert.deepEqual(tokens({ tokenUsage, assistantActiveTimeMs: 125_000 }), {
      short: `${format.compact(15_456)} tokens`,
      detail: [
        'Input: 12,000',
        'Output: 3,456',
        'Cache creation: 789',
        'Cache read: 1,234,567',
        'Thinking: 42',
        `Agent active: ${format.span(125_000)}`,
      ].join('\n'),
    });
  });

  it('may be of kinds nobody knew, and of some only', () => {
    const tokenUsage = { cacheReadTokens: 0, audioTokens: 7, note: 'text', 'bad\u202ename': 1 };
    assert.deepEqual(tokens({ tokenUsage })?.detail.split('\n'), [
      'Cache read: 0',
      'audioTokens: 7',
      'bad\ufffdname: 1',
    ]);
    for (const nothing of [undefined, {}, { tokenUsage: {} }]) assert.equal(tokens(nothing), undefined);
  });
});
