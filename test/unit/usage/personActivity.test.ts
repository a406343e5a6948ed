import assert from 'node:assert/strict';
import { activityOfPeople } from '../../../src/usage/personActivity';
import { DAYS, known } from './reports';

describe('what each person used', () => {
  it('counts no missing day and no missing figure as none', () => {
    const user = (user_id: string, billable_tokens?: number) => ({ user_id, billable_tokens });
    const first = [user('a', 5), user('b'), user('c', 1)];
    const last = [user('a', 7), user('b'), user('c')];
    const read = (days: Parameters<typeof known>[1]) =>
      Object.fromEntries(activityOfPeople(known('people', days), DAYS));
    const whole = read({ [DAYS[0]!]: first, [DAYS[1]!]: [user('d', 1)], [DAYS[2]!]: last });
    assert.deepEqual(whole['a'], { lastActiveDay: DAYS[2], tokens: 12 });
    assert.deepEqual(whole['b'], { lastActiveDay: DAYS[2], tokens: undefined });
    assert.deepEqual(whole['c']?.tokens, { value: 1, known: 2, of: 3 });
    assert.deepEqual(whole['d']?.tokens, 1);
    assert.deepEqual(read({ [DAYS[0]!]: first, [DAYS[1]!]: [], [DAYS[2]!]: last })['a']?.tokens, {
      value: 12,
      known: 2,
      of: 3,
    });
  });
});
