import * as l10n from '@vscode/l10n';
import { byAmount, combined, isPart, knownOf, Sum, sum, type Amount } from '../../util/amount';
import { compareText } from '../../util/compare';
import { oneLine } from '../../util/text';
import type { PeopleNames } from './people';
import type {
  Cell,
  Column,
  Day,
  Figure,
  Marker,
  Row,
  Section,
  Steps,
  Table,
  Unit,
  UsageQuery,
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
  /** Every day of both periods has figures. */
  readonly isComparable: boolean;
  readonly markers: readonly Marker[];
  readonly names: PeopleNames;
}

export interface Tab<R> {
  readonly figures: readonly Metric<R>[];
  readonly sections: readonly Steps<Section>[];
}

/** One number a day: a figure, a column of a table, and perhaps a line of its chart. */
export interface Metric<R> {
  readonly id: string;
  readonly label: string;
  readonly of: (row: R) => Amount;
  /** What the days that are known make of it; `undefined` from none. Figures have it, and say how. */
  readonly make?: (known: readonly number[], period: Period<R>) => number | undefined;
  readonly explanation?: string;
  /** What stands below a column of days. */
  readonly total?: (period: Period<R>) => Amount;
  readonly unit?: Unit;
  readonly isCharted?: boolean;
}

type MetricOf = <R>(id: string, label: string, of: Metric<R>['of']) => Metric<R>;

export const addUp = (known: readonly number[]): number | undefined => knownOf(sum(known));

export const summed: MetricOf = (id, label, of) => ({
  ...{ id, label, of, make: addUp, explanation: l10n.t('Sum over the days.') },
  total: ({ rows }) => sum(rows.map(row => row && of(row))),
});

export const last: MetricOf = (id, label, of) => ({
  ...{ id, label, of, make: known => known.at(-1) },
  explanation: l10n.t('Value of the last day that has one: people do not add up over days.'),
});

export const most: MetricOf = (id, label, of) => ({
  ...{ id, label, of, make: known => (known.length === 0 ? undefined : Math.max(...known)) },
  explanation: l10n.t('Most on one day: people do not add up over days.'),
});

/** The middle value, or the mean of the two middle ones. */
export const median: MetricOf = (id, label, of) => ({
  ...{ id, label, of },
  make: known => {
    const sorted = known.toSorted((a, b) => a - b);
    const [lower, upper] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
    return lower === undefined || upper === undefined ? undefined : (lower + upper) / 2;
  },
  explanation: l10n.t('Median of the days: people and averages do not add up over days.'),
});

/** A metric a name: the documented ones with their labels, and any other the service names. */
export function named<R>(
  kind: string,
  labels: Readonly<Record<string, string>>,
  rows: readonly (R | undefined)[],
  of: (row: R) => Readonly<Record<string, number | undefined>> | undefined,
): Metric<R>[] {
  const given = rows.flatMap(row => Object.keys((row && of(row)) ?? {}));
  return [...new Set([...Object.keys(labels), ...given])].map(id => ({
    id: `${kind}=${id}`,
    label: own(labels, id) ?? shown(id),
    of: row => own(of(row) ?? {}, id),
  }));
}

/** Names are foreign: none of them means what every object has. */
function own<T>(values: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

/** A part where some days are missing. */
export function figureOf<R>({ now, before, isComparable }: Context<R>, metric: Metric<R>): Figure {
  const { id, label, of, make, unit = 'count', explanation = '' } = metric;
  const madeOf = (period: Period<R>): Amount =>
    combined(
      period.rows.map(row => row && of(row)),
      known => make?.(known, period),
    );
  const value = madeOf(now);
  const earlier = before && isComparable ? madeOf(before) : undefined;
  const previous = isPart(value) || isPart(earlier) ? undefined : earlier;
  return { id, label, value, previous, unit, explanation };
}

/** A column, what it says of each row, and of all together. */
export interface ColumnOf<T> extends Column {
  readonly of: (item: T, at: number) => Cell | undefined;
  readonly total?: Cell | undefined;
}

export function column<T>(
  id: string,
  label: string,
  kind: Column['kind'],
  of: ColumnOf<T>['of'],
  more: Partial<Pick<ColumnOf<T>, 'isCharted' | 'total'>> = {},
): ColumnOf<T> {
  return { id, label, kind, of, ...more };
}

/** A row an item. Totals are told where the first column names them. */
export function* tableOf<T>(
  columns: readonly ColumnOf<T>[],
  items: readonly T[],
  rowOf: (item: T) => Pick<Row, 'id' | 'person'>,
): Steps<Table> {
  const rows: Row[] = [];
  for (const [at, item] of items.entries()) {
    rows.push({ ...rowOf(item), cells: columns.map(({ of }) => of(item, at) ?? null) });
    yield;
  }
  const hasTotal = rows.length > 0 && columns[0]?.total !== undefined;
  const total = columns.map(each => each.total ?? (each.kind === 'text' ? '' : null));
  return {
    columns: columns.map(({ id, label, kind, isCharted }) => ({ id, label, kind, isCharted })),
    ...{ rows, ...(hasTotal ? { total } : {}) },
  };
}

interface ByDay<R> extends Required<Pick<Section, 'id' | 'title' | 'explanation' | 'chart'>> {
  readonly metrics: readonly Metric<R>[];
  readonly more?: readonly ColumnOf<Day>[];
}

/** A row a day, with the days compared with and the marks; drawn as well. */
export function* byDay<R>(
  { query, now, before, markers }: Context<R>,
  { metrics, more = [], ...section }: ByDay<R>,
): Steps<Section> {
  const compared = query.compare ? before : undefined;
  const total = metrics.some(each => each.total !== undefined) ? l10n.t('Total') : undefined;
  const columns = [column<Day>('day', l10n.t('Day (UTC)'), 'day', day => day, { total })];
  if (compared !== undefined)
    columns.push(column('day:before', l10n.t('Day before (UTC)'), 'day', (_, at) => compared.days[at]));
  for (const metric of metrics) {
    const { id, label, unit = 'count' } = metric;
    const add = (period: Period<R>, columnId: string, heading: string, isCharted: boolean): void => {
      const valueOf = (row: R | undefined): Amount => (row === undefined ? undefined : metric.of(row));
      const drawn = { isCharted, total: metric.total?.(period) };
      columns.push(column(columnId, heading, unit, (_, at) => valueOf(period.rows[at]), drawn));
    };
    add(now, id, label, metric.isCharted ?? true);
    if (compared !== undefined) add(compared, `${id}:before`, l10n.t('{0}, before', label), false);
  }
  const marksOf = (day: Day): string =>
    markers.flatMap(marker => (marker.day === day ? marker.label : [])).join('; ');
  if (markers.length > 0) columns.push(column('controls', l10n.t('Controls'), 'text', marksOf));
  columns.push(...more);
  return { ...section, table: yield* tableOf(columns, now.days, id => ({ id })) };
}

/** What is counted under one or more names; foreign text. */
export interface Entry {
  readonly names: readonly string[];
  readonly counts: readonly Amount[];
}

export function byCount(a: Entry, b: Entry): number {
  return byAmount(a.counts[0], b.counts[0]) || compareText(a.names.join(' '), b.names.join(' '));
}

/** How names are shown, and what that hides: a sentence with counts. */
export interface Folded {
  readonly entries: readonly Entry[];
  readonly note?: string;
}

export interface ByName<R> extends Pick<Section, 'id' | 'title'> {
  /** Headings of the names. */
  readonly names: readonly string[];
  /** The first of them has a column of shares. */
  readonly counts: readonly Pick<Column, 'id' | 'label'>[];
  /** What a day has, if it has it at all. */
  readonly entries: (row: R) => readonly Entry[] | undefined;
  readonly fold?: (entries: readonly Entry[]) => Folded;
  /** The first name is a person's id, which has a column where names are not hidden. */
  readonly isOfPeople?: boolean;
}

/** A row a name, or a set of names, with the sums and what no name accounts for. */
export function* byName<R>({ now, query, names }: Context<R>, part: ByName<R>): Steps<Section> {
  const { id, title, isOfPeople = false } = part;
  const tally = new Tally();
  let days = 0;
  for (const row of now.rows) {
    const entries = row && part.entries(row);
    if (entries !== undefined) days++;
    for (const entry of entries ?? []) tally.add(entry);
    yield;
  }
  const folded = part.fold?.(tally.entries);
  const { entries, note }: Folded = (query.folded ? folded : undefined) ?? { entries: tally.entries };
  const totals = part.counts.map((_, at) => sum(entries.map(({ counts }) => counts[at])));
  const nameOf = (name: string, at: number): string => {
    if (isOfPeople && at === 0) return names.of(name);
    // Only the first one must be there.
    return name === '' && at > 0 ? '' : shown(name);
  };
  const [whole] = totals;
  /** Of a whole that is not known there are no parts. */
  const shareOf = (count: Amount): number | null =>
    typeof count === 'number' && typeof whole === 'number' && whole > 0 ? count / whole : null;
  const share: ColumnOf<Entry>['of'] = ({ counts: [count] }) => shareOf(count);
  const personOf = (entry: Entry): string | undefined => (isOfPeople ? entry.names[0] : undefined);
  const columns = [
    ...part.names.map((label, at) => {
      const total = at === 0 ? l10n.t('Total') : '';
      return column<Entry>(`name${at}`, label, 'text', entry => nameOf(entry.names[at] ?? '', at), { total });
    }),
    ...part.counts.map(({ id, label }, at) =>
      column<Entry>(id, label, 'count', ({ counts }) => counts[at], { total: totals[at] }),
    ),
    column('share', l10n.t('Share'), 'percent', share, { total: shareOf(whole) }),
  ];
  if (isOfPeople) columns.push(...names.idColumn(personOf));
  const known = ofDays(days, now.rows.length, l10n.t('Sum over the days.'));
  return {
    ...{ id, title, explanation: [known, note].filter(Boolean).join(' ') },
    isFoldable: folded?.note !== undefined,
    table: yield* tableOf(columns, entries, entry => ({
      id: entry.names.join('\u0000'),
      person: personOf(entry),
    })),
  };
}

/** Adds up entries by their names. There may be hundreds of thousands of them. */
export class Tally {
  readonly #entries = new Map<string, { names: readonly string[]; sums: Sum[] }>();

  add({ names, counts }: Entry): void {
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

/** How days are put together, and how many of them are known where those are not all. */
export function ofDays(known: number, days: number, explanation: string): string {
  if (known === days) return explanation;
  return `${explanation} ${l10n.t('Known for {0} of {1} days.', known, days)}`;
}

/** A foreign name for people: on one line, with what cannot be seen written out. */
export function shown(name: string): string {
  if (name.trim() === '') return l10n.t('(empty)');
  return oneLine(
    name.replace(/[\n\r\t]/g, sign => JSON.stringify(sign).slice(1, -1)),
    200,
  );
}
