import assert from 'node:assert/strict';
import fc from 'fast-check';
import { decodeEvent, EVENT_CAP } from '../../../src/hooks/model';

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
      '['.repeat(EVENT_CAP),
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
