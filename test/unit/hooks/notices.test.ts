import assert from 'node:assert/strict';
import { FRESH_MS, type HookEvent } from '../../../src/hooks/model';
import { isTold, labelOf, noticeOf, type NoticeSettings } from '../../../src/hooks/notices';
import { noticeKinds, noticesFrom } from '../../../src/settings';

const event = (name: string, more: Partial<HookEvent> = {}): HookEvent => ({
  id: '1.a.json',
  name,
  at: Date.now(),
  sessionId: '0123456789abcdef',
  cwd: '/home/me/shop',
  ...more,
});

describe('a notification of a hook event', () => {
  it('names the project, the session and what it is about', () => {
    for (const [name, more, said] of [
      ['Notification', { message: 'May I push?' }, 'shop · Fix the test is waiting for you: May I push?'],
      ['Notification', {}, 'shop · Fix the test is waiting for you.'],
      ['Stop', {}, 'shop · Fix the test has finished.'],
      ['SubagentStop', {}, 'A subagent of shop · Fix the test has finished.'],
      ['SessionEnd', { reason: 'error' }, 'shop · Fix the test has ended (error).'],
      ['SessionEnd', {}, 'shop · Fix the test has ended.'],
      ['PostToolUse', {}, undefined],
    ] as const)
      assert.equal(noticeOf(event(name, more), 'Fix the test'), said);
    assert.equal(labelOf(event('Stop'), undefined), 'shop · 01234567…');
    assert.equal(labelOf({}, undefined), 'A session');
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
    about: () => noticeKinds,
    quietWhenFocused: () => false,
  };
  const told = (
    name: string,
    settings: Partial<NoticeSettings> = {},
    { age = 0, isLookedAt = false, isMuted = false } = {},
  ): boolean =>
    isTold(event(name, { at: Date.now() - age }), { ...all, ...settings }, { isLookedAt, isMuted });

  it('comes of the kinds that are chosen', () => {
    for (const [name, key] of [
      ['Notification', 'waiting'],
      ['Stop', 'finished'],
      ['SubagentStop', 'subagentFinished'],
      ['SessionEnd', 'ended'],
    ] as const) {
      assert.equal(told(name), true, name);
      assert.equal(told(name, { about: () => noticeKinds.filter(kind => kind !== key) }), false, name);
      assert.equal(told(name, { about: () => [key] }), true, name);
    }
    assert.equal(told('PostToolUse'), false);
  });

  it('never comes for what is old or muted, nor about a chat somebody looks at where that is to be quiet', () => {
    assert.equal(told('Notification', {}, { age: FRESH_MS - 60_000 }), true);
    assert.equal(told('Notification', {}, { age: FRESH_MS + 1 }), false);
    assert.equal(told('Notification', {}, { isMuted: true }), false);
    assert.equal(told('Notification', {}, { isLookedAt: true }), true);
    assert.equal(told('Notification', { quietWhenFocused: () => true }, { isLookedAt: true }), false);
    assert.equal(told('Notification', { quietWhenFocused: () => true }), true);
  });

  it('is carried over from the settings of earlier versions', () => {
    assert.deepEqual(noticesFrom({}), ['waiting', 'finished']);
    assert.deepEqual(noticesFrom({ waiting: false, ended: true }), ['finished', 'ended']);
    assert.deepEqual(noticesFrom({ finished: true, subagentFinished: true }), [
      'waiting',
      'finished',
      'subagentFinished',
    ]);
  });
});
