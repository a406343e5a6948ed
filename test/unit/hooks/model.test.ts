import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  decodeEvent,
  EVENT_CAP,
  folderOf,
  isShort,
  rankOf,
  startOf,
  TEST_SESSION,
  waitingEvents,
  type HookEvent,
  type WindowPresence,
} from '../../../src/hooks/model';

const bytes = (value: unknown): Buffer =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));

describe('a hook event', () => {
  it('is read with its fields, unknown ones left out', () => {
    const value = {
      hook_event_name: 'SessionEnd',
      session_id: 's',
      cwd: '/w',
      message: 'm',
      reason: 'error',
      other: 1,
    };
    assert.deepEqual(decodeEvent('1.a.json', bytes(value), 7), {
      id: '1.a.json',
      name: 'SessionEnd',
      at: 7,
      sessionId: 's',
      cwd: '/w',
      message: 'm',
      reason: 'error',
    });
  });

  it('needs no more than its name, and drops fields of a wrong type', () => {
    const read = decodeEvent(
      'i',
      bytes({ hook_event_name: 'Later', session_id: 3, cwd: null, message: '' }),
      0,
    );
    assert.deepEqual(JSON.parse(JSON.stringify(read)), { id: 'i', name: 'Later', at: 0 });
    assert.equal(
      decodeEvent('i', bytes(`\ufeff${JSON.stringify({ hook_event_name: 'Stop' })}`), 0)?.name,
      'Stop',
    );
  });

  it('is read as far as it goes when it was cut off', () => {
    const whole = { hook_event_name: 'Stop', session_id: 's', cwd: '/w', other: 'x'.repeat(EVENT_CAP) };
    const event = decodeEvent('i', bytes(whole).subarray(0, EVENT_CAP + 1), 0);
    assert.deepEqual([event?.name, event?.sessionId, event?.cwd], ['Stop', 's', '/w']);
    assert.equal(decodeEvent('i', Buffer.alloc(EVENT_CAP + 1, 'x'), 0), undefined);
  });

  it('is nothing else, whatever the bytes', () => {
    for (const text of [
      '',
      '{',
      'null',
      '[]',
      '"Stop"',
      '{}',
      '{"hook_event_name":7}',
      '{"hook_event_name":""}',
    ])
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

const presence = (id: string, folders: string[], more: Partial<WindowPresence> = {}): WindowPresence => ({
  id,
  folders,
  focused: false,
  focusedAt: 0,
  ...more,
});

describe('which window takes an event', () => {
  const order = (windows: readonly WindowPresence[], cwd: string | undefined): string[] =>
    [...windows].sort((a, b) => rankOf(a.id, windows, cwd) - rankOf(b.id, windows, cwd)).map(({ id }) => id);

  it('the one whose folder is the longest that holds the working folder', () => {
    const windows = [
      presence('a', ['/w'], { focused: true }),
      presence('b', ['/x', '/w/app']),
      presence('c', ['/w/application'], { focusedAt: 9 }),
      presence('d', []),
    ];
    assert.deepEqual(order(windows, '/w/app/src'), ['b', 'a', 'c', 'd']);
    assert.deepEqual(order(windows, '/w/app'), ['b', 'a', 'c', 'd']);
    assert.deepEqual(order(windows, '/w/other'), ['a', 'c', 'b', 'd']);
    assert.deepEqual(order([presence('root', ['/']), presence('z', ['/zz'])], '/z'), ['root', 'z']);
    const onWindows = [presence('u', ['c:\\u'], { focused: true }), presence('v', ['c:\\u\\v\\'])];
    assert.deepEqual(order(onWindows, 'c:\\u\\v\\w'), ['v', 'u']);
  });

  it('else the focused one, then the one last focused, and never two', () => {
    const windows = [
      presence('a', ['/a'], { focusedAt: 1 }),
      presence('b', [], { focused: true }),
      presence('c', [], { focusedAt: 5 }),
    ];
    assert.deepEqual(order(windows, undefined), ['b', 'c', 'a']);
    assert.deepEqual(order(windows, '/elsewhere'), ['b', 'c', 'a']);
    fc.assert(
      fc.property(
        fc.uniqueArray(
          fc.record({
            id: fc.string(),
            folders: fc.array(fc.constantFrom('/a', '/a/b', '/c')),
            focused: fc.boolean(),
            focusedAt: fc.nat(3),
          }),
          { selector: ({ id }) => id, minLength: 1 },
        ),
        fc.constantFrom('/a/b/c', '/d', undefined),
        (some, cwd) => {
          const ranks = some.map(({ id }) => rankOf(id, some, cwd)).sort((a, b) => a - b);
          assert.deepEqual(
            ranks,
            some.map((_, index) => index),
          );
          assert.deepEqual(order([...some].reverse(), cwd), order(some, cwd), 'every window finds the same');
        },
      ),
    );
  });
});

describe('what waits', () => {
  const event = (id: number, name: string, sessionId = 's', more: Partial<HookEvent> = {}): HookEvent => ({
    id: `${id}.x.json`,
    name,
    at: id,
    sessionId,
    ...more,
  });
  const none = (): undefined => undefined;

  it('is each session whose last word was that it waits, the longest waiting first', () => {
    const history = [
      event(5, 'Notification', 'b'),
      event(1, 'Notification', 'a'),
      event(3, 'Notification', 'c'),
      event(4, 'Stop', 'c'),
      event(6, 'SubagentStop', 'b'),
      event(7, 'Notification', `${TEST_SESSION}1`),
      event(8, 'Notification', 'x', { sessionId: undefined }),
    ];
    assert.deepEqual(
      waitingEvents(history, none).map(({ sessionId }) => sessionId),
      ['a', 'b'],
    );
    assert.deepEqual(waitingEvents([event(3, 'Stop'), event(2, 'Notification')], none), []);
  });

  it('does not come back once it was cleared, until the agent waits again', () => {
    const note = { sessionId: 's', clearedAt: 5, at: 5 };
    assert.deepEqual(
      waitingEvents([event(5, 'Notification')], () => note),
      [],
    );
    assert.equal(waitingEvents([event(5, 'Notification'), event(6, 'Notification')], () => note).length, 1);
  });

  it('is not what the person has muted', () => {
    const note = { sessionId: 's', muted: true, at: 5 };
    assert.deepEqual(
      waitingEvents([event(6, 'Notification')], () => note),
      [],
    );
  });

  it('takes the work as begun after the last one had ended, whatever was told during it', () => {
    const stop = event(900, 'Stop');
    const during = [event(800, 'Notification'), event(850, 'SubagentStop'), event(860, 'PostToolUse')];
    assert.equal(startOf(stop, [stop, ...during]), undefined);
    assert.equal(startOf(stop, [stop, ...during, event(500, 'Stop'), event(400, 'SessionEnd')]), 500);
    assert.equal(startOf(stop, [event(600, 'SessionEnd'), event(500, 'Stop'), ...during]), 600);
    assert.equal(startOf(stop, [event(600, 'Stop', 'other'), event(950, 'Stop')]), undefined);
  });

  it('knows the folder that a session was last in', () => {
    const history = [
      event(3, 'Stop'),
      event(2, 'Later', 's', { cwd: '/b' }),
      event(1, 'Stop', 's', { cwd: '/a' }),
      event(4, 'Stop', 'x', { cwd: '/c' }),
    ];
    assert.equal(folderOf('s', history), '/b');
    assert.equal(folderOf('y', history), undefined);
  });

  it('counts work as short only when that is sure', () => {
    assert.equal(isShort(event(9_000, 'Stop'), 10_000, 0), true);
    assert.equal(isShort(event(11_000, 'Stop'), 10_000, 0), false);
    assert.equal(isShort(event(11_000, 'Stop'), 10_000, undefined), false);
  });
});
