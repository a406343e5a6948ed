import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { addDays, daysOf, lengthOf, periodBefore, runsOf } from '../../../src/usage/report/calendar';
import { activityOfPeople } from '../../../src/usage/report/people';

const day = fc.integer({ min: 0, max: 900 }).map(count => addDays('2026-01-14', count));

describe('days', () => {
  it('come in the fewest runs that hold just them', () => {
    fc.assert(
      fc.property(fc.array(day, { maxLength: 60 }), days => {
        const runs = runsOf(days);
        assert.deepEqual(runs.flatMap(daysOf), [...new Set(days)].sort());
        runs.slice(1).forEach((next, at) => assert.ok(addDays(runs[at]!.end, 1) < next.start));
      }),
    );
  });

  it('are compared with the same weekdays before: a period of the same length, some whole weeks earlier', () => {
    fc.assert(
      fc.property(day, fc.integer({ min: 1, max: 400 }), (start, length) => {
        const range = { start, end: addDays(start, length - 1) };
        const before = periodBefore(range);
        assert.equal(lengthOf(before), length);
        assert.ok(before.end < start && addDays(before.end, 7) >= start, 'as near as can be');
        assert.equal(new Date(before.start).getUTCDay(), new Date(start).getUTCDay());
      }),
    );
    const month = { start: '2026-03-01', end: '2026-03-31' };
    assert.deepEqual(periodBefore(month), { start: '2026-01-25', end: '2026-02-24' });
  });

  it('without a figure of a person are not counted as days without use', () => {
    const user = (user_id: string, billable_tokens?: number) => ({ user_id, billable_tokens });
    const days = [
      [user('a', 5), user('b'), user('c', 1)],
      [user('d', 1)],
      [user('a', 7), user('b'), user('c')],
    ];
    const read = (rows: typeof days) =>
      Object.fromEntries(
        activityOfPeople(rows.map((day, at) => day.map(each => ({ ...each, date: `2026-11-0${at + 1}` })))),
      );
    const { a, b, c, d } = read(days);
    assert.deepEqual(a, { lastActiveDay: '2026-11-03', tokens: 12 });
    assert.deepEqual(b, { lastActiveDay: '2026-11-03', tokens: undefined });
    assert.deepEqual([c?.tokens, d?.tokens], [{ value: 1, known: 2, of: 3 }, 1]);
    assert.deepEqual(read([days[0]!, [], days[2]!])['a']?.tokens, { value: 12, known: 2, of: 3 });
  });
});
