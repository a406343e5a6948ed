import * as vscode from 'vscode';
import { areComparable, combined, knownOf, sum, type Amount } from '../util/amount';
import { oneLine } from '../util/text';
import type {
  Cell,
  Chart,
  Column,
  Day,
  Figure,
  Marker,
  Row,
  Section,
  Series,
  Table,
  Unit,
  UsageQuery,
  Value,
} from './report';

/** Days in a row with what is known of each: one row, or for people a list of rows. `undefined` where nothing is known. */
export interface Period<R> {
  readonly days: readonly Day[];
  readonly rows: readonly (R | undefined)[];
}

/** What the parts of one report are made from. */
export interface Context<R> {
  readonly query: UsageQuery;
  readonly now: Period<R>;
  readonly before: Period<R> | undefined;
  readonly markers: readonly Marker[];
}

type Pick<R> = (row: R) => Amount;
/** What is made of the known days; `undefined` of none. */
type Make<R> = (known: readonly number[], period: Period<R>) => number | undefined;

/** The value of each day. */
function valuesOf<R>({ rows }: Period<R>, pick: Pick<R>): Amount[] {
  return rows.map(row => (row === undefined ? undefined : pick(row)));
}

/** What a period's days make; a part where some are missing. */
export function madeOf<R>(period: Period<R>, pick: Pick<R>, make: Make<R>): Amount {
  return combined(valuesOf(period, pick), known => make(known, period));
}

export const added: Make<unknown> = known => knownOf(sum(known));
/** The value of the last day that has one. */
export const last: Make<unknown> = known => known.at(-1);
export const most: Make<unknown> = known => (known.length === 0 ? undefined : Math.max(...known));
/** The middle value, or the mean of the two middle ones. */
export const median: Make<unknown> = known => {
  const sorted = known.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle];
  const lower = sorted[middle - 1];
  if (upper === undefined) return undefined;
  return sorted.length % 2 === 1 || lower === undefined ? upper : (lower + upper) / 2;
};

export const explained = {
  sum: (): string => vscode.l10n.t('Sum of the days.'),
  last: (): string =>
    vscode.l10n.t('Value of the last day that has one: people cannot be added up over days.'),
  most: (): string => vscode.l10n.t('Most on one day: people cannot be added up over days.'),
  median: (): string =>
    vscode.l10n.t(
      'Median of the days’ values. The service gives an average for each day without its weight, so averages are not averaged again.',
    ),
};

/** What is added up, and of how many days it is known where those are not all. */
export function ofDays<R>(explanation: string, { rows }: Period<R>, has: (row: R) => boolean): string {
  const known = rows.filter(row => row !== undefined && has(row)).length;
  return known === rows.length
    ? explanation
    : `${explanation} ${vscode.l10n.t('Known of {0} of {1} days.', known, rows.length)}`;
}

/** Growth is only told between periods of which the same days are known. */
export function figure<R>(
  { now, before }: Context<R>,
  spec: { readonly id: string; readonly label: string; readonly explanation: string; readonly unit?: Unit },
  pick: Pick<R>,
  make: Make<R>,
): Figure {
  const figure = { unit: 'count' as const, ...spec, value: madeOf(now, pick, make) };
  if (before === undefined) return figure;
  const isFair = areComparable(valuesOf(now, pick), valuesOf(before, pick));
  return { ...figure, previous: isFair ? knownOf(madeOf(before, pick, make)) : undefined };
}

/** One number a day: a column of the table and, unless told, a line of the chart. */
export interface Metric<R> {
  readonly id: string;
  readonly label: string;
  readonly of: Pick<R>;
  readonly unit?: Unit;
  /** Days may be added up. */
  readonly adds?: boolean;
  readonly isCharted?: boolean;
  readonly hidden?: boolean;
}

/** Has all that a chart shows: the days, the days compared with, and the marks. */
function dayTable<R>({ now, before, markers }: Context<R>, metrics: readonly Metric<R>[]): Table {
  const cellOf = (row: R | undefined, { of }: Metric<R>): Cell =>
    row === undefined ? null : (of(row) ?? null);
  const sumCell = (period: Period<R> | undefined, { of, adds }: Metric<R>): Cell =>
    adds && period !== undefined ? (sum(valuesOf(period, of)) ?? null) : null;
  const marks = new Map<Day, string>();
  for (const { day, label } of markers) marks.set(day, [marks.get(day), label].filter(Boolean).join('; '));
  const both = <T>(current: T, earlier: T): T[] => (before === undefined ? [current] : [current, earlier]);
  const marked = <T>(cell: T): T[] => (marks.size === 0 ? [] : [cell]);
  const columns: Column[] = [
    ...both<Column>(
      { id: 'day', label: vscode.l10n.t('Day (UTC)'), kind: 'day' },
      { id: 'day:before', label: vscode.l10n.t('Day before (UTC)'), kind: 'day' },
    ),
    ...metrics.flatMap(({ id, label, unit: kind = 'count', hidden }) => {
      const rest = { kind, ...(hidden ? { hidden } : {}) };
      const earlier = vscode.l10n.t('{0}, before', label);
      return both<Column>({ id, label, ...rest }, { id: `${id}:before`, label: earlier, ...rest });
    }),
    ...marked<Column>({ id: 'controls', label: vscode.l10n.t('Controls'), kind: 'text' }),
  ];
  const rows = now.days.map((day, at): Row => ({
    id: day,
    cells: [
      ...both<Cell>(day, before?.days[at] ?? null),
      ...metrics.flatMap(metric => both(cellOf(now.rows[at], metric), cellOf(before?.rows[at], metric))),
      ...marked(marks.get(day) ?? ''),
    ],
  }));
  if (!metrics.some(({ adds }) => adds)) return { columns, rows };
  const total: Cell[] = [
    ...both<Cell>(vscode.l10n.t('Total'), ''),
    ...metrics.flatMap(metric => both(sumCell(now, metric), sumCell(before, metric))),
    ...marked(''),
  ];
  return { columns, rows, total };
}

/** A chart over the days and its table twin. */
export function daySection<R>(
  context: Context<R>,
  spec: {
    readonly id: string;
    readonly title: string;
    readonly explanation: string;
    readonly chart: Chart['kind'];
  },
  metrics: readonly Metric<R>[],
): Section {
  const charted = metrics.filter(metric => metric.isCharted !== false);
  return {
    id: spec.id,
    title: spec.title,
    explanation: spec.explanation,
    chart: {
      kind: spec.chart,
      unit: charted[0]?.unit ?? 'count',
      days: context.now.days,
      series: charted.map(metric => seriesOf(context, metric)),
      markers: context.markers,
    },
    table: dayTable(context, metrics),
  };
}

function seriesOf<R>({ now, before }: Context<R>, { id, label, of }: Metric<R>): Series {
  const values = (period: Period<R>): Value[] => valuesOf(period, of).map(value => value ?? null);
  return { id, label, values: values(now), ...(before === undefined ? {} : { previous: values(before) }) };
}

/** What is counted under one or more names. */
export interface Entry<C extends Amount = number> {
  readonly names: readonly string[];
  readonly count: C;
}

/** Adds up entries by their names, the largest first, equal ones by name. */
export function tally(entries: Iterable<Entry>): Entry[] {
  const sums = new Map<string, { names: readonly string[]; count: number }>();
  for (const { names, count } of entries) {
    const key = names.join('\u0000');
    const known = sums.get(key);
    if (known === undefined) sums.set(key, { names, count });
    else known.count += count;
  }
  return [...sums.values()].sort(
    (a, b) => b.count - a.count || compare(a.names.join(' '), b.names.join(' ')),
  );
}

/** Rows by name with their share. `given` is the total of all days as the service says; what no name accounts for has a row. */
export function nameSection(
  spec: {
    readonly id: string;
    readonly title: string;
    readonly explanation: string;
    /** Headings of the names, then of the count. */
    readonly names: readonly string[];
    readonly count: string;
  },
  entries: readonly Entry<Amount>[],
  remainder = 0,
): Section {
  const columns: Column[] = [
    ...spec.names.map((label, index): Column => ({ id: `name${index}`, label, kind: 'text' })),
    { id: 'count', label: spec.count, kind: 'count' },
    { id: 'share', label: vscode.l10n.t('Share'), kind: 'percent' },
  ];
  const all = [
    ...entries.map(({ names, count }) => ({
      id: `=${names.join('\u0000')}`,
      names: names.map(shown),
      count,
    })),
    ...(remainder === 0
      ? []
      : [
          {
            id: 'remainder',
            names: [
              isKnown(entries.map(({ count }) => count))
                ? vscode.l10n.t('Without a name')
                : vscode.l10n.t('Without a name or a figure'),
              ...spec.names.slice(1).map(() => ''),
            ],
            count: remainder,
          },
        ]),
  ];
  const total = sum(all.map(({ count }) => count));
  const rows = all.map(({ id, names, count }): Row => ({
    id,
    cells: [...names, count ?? null, shareOf(count, total)],
  }));
  const blank: Cell[] = spec.names.slice(1).map(() => '');
  return {
    id: spec.id,
    title: spec.title,
    explanation: spec.explanation,
    table: {
      columns,
      rows,
      ...(rows.length === 0
        ? {}
        : { total: [vscode.l10n.t('Total'), ...blank, total ?? null, shareOf(total, total)] }),
    },
  };
}

/** Of a whole that is not known there are no shares. */
export function shareOf(amount: Amount, whole: Amount): number | null {
  return typeof amount === 'number' && typeof whole === 'number' && whole > 0 ? amount / whole : null;
}

/** Where figures of named ones are missing, what remains may be theirs. */
export function isKnown(named: readonly Amount[]): boolean {
  return named.every(amount => typeof amount === 'number');
}

/** What the days' own totals say beyond the known figures of their named entries. */
export function remainderOf<R>(
  { rows }: Period<R>,
  given: (row: R) => number | undefined,
  entries: (row: R) => readonly { readonly count: Amount }[],
): number {
  let rest = 0;
  for (const row of rows) {
    const whole = row === undefined ? undefined : given(row);
    if (row !== undefined && whole !== undefined)
      rest += whole - (knownOf(sum(entries(row).map(({ count }) => count))) ?? 0);
  }
  return rest;
}

/** A foreign name for people: on one line, with what cannot be seen written out. */
export function shown(name: string): string {
  if (name.trim() === '') return vscode.l10n.t('(empty)');
  return oneLine(
    name.replace(/[\n\r\t]/g, sign => JSON.stringify(sign).slice(1, -1)),
    200,
  );
}

export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
