import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Session } from '../../../src/api';
import {
  activityOf,
  isActive,
  nextCheck,
  statusOf,
  titleOf,
  untilDue,
} from '../../../src/sessions/store/model';
import { groupSessions } from '../../../src/sessions/view/groups';
import { observed, sent, sessionRecordSchema, type SessionRecord } from '../../../src/sessions/store/record';

const session = (fields: Partial<Session> = {}): Session => ({
  sessionId: 's1',
  status: 'idle',
  messageCount: 2,
  createdAt: 100,
  updatedAt: 200,
  ...fields,
});
const record = (fields: Partial<SessionRecord> = {}): SessionRecord => ({
  sessionId: 's1',
  origin: 'created',
  addedAt: 50,
  local: {},
  ...fields,
});

describe('session records', () => {
  it('keeps the newest answer, whatever the order they arrive in', () => {
    const newer = observed(record(), session({ status: 'idle' }), 20);
    const late = observed(newer, session({ status: 'running' }), 10);
    assert.equal(late, newer);
    assert.equal(observed(newer, session({ status: 'running' }), 30).session?.status, 'running');
  });

  it('takes the status a send answered until the session is read again', () => {
    const known = observed(record(), session(), 10);
    const after = sent(known, { status: 'pending', at: 20, text: 'Fix the flaky test\nplease' });
    assert.equal(statusOf(after, undefined).value, 'pending');
    assert.equal(titleOf(after), 'Fix the flaky test');
    assert.equal(statusOf(observed(after, session({ status: 'running' }), 30), undefined).value, 'running');
    assert.equal(
      statusOf(observed(after, session({ status: 'idle' }), 15), undefined).value,
      'pending',
      'asked before the send',
    );
  });

  it('keeps the first line of the first message as title, and keeps it when the service has another', () => {
    const first = sent(record(), { status: 'running', at: 1, text: '  one \n' });
    const second = sent(first, { status: 'running', at: 2, text: 'two' });
    assert.equal(titleOf(second), 'one');
    assert.equal(titleOf({ ...second, session: session({ title: 'Title' }) }), 'one');
    assert.equal(titleOf({ ...second, session: session({ title: '  ' }) }), 'one');
    assert.equal(titleOf(record()), undefined);
  });

  it('refuses what is not a record, whatever it is', () => {
    assert.throws(() => sessionRecordSchema.parse(null), /missing/);
    assert.throws(() => sessionRecordSchema.parse({ sessionId: 's', origin: 'created' }), /addedAt/);
    assert.throws(
      () => sessionRecordSchema.parse({ sessionId: '', origin: 'created', addedAt: 1 }),
      /sessionId/,
    );
    assert.throws(() => sessionRecordSchema.parse({ sessionId: 's', origin: 'x', addedAt: 1 }), /origin/);
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        try {
          assert.equal(typeof sessionRecordSchema.parse(value).sessionId, 'string');
        } catch (error) {
          assert.ok(error instanceof Error);
        }
      }),
    );
  });
});

describe('status of a session', () => {
  const problem = { at: 500, sentence: 'not reachable' };

  it('is unknown after a failed check, and says what it was before', () => {
    const running = observed(record(), session({ status: 'running' }), 400);
    assert.deepEqual(statusOf(running, problem), { value: 'unknown', at: 400, problem, last: 'running' });
    assert.ok(isActive(statusOf(running, problem)), 'still worth asking');
  });

  it('is known again after a newer answer', () => {
    const idle = observed(record(), session({ status: 'idle' }), 600);
    assert.deepEqual(statusOf(idle, problem), { value: 'idle', at: 600 });
  });

  it('is unknown before the first answer', () => {
    assert.deepEqual(statusOf(record(), undefined), { value: 'unknown', at: undefined });
    assert.equal(isActive(statusOf(record(), undefined)), false);
  });

  it('passes words it does not know', () => {
    assert.equal(
      statusOf(observed(record(), session({ status: 'hibernating' }), 1), undefined).value,
      'hibernating',
    );
  });
});

describe('groups', () => {
  it('hold every session exactly once, in order of activity', () => {
    const sessions = fc.uniqueArray(
      fc.record({
        sessionId: fc.string({ minLength: 1, maxLength: 5 }),
        status: fc.constantFrom('idle', 'running', 'pending', 'odd'),
        updatedAt: fc.nat(2000),
      }),
      { maxLength: 30, selector: each => each.sessionId },
    );
    fc.assert(
      fc.property(sessions, known => {
        const records = known.map(each =>
          record({ sessionId: each.sessionId, session: session(each), checkedAt: 1 }),
        );
        const groups = groupSessions(records, {
          grouping: 'attention',
          sorting: 'activity',
          startOfToday: 1000,
          startOfWeek: 500,
          language: 'en',
          statusOf: each => statusOf(each, undefined),
          computerName: () => undefined,
        });
        assert.deepEqual(
          groups.flatMap(group => group.sessionIds).sort(),
          known.map(each => each.sessionId).sort(),
        );
        const byId = new Map(records.map(each => [each.sessionId, each]));
        for (const group of groups) {
          const activities = group.sessionIds.map(id => activityOf(byId.get(id)!));
          assert.deepEqual(
            activities,
            [...activities].sort((a, b) => b - a),
          );
        }
      }),
    );
  });
});

describe('checks', () => {
  it('slow down while nothing changes, within bounds, and are quick again after a change', () => {
    const running = { value: 'running', at: 1 };
    assert.equal(nextCheck(running, 0, 3000), 3000);
    assert.ok(nextCheck(running, 3, 3000) > nextCheck(running, 2, 3000));
    assert.equal(nextCheck(running, 50, 3000), 30_000);
    assert.equal(nextCheck({ value: 'idle', at: 1 }, 50, 3000), 300_000);
    const failing = { value: 'unknown', last: 'running', problem: { at: 1, sentence: 'x' } };
    assert.equal(nextCheck(failing, 50, 3000), 60_000);
    assert.equal(nextCheck(failing, 0, 3000), 5_000);
  });

  it('are not made while a clock that was ahead would win over their answers, and go on as soon as it would not', () => {
    const minute = 60_000;
    const wish = { fastestMs: 3_000, eager: true, returned: false };
    const due = (aheadMs: number): number => {
      const told = record({ checkedAt: 100 * minute + aheadMs, session: session({ status: 'running' }) });
      return untilDue(told, statusOf(told, undefined), wish, 100 * minute);
    };
    assert.ok(due(minute) > minute);
    assert.equal(due(10 * minute), 0);
    assert.ok(due(-minute) < 0);
  });
});
