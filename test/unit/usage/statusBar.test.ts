import assert from 'node:assert/strict';
import type { UsageBudget, UsageSpan } from '../../../src/settings';
import { addDays, daysOf } from '../../../src/usage/report/calendar';
import { UsageStatusBar, type StatusBarDeps } from '../../../src/usage/statusBar';
import { budgetNotice, statusText, type StatusFacts } from '../../../src/usage/statusBar';
import { Emitter } from '../../../src/util/event';
import { Formatter } from '../../../src/util/format';
import { until } from '../../until';
import { answer, begin, calls, cleanUp, known, type Clock, type Window } from './support';

const bars: UsageStatusBar[] = [];

/** A status bar as a person sees it, of whose settings a test disposes. */
function barOf({ data }: Window, clock: Clock) {
  const drawn = new Emitter<void>();
  const settingsChanged = new Emitter<void>();
  const set = (shown: boolean): void => {
    item.shown = shown;
    drawn.fire();
  };
  const item: StatusBarDeps['item'] & { shown: boolean } = {
    ...{ text: '', tooltip: undefined, accessibilityInformation: undefined, shown: false },
    ...{ show: () => set(true), hide: () => set(false) },
  };
  const made = {
    ...{ item, told: [] as string[], span: 'lastDay' as UsageSpan },
    budget: { tokens: 0, per: 'day' } as UsageBudget,
    /** Resolves once it looks as wanted. */
    until: (holds: () => boolean): Promise<void> => until(drawn.event, holds),
    change: (changed: { span?: UsageSpan; budget?: UsageBudget }): void => {
      Object.assign(made, changed);
      settingsChanged.fire();
    },
    start: () => bar.start(),
  };
  const bar = new UsageStatusBar({
    ...{ usage: data, item, onDidChangeSettings: settingsChanged.event, now: clock.read },
    settings: { usageStatusBar: () => made.span, usageBudget: () => made.budget },
    format: new Formatter('en'),
    tell: (severity, sentence) => {
      made.told.push(`${severity}: ${sentence}`);
      drawn.fire();
    },
  });
  bars.push(bar);
  return made;
}

type Bar = ReturnType<typeof barOf>;
const tooltip = ({ item }: Bar): string => (item.tooltip as { readonly value: string }).value;
/** What it says each time it is drawn. */
const saying = (made: Bar, say: (made: Bar) => string): string[] => {
  const said: string[] = [];
  const { show } = made.item;
  made.item.show = () => {
    said.push(say(made));
    show();
  };
  return said;
};

describe('the status bar', () => {
  afterEach(async () => {
    for (const bar of bars.splice(0)) bar.dispose();
    await cleanUp();
  });

  it('shows the last finished day after one call, in every window', async () => {
    const { clock, service, open } = await begin();
    const made = [1, 2, 3].map(() => barOf(open(), clock));
    for (const each of made) each.start();
    // Days that another window is still storing come one by one.
    await Promise.all(made.map(each => each.until(() => /[↑↓→] · /.test(each.item.text))));
    assert.equal(calls(service).length, 1);
    assert.match(made[0]!.item.text, /^\$\(graph\) [\d.]+[KM] [↑↓→] · Fri, Nov 20$/);
    assert.match(String(made[0]!.item.accessibilityInformation?.label), /20, 2026 UTC/);
    const day = made[0]!.item.text;
    made[0]!.change({ span: '30days' });
    await made[0]!.until(() => made[0]!.item.text !== day);
    made[0]!.change({ span: 'off' });
    await made[0]!.until(() => !made[0]!.item.shown);
    assert.equal(calls(service).length, 1);
  });

  it('shows another key no figure before the service has said whose days it sees', async () => {
    const { clock, service, open } = await begin();
    const window = open();
    const made = barOf(window, clock);
    made.start();
    await made.until(() => /\d/.test(made.item.text));
    service.fail({ kind: 'status', status: 500 });
    const texts = saying(made, ({ item }) => item.text);
    window.useKey('another key');
    await made.until(() => texts.at(-1) === '$(graph) $(warning)');
    assert.doesNotMatch(texts.join(), /\d/);
  });

  it('asks for nothing while it is off', async () => {
    const { clock, service, open } = await begin();
    const made = barOf(open(), clock);
    made.span = 'off';
    const hidden = new Promise<void>(resolve => {
      made.item.hide = () => resolve();
    });
    made.start();
    await hidden;
    assert.deepEqual(calls(service), []);
  });

  it('says in one window that a role is missing, and of another key anew', async () => {
    const { clock, service, open } = await begin();
    const key = (): string => service.keys.member;
    const windows = [1, 2].map(() => open(key));
    const made = windows.map(window => barOf(window, clock));
    const told = (): string[] => made.flatMap(each => each.told);
    for (const each of made) each.start();
    await Promise.race(made.map(each => each.until(() => told().length > 0)));
    assert.match(told().join('\n'), /^info: .*Manager or Owner role.*$/);
    assert.equal(calls(service).length, 1);
    // Nothing stays in the bar of who cannot read it.
    await Promise.all(made.map(each => each.until(() => !each.item.shown)));
    windows[0]!.useKey('another key');
    await Promise.race(made.map(each => each.until(() => told().length === 2)));
  });

  it('tells once of each threshold of a budget', async () => {
    const { clock, open } = await begin();
    const [one, two] = [1, 2].map(() => barOf(open(), clock));
    for (const each of [one!, two!]) each.budget = { tokens: 10, per: 'day' };
    one!.start();
    await one!.until(() => one!.told.length === 1);
    two!.start();
    await two!.until(() => /\d/.test(two!.item.text));
    assert.match(
      one!.told[0]!,
      /^warning: .* Nov 20, 2026 UTC: 100% of your own budget of 10 a day is reached\.$/,
    );
    one!.change({ budget: { tokens: 11, per: 'day' } });
    await one!.until(() => one!.told.length === 2);
    assert.deepEqual(two!.told, []);
  });

  it('watches over a budget while it shows nothing', async () => {
    const { clock, open } = await begin();
    const made = barOf(open(), clock);
    made.span = 'off';
    made.budget = { tokens: 10, per: 'day' };
    made.start();
    await made.until(() => made.told.length === 1);
    assert.equal(made.item.shown, false);
  });

  it('takes a finished day of which the service has nothing for a missing one: said, and not compared', async () => {
    const { clock, service, open } = await begin();
    // Long after the newest of these days.
    clock.now += 3 * 24 * 60 * 60 * 1000;
    answer(service, rows =>
      rows.filter(({ date }) => date !== '2026-11-20').map(row => ({ ...row, billable_tokens: 1000 })),
    );
    const made = barOf(open(), clock);
    made.span = '30days';
    made.budget = { tokens: 10, per: 'month' };
    made.start();
    await made.until(() => made.told.length === 1);
    assert.match(
      made.told[0]!,
      /^warning: 22,000 \(22 of 23 days\) billable tokens, Nov 1, 2026 – Nov 23, 2026 UTC: /,
    );
    assert.equal(made.item.text, '$(graph) 29K (29 of 30 days)');
    assert.match(tooltip(made), /Last 30 days +29,000 \(29 of 30 days\)$/m);
    assert.match(String(made.item.accessibilityInformation?.label), /29K \(29 of 30 days\) billable tokens/);
  });

  it('says that the service has nothing of the days shown', async () => {
    const { clock, service, open } = await begin();
    answer(service, () => []);
    const none = barOf(open(), clock);
    const sentences = saying(none, tooltip);
    none.start();
    await none.until(() => sentences.at(-1) === 'There are no token figures through Nov 20, 2026 UTC yet.');
    assert.equal(sentences[0], 'Usage is being fetched');
    assert.equal(none.item.text, '$(graph) –');
  });

  const END = '2026-11-22';
  /** The last so many days have these figures. */
  const factsOf = (values: readonly number[], more: Partial<StatusFacts> = {}): StatusFacts => {
    const days = daysOf({ start: addDays(END, 1 - values.length), end: END });
    const tokens = Object.fromEntries(days.map((day, at) => [day, { billable_tokens: values[at]! }]));
    const facts = { span: 'lastDay', end: END, budget: { tokens: 0, per: 'day' } } as const;
    return { ...facts, known: known('tokens', tokens), ...more };
  };
  const told = (...asked: Parameters<typeof factsOf>) => statusText(factsOf(...asked), new Formatter('en'));
  const week = (tokens: number): number[] => Array.from({ length: 7 }, () => tokens);
  for (const [what, values, span, wanted, end = END] of [
    ['a day with its weekday, and nothing to compare it with', [5], 'lastDay', '5 · Sun, Nov 22'],
    ['a change since the same weekday before', [10, ...week(15)], 'lastDay', '15 ↑ · Sun, Nov 22'],
    ['never a bare 0', [...week(5), ...week(0)], '7days', '0 ↓ · Last 7 days'],
    ['no change where a day of either week is missing', [...week(5).slice(1), ...week(5)], '7days', '35'],
    ['how many days a sum is made of', [20], '7days', '20 (1 of 7 days)'],
    ['through which day', [...week(5), ...week(10)], '7days', '70 ↑ · through Nov 22, 2026', '2026-11-23'],
  ] as const)
    it(`says ${what}`, () => assert.equal(told(values, { span, end }).text, wanted));

  it('draws foreign text as text', () => {
    const { notes } = told([4_200_000], { budget: { tokens: 5, per: 'month' }, problem: 'x\u202ey' });
    assert.deepEqual(notes, [
      'Your own budget: 5 a month.',
      'Compared with the same weekdays before.',
      'Data through Nov 22, 2026 UTC.',
      `Fetched ${new Formatter('en').exact(1)}.`,
      'x\ufffdy',
    ]);
  });

  it('tells of the highest threshold of a budget that is reached', () => {
    const budget = { tokens: 100, per: 'month' } as const;
    const percents = [79, 80, 250].map(
      spent => budgetNotice(factsOf([spent], { budget }), new Formatter('en'))?.percent,
    );
    assert.deepEqual(percents, [undefined, 80, 100]);
  });
});
