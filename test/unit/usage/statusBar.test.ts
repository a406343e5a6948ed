import assert from 'node:assert/strict';
import type { UsageBudget, UsageSpan } from '../../../src/settings';
import { addDays, daysOf } from '../../../src/usage/report/calendar';
import { UsageStatusBar, budgetNotice, statusText } from '../../../src/usage/statusBar';
import type { StatusBarDeps, StatusFacts } from '../../../src/usage/statusBar';
import { card } from '../../../src/ui/text';
import { Emitter } from '../../../src/util/lifecycle';
import { Formatter } from '../../../src/util/format';
import { later } from '../../fakes/cleanUp';
import { until } from '../../until';
import { begin, fetched, HOUR, known, query, type Window } from './support';

const format = new Formatter('en');
const budgetOf = (tokens: number, per: UsageBudget['per'] = 'day'): UsageBudget => ({ tokens, per });

/** A status bar as a person sees it, at work. */
function barOf({ data, clock }: Window, span: UsageSpan = 'lastDay', budget = budgetOf(0)) {
  const drawn = new Emitter<void>();
  const settingsChanged = new Emitter<void>();
  const draw = (shown: boolean): void => {
    bar.shown = shown;
    if (shown) bar.texts.push(item.text);
    drawn.fire();
  };
  const item: StatusBarDeps['item'] = {
    ...{ text: '', tooltip: undefined, accessibilityInformation: undefined },
    ...{ show: () => draw(true), hide: () => draw(false) },
  };
  const bar = {
    ...{ item, span, budget, shown: undefined as boolean | undefined, told: [] as string[] },
    /** Each one that was drawn. */
    texts: [] as string[],
    /** Resolves once it looks as wanted. */
    until: (holds: () => boolean): Promise<void> => until(drawn.event, holds),
    change: (changed: { span?: UsageSpan; budget?: UsageBudget }): void => {
      Object.assign(bar, changed);
      settingsChanged.fire();
    },
  };
  const made = new UsageStatusBar({
    ...{ usage: data, item, onDidChangeSettings: settingsChanged.event, now: clock.read },
    settings: { usageStatusBar: () => bar.span, usageBudget: () => bar.budget },
    tell: (severity, sentence) => {
      bar.told.push(`${severity}: ${sentence}`);
      drawn.fire();
    },
  });
  later(() => made.dispose());
  made.start();
  return bar;
}

describe('the status bar', () => {
  it('shows the last finished day after one call in eight windows, and another key no figure before the service has said whose days it sees', async () => {
    const { service, open, calls, ...window } = await begin();
    const bar = barOf(window);
    const bars = [bar, ...Array.from({ length: 7 }, () => barOf(open()))];
    // Days that another window is still storing come one by one.
    await Promise.all(bars.map(each => each.until(() => /[↑↓→] · /.test(each.item.text))));
    const { text, accessibilityInformation } = bar.item;
    assert.match(text, /^\$\(graph\) [\d.]+[KM] [↑↓→] · Fri, Nov 20$/);
    assert.match(String(accessibilityInformation?.label), /20, 2026 UTC/);
    bar.change({ span: '30days' });
    await bar.until(() => bar.item.text !== text);
    assert.equal(calls().length, 1);
    service.fail({ kind: 'status', status: 500 });
    bar.texts.length = 0;
    window.useKey('another key');
    await bar.until(() => bar.texts.at(-1) === '$(graph) $(warning)');
    assert.doesNotMatch(bar.texts.join(), /\d/);
    bar.change({ span: 'off' });
    await bar.until(() => !bar.shown);
  });

  it('asks for nothing while it is off, unless it watches over a budget, of each threshold of which one window tells once', async () => {
    const { open, calls, ...window } = await begin();
    const bar = barOf(window, 'off');
    await bar.until(() => bar.shown === false);
    assert.deepEqual(calls(), []);
    bar.change({ budget: budgetOf(10) });
    await bar.until(() => bar.told.length === 1);
    assert.equal(bar.shown, false);
    const told = /^warning: .* Nov 20, 2026 UTC: .+\. You have reached 100% of your budget of 10 a day\.$/;
    assert.match(bar.told[0]!, told);
    const other = barOf(open(), 'lastDay', budgetOf(10));
    await other.until(() => /\d/.test(other.item.text));
    bar.change({ budget: budgetOf(11) });
    await bar.until(() => bar.told.length === 2);
    assert.deepEqual(other.told, []);
  });

  it('says in one window that a role is missing, and of another key anew; rests in all until asked again', async () => {
    const { service, data, open, calls } = await begin();
    let key = service.keys.member;
    const windows = [open(() => key), open(() => key)] as const;
    // A window that asks nothing hears of it.
    await data.open();
    const heard = until(data.onDidChange, () => data.state().kind === 'forbidden');
    const bars = windows.map(window => barOf(window));
    const told = (): string[] => bars.flatMap(each => each.told);
    const tells = (count: number): Promise<void> =>
      Promise.race(bars.map(each => each.until(() => told().length === count)));
    await tells(1);
    await heard;
    assert.match(told().join('\n'), /^info: .*Manager or Owner role.*$/);
    assert.equal(calls().length, 1);
    // Nothing stays in the bar of who cannot read it.
    await Promise.all(bars.map(each => each.until(() => !each.shown)));
    const [first] = windows;
    first.useKey('another key');
    await tells(2);
    key = service.apiKey;
    first.clock.now += 1000;
    const { missing } = await fetched(first.data, query('tokens', '2026-11-20'), { again: true });
    assert.deepEqual([missing, first.data.state().kind], [[], 'ready']);
  });

  it('takes a finished day of which the service has nothing for a missing one: said, and not compared', async () => {
    const { answer, ...window } = await begin();
    // Long after the newest of these days.
    window.clock.now += 72 * HOUR;
    answer(({ data }) => {
      const rows = data.filter(({ date }) => date !== '2026-11-20');
      return { data: rows.map(row => ({ ...row, billable_tokens: 1000 })) };
    });
    const bar = barOf(window, '30days', budgetOf(10, 'month'));
    await bar.until(() => bar.told.length === 1);
    const days = /^warning: Billable tokens, Nov 1, 2026 – Nov 23, 2026 UTC: 22,000 \(22 of 23 days\)\. /;
    assert.match(bar.told[0]!, days);
    assert.equal(bar.item.text, '$(graph) 29K (29 of 30 days)');
    const { value } = bar.item.tooltip as { readonly value: string };
    assert.match(value.replaceAll('\u200b', ''), /^Last 30 days: 29,000 \(29 of 30 days\)$/m);
    assert.match(bar.item.accessibilityInformation!.label, /29K billable tokens \(29 of 30 days\), /);
  });

  const END = '2026-11-22';
  /** The last so many days have these figures. */
  const factsOf = (values: readonly (number | undefined)[], more: Partial<StatusFacts> = {}): StatusFacts => {
    const days = daysOf({ start: addDays(END, 1 - values.length), end: END });
    const tokens = Object.fromEntries(days.map((day, at) => [day, { billable_tokens: values[at] }]));
    return { ...{ span: 'lastDay', end: END, budget: budgetOf(0) }, known: known(tokens), ...more };
  };
  const week = (tokens: number): number[] => Array.from({ length: 7 }, () => tokens);

  it('says of which days its figures are, and how they have changed', () => {
    for (const [what, values, span, wanted, end = END] of [
      ['nothing where the service has nothing', [undefined], 'lastDay', '–'],
      ['a day with its weekday, and nothing to compare it with', [5], 'lastDay', '5 · Sun, Nov 22'],
      ['a change since the same weekday before', [10, ...week(15)], 'lastDay', '15 ↑ · Sun, Nov 22'],
      ['never a bare 0', [...week(5), ...week(0)], '7days', '0 ↓ · Last 7 days'],
      ['no change where a day of either week is missing', [...week(5).slice(1), ...week(5)], '7days', '35'],
      ['no change since a week of nothing', [...week(0), ...week(5)], '7days', '35'],
      ['how many days a sum is made of', [20], '7days', '20 (1 of 7 days)'],
      ['through which day', [...week(5), ...week(10)], '7days', '70 ↑ · through Nov 22, 2026', '2026-11-23'],
    ] as const)
      assert.equal(statusText(factsOf(values, { span, end })).text, wanted, what);
    const headings = [[], [undefined]].map(values => statusText(factsOf(values)).heading);
    const none = 'There are no token figures through Nov 22, 2026 UTC yet.';
    assert.deepEqual(headings, ['Usage is being fetched', none]);
  });

  it('draws foreign text as text, and tells of the highest threshold of a budget that is reached', () => {
    const facts = factsOf([4_200_000], { budget: budgetOf(5, 'month'), problem: 'x\u202ey' });
    const { heading, lines } = statusText(facts);
    assert.deepEqual(card(heading, lines).value.replaceAll('\u200b', '').split('\n'), [
      '**Billable tokens, Nov 22, 2026 UTC**',
      'Last finished day: 4,200,000',
      'Last 7 days: 4,200,000 (1 of 7 days)',
      'Last 30 days: 4,200,000 (1 of 30 days)',
      'Month to date: 4,200,000 (1 of 22 days)',
      'Your budget: 5 a month.',
      'Compared with the same weekdays before.',
      'Data through Nov 22, 2026 UTC.',
      `Fetched ${format.exact(1)}.`,
      'x\ufffdy',
    ]);
    const budget = budgetOf(100, 'month');
    const notices = [79, 80, 250].map(spent => budgetNotice(factsOf([spent], { budget }))?.percent);
    assert.deepEqual(notices, [undefined, 80, 100]);
  });
});
