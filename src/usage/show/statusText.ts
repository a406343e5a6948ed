import * as l10n from '@vscode/l10n';
import type { UsageBudget, UsageSpan } from '../../settings';
import { amountText, knownOf, sum, type Amount } from '../../util/amount';
import type { Formatter } from '../../util/format';
import { plain } from '../../util/text';
import { addDays, daysOf, periodBefore } from '../report/calendar';
import type { Day, DayRange } from '../report/types';

/** What the status bar may count. */
type Span = Exclude<UsageSpan, 'off'>;

/** What the status bar knows when it draws. */
export interface StatusFacts {
  readonly span: UsageSpan;
  /** Yesterday, UTC. */
  readonly end: Day;
  /** Whether anything has been fetched. */
  readonly isFetched: boolean;
  /** Billable tokens of the days that have a figure. */
  readonly values: ReadonlyMap<Day, number>;
  /** When the newest known day was fetched; Unix ms. */
  readonly fetchedAt?: number | undefined;
  /** Why the newest attempt failed; a sentence. */
  readonly problem?: string | undefined;
  readonly budget: UsageBudget;
}

interface StatusText {
  readonly text: string;
  readonly spoken: string;
  /** Of the tooltip: plain sentences, rows of equal width, and plain sentences below them. */
  readonly heading: string;
  readonly table?: string;
  readonly notes: readonly string[];
}

/** What the status bar and its tooltip say. */
export function statusText(facts: StatusFacts, format: Formatter): StatusText {
  const { values, budget, end, fetchedAt, isFetched, problem } = facts;
  const last = lastKnown(facts);
  if (last === undefined) {
    const none = isFetched
      ? l10n.t('There are no token figures through {0} UTC yet.', format.day(end))
      : l10n.t('Usage is being fetched');
    const heading = problem ?? none;
    return { text: problem === undefined ? '–' : '$(warning)', spoken: heading, heading, notes: [] };
  }
  const span = facts.span === 'off' ? '7days' : facts.span;
  const { total, change, days } = totalOf(span, last, values);
  const shown = daysText(days, format);
  const short = tokensText(total, value => format.compact(value));
  // A day may be a Sunday, and nothing is no answer before it is said of which days.
  const ofDays =
    span === 'lastDay' ? format.weekday(last) : knownOf(total) === 0 ? spanLabels()[span] : undefined;
  const through = last < end && span !== 'lastDay' ? l10n.t('through {0}', format.day(last)) : undefined;
  const trend = change === undefined ? '' : `, ${format.change(change)}`;
  const notes = [
    budget.tokens > 0 ? l10n.t('Your own budget: {0}.', budgetText(budget, format)) : undefined,
    l10n.t('Compared with the same weekdays before.'),
    l10n.t('Data through {0} UTC.', format.day(last)),
    fetchedAt === undefined ? undefined : l10n.t('Fetched {0}.', format.exact(fetchedAt)),
    problem === undefined ? undefined : plain(problem, 1_000),
  ];
  return {
    text: [`${short}${arrowOf(change)}`, ofDays, through].filter(Boolean).join(' · '),
    spoken: l10n.t('{0} billable tokens, {1} UTC{2}', short, shown, trend),
    heading: l10n.t('Billable tokens, {0} UTC', shown),
    table: table(last, values, format),
    notes: notes.filter(note => note !== undefined),
  };
}

/** Percentages of a budget at which people are told. */
const THRESHOLDS = [80, 100];

/** What is told of a budget: the highest threshold that is reached, and of which days, named by their first. */
export function budgetNotice(facts: StatusFacts, format: Formatter) {
  const { tokens, per } = facts.budget;
  const last = lastKnown(facts);
  if (last === undefined || tokens <= 0) return undefined;
  const days = spanDays(per === 'day' ? 'lastDay' : 'monthToDate', last);
  const spent = sum(valuesOver(days, facts.values));
  const percent = THRESHOLDS.findLast(each => (knownOf(spent) ?? 0) >= (tokens * each) / 100);
  if (percent === undefined) return undefined;
  const sentence = l10n.t(
    '{0} billable tokens, {1} UTC: {2}% of your own budget of {3} is reached.',
    tokensText(spent, value => format.number(value)),
    daysText(days, format),
    percent,
    budgetText(facts.budget, format),
  );
  return { id: `${per} ${days.start}`, percent, tokens, sentence };
}

function spanLabels(): Readonly<Record<Span, string>> {
  return {
    lastDay: l10n.t('Last finished day'),
    '7days': l10n.t('Last 7 days'),
    '30days': l10n.t('Last 30 days'),
    monthToDate: l10n.t('Month to date'),
  };
}

/** The days of a span that ends with `end`. */
function spanDays(span: Span, end: Day): DayRange {
  if (span === 'monthToDate') return { start: `${end.slice(0, 8)}01`, end };
  return { start: addDays(end, 1 - { lastDay: 1, '7days': 7, '30days': 30 }[span]), end };
}

/** What a span sums up to, and the change since the same weekdays before where every day of both has a figure. */
function totalOf(span: Span, end: Day, values: StatusFacts['values']) {
  const days = spanDays(span, end);
  const [total, earlier] = [days, periodBefore(days)].map(range => sum(valuesOver(range, values)));
  const isFair = typeof total === 'number' && typeof earlier === 'number' && earlier > 0;
  return { days, total, change: isFair ? (total - earlier) / earlier : undefined };
}

function valuesOver(range: DayRange, values: StatusFacts['values']): Amount[] {
  return daysOf(range).map(day => values.get(day));
}

/** The last day with a figure. */
function lastKnown({ end, values }: StatusFacts): Day | undefined {
  return [...values.keys()]
    .filter(day => day <= end)
    .sort()
    .at(-1);
}

/** A day, or from when to when. */
function daysText({ start, end }: DayRange, format: Formatter): string {
  return start === end ? format.day(end) : l10n.t('{0} – {1}', format.day(start), format.day(end));
}

function budgetText({ tokens, per }: UsageBudget, format: Formatter): string {
  const count = format.number(tokens);
  return per === 'day' ? l10n.t('{0} a day', count) : l10n.t('{0} a month', count);
}

/** With how many of the days it is made of, where that is not all of them. */
function tokensText(tokens: Amount, numberText: (value: number) => string): string {
  return amountText(tokens, numberText, (known, of) => l10n.t('{0} of {1} days', known, of)) || '–';
}

function arrowOf(change: number | undefined): string {
  if (change === undefined) return '';
  if (Math.abs(change) < 0.005) return ' →';
  return change > 0 ? ' ↑' : ' ↓';
}

function table(last: Day, values: StatusFacts['values'], format: Formatter): string {
  const rows = Object.entries(spanLabels()).map(([span, label]) => {
    const { total, change } = totalOf(span as Span, last, values);
    const trend = change === undefined ? '' : format.change(change);
    return [label, tokensText(total, value => format.number(value)), trend];
  });
  const width = (column: number): number => Math.max(...rows.map(row => row[column]?.length ?? 0));
  return rows
    .map(([name = '', total = '', trend = '']) =>
      `${name.padEnd(width(0))}  ${total.padStart(width(1))}  ${trend.padStart(width(2))}`.trimEnd(),
    )
    .join('\n');
}
