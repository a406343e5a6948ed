import assert from 'node:assert/strict';
import { statusOf, untilDue, failed, observed, sent, signalled } from '../../../src/sessions/store/record';
import { recordOf, sessionOf } from './support';

describe('session records', () => {
  it('take what comes after an answer that a clock far ahead has dated', () => {
    const ahead = observed(recordOf(), sessionOf({ status: 'running' }), 365 * 24 * 3_600_000);
    assert.equal(observed(ahead, sessionOf(), 1_000_000).session?.status, 'idle');
  });
});

describe('what a hook told', () => {
  const waiting = { sessionId: 's1', kind: 'waiting', at: 1_000 } as const;
  const told = signalled(recordOf(), waiting);

  it('stays for older and repeated events, and goes with the next message at the service', () => {
    assert.equal(signalled(told, { ...waiting, kind: 'ended', at: 900 }), told);
    assert.equal(signalled(told, waiting), told);
    const seen = observed(told, sessionOf(), 1_100);
    assert.equal(seen.signal?.kind, 'waiting');
    assert.equal(observed(seen, sessionOf({ messageCount: 3 }), 1_200).signal, undefined);
  });

  it('says nothing of a session that has moved on before the event was read', () => {
    for (const [updatedAt, kind] of [
      [200_000, undefined],
      [100_500, 'waiting'],
      [99_000, 'waiting'],
    ] as const) {
      const [event, session] = [{ ...waiting, at: 100_000 }, sessionOf({ updatedAt })];
      const known = observed(recordOf(), session, 300_000);
      assert.equal(signalled(known, event).signal?.kind, kind);
      assert.equal(observed(signalled(recordOf(), event), session, 300_000).signal?.kind, kind);
      assert.equal(signalled(known, { ...event, at: 400_000 }).signal?.at, 400_000, 'it waits again');
    }
  });
});

describe('the work of a session', () => {
  it('is remembered when it has ended', () => {
    const asked = sent(observed(recordOf(), sessionOf(), 100), { status: 'pending', at: 900, text: 'Go' });
    const working = observed(asked, sessionOf({ status: 'running' }), 950);
    assert.deepEqual(observed(working, sessionOf(), 970).work, { at: 950 });
  });
});

describe('checks', () => {
  it('slow down while nothing happens, within bounds, and are quick again after a message', () => {
    const now = 1_800_000_000_000;
    const HOUR = 3_600_000;
    const pause = (quietMs: number, status: string, eager = false): number => {
      const session = sessionOf({ status, updatedAt: now - quietMs });
      const told = recordOf({ session, checkedAt: now });
      const wish = { eager, inFront: false };
      return Math.round(untilDue(told, statusOf(told, undefined), wish, 3_000, now) / 0.9);
    };
    assert.deepEqual([pause(0, 'running'), pause(100_000, 'running')], [3_000, 10_000]);
    assert.deepEqual([pause(HOUR, 'running'), pause(HOUR, 'idle')], [30_000, 300_000]);
    assert.deepEqual([pause(600_000, 'idle'), pause(HOUR, 'idle', true)], [60_000, 30_000]);
    const told = recordOf({ session: sessionOf({ updatedAt: now - HOUR }), checkedAt: now });
    const answered = sent(told, { status: undefined, at: now, text: 'Go on' });
    const failing = failed(answered, { at: now, sentence: 'x' });
    const wish = { eager: false, inFront: false };
    assert.equal(untilDue(failing, statusOf(failing, failing.check?.problem), wish, 3_000, now), 27_000);
    const busy = sent(told, { status: 'pending', at: now, text: 'Go on' });
    assert.equal(untilDue(busy, statusOf(busy, undefined), wish, 3_000, now), 2_700);
    // Also after a change that the service does not date.
    const changed = observed(told, sessionOf({ updatedAt: now - HOUR, status: 'running' }), now);
    assert.equal(untilDue(changed, statusOf(changed, undefined), wish, 3_000, now), 2_700);
  });

  it('are not made while a clock that was ahead would win over their answers, and go on as soon as it would not', () => {
    const minute = 60_000;
    const wish = { eager: true, inFront: false };
    const due = (aheadMs: number): number => {
      const told = recordOf({ checkedAt: 100 * minute + aheadMs, session: sessionOf({ status: 'running' }) });
      return untilDue(told, statusOf(told, undefined), wish, 3_000, 100 * minute);
    };
    assert.ok(due(minute) > minute);
    assert.equal(due(10 * minute), 0);
    assert.ok(due(-minute) < 0);
  });
});
