import assert from 'node:assert/strict';
import { FRESH_MS, type HookEvent } from '../../../src/hooks/model';
import { isTold, type NoticeContext, type NoticeSettings } from '../../../src/hooks/notices';
import { labelOf, noticeOf, stateText } from '../../../src/hooks/sentences';

const event = (name: string, more: Partial<HookEvent> = {}): HookEvent => ({
  id: '1.a.json',
  name,
  at: 1_000_000,
  sessionId: '0123456789abcdef',
  cwd: '/home/me/shop',
  ...more,
});

describe('a notification of a hook event', () => {
  it('names the project, the session and what it is about', () => {
    const said = (name: string, more: Partial<HookEvent> = {}): string | undefined =>
      noticeOf(event(name, more), 'Fix the test');
    assert.equal(
      said('Notification', { message: 'May I push?' }),
      'shop · Fix the test waits for your input: May I push?',
    );
    assert.equal(said('Notification'), 'shop · Fix the test waits for your input.');
    assert.equal(said('Stop'), 'shop · Fix the test has finished.');
    assert.equal(said('SubagentStop'), 'A subagent of shop · Fix the test has finished.');
    assert.equal(said('SessionEnd', { reason: 'error' }), 'shop · Fix the test has ended (error).');
    assert.equal(said('SessionEnd'), 'shop · Fix the test has ended.');
    assert.equal(said('PostToolUse'), undefined);
    assert.equal(labelOf(event('Stop'), undefined), 'shop · 01234567…');
    assert.equal(labelOf(event('Stop', { cwd: undefined, sessionId: undefined }), undefined), 'A session');
    assert.equal(stateText(event('Later\u202e')), 'Later\ufffd');
  });

  it('lets no link, icon, line break or hidden mark of the hook through', () => {
    const evil = '[Click](command:workbench.action.quit) \u202eabc\u0007\n$(bug)';
    const text = noticeOf(
      event('Notification', { message: evil, cwd: `/w/[x](command:y)` }),
      `[t](command:z)`,
    );
    assert.doesNotMatch(text ?? '', /\]\(|[\u202a-\u202e\u0000-\u001f]/);
    const ended = noticeOf(event('SessionEnd', { reason: `](command:a)${'x'.repeat(5_000)}` }), undefined);
    assert.doesNotMatch(ended ?? '', /\]\(/);
    assert.ok((ended ?? '').length <= 500);
  });

  const all: NoticeSettings = {
    waiting: () => true,
    finished: () => true,
    subagentFinished: () => true,
    ended: () => true,
    minimumSeconds: () => 0,
    quietWhenFocused: () => false,
  };
  const told = (
    name: string,
    settings: Partial<NoticeSettings> = {},
    more: Partial<NoticeContext> = {},
  ): boolean =>
    isTold(event(name), {
      settings: { ...all, ...settings },
      isFocused: false,
      isMuted: false,
      startedAt: undefined,
      now: 1_000_000,
      ...more,
    });

  it('has a switch for each kind', () => {
    for (const [name, key] of [
      ['Notification', 'waiting'],
      ['Stop', 'finished'],
      ['SubagentStop', 'subagentFinished'],
      ['SessionEnd', 'ended'],
    ] as const) {
      assert.equal(told(name), true, name);
      assert.equal(told(name, { [key]: () => false }), false, name);
    }
    assert.equal(told('PostToolUse'), false);
  });

  it('never comes for what is old or muted, nor for a focused window that is to be quiet', () => {
    assert.equal(told('Notification', {}, { now: 1_000_000 + FRESH_MS }), true);
    assert.equal(told('Notification', {}, { now: 1_000_001 + FRESH_MS }), false);
    assert.equal(told('Notification', {}, { isMuted: true }), false);
    assert.equal(told('Notification', {}, { isFocused: true }), true);
    assert.equal(told('Notification', { quietWhenFocused: () => true }, { isFocused: true }), false);
    assert.equal(told('Notification', { quietWhenFocused: () => true }), true);
  });

  it('comes for finished work that was long enough, or may have been', () => {
    const minute = { minimumSeconds: () => 60 };
    assert.equal(told('Stop', minute, { startedAt: 970_000 }), false);
    assert.equal(told('Stop', minute, { startedAt: 930_000 }), true);
    assert.equal(told('Stop', minute), true);
    assert.equal(told('Notification', minute, { startedAt: 970_000 }), true);
  });
});
