import assert from 'node:assert/strict';
import type { UsageBudget, UsageSpan } from '../../../src/settings';
import { addDays, daysOf } from '../../../src/usage/report/calendar';
import { UsageStatusBar, type StatusBarDeps } from '../../../src/usage/statusBar';
import { budgetNotice, statusText, type StatusFacts } from '../../../src/usage/statusBar';
import { Emitter } from '../../../src/util/lifecycle';
import { Formatter } from '../../../src/util/format';
import { cleanUp, later } from '../../fakes/cleanUp';
import { until } from '../../until';
import { answer, begin, calls, fetched, known, query, type Clock, type Window } from './support';

const format = new Formatter('en');

/** A status bar as a person sees it, of whose settings a test disposes. */
function barOf({ data }: Window, clock: Clock, span: UsageSpan = 'lastDay', tokens = 0) {
  const drawn = new Emitter<void>();
  const settingsChanged = new Emitter<void>();
  const set = (shown: boolean): void => {
    made.shown = shown;
    const { value = '' } = (item.tooltip ?? {}) as { readonly value?: string };
    if (shown) made.said.push({ text: item.text, tooltip: value });
    drawn.fire();
  };
  const item: StatusBarDeps['item'] = {
    ...{ text: '', tooltip: undefined, accessibilityInformation: undefined },
    ...{ show: () => set(true), hide: () => set(false) },
  };
  const made = {
    ...{ item, span, shown: undefined as boolean | undefined, told: [] as string[] },
    /** Each time it was drawn. */
    said: [] as { readonly text: string; readonly tooltip: string }[],
    budget: { tokens, per: 'day' } as UsageBudget,
    /** Resolves once it looks as wanted. */
    until: (holds: () => boolean): Promise<void> => until(drawn.event, holds),
    change: (changed: { span?: UsageSpan; budget?: UsageBudget }): void => {
      Object.assign(made, changed);
      settingsChanged.fire();
    },
    start: () => bar.start(),
  };
  const bar = new UsageStatusBar({
    ...{ usage: data, item, onDidChangeSettings: settingsChanged.event, now: clock.read, format },
    settings: { usageStatusBar: () => made.span, usageBudget: () => made.budget },
    tell: (severity, sentence) => {
      made.told.push(`${severity}: ${sentence}`);
      drawn.fire();
    },
  });
  later(() => bar.dispose());
  return made;
}

describe('the status bar', () => {
  afterEach(cleanUp);

  it('shows the last finished day after one call, in all of eight windows', async () => {
    const { clock, service, open } = await begin();
    const bars = Array.from({ length: 8 }, () => barOf(open(), clock));
    for (const each of bars) each.start();
    // Days that another window is still storing come one by one.
    await Promise.all(bars.map(each => each.until(() => /[↑↓→] · /.test(each.item.text))));
    const [made] = bars;
    const { text, accessibilityInformation } = made!.item;
    assert.match(text, /^\$\(graph\) [\d.]+[KM] [↑↓→] · Fri, Nov 20$/);
    assert.match(String(accessibilityInformation?.label), /20, 2026 UTC/);
    made!.change({ span: '30days' });
    await made!.until(() => made!.item.text !== text);
    made!.change({ span: 'off' });
    await made!.until(() => !made!.shown);
    assert.equal(calls(service).length, 1);
  });

  it('shows another key no figure before the service has said whose days it sees', async () => {
    const { clock, service, open } = await begin();
    const window = open();
    const made = barOf(window, clock);
    made.start();
    await made.until(() => /\d/.test(made.item.text));
    service.fail({ kind: 'status', status: 500 });
    made.said.length = 0;
    window.useKey('another key');
    await made.until(() => made.said.at(-1)?.text === '$(graph) $(warning)');
    assert.doesNotMatch(made.said.map(({ text }) => text).join(), /\d/);
  });

  it('asks for nothing while it is off, unless it watches over a budget', async () => {
    const { clock, service, open } = await begin();
    const made = barOf(open(), clock, 'off');
    made.start();
    await made.until(() => made.shown === false);
    assert.deepEqual(calls(service), []);
    made.change({ budget: { tokens: 10, per: 'day' } });
    await made.until(() => made.told.length === 1);
    assert.equal(made.shown, false);
  });

  it('says in one window that a role is missing, and of another key anew; rests in all until asked again', async () => {
    const { clock, service, open } = await begin();
    let key = service.keys.member;
    const windows = [1, 2].map(() => open(() => key));
    const bars = windows.map(window => barOf(window, clock));
    const told = (): string[] => bars.flatMap(each => each.told);
    const tells = (count: number): Promise<void> =>
      Promise.race(bars.map(each => each.until(() => told().length === count)));
    // A window that asks nothing hears of it.
    const { data } = open();
    await data.open();
    const heard = until(data.onDidChange, () => data.state().kind === 'forbidden');
    for (const each of bars) each.start();
    await tells(1);
    await heard;
    assert.match(told().join('\n'), /^info: .*Manager or Owner role.*$/);
    assert.equal(calls(service).length, 1);
    // Nothing stays in the bar of who cannot read it.
    await Promise.all(bars.map(each => each.until(() => !each.shown)));
    windows[0]!.useKey('another key');
    await tells(2);
    key = service.apiKey;
    clock.now += 1000;
    const wanted = query('tokens', '2026-11-20', '2026-11-20');
    const { missing } = await fetched(windows[0]!.data, wanted, { again: true });
    assert.deepEqual([missing, windows[0]!.data.state().kind], [[], 'ready']);
  });

  it('tells once of each threshold of a budget', async () => {
    const { clock, open } = await begin();
    const [one, two] = [1, 2].map(() => barOf(open(), clock, 'lastDay', 10));
    one!.start();
    await one!.until(() => one!.told.length === 1);
    two!.start();
    await two!.until(() => /\d/.test(two!.item.text));
    const told = /^warning: .* Nov 20, 2026 UTC: 100% of your own budget of 10 a day is reached\.$/;
    assert.match(one!.told[0]!, told);
    one!.change({ budget: { tokens: 11, per: 'day' } });
    await one!.until(() => one!.told.length === 2);
    assert.deepEqual(two!.told, []);
  });

  it('takes a finished day of which the service has nothing for a missing one: said, and not compared', async () => {
    const { clock, service, open } = await begin();
    // Long after the newest of these days.
    clock.now += 3 * 24 * 60 * 60 * 1000;
    answer(service, ({ data }) => {
      const rows = data.filter(({ date }) => date !== '2026-11-20');
      return { data: rows.map(row => ({ ...row, billable_tokens: 1000 })) };
    });
    const made = barOf(open(), clock, '30days');
    made.budget = { tokens: 10, per: 'month' };
    made.start();
    await made.until(() => made.told.length === 1);
    const days = /^warning: 22,000 \(22 of 23 days\) billable tokens, Nov 1, 2026 – Nov 23, 2026 UTC: /;
    assert.match(made.told[0]!, days);
    const { text, tooltip } = made.said.at(-1)!;
    assert.equal(text, '$(graph) 29K (29 of 30 days)');
    assert.match(tooltip, /Last 30 days +29,000 \(29 of 30 days\)$[^]*Your own budget: 10 a month\./m);
    const { label } = made.item.accessibilityInformation!;
    assert.match(label, /29K \(29 of 30 days\) billable tokens/);
  });

  it('says that the service has nothing of the days shown', async () => {
    const { clock, service, open } = await begin();
    answer(service, () => ({ data: [] }));
    const { said, ...none } = barOf(open(), clock);
    none.start();
    const last = 'There are no token figures through Nov 20, 2026 UTC yet.';
    await none.until(() => said.at(-1)?.tooltip === last);
    assert.equal(said[0]?.tooltip, 'Usage is being fetched');
    assert.equal(said.at(-1)?.text, '$(graph) –');
  });

  const END = '2026-11-22';
  /** The last so many days have these figures. */
  const factsOf = (values: readonly number[], more: Partial<StatusFacts> = {}): StatusFacts => {
    const days = daysOf({ start: addDays(END, 1 - values.length), end: END });
    const tokens = Object.fromEntries(days.map((day, at) => [day, { billable_tokens: values[at]! }]));
    const facts = { span: 'lastDay', end: END, budget: { tokens: 0, per: 'day' } } as const;
    return { ...facts, known: known('tokens', tokens), ...more };
  };
  const week = (tokens: number): number[] => Array.from({ length: 7 }, () => tokens);
  for (const [what, values, span, wanted, end = END] of [
    ['a day with its weekday, and nothing to compare it with', [5], 'lastDay', '5 · Sun, Nov 22'],
    ['a change since the same weekday before', [10, ...week(15)], 'lastDay', '15 ↑ · Sun, Nov 22'],
    ['never a bare 0', [...week(5), ...week(0)], '7days', '0 ↓ · Last 7 days'],
    ['no change where a day of either week is missing', [...week(5).slice(1), ...week(5)], '7days', '35'],
    ['no change since a week of nothing', [...week(0), ...week(5)], '7days', '35'],
    ['how many days a sum is made of', [20], '7days', '20 (1 of 7 days)'],
    ['through which day', [...week(5), ...week(10)], '7days', '70 ↑ · through Nov 22, 2026', '2026-11-23'],
  ] as const)
    it(`says ${what}`, () => assert.equal(statusText(factsOf(values, { span, end }), format).text, wanted));

  it('draws foreign text as text, and tells of the highest threshold of a budget that is reached', () => {
    const facts = factsOf([4_200_000], { budget: { tokens: 5, per: 'month' }, problem: 'x\u202ey' });
    assert.deepEqual(statusText(facts, format).notes, [
      'Your own budget: 5 a month.',
      'Compared with the same weekdays before.',
      'Data through Nov 22, 2026 UTC.',
      `Fetched ${format.exact(1)}.`,
      'x\ufffdy',
    ]);
    for (const [spent, percent] of [[79], [80, 80], [250, 100]] as const) {
      const notice = budgetNotice(factsOf([spent], { budget: { tokens: 100, per: 'month' } }), format);
      assert.equal(notice?.percent, percent);
    }
  });
});
