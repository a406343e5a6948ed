import * as l10n from '@vscode/l10n';
import { areComparable, byAmount, combined, knownOf, Sum, sum, type Amount } from '../../util/amount';
import { oneLine } from '../../util/text';
import type { PeopleNames } from './names';
import type { Steps } from './steps';
import type {
  Cell,
  Column,
  Day,
  Figure,
  Marker,
  QualityNote,
  Row,
  Section,
  Table,
  TabReport,
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
  readonly markers: readonly Marker[];
  readonly names: PeopleNames;
  /** What was folded on the way. */
  readonly notes: QualityNote[];
}

export type Parts = Pick<TabReport, 'figures' | 'sections'>;

/** What a tab is made of: figures at its head, and sections in their order. */
export function* partsOf<R>(
  context: Context<R>,
  figures: readonly Metric<R>[],
  sections: readonly (ByDay<R> | ByName<R> | Section)[],
): Steps<Parts> {
  const made: Section[] = [];
  for (const part of sections) {
    if ('table' in part) made.push(part);
    else made.push(yield* 'metrics' in part ? byDay(context, part) : byName(context, part));
  }
  return { figures: figures.map(metric => figure(context, metric)), sections: made };
}

/** A column, what it says of each row, and of all together. */
export interface Told<T> extends Column {
  readonly of: (item: T, at: number) => Cell | undefined;
  readonly total?: Cell | undefined;
}

export function told<T>(
  id: string,
  label: string,
  kind: Column['kind'],
  of: Told<T>['of'],
  more: Partial<Pick<Told<T>, 'hidden' | 'isCharted' | 'total'>> = {},
): Told<T> {
  return { id, label, kind, of, ...more };
}

/** A row an item. Totals are told where the first column names them. */
export function* tableOf<T>(
  columns: readonly Told<T>[],
  items: readonly T[],
  rowOf: (item: T) => Pick<Row, 'id' | 'person'>,
): Steps<Table> {
  const rows: Row[] = [];
  for (const [at, item] of items.entries()) {
    rows.push({ ...rowOf(item), cells: columns.map(({ of }) => of(item, at) ?? null) });
    yield;
  }
  return {
    columns: columns.map(({ id, label, kind, hidden, isCharted }) => ({
      id,
      label,
      kind,
      hidden,
      isCharted,
    })),
    rows,
    ...(rows.length === 0 || columns[0]?.total === undefined
      ? {}
      : { total: columns.map(({ kind, total }) => total ?? (kind === 'text' ? '' : null)) }),
  };
}

/** What is made of the known days; `undefined` of none. */
type Make<R> = (known: readonly number[], period: Period<R>) => number | undefined;

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
} satisfies Record<string, Make<unknown>>;

/** One number a day: a figure, a column of a table, and perhaps a line of its chart. */
export interface Metric<R> {
  readonly id: string;
  readonly label: string;
  readonly of: (row: R) => Amount;
  /** How days are put together; not at all when left out. */
  readonly over?: keyof typeof makers | { readonly make: Make<R>; readonly explanation: string };
  /** What stands below a column of days; their sum where that is how they are put together. */
  readonly total?: (period: Period<R>) => Amount;
  readonly unit?: Unit;
  readonly hidden?: boolean;
  readonly isCharted?: boolean;
}

export function summed<R>(id: string, label: string, of: Metric<R>['of']): Metric<R> {
  return { id, label, of, over: 'sum' };
}

function explained<R>(over: Metric<R>['over']): string {
  switch (over) {
    case undefined:
      return '';
    case 'sum':
      return l10n.t('Sum of the days.');
    case 'last':
      return l10n.t('Value of the last day that has one: people cannot be added up over days.');
    case 'most':
      return l10n.t('Most on one day: people cannot be added up over days.');
    case 'median':
      return l10n.t('Median of the days: people and averages cannot be added up over days.');
    default:
      return over.explanation;
  }
}

/** The value of each day. */
function valuesOf<R>({ rows }: Period<R>, { of }: Metric<R>): Amount[] {
  return rows.map(row => (row === undefined ? undefined : of(row)));
}

/** What a period's days make of a metric; a part where some are missing. */
function madeOf<R>(period: Period<R>, metric: Metric<R>): Amount {
  const { over } = metric;
  const make: Make<R> =
    typeof over === 'object' ? over.make : over === undefined ? () => undefined : makers[over];
  return combined(valuesOf(period, metric), known => make(known, period));
}

/** Growth is only told between periods of which the same days are known. */
function figure<R>({ now, before }: Context<R>, metric: Metric<R>): Figure {
  const { id, label, unit = 'count', over } = metric;
  const isFair = before !== undefined && areComparable(valuesOf(now, metric), valuesOf(before, metric));
  const previous = isFair ? knownOf(madeOf(before, metric)) : undefined;
  return { id, label, value: madeOf(now, metric), previous, unit, explanation: explained(over) };
}

/** A row a day, with the days compared with and the marks; drawn as well. */
export interface ByDay<R> extends Required<Pick<Section, 'id' | 'title' | 'explanation' | 'chart'>> {
  readonly metrics: readonly Metric<R>[];
  /** Further columns. */
  readonly more?: readonly Told<Day>[];
}

function* byDay<R>(context: Context<R>, part: ByDay<R>): Steps<Section> {
  const { query, now, markers } = context;
  const { metrics, more = [], ...section } = part;
  const before = query.compare ? context.before : undefined;
  const marks = Map.groupBy(markers, ({ day }) => day);
  const isSummed = metrics.some(({ over }) => over === 'sum');
  const total = isSummed ? l10n.t('Total') : undefined;
  const columns = [told<Day>('day', l10n.t('Day (UTC)'), 'day', day => day, { total })];
  if (before !== undefined)
    columns.push(told('day:before', l10n.t('Day before (UTC)'), 'day', (_, at) => before.days[at]));
  for (const metric of metrics) {
    const { id, label, unit = 'count', over, hidden, isCharted = true } = metric;
    const add = (period: Period<R>, words: readonly [string, string], isLine: boolean): void => {
      const values = valuesOf(period, metric);
      const total = over === 'sum' ? madeOf(period, metric) : metric.total?.(period);
      columns.push(told(...words, unit, (_, at) => values[at], { hidden, isCharted: isLine, total }));
    };
    add(now, [id, label], isCharted);
    if (before !== undefined) add(before, [`${id}:before`, l10n.t('{0}, before', label)], false);
  }
  const marksOf = (day: Day): string => (marks.get(day) ?? []).map(({ label }) => label).join('; ');
  if (markers.length > 0) columns.push(told('controls', l10n.t('Controls'), 'text', marksOf));
  columns.push(...more);
  return { ...section, table: yield* tableOf(columns, now.days, id => ({ id })) };
}

/** What is counted under one or more names; foreign text. */
export interface Entry {
  readonly names: readonly string[];
  readonly counts: readonly Amount[];
}

export function byCount(a: Entry, b: Entry): number {
  return byAmount(a.counts[0], b.counts[0]) || compare(a.names.join(' '), b.names.join(' '));
}

/** A row a name, or a set of names, with the sums and what no name accounts for. */
export interface ByName<R> extends Pick<Section, 'id' | 'title'> {
  /** How days are put together, where that is not plain. */
  readonly explanation?: string;
  /** Headings of the names. */
  readonly names: readonly string[];
  readonly counts: readonly Pick<Column, 'id' | 'label'>[];
  /** Heading of the share of the first count. */
  readonly share?: string;
  /** What a day has, if it has it at all. */
  readonly entries: (row: R) => readonly Entry[] | undefined;
  /** What the day says of each count itself. */
  readonly given?: readonly ((row: R) => number | undefined)[];
  /** What goes beyond the entries; also where figures of entries are missing. */
  readonly rest?: readonly [string, string];
  readonly fold?: (entries: readonly Entry[]) => {
    readonly entries: readonly Entry[];
    readonly note?: QualityNote;
  };
  /** The first name is a person's id. */
  readonly isOfPeople?: boolean;
  /** With a column of ids, where names are not hidden. */
  readonly withIds?: boolean;
}

function* byName<R>(context: Context<R>, part: ByName<R>): Steps<Section> {
  const { now, query, names, notes } = context;
  const { id, title, explanation, share, given = [], isOfPeople, withIds } = part;
  const tally = new Tally();
  const left = given.map(() => 0);
  let days = 0;
  for (const row of now.rows) {
    const entries = row && part.entries(row);
    if (entries !== undefined) days++;
    for (const entry of entries ?? []) tally.add(entry);
    for (const [at, of] of given.entries()) {
      const named = knownOf(sum((entries ?? []).map(({ counts }) => counts[at]))) ?? 0;
      left[at] = (left[at] ?? 0) + ((row && of(row)) ?? named) - named;
    }
    yield;
  }
  const { entries, note } =
    query.folded && part.fold !== undefined ? part.fold(tally.entries) : { entries: tally.entries };
  if (note !== undefined) notes.push(note);
  // Where figures of named ones are missing, what remains may be theirs.
  const isKnown = entries.every(({ counts }) => counts.every(count => typeof count === 'number'));
  const [restName, unknownName] = part.rest ?? [
    l10n.t('Without a name'),
    l10n.t('Without a name or a figure'),
  ];
  const rest: Entry = { names: [isKnown ? restName : unknownName], counts: left };
  const items: readonly Entry[] = left.some(count => count !== 0) ? [...entries, rest] : entries;
  const totals = part.counts.map((_, at) => sum(items.map(({ counts }) => counts[at])));
  const nameOf = (entry: Entry, at: number): string => {
    const name = entry.names[at] ?? '';
    if (entry === rest) return name;
    if (isOfPeople === true && at === 0) return names.of(name);
    // Only the first name of a thing must be there.
    return name === '' && at > Number(isOfPeople === true) ? '' : shown(name);
  };
  const personOf = (entry: Entry): string | undefined =>
    isOfPeople === true && entry !== rest ? entry.names[0] : undefined;
  const columns = [
    ...part.names.map((label, at) =>
      told<Entry>(`name${at}`, label, 'text', entry => nameOf(entry, at), {
        total: at === 0 ? l10n.t('Total') : '',
      }),
    ),
    ...part.counts.map(({ id, label }, at) =>
      told<Entry>(id, label, 'count', ({ counts }) => counts[at], { total: totals[at] }),
    ),
  ];
  const shares = ({ counts: [count] }: Pick<Entry, 'counts'>): number | null => shareOf(count, totals[0]);
  if (share !== undefined)
    columns.push(told('share', share, 'percent', shares, { total: shares({ counts: totals }) }));
  if (withIds === true) columns.push(...names.idColumn(personOf));
  const rowOf = (entry: Entry): Pick<Row, 'id' | 'person'> => ({
    id: entry === rest ? '\u0001rest' : entry.names.join('\u0000'),
    person: personOf(entry),
  });
  return {
    ...{ id, title },
    explanation: ofDays(days, now.rows.length, explanation),
    table: yield* tableOf(columns, items, rowOf),
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

/** Of a whole that is not known there are no shares. */
function shareOf(amount: Amount, whole: Amount): number | null {
  return typeof amount === 'number' && typeof whole === 'number' && whole > 0 ? amount / whole : null;
}

/** What is added up, and of how many days it is known where those are not all. */
export function ofDays(known: number, days: number, explanation = explained('sum')): string {
  if (known === days) return explanation;
  return `${explanation} ${l10n.t('Known of {0} of {1} days.', known, days)}`;
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
