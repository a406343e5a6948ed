import assert from 'node:assert/strict';
import { inTurns } from '../../../src/usage/data';
import type { Steps } from '../../../src/usage/report/types';
import * as fc from 'fast-check';
import {
  addDays,
  firstState,
  lengthOf,
  pageState,
  queryOf,
  type Preset,
  type UsageProtocol,
} from '../../../src/usage/protocol';
import { pageSide } from '../../../src/webview/ipc';
import { activityOfPeople } from '../../../src/usage/report/people';
import { daysOf, periodBefore, runsOf } from '../../../src/usage/report/calendar';
import { bounds, FakeDashboard } from '../../fakes/usage';
import { until } from '../../until';

const stages: Stage[] = [];

/** A dashboard, and a page's end that talks with it. */
class Stage extends FakeDashboard {
  readonly heard: string[] = [];
  readonly page = pageSide<UsageProtocol>(
    {
      changed: ({ bounds: { end }, state }) => this.heard.push(`${state.kind} through ${end}`),
      fetching: now => this.heard.push(now === null ? 'over' : now.label),
    },
    message => this.panel?.receive(message),
  );

  constructor() {
    super(message => this.page.receive(message));
    stages.push(this);
  }
}

const query = queryOf(firstState, bounds);
const day = fc
  .date({ min: new Date('2020-01-01'), max: new Date('2030-01-01'), noInvalidDate: true })
  .map(date => date.toISOString().slice(0, 10));

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

  it('of the dashboard always lie within what may be asked for, whatever is chosen', () => {
    const preset = fc.constantFrom<Preset>('7', '30', '90', 'all', 'custom');
    fc.assert(
      fc.property(preset, day, day, (chosen, a, b) => {
        const custom = a <= b ? { start: a, end: b } : { start: b, end: a };
        const { range } = queryOf({ ...firstState, preset: chosen, custom }, bounds);
        assert.ok(range.start >= bounds.start && range.end <= bounds.end && range.start <= range.end);
        if (chosen !== 'custom' && chosen !== 'all') assert.equal(lengthOf(range), Number(chosen));
      }),
    );
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

describe('the dashboard', () => {
  afterEach(() => {
    for (const { dashboard } of stages.splice(0)) dashboard.dispose();
  });

  it('fetches what a report lacks without being asked, once for the same days', async () => {
    const { page, source } = new Stage();
    source.forget(2);
    source.fetch = (asked, { again }) => {
      source.fetched.push({ query: asked, again: again === true });
      return Promise.resolve(undefined);
    };
    const other = { ...query, range: { start: addDays(bounds.end, -3), end: bounds.end } };
    for (const asked of [query, { ...query, compare: true }, other, query])
      await page.request('report', asked);
    await page.request('fetch', { query: other, again: true });
    await page.request('report', other);
    const told = source.fetched.map(({ query: { range }, again }) => `${lengthOf(range)} ${again}`);
    assert.deepEqual(told, ['30 false', '4 false', '30 false', '4 true']);
    // Whoever has another key may have another answer.
    source.orgId = 'org_other';
    await page.request('report', other);
    assert.equal(source.fetched.length, 5);
    // Whose days a new key sees is known after their fetch, which is the only one.
    for (const orgId of [undefined, 'org_new', 'org_new']) {
      source.orgId = orgId;
      await page.request('report', other);
      assert.equal(source.fetched.length, 6);
    }
  });

  it('begins anew where a page is said to have kept what makes no sense', () => {
    for (const [start, end] of [
      ['2026-02-30', '2026-03-01'],
      ['2026-03-02', '2026-03-01'],
    ])
      assert.ok(!pageState({ ...firstState, custom: { start, end } }), start);
    for (const kept of [null, { ...firstState, tab: 'passwords' }, { ...firstState, extra: 1 }])
      assert.ok(!pageState(kept), JSON.stringify(kept));
    assert.ok(pageState(structuredClone(firstState)));
  });

  it('ends a fetch for a newer one, when it is cancelled, and when the page goes', async () => {
    const { dashboard, page, problems, source } = new Stage();
    source.fetchGate = new Promise(() => undefined);
    const acts: (() => unknown)[] = [
      () => page.notify('fetch', { query, again: true }),
      () => page.notify('cancel', {}),
      () => dashboard.pageGone(),
      () => page.notify('ready', {}),
    ];
    for (const act of acts) {
      const { ended } = source;
      const given = page.request('fetch', { query, again: true });
      await until(() => source.running === 1);
      act();
      assert.equal(await given, false);
      assert.ok(source.ended > ended);
      dashboard.pageGone();
      await until(() => source.running === 0);
    }
    assert.deepEqual(problems, []);
  });

  it('tells of changes, and of another finished day when somebody looks again', () => {
    const { dashboard, heard, source } = new Stage();
    source.become({ kind: 'forbidden', sentence: 'No.' });
    dashboard.lookAgain();
    source.bounds = { ...bounds, end: addDays(bounds.end, 1) };
    dashboard.lookAgain();
    dashboard.lookAgain();
    dashboard.dispose();
    source.become({ kind: 'ready' });
    assert.deepEqual(heard, ['forbidden through 2026-11-20', 'forbidden through 2026-11-21']);
  });

  it('saves under a name of its own only', async () => {
    const { copied, page, problems, saved } = new Stage();
    await page.request('save', { name: 'usage-tools-2026-11-01.csv', text: 'abc' });
    await page.request('copy', { text: 'abcd' });
    for (const name of ['../usage-x.csv', 'usage-x.exe', 'usage-x/y.csv'])
      await assert.rejects(page.request('save', { name, text: '' }));
    assert.deepEqual(saved, [{ name: 'usage-tools-2026-11-01.csv', text: 'abc' }]);
    assert.deepEqual([copied, problems.length], [['abcd'], 3]);
  });

  it('lets others have their turn while a report is made', async () => {
    let others = 0;
    const tick = (): void => {
      others++;
      if (before.length < 4) setImmediate(tick);
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
    assert.deepEqual(before, [...new Set(before)], 'somebody else between any two');
  });
});
