import * as l10n from '@vscode/l10n';
import { areComparable, byAmount, combined, knownOf, Sum, sum, type Amount } from '../../util/amount';
import { oneLine } from '../../util/text';
import type {
  Cell,
  Chart,
  Column,
  Day,
  Figure,
  Marker,
  Row,
  Section,
  Unit,
  UsageQuery,
  Value,
} from './types';

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

export interface Parts {
  readonly figures: readonly Figure[];
  readonly sections: readonly Section[];
}

/** One number a day: a figure where days can be put together, a column of a table, and perhaps a line of its chart. */
export interface Metric<R> {
  readonly id: string;
  readonly label: string;
  readonly of: (row: R) => Amount;
  /** How days are put together; not at all when left out. */
  readonly over?: keyof typeof makers;
  readonly unit?: Unit;
  readonly hidden?: boolean;
  readonly isCharted?: boolean;
}

/** What is made of the known days; `undefined` of none. */
type Make = (known: readonly number[]) => number | undefined;

const makers = {
  sum: known => knownOf(sum(known)),
  /** The value of the last day that has one. */
  last: known => known.at(-1),
  most: known => (known.length === 0 ? undefined : Math.max(...known)),
  /** The middle value, or the mean of the two middle ones. */
  median: known => {
    const sorted = known.toSorted((a, b) => a - b);
    const [lower, upper] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
    return lower === undefined || upper === undefined ? undefined : (lower + upper) / 2;
  },
} satisfies Record<string, Make>;

function explained(over: keyof typeof makers): string {
  switch (over) {
    case 'sum':
      return l10n.t('Sum of the days.');
    case 'last':
      return l10n.t('Value of the last day that has one: people cannot be added up over days.');
    case 'most':
      return l10n.t('Most on one day: people cannot be added up over days.');
    case 'median':
      return l10n.t('Median of the days: people and averages cannot be added up over days.');
  }
}

export function summed<R>(id: string, label: string, of: Metric<R>['of']): Metric<R> {
  return { id, label, of, over: 'sum' };
}

/** The value of each day. */
function valuesOf<R>({ rows }: Period<R>, { of }: Pick<Metric<R>, 'of'>): Amount[] {
  return rows.map(row => (row === undefined ? undefined : of(row)));
}

/** What a period's days make of a metric; a part where some are missing. */
export function madeOf<R>(period: Period<R>, metric: Pick<Metric<R>, 'of'>, make: Make): Amount {
  return combined(valuesOf(period, metric), make);
}

/** Growth is only told between periods of which the same days are known. */
export function figure<R>(
  { now, before }: Context<R>,
  metric: Metric<R>,
  explanation = explained(metric.over ?? 'sum'),
  make: (known: readonly number[], period: Period<R>) => number | undefined = makers[metric.over ?? 'sum'],
): Figure {
  const { id, label, unit = 'count' } = metric;
  const value = madeOf(now, metric, known => make(known, now));
  const isFair = before !== undefined && areComparable(valuesOf(now, metric), valuesOf(before, metric));
  const previous = isFair ? knownOf(madeOf(before, metric, known => make(known, before))) : undefined;
  return { id, label, value, previous, unit, explanation };
}

/** Has all that a chart shows: the days, the days compared with, and the marks. */
export function daySection<R>(
  { query, now, before: earlier, markers }: Context<R>,
  kind: Chart['kind'],
  { id, title, explanation }: Pick<Section, 'id' | 'title' | 'explanation'>,
  metrics: readonly Metric<R>[],
): Section {
  const before = query.compare ? earlier : undefined;
  const both = <T>(current: T, previous: () => T): T[] =>
    before === undefined ? [current] : [current, previous()];
  const marks = Map.groupBy(markers, marker => marker.day);
  const marked = <T>(cell: T): T[] => (markers.length === 0 ? [] : [cell]);
  const cells = (period: Period<R> | undefined, metric: Metric<R>): Value[] =>
    period === undefined ? [] : valuesOf(period, metric).map(value => value ?? null);
  const columns = [
    ...both<Column>({ id: 'day', label: l10n.t('Day (UTC)'), kind: 'day' }, () => ({
      ...{ id: 'day:before', label: l10n.t('Day before (UTC)'), kind: 'day' },
    })),
    ...metrics.flatMap(metric => {
      const column: Column = {
        ...{ id: metric.id, label: metric.label, kind: metric.unit ?? 'count' },
        ...(metric.hidden ? { hidden: true } : {}),
      };
      const label = l10n.t('{0}, before', metric.label);
      return both<Column>(column, () => ({ ...column, id: `${metric.id}:before`, label }));
    }),
    ...marked<Column>({ id: 'controls', label: l10n.t('Controls'), kind: 'text' }),
  ];
  const values = metrics.map(metric => ({ now: cells(now, metric), before: cells(before, metric) }));
  const rows = now.days.map((day, at): Row => ({
    id: day,
    cells: [
      ...both<Cell>(day, () => before?.days[at] ?? null),
      ...values.flatMap(of => both<Cell>(of.now[at] ?? null, () => of.before[at] ?? null)),
      ...marked((marks.get(day) ?? []).map(({ label }) => label).join('; ')),
    ],
  }));
  const sumOf = (of: readonly Value[], { over }: Metric<R>): Cell =>
    over === 'sum' ? (sum(of) ?? null) : null;
  const total = [
    ...both<Cell>(l10n.t('Total'), () => ''),
    ...metrics.flatMap((metric, at) =>
      both(sumOf(values[at]?.now ?? [], metric), () => sumOf(values[at]?.before ?? [], metric)),
    ),
    ...marked(''),
  ];
  const series = metrics.flatMap((metric, at) => {
    const of = values[at];
    if (metric.isCharted === false || of === undefined) return [];
    const previous = before === undefined ? {} : { previous: of.before };
    return [{ id: metric.id, label: metric.label, values: of.now, ...previous }];
  });
  const unit = metrics.find(({ isCharted }) => isCharted !== false)?.unit ?? 'count';
  return {
    ...{ id, title, explanation },
    chart: { kind, unit, days: now.days, series, markers },
    table: { columns, rows, ...(metrics.some(({ over }) => over === 'sum') ? { total } : {}) },
  };
}

/** What is counted under one or more names; foreign text. */
export interface Entry {
  readonly names: readonly string[];
  readonly counts: readonly Amount[];
}

/** Adds up entries by their names. There may be hundreds of thousands of them. */
export class Tally {
  readonly #entries = new Map<string, { names: readonly string[]; sums: Sum[] }>();

  add(names: readonly string[], counts: readonly Amount[]): void {
    const key = names.join('\u0000');
    let entry = this.#entries.get(key);
    if (entry === undefined) this.#entries.set(key, (entry = { names, sums: counts.map(() => new Sum()) }));
    for (const [at, sum] of entry.sums.entries()) sum.add(counts[at]);
  }

  /** The largest first, equal ones by name. */
  get entries(): Entry[] {
    return [...this.#entries.values()]
      .map(({ names, sums }) => ({ names, counts: sums.map(({ amount }) => amount) }))
      .sort(byCount);
  }
}

export function byCount(a: Entry, b: Entry): number {
  return byAmount(a.counts[0], b.counts[0]) || compare(a.names.join(' '), b.names.join(' '));
}

/** The entries of all days. */
export function tallied<R>({ rows }: Period<R>, entries: (row: R) => readonly Entry[]): Entry[] {
  const tally = new Tally();
  for (const row of rows)
    if (row !== undefined) for (const { names, counts } of entries(row)) tally.add(names, counts);
  return tally.entries;
}

/** What the days' own totals say beyond the known figures of their entries. */
export function restOf<R>(
  { rows }: Period<R>,
  given: (row: R) => number | undefined,
  counts: (row: R) => readonly Amount[],
): number {
  return rows.reduce((rest, row) => {
    const whole = row === undefined ? undefined : given(row);
    return row === undefined || whole === undefined ? rest : rest + whole - (knownOf(sum(counts(row))) ?? 0);
  }, 0);
}

export interface Grouping extends Pick<Section, 'id' | 'title' | 'explanation'> {
  /** Headings of the names. */
  readonly names: readonly string[];
  readonly counts: readonly Pick<Column, 'id' | 'label'>[];
  /** Heading of the share of the first count. */
  readonly share?: string;
  /** What is left over of each count, and its name. */
  readonly rest?: { readonly name: (isKnown: boolean) => string; readonly counts: readonly number[] };
  /** What names are shown as; as they are when left out. */
  readonly nameOf?: (names: readonly string[]) => readonly string[];
  /** The first name is a person's id. */
  readonly ofPeople?: boolean;
}

/** A row a name, or a set of names, with the sums and what no name accounts for. */
export function nameSection(spec: Grouping, entries: readonly Entry[]): Section {
  const { id, title, explanation, share, rest, nameOf = namesShown } = spec;
  const left = rest?.counts.some(count => count !== 0) ? rest : undefined;
  // Where figures of named ones are missing, what remains may be theirs.
  const isKnown = entries.every(({ counts }) => counts.every(count => typeof count === 'number'));
  const all = left === undefined ? entries : [...entries, { names: [], counts: left.counts }];
  const totals = spec.counts.map((_, at) => sum(all.map(({ counts }) => counts[at])));
  const cellsOf = (names: readonly string[], counts: readonly Amount[]): Cell[] => [
    ...spec.names.map((_, at) => names[at] ?? ''),
    ...counts.map(count => count ?? null),
    ...(share === undefined ? [] : [shareOf(counts[0], totals[0])]),
  ];
  const rows = entries.map(({ names, counts }): Row => ({
    id: names.join('\u0000'),
    cells: cellsOf(nameOf(names), counts),
    ...(spec.ofPeople ? { person: names[0] } : {}),
  }));
  if (left !== undefined) rows.push({ id: '\u0001rest', cells: cellsOf([left.name(isKnown)], left.counts) });
  return {
    ...{ id, title, explanation },
    table: {
      columns: [
        ...spec.names.map((label, at): Column => ({ id: `name${at}`, label, kind: 'text' })),
        ...spec.counts.map((count): Column => ({ ...count, kind: 'count' })),
        ...(share === undefined ? [] : [{ id: 'share', label: share, kind: 'percent' as const }]),
      ],
      rows,
      ...(rows.length === 0 ? {} : { total: cellsOf([l10n.t('Total')], totals) }),
    },
  };
}

/** Only the first of several names must be there. */
export function namesShown(names: readonly string[]): string[] {
  return names.map((name, at) => (at > 0 && name === '' ? '' : shown(name)));
}

/** Of a whole that is not known there are no shares. */
function shareOf(amount: Amount, whole: Amount): number | null {
  return typeof amount === 'number' && typeof whole === 'number' && whole > 0 ? amount / whole : null;
}

/** What is added up, and of how many days it is known where those are not all. */
export function ofDays<R>(
  { rows }: Period<R>,
  has: (row: R) => boolean,
  explanation = explained('sum'),
): string {
  const known = rows.filter(row => row !== undefined && has(row)).length;
  return known === rows.length
    ? explanation
    : `${explanation} ${l10n.t('Known of {0} of {1} days.', known, rows.length)}`;
}

/** A foreign name for people: on one line, with what cannot be seen written out. */
export function shown(name: string): string {
  if (name.trim() === '') return l10n.t('(empty)');
  return oneLine(
    name.replace(/[\n\r\t]/g, sign => JSON.stringify(sign).slice(1, -1)),
    200,
  );
}

export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
