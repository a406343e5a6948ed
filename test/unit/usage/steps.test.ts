import assert from 'node:assert/strict';
import { daysOf } from '../../../src/usage/report/calendar';
import type { KnownDays } from '../../../src/usage/days';
import { report, type Extras } from '../../../src/usage/report/report';
import type { Steps } from '../../../src/usage/report/types';
import { inTurns } from '../../../src/usage/data';
import { tokenRows, userRows } from '../../fakes/usage';
import { query } from './support';

const SIZE = { days: 30, people: 100 };
const RANGE = { start: '2026-01-14', end: '2026-02-12' };
const extras: Extras = {
  bounds: RANGE,
  directory: [{ id: 'somebody else' }],
  revisions: [],
  salt: '',
};

/** Rows as the service gives them, each read of a field of which is told. */
function known(tab: 'people' | 'tokens', onRead: () => void): KnownDays {
  const rows = tab === 'people' ? userRows(SIZE) : tokenRows(SIZE);
  const watched = (value: object): object =>
    new Proxy(value, {
      get: (target, name) => {
        const field: unknown = Reflect.get(target, name);
        if (typeof name === 'string') onRead();
        return typeof field === 'object' && field !== null ? watched(field) : field;
      },
    });
  return new Map(
    daysOf(RANGE).map(day => [
      day,
      { at: 0, rows: rows.filter(({ date }) => date === day).map(watched) as never, problems: [] },
    ]),
  );
}

describe('work in steps', () => {
  it('lets others have their turn', async () => {
    let others = 0;
    let over = false;
    const tick = (): void => {
      others++;
      if (!over) setImmediate(tick);
    };
    setImmediate(tick);
    const before: number[] = [];
    function* work(): Steps<string> {
      for (let step = 0; step < 4; step++) {
        before.push(others);
        for (const until = performance.now() + 10; performance.now() < until;);
        yield;
      }
      return 'done';
    }
    assert.equal(await inTurns(work()), 'done');
    over = true;
    assert.deepEqual(before, [...new Set(before)], 'somebody else between any two');
  });

  for (const tab of ['people', 'tokens'] as const) {
    it(`a report of ${tab} never reads all of its days and people at once`, () => {
      let reads = 0;
      const days = known(tab, () => reads++);
      const steps = report(query(tab, RANGE.start, RANGE.end), days, extras);
      const each: number[] = [];
      for (let isDone = false; !isDone; reads = 0) {
        isDone = steps.next().done === true;
        each.push(reads);
      }
      const most = Math.max(...each);
      const all = each.reduce((sum, count) => sum + count);
      assert.ok(all > 30_000, `${all} reads`);
      assert.ok(most < all / 5, `${most} of ${all} reads in one step`);
    });
  }
});
