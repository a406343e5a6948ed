import assert from 'node:assert/strict';
import { addDays } from '../../../src/usage/report/calendar';
import type { TabReport } from '../../../src/usage/report/types';
import { begin, calls, cleanUp, fetched, query } from './support';

interface Body {
  readonly data: readonly { readonly date: string }[];
  readonly meta: { readonly start_date: string; readonly end_date: string };
}

const wanted = query('tokens', '2026-01-14', '2026-11-20');

describe('an answer about fewer days than were asked for', () => {
  afterEach(cleanUp);

  /** A service that answers for the days that `cut` leaves of what was asked, and says so in `meta` (section 2.1). */
  const open = async (cut: (start: string, end: string) => readonly [string, string], says = true) => {
    const { clock, service, open: window } = await begin();
    const fault = service.fail({
      kind: 'alter',
      alter: body => {
        const { data, meta } = body as Body;
        const [start_date, end_date] = cut(meta.start_date, meta.end_date);
        return {
          data: data.filter(({ date }) => date >= start_date && date <= end_date),
          meta: says ? { ...meta, start_date, end_date } : meta,
        };
      },
    });
    const { data } = window();
    const fetch = (asked = wanted): Promise<TabReport> => fetched(data, asked);
    return { clock, service, fault, fetch };
  };
  const later = (a: string, b: string): string => (a > b ? a : b);

  it('leaves no day as one without usage: the others are missing, and come when asked for again', async () => {
    const { clock, service, fault, fetch } = await open((start, end) => [
      later(start, addDays(end, -199)),
      end,
    ]);
    const made = await fetch();
    assert.deepEqual(calls(service), ['/tokens 2026-01-14..2026-11-20']);
    assert.deepEqual([made.missing.length, made.unread], [111, 111]);
    assert.equal(made.sections[0]?.table.rows.find(({ id }) => id === '2026-05-04')?.cells[1], null);
    clock.now += 1000;
    const again = await fetch();
    assert.deepEqual(calls(service).slice(1), ['/tokens 2026-01-14..2026-05-04']);
    assert.deepEqual(again.missing, []);
    fault.dispose();
    // A day is put away once.
    const asked = calls(service).length;
    await fetch();
    assert.equal(calls(service).length, asked);
  });

  it('with days that never come keeps no new day away', async () => {
    const { clock, service, fetch } = await open((start, end) => [later(start, '2026-11-01'), end]);
    assert.equal((await fetch(query('tokens', '2026-10-22', '2026-11-20'))).missing.length, 10);
    clock.now += 24 * 60 * 60 * 1000;
    const next = await fetch(query('tokens', '2026-10-22', '2026-11-21'));
    assert.equal(next.missing.length, 10);
    assert.deepEqual(calls(service).slice(1), [
      '/tokens 2026-09-17..2026-10-31',
      '/tokens 2026-11-21..2026-11-21',
    ]);
  });

  it('with the last day not there yet is no failure: the day is asked for later', async () => {
    const { clock, service, fault, fetch } = await open((start, end) => [
      start,
      end < '2026-11-19' ? end : '2026-11-19',
    ]);
    const asked = query('tokens', '2026-11-11', '2026-11-20');
    const early = await fetch(asked);
    assert.deepEqual([early.missing, early.unread, early.problem], [['2026-11-20'], 0, undefined]);
    fault.dispose();
    clock.now += 61 * 60 * 1000;
    assert.equal((await fetch(asked)).through, '2026-11-20');
    assert.equal(calls(service).at(-1), '/tokens 2026-11-20..2026-11-20');
  });

  it('that does not say so is believed', async () => {
    const { service, fetch } = await open((start, end) => [later(start, '2026-11-01'), end], false);
    const { missing, problem, unread } = await fetch(query('tokens', '2026-10-22', '2026-11-20'));
    assert.deepEqual([missing.length, unread, problem], [10, 0, undefined]);
    assert.equal(calls(service).length, 1);
  });
});
