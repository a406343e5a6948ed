import * as vscode from 'vscode';
import { amountText, type Amount } from '../util/amount';
import type { UsageBudget } from '../settings';
import type { Formatter } from '../util/format';
import { plain } from '../util/text';
import { lengthOf } from './calendar';
import type { Day } from './report';
import { spanDays, spans, spanTotal, type DayValues, type Span } from './spans';

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

export function spanLabel(span: Span): string {
  switch (span) {
    case 'lastDay':
      return vscode.l10n.t('Last finished day');
    case '7days':
      return vscode.l10n.t('Last 7 days');
    case '30days':
      return vscode.l10n.t('Last 30 days');
    case 'monthToDate':
      return vscode.l10n.t('Month to date');
  }
}

/** The last day with a figure. */
export function lastKnown({ end, values }: Pick<StatusFacts, 'end' | 'values'>): Day | undefined {
  return [...values.keys()]
    .filter(day => day <= end)
    .sort()
    .at(-1);
}

/** What the status bar and its tooltip say; `undefined` when no day has a figure. */
export function statusText(facts: StatusFacts, format: Formatter): StatusText | undefined {
  const last = lastKnown(facts);
  if (last === undefined) return undefined;
  const { span, values, budget } = facts;
  const { total, change, days } = spanTotal(span, last, values);
  const daysText =
    days.start === days.end
      ? format.day(days.end)
      : vscode.l10n.t('{0} – {1}', format.day(days.start), format.day(days.end));
  const arrow = arrowOf(change);
  const late = lengthOf({ start: last, end: facts.end }) - 1;
  const through = late > 0 ? ` (${vscode.l10n.t('through {0}', format.day(last))})` : '';
  const short = tokensText(total, value => format.compact(value));
  const trend = change === undefined ? '' : `, ${format.change(change)}`;
  return {
    text: `$(graph) ${short}${arrow}${through}`,
    spoken: vscode.l10n.t('{0} billable tokens, {1} UTC{2}', short, daysText, trend),
    heading: vscode.l10n.t('Billable tokens, {0} UTC', daysText),
    table: table(last, values, format),
    notes: [
      ...(budget.tokens > 0
        ? [
            budget.per === 'day'
              ? vscode.l10n.t('Your own budget: {0} a day.', format.number(budget.tokens))
              : vscode.l10n.t('Your own budget: {0} a month.', format.number(budget.tokens)),
          ]
        : []),
      ...(isUneven(last)
        ? [vscode.l10n.t('Month to date is not compared: the month before has fewer days.')]
        : []),
      vscode.l10n.t('Data through {0} UTC.', format.day(last)),
      ...(facts.fetchedAt === undefined
        ? []
        : [vscode.l10n.t('Fetched {0}.', format.exact(facts.fetchedAt))]),
      ...(facts.problem === undefined ? [] : [plain(facts.problem, 1_000)]),
    ],
  };
}

/** Whether the month before ended before it had as many days. */
function isUneven(last: Day): boolean {
  const { now, before } = spanDays('monthToDate', last);
  return lengthOf(now) !== lengthOf(before);
}

/** With how many of the days it is made of, where that is not all of them. */
export function tokensText(tokens: Amount, numberText: (value: number) => string): string {
  const partText = (known: number, of: number): string => vscode.l10n.t('{0} of {1} days', known, of);
  return amountText(tokens, numberText, partText) || '–';
}

function arrowOf(change: number | undefined): string {
  if (change === undefined) return '';
  if (Math.abs(change) < 0.005) return ' →';
  return change > 0 ? ' ↑' : ' ↓';
}

function table(last: Day, values: DayValues, format: Formatter): string {
  const rows = spans.map(span => {
    const { total, change } = spanTotal(span, last, values);
    return [
      spanLabel(span),
      tokensText(total, value => format.number(value)),
      change === undefined ? '' : format.change(change),
    ];
  });
  const width = (column: number): number => Math.max(...rows.map(row => (row[column] ?? '').length));
  return rows
    .map(([name = '', total = '', change = '']) =>
      `${name.padEnd(width(0))}  ${total.padStart(width(1))}  ${change.padStart(width(2))}`.trimEnd(),
    )
    .join('\n');
}
