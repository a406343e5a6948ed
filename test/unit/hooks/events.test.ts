import assert from 'node:assert/strict';
import fc from 'fast-check';
import { depthIn, decodeEvent, EVENT_CAP, FRESH_MS, type HookEvent } from '../../../src/hooks/events';
import { isNotified, labelOf, noticeOf, type NoticeSettings } from '../../../src/hooks/events';
import { noticeKinds, noticesFrom } from '../../../src/settings';

const bytes = (value: unknown): Buffer =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));

describe('a hook event', () => {
  it('is read with its fields, as far as it goes when it was cut off; unknown ones and those of a wrong type are left out', () => {
    const fields = { cwd: '/w', message: 'm', reason: 'error' };
    const value = { hook_event_name: 'SessionEnd', session_id: 's', ...fields, other: 'x'.repeat(EVENT_CAP) };
    for (const source of [value, { ...value, other: 1 }])
      assert.deepEqual(decodeEvent('1.a.json', bytes(source).subarray(0, EVENT_CAP + 1), 7), {
        id: '1.a.json',
        name: 'SessionEnd',
        at: 7,
        sessionId: 's',
        ...fields,
      });
    const odd = { hook_event_name: 'Later', session_id: 3, cwd: null, message: '' };
    const read = decodeEvent('i', bytes(`\ufeff${JSON.stringify(odd)}`), 0);
    assert.deepEqual(JSON.parse(JSON.stringify(read)), { id: 'i', name: 'Later', at: 0 });
  });

  it('is nothing else, whatever the bytes', () => {
    const texts = ['', '{', 'null', '[]', '"Stop"', '{}', '{"hook_event_name":7}', '{"hook_event_name":""}'];
    for (const text of [...texts, '['.repeat(EVENT_CAP)])
      assert.equal(decodeEvent('i', bytes(text), 0), undefined, text);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.boolean(), (data, isLong) => {
        const input = isLong ? Buffer.concat([data, Buffer.alloc(EVENT_CAP + 1)]) : data;
        assert.equal(decodeEvent('i', input, 0), undefined);
      }),
    );
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        const event = decodeEvent('i', bytes({ hook_event_name: value, message: value, cwd: value }), 0);
        assert.equal(event !== undefined, typeof value === 'string' && value !== '');
      }),
    );
  });
});

const event = (name: string, more: Partial<HookEvent> = {}): HookEvent => ({
  id: '1.a.json',
  name,
  at: Date.now(),
  sessionId: '0123456789abcdef',
  cwd: '/home/me/shop',
  ...more,
});

describe('the folder of a hook event', () => {
  it('is compared as the system does: without case on Windows and macOS', () => {
    const { platform } = process;
    const on = (value: string, inner: string): number | undefined => {
      Object.defineProperty(process, 'platform', { value });
      const depth = depthIn('/home/ann/Shop', inner);
      Object.defineProperty(process, 'platform', { value: platform });
      return depth;
    };
    for (const [inner, exact, loose] of [
      ['/home/ann/Shop', 0, 0],
      ['/home/ann/shop/src', undefined, 1],
      ['/home/ann/shopping', undefined, undefined],
      ['/home/ann', undefined, undefined],
    ] as const)
      assert.deepEqual(
        ['linux', 'win32', 'darwin'].map(system => on(system, inner)),
        [exact, loose, loose],
        inner,
      );
  });
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

  it('lets no link, line break or hidden mark of the hook through', () => {
    const message = '[Click](command:workbench.action.quit) \u202eabc\u0007\n$(bug)';
    const text = noticeOf(event('Notification', { message, cwd: `/w/[x](command:y)` }), `[t](command:z)`);
    assert.doesNotMatch(text ?? '', /\]\(|[\u202a-\u202e\u0000-\u001f]/);
    const ended = noticeOf(event('SessionEnd', { reason: `](command:a)${'x'.repeat(5_000)}` }), undefined);
    assert.doesNotMatch(ended ?? '', /\]\(/);
    assert.ok((ended ?? '').length <= 500);
  });

  it('comes of the kinds that are chosen, never of what is old, muted or looked at where that is to be quiet', () => {
    const told = (
      name: string,
      about: NoticeSettings['about'] = () => noticeKinds,
      { age = 0, isLookedAt = false, isMuted = false, isQuiet = false } = {},
    ): boolean => {
      const settings = { about, quietWhenFocused: () => isQuiet };
      return isNotified(event(name, { at: Date.now() - age }), settings, { isLookedAt, isMuted });
    };
    for (const [name, key] of [
      ['Notification', 'waiting'],
      ['Stop', 'finished'],
      ['SubagentStop', 'subagentFinished'],
      ['SessionEnd', 'ended'],
    ] as const) {
      const heard = [[key], noticeKinds.filter(kind => kind !== key)].map(kinds => told(name, () => kinds));
      assert.deepEqual(heard, [true, false], name);
    }
    assert.equal(told('PostToolUse'), false);
    for (const [about, isIt] of [
      [{ age: FRESH_MS - 60_000 }, true],
      [{ age: FRESH_MS + 1 }, false],
      [{ isMuted: true }, false],
      [{ isLookedAt: true }, true],
      [{ isLookedAt: true, isQuiet: true }, false],
      [{ isQuiet: true }, true],
    ] as const)
      assert.equal(told('Notification', undefined, about), isIt, JSON.stringify(about));
  });

  it('is carried over from the settings of earlier versions', () => {
    assert.deepEqual(noticesFrom({}), ['waiting', 'finished']);
    assert.deepEqual(noticesFrom({ waiting: false, ended: true }), ['finished', 'ended']);
    const all = { finished: true, subagentFinished: true };
    assert.deepEqual(noticesFrom(all), ['waiting', 'finished', 'subagentFinished']);
  });
});
