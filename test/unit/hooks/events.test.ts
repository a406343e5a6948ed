import assert from 'node:assert/strict';
import fc from 'fast-check';
import { decodeEvent, EVENT_CAP, FRESH_MS, type HookEvent } from '../../../src/hooks/events';
import { isNotified, labelOf, noticeOf } from '../../../src/hooks/events';
import { noticesFrom, type NoticeKind } from '../../../src/settings';
import { depthIn } from '../../../src/util/files';

const decode = (value: unknown): HookEvent | undefined => {
  const bytes = typeof value === 'string' ? Buffer.from(value) : Buffer.from(JSON.stringify(value));
  return decodeEvent('1.a.json', bytes.subarray(0, EVENT_CAP + 1), 7);
};

const event = (name: string, more: Partial<HookEvent> = {}): HookEvent => ({
  ...{ id: '1.a.json', name, at: Date.now(), sessionId: '0123456789abcdef', cwd: '/home/me/shop' },
  ...more,
});

describe('a hook event', () => {
  it('is read with its fields as far as they are of their type, also when it was cut off; nothing else is one, whatever the bytes', () => {
    const fields = { cwd: '/w', message: 'm', reason: 'error' };
    const known = { id: '1.a.json', name: 'SessionEnd', at: 7, sessionId: 's', ...fields };
    for (const other of [1, 'x'.repeat(EVENT_CAP)])
      assert.deepEqual(decode({ hook_event_name: 'SessionEnd', session_id: 's', ...fields, other }), known);
    const odd = { hook_event_name: 'Later', session_id: 3, cwd: null, message: '' };
    const read = decode(`\ufeff${JSON.stringify(odd)}`);
    assert.deepEqual(JSON.parse(JSON.stringify(read)), { id: '1.a.json', name: 'Later', at: 7 });
    const texts = ['', '{', 'null', '[]', '"Stop"', '{}', '{"hook_event_name":7}', '{"hook_event_name":""}'];
    for (const text of [...texts, '['.repeat(EVENT_CAP)]) assert.equal(decode(text), undefined, text);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.jsonValue(), (data, value) => {
        for (const bytes of [data, Buffer.concat([data, Buffer.alloc(EVENT_CAP + 1)])])
          assert.equal(decodeEvent('i', bytes, 0), undefined);
        const isEvent = typeof value === 'string' && value !== '';
        assert.equal(decode({ hook_event_name: value, message: value, cwd: value }) !== undefined, isEvent);
      }),
    );
  });

  it('is of a folder as the system compares paths: without case on Windows and macOS', () => {
    const { platform } = process;
    const depths = (inner: string): unknown =>
      ['linux', 'win32', 'darwin'].map(value => {
        Object.defineProperty(process, 'platform', { value });
        const depth = depthIn('/home/ann/Shop', inner);
        Object.defineProperty(process, 'platform', { value: platform });
        return depth;
      });
    assert.deepEqual(depths('/home/ann/Shop'), [0, 0, 0]);
    assert.deepEqual(depths('/home/ann/shop/src'), [undefined, 1, 1]);
    for (const other of ['/home/ann/shopping', '/home/ann', '/home/ann/..Shop'])
      assert.deepEqual(depths(other), [undefined, undefined, undefined], other);
  });

  it('has a notification that names the project, the session and what it is about, and lets no link, line break or hidden mark through', () => {
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
    const evil = `[Click](command:workbench.action.quit) \u202eabc\u0007\n$(bug)${'x'.repeat(5_000)}`;
    for (const name of ['Notification', 'SessionEnd']) {
      const hostile = event(name, { message: evil, cwd: `/w/[x](command:y)`, reason: `](command:a)${evil}` });
      const text = noticeOf(hostile, `[t](command:z)`) ?? '';
      assert.doesNotMatch(text, /\]\(|[\u202a-\u202e\u0000-\u001f]/);
      assert.ok(text.length <= 500);
    }
  });

  it('is told of where its kind is chosen, never of what is old, muted or looked at where that is to be quiet', () => {
    const kinds = ['waiting', 'finished', 'subagentFinished', 'ended'] as const;
    const plain = { age: 0, isQuiet: false, isLookedAt: false, isMuted: false };
    const told = (name: string, about: readonly NoticeKind[], { age, isQuiet, ...how } = plain) => {
      const settings = { about: () => about, quietWhenFocused: () => isQuiet };
      return isNotified(event(name, { at: Date.now() - age }), settings, how);
    };
    const names = ['Notification', 'Stop', 'SubagentStop', 'SessionEnd', 'PostToolUse'];
    for (const [at, kind] of kinds.entries())
      assert.deepEqual(
        names.filter(name => told(name, [kind])),
        [names[at]],
      );
    for (const [how, isIt] of [
      [{ age: FRESH_MS - 60_000 }, true],
      [{ age: FRESH_MS + 1 }, false],
      [{ isMuted: true }, false],
      [{ isLookedAt: true }, true],
      [{ isLookedAt: true, isQuiet: true }, false],
      [{ isQuiet: true }, true],
    ] as const)
      assert.equal(told('Notification', kinds, { ...plain, ...how }), isIt, JSON.stringify(how));
    assert.deepEqual(noticesFrom({}), ['waiting', 'finished']);
    const earlier = noticesFrom({ waiting: false, ended: true });
    assert.deepEqual(earlier, ['finished', 'ended'], 'of earlier versions');
  });
});
