import * as l10n from '@vscode/l10n';
import type { UsageBudget } from '../../settings';
import { amountText, knownOf, type Amount } from '../../util/amount';
import type { Formatter } from '../../util/format';
import { plain } from '../../util/text';
import { spans, spanTotal, type DayValues, type Span } from '../report/spans';
import type { Day, DayRange } from '../report/types';

/** What the status bar knows when it draws. */
export interface StatusFacts {
  readonly span: Span;
  /** Yesterday, UTC. */
  readonly end: Day;
  /** Billable tokens of the days that have a figure. */
  readonly values: DayValues;
  /** When the newest known day was fetched; Unix ms. */
  readonly fetchedAt?: number | undefined;
  /** Why the newest attempt failed; a sentence. */
  readonly problem?: string | undefined;
  readonly budget: UsageBudget;
}

export interface StatusText {
  readonly text: string;
  readonly spoken: string;
  /** Plain sentences above the table. */
  readonly heading: string;
  /** Rows of equal width. */
  readonly table: string;
  /** Plain sentences below the table. */
  readonly notes: readonly string[];
}

function spanLabels(): Readonly<Record<Span, string>> {
  return {
    lastDay: l10n.t('Last finished day'),
    '7days': l10n.t('Last 7 days'),
    '30days': l10n.t('Last 30 days'),
    monthToDate: l10n.t('Month to date'),
  };
}

/** A day, or from when to when. */
export function daysText({ start, end }: DayRange, format: Formatter): string {
  return start === end ? format.day(end) : l10n.t('{0} – {1}', format.day(start), format.day(end));
}

export function budgetText({ tokens, per }: UsageBudget, format: Formatter): string {
  const count = format.number(tokens);
  return per === 'day' ? l10n.t('{0} a day', count) : l10n.t('{0} a month', count);
}

/** The last day with a figure. */
export function lastKnown({ end, values }: Pick<StatusFacts, 'end' | 'values'>): Day | undefined {
  const [last] = [...values.keys()].filter(day => day <= end).sort((a, b) => (a < b ? 1 : -1));
  return last;
}

/** What the status bar and its tooltip say; `undefined` when no day has a figure. */
export function statusText(facts: StatusFacts, format: Formatter): StatusText | undefined {
  const last = lastKnown(facts);
  if (last === undefined) return undefined;
  const { span, values, budget, end, fetchedAt, problem } = facts;
  const { total, change, days } = spanTotal(span, last, values);
  const shown = daysText(days, format);
  const short = tokensText(total, value => format.compact(value));
  // A day may be a Sunday, and nothing is no answer before it is said of which days.
  const ofDays =
    span === 'lastDay' ? format.weekday(last) : knownOf(total) === 0 ? spanLabels()[span] : undefined;
  const through = last < end && span !== 'lastDay' ? l10n.t('through {0}', format.day(last)) : undefined;
  const text = `${short}${arrowOf(change)}`;
  const trend = change === undefined ? '' : `, ${format.change(change)}`;
  const notes = [
    budget.tokens > 0 ? l10n.t('Your own budget: {0}.', budgetText(budget, format)) : undefined,
    l10n.t('Compared with the same weekdays before.'),
    l10n.t('Data through {0} UTC.', format.day(last)),
    fetchedAt === undefined ? undefined : l10n.t('Fetched {0}.', format.exact(fetchedAt)),
    problem === undefined ? undefined : plain(problem, 1_000),
  ];
  return {
    text: `$(graph) ${[text, ofDays, through].filter(Boolean).join(' · ')}`,
    spoken: l10n.t('{0} billable tokens, {1} UTC{2}', short, shown, trend),
    heading: l10n.t('Billable tokens, {0} UTC', shown),
    table: table(last, values, format),
    notes: notes.filter(note => note !== undefined),
  };
}

/** With how many of the days it is made of, where that is not all of them. */
export function tokensText(tokens: Amount, numberText: (value: number) => string): string {
  return amountText(tokens, numberText, (known, of) => l10n.t('{0} of {1} days', known, of)) || '–';
}

function arrowOf(change: number | undefined): string {
  if (change === undefined) return '';
  if (Math.abs(change) < 0.005) return ' →';
  return change > 0 ? ' ↑' : ' ↓';
}

function table(last: Day, values: DayValues, format: Formatter): string {
  const labels = spanLabels();
  const rows = spans.map(span => {
    const { total, change } = spanTotal(span, last, values);
    return [
      labels[span],
      tokensText(total, value => format.number(value)),
      change === undefined ? '' : format.change(change),
    ] as const;
  });
  const width = (column: 0 | 1 | 2): number => Math.max(...rows.map(row => row[column].length));
  return rows
    .map(([name, total, change]) =>
      `${name.padEnd(width(0))}  ${total.padStart(width(1))}  ${change.padStart(width(2))}`.trimEnd(),
    )
    .join('\n');
}
