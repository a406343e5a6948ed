import * as vscode from 'vscode';
import type { Formatter } from '../util/format';
import { plain } from '../util/text';
import { addDays, daysOf, lengthOf } from './calendar';
import type { Day } from './report';
import { sparkline, spanDays, spans, spanTotal, type Span, type SpanTotal } from './spans';

/** What the status bar knows when it draws. */
export interface StatusFacts {
  readonly span: Span;
  /** Yesterday, UTC. */
  readonly end: Day;
  /** Billable tokens of each known day; `undefined` for a day without a figure. */
  readonly values: ReadonlyMap<Day, number | undefined>;
  /** When the newest known day was fetched; Unix ms. */
  readonly fetchedAt?: number | undefined;
  /** Why the newest attempt failed; a sentence. */
  readonly problem?: string | undefined;
  readonly budget: { readonly tokens: number; readonly period: 'day' | 'month' };
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

/** Days the sparkline shows. */
const SPARK_DAYS = 30;

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

/** The last day of which something is known. */
export function lastKnown({ end, values }: Pick<StatusFacts, 'end' | 'values'>): Day | undefined {
  return [...values.keys()]
    .filter(day => day <= end && values.get(day) !== undefined)
    .sort()
    .at(-1);
}

/** What the status bar and its tooltip say; `undefined` when no day is known. */
export function statusText(facts: StatusFacts, format: Formatter): StatusText | undefined {
  const last = lastKnown(facts);
  if (last === undefined) return undefined;
  // A day that has no figure yet is not counted as a day without usage.
  const { span, values, budget } = facts;
  const spanned = spanTotal(span, last, values);
  const { total, change, days } = spanned;
  const part = partText(spanned);
  const daysText =
    days.start === days.end
      ? format.day(days.end)
      : vscode.l10n.t('{0} – {1}', format.day(days.start), format.day(days.end));
  const arrow = arrowOf(change);
  const late = lengthOf({ start: last, end: facts.end }) - 1;
  const limits = [part, late > 0 ? vscode.l10n.t('through {0}', format.day(last)) : undefined].filter(
    limit => limit !== undefined,
  );
  const short = total === undefined ? '–' : format.compact(total);
  const trend = change === undefined ? '' : `, ${format.change(change)}`;
  return {
    text: `$(graph) ${short}${arrow}${limits.length === 0 ? '' : ` (${limits.join(', ')})`}`,
    spoken: vscode.l10n.t('{0} billable tokens, {1} UTC{2}', short, daysText, part ? `, ${part}` : trend),
    heading: vscode.l10n.t('Billable tokens, {0} UTC', daysText) + (part ? ` (${part})` : ''),
    table: table(last, values, format),
    notes: [
      ...(budget.tokens > 0
        ? [
            budget.period === 'day'
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

/** How many days of a span a total is made of, where that is not all of them. */
function partText({ days, known }: SpanTotal): string | undefined {
  const length = lengthOf(days);
  return known === length ? undefined : vscode.l10n.t('{0} of {1} days', known, length);
}

function arrowOf(change: number | undefined): string {
  if (change === undefined) return '';
  if (Math.abs(change) < 0.005) return ' →';
  return change > 0 ? ' ↑' : ' ↓';
}

function table(last: Day, values: ReadonlyMap<Day, number | undefined>, format: Formatter): string {
  const rows = spans.map(span => {
    const spanned = spanTotal(span, last, values);
    const { total, change } = spanned;
    return [
      spanLabel(span),
      total === undefined ? '–' : format.number(total),
      change === undefined ? (partText(spanned) ?? '') : format.change(change),
    ];
  });
  const width = (column: number): number => Math.max(...rows.map(row => (row[column] ?? '').length));
  const lines = rows.map(([name = '', total = '', change = '']) =>
    `${name.padEnd(width(0))}  ${total.padStart(width(1))}  ${change.padStart(width(2))}`.trimEnd(),
  );
  const days = daysOf({ start: addDays(last, 1 - SPARK_DAYS), end: last });
  return [
    ...lines,
    '',
    `${sparkline(days.map(day => values.get(day)))}  ${vscode.l10n.t('{0} days', SPARK_DAYS)}`,
  ].join('\n');
}
