import * as vscode from 'vscode';
import { dayAt } from './calendar';
import type { UserDay } from '../api';
import { byAmount, combined, knownOf, Sum, sum, type Amount } from '../util/amount';
import {
  added,
  compare,
  daySection,
  explained,
  figure,
  madeOf,
  ofDays,
  shown,
  type Context,
  type Metric,
  type Period,
} from './kit';
import type { DirectoryPerson, PeopleNames } from './names';
import { counted, countLabels, quiet, sumsOf, type People } from './peopleCounts';
import type { Cell, Column, Day, Figure, Row, Section } from './report';
import type { Steps } from './steps';

/** When each person was last active, in all the days known and not only those of a range. */
export interface LastActivity {
  readonly days: ReadonlyMap<string, Day>;
  /** From here on every day is known; `undefined` when yesterday is not. */
  readonly since: Day | undefined;
  /** There is no day before it. */
  readonly earliest: Day;
}

/** Section 2.6; with `query.person` only that person's days. */
export function* peopleTab(
  context: Context<People>,
  names: PeopleNames,
  directory: readonly DirectoryPerson[],
  last: LastActivity,
): Steps<{ figures: Figure[]; sections: Section[] }> {
  const groups = yield* byPerson(context.now);
  for (const [id, days] of groups) names.learn(id, emailOf(days));
  const { person } = context.query;
  if (person !== undefined) return yield* onePerson(narrowed(context, person), person, names);
  const before = context.before && (yield* byPerson(context.before));
  const metrics = yield* dayMetrics(context);
  // Of days of which nothing is known nobody can be said to be missing.
  const inactive = context.now.rows.some(row => row !== undefined)
    ? directory.filter(({ id }) => !groups.has(id))
    : undefined;
  const figures = [
    figure(
      context,
      {
        id: 'people',
        label: vscode.l10n.t('Active people'),
        explanation: vscode.l10n.t('Different people with usage in the period.'),
      },
      rows => rows.length,
      (known, period) => (known.length === 0 ? undefined : (period === context.now ? groups : before)?.size),
    ),
    ...(directory.length === 0
      ? []
      : [
          {
            id: 'inactive',
            label: vscode.l10n.t('Without activity'),
            value: madeOf(
              context.now,
              rows => rows.length,
              () => inactive?.length,
            ),
            unit: 'count' as const,
            explanation: vscode.l10n.t('People of the organization without usage in the days of this range.'),
          },
        ]),
    ...totals(context, metrics),
  ];
  const sections = [
    daySection(
      context,
      {
        id: 'days',
        title: vscode.l10n.t('People by day'),
        explanation: vscode.l10n.t(
          'Different people with usage on each day. They cannot be added up over days.',
        ),
        chart: 'bars',
      },
      [
        { id: 'people', label: vscode.l10n.t('Active people'), of: rows => rows.length },
        ...metrics.map(metric => ({ ...metric, isCharted: false })),
      ],
    ),
    yield* everybody(context.now, groups, names),
    ...(directory.length === 0 || inactive === undefined ? [] : [withoutActivity(inactive, names, last)]),
  ];
  return { figures, sections };
}

function totals(context: Context<People>, metrics: readonly Metric<People>[]): Figure[] {
  return metrics.map(({ id, label, of }) =>
    figure(context, { id, label, explanation: explained.sum() }, of, added),
  );
}

/** Each day is added up once, for all of its figures. */
function* dayMetrics({ now, before }: Context<People>): Steps<Metric<People>[]> {
  const labels = countLabels();
  const known = new Map<People, readonly Amount[]>();
  for (const rows of [...now.rows, ...(before?.rows ?? [])]) {
    // Of a day that the service has and this person is not in, there is nothing to count.
    if (rows !== undefined) known.set(rows, rows.length === 0 ? counted.map(() => 0) : sumsOf(rows));
    yield;
  }
  return counted.map((name, index) => ({
    id: name,
    label: labels[name],
    of: rows => known.get(rows)?.[index],
    adds: true,
    hidden: quiet.has(name),
  }));
}

function* byPerson({ rows }: Period<People>): Steps<Map<string, UserDay[]>> {
  const groups = new Map<string, UserDay[]>();
  for (const day of rows) {
    for (const row of day ?? []) {
      const group = groups.get(row.user_id);
      if (group === undefined) groups.set(row.user_id, [row]);
      else group.push(row);
    }
    yield;
  }
  return groups;
}

/** The newest that is there. */
function emailOf(days: People): string | undefined {
  return days.findLast(day => day.user_email)?.user_email ?? undefined;
}

/** Tool calls per message of a person over several days: each day's ratio weighs as many messages as it had. */
function ratioOf(days: readonly UserDay[]): Amount {
  let weight = 0;
  let weighted = 0;
  const weights = days.map((day): Amount => {
    const { autonomy_ratio: ratio = 0, user_messages: messages = 0 } = day;
    if (!hasRatio(day)) return undefined;
    weight += messages;
    weighted += ratio * messages;
    return messages;
  });
  return combined(weights, () => (weight > 0 ? weighted / weight : undefined));
}

/** A day without messages needs no ratio. */
function hasRatio({ autonomy_ratio: ratio, user_messages: messages }: UserDay): boolean {
  return messages === 0 || (ratio !== undefined && messages !== undefined);
}

/** What is there on most days, the first by name of equals; with tokens or days as weight. */
function usual(values: Iterable<string | undefined>): string {
  const counts = new Map<string, number>();
  for (const value of values) if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1);
  const [first] = [...counts].sort(([a, x], [b, y]) => y - x || compare(a, b));
  return first === undefined ? '' : shown(first[0]);
}

function languagesOf(days: readonly UserDay[]): string {
  const languages = new Set<string>();
  for (const day of days) for (const language of day.languages ?? []) languages.add(language);
  return [...languages].map(shown).sort(compare).join(', ');
}

function detailColumns(): Column[] {
  return [
    { id: 'primary_model', label: vscode.l10n.t('Main model'), kind: 'text' },
    { id: 'primary_model_tier', label: vscode.l10n.t('Tier'), kind: 'text', hidden: true },
    { id: 'delegation_level', label: vscode.l10n.t('Delegation'), kind: 'text' },
    { id: 'languages', label: vscode.l10n.t('Languages'), kind: 'text', hidden: true },
  ];
}

function details(days: readonly UserDay[]): Cell[] {
  return [
    usual(days.map(day => day.primary_model)),
    usual(days.map(day => day.primary_model_tier)),
    usual(days.map(day => day.delegation_level)),
    languagesOf(days),
  ];
}

function countColumns(): Column[] {
  const labels = countLabels();
  return counted.map(id => ({
    id,
    label: labels[id],
    kind: 'count',
    ...(quiet.has(id) ? { hidden: true } : {}),
  }));
}

function* everybody(
  now: Period<People>,
  groups: ReadonlyMap<string, readonly UserDay[]>,
  names: PeopleNames,
): Steps<Section> {
  const identity: Column[] = names.isPseudonymous
    ? []
    : [
        { id: 'email', label: vscode.l10n.t('E-mail'), kind: 'text', hidden: true },
        { id: 'user_id', label: vscode.l10n.t('User id'), kind: 'text', hidden: true },
      ];
  const whole = counted.map(() => new Sum());
  const tokens = new Map<string, Amount>();
  const rows: Row[] = [];
  for (const [id, days] of groups) {
    const amounts = sumsOf(days);
    for (const [index, amount] of amounts.entries()) whole[index]?.add(amount);
    tokens.set(id, amounts[counted.indexOf('billable_tokens')]);
    const email = emailOf(days) ?? '';
    const who: Cell[] = names.isPseudonymous ? [] : [shown(email || names.of(id)), shown(id)];
    rows.push({
      id,
      cells: [
        names.of(id),
        days.length,
        days.at(-1)?.date.slice(0, 10) ?? null,
        ...amounts.map(amount => amount ?? null),
        ratioOf(days) ?? null,
        ...details(days),
        ...who,
      ],
      person: id,
    });
    yield;
  }
  rows.sort((a, b) => byAmount(tokens.get(a.id), tokens.get(b.id)) || compare(a.id, b.id));
  return {
    id: 'people',
    title: vscode.l10n.t('People'),
    explanation: ofDays(
      vscode.l10n.t(
        'Counts are sums of the days. The autonomy ratio weighs each day by its messages of people. Main model, tier and delegation are those of most days.',
      ),
      now,
      () => true,
    ),
    table: {
      columns: [
        { id: 'person', label: vscode.l10n.t('Person'), kind: 'text' },
        { id: 'days', label: vscode.l10n.t('Active days'), kind: 'count' },
        { id: 'last', label: vscode.l10n.t('Last active (UTC)'), kind: 'day' },
        ...countColumns(),
        { id: 'autonomy_ratio', label: vscode.l10n.t('Autonomy ratio'), kind: 'ratio' },
        ...detailColumns(),
        ...identity,
      ],
      rows,
      ...(rows.length === 0
        ? {}
        : {
            total: [
              vscode.l10n.t('Total'),
              sum([...groups.values()].map(days => days.length)) ?? null,
              null,
              ...whole.map(({ amount }) => amount ?? null),
              ratioOf([...groups.values()].flat()) ?? null,
              ...['', '', '', '', ...identity.map(() => '')],
            ],
          }),
    },
  };
}

/** Nobody is said to have never been active while a day is unknown on which they may have been. */
function withoutActivity(
  people: readonly DirectoryPerson[],
  names: PeopleNames,
  { days, since, earliest }: LastActivity,
): Section {
  const none =
    since === undefined
      ? null
      : since <= earliest
        ? vscode.l10n.t('never')
        : vscode.l10n.t('none from {0} on', since);
  return {
    id: 'inactive',
    title: vscode.l10n.t('No activity in this range'),
    explanation: vscode.l10n.t(
      'Users of the organization without a row of usage in the days of this range. Their last active day is looked for in all the days fetched so far; "never" is said only when those are all days since {0}.',
      earliest,
    ),
    table: {
      columns: [
        { id: 'person', label: vscode.l10n.t('Person'), kind: 'text' },
        { id: 'last', label: vscode.l10n.t('Last active (UTC)'), kind: 'day' },
        { id: 'lastSignIn', label: vscode.l10n.t('Last sign-in (UTC)'), kind: 'day' },
      ],
      rows: people
        .map(({ id, lastSignInAt }) => ({
          id,
          cells: [
            names.of(id),
            days.get(id) ?? none,
            lastSignInAt === undefined ? null : dayAt(lastSignInAt),
          ],
        }))
        .sort((a, b) => compare(String(a.cells[0]), String(b.cells[0]))),
    },
  };
}

function narrowed(context: Context<People>, person: string): Context<People> {
  const only = (period: Period<People>): Period<People> => ({
    ...period,
    rows: period.rows.map(rows => rows?.filter(row => row.user_id === person)),
  });
  return { ...context, now: only(context.now), before: context.before && only(context.before) };
}

function* onePerson(
  context: Context<People>,
  person: string,
  names: PeopleNames,
): Steps<{ figures: Figure[]; sections: Section[] }> {
  const { now } = context;
  const days = now.rows.flatMap(rows => rows ?? []);
  const metrics = yield* dayMetrics(context);
  const words = detailColumns();
  const ratio = { id: 'autonomy_ratio', label: vscode.l10n.t('Autonomy ratio'), unit: 'ratio' as const };
  const section = daySection(
    context,
    {
      id: 'person',
      title: vscode.l10n.t('Days of {0}', names.of(person)),
      explanation: vscode.l10n.t('The chart shows billable tokens; days without usage are empty.'),
      chart: 'bars',
    },
    [
      ...metrics.map(metric => ({ ...metric, isCharted: metric.id === 'billable_tokens' })),
      { ...ratio, of: rows => ratioOf(rows), isCharted: false },
    ],
  );
  const rowsOf = new Map<Day, People>(now.days.map((day, index) => [day, now.rows[index] ?? []]));
  const { table } = section;
  const columns = [...table.columns, ...words];
  const rows = table.rows.map(row => ({
    ...row,
    cells: [...row.cells, ...details(rowsOf.get(row.id) ?? [])],
  }));
  const ratios = columns.findIndex(({ id }) => id === ratio.id);
  const total = table.total?.with(ratios, ratioOf(days) ?? null);
  return {
    figures: [
      figure(
        context,
        { id: 'days', label: vscode.l10n.t('Active days'), explanation: vscode.l10n.t('Days with usage.') },
        rows => Number(rows.length > 0),
        added,
      ),
      ...totals(context, metrics),
      figure(
        context,
        {
          ...ratio,
          explanation: vscode.l10n.t(
            'Tool calls per message of a person; each day weighs as many messages as it had.',
          ),
        },
        rows => (rows.every(hasRatio) ? 0 : undefined),
        (_, period) => knownOf(ratioOf(period.rows.flatMap(day => day ?? []))),
      ),
    ],
    sections: [
      {
        ...section,
        table: {
          columns,
          rows,
          ...(total === undefined ? {} : { total: [...total, ...words.map(() => '')] }),
        },
      },
    ],
  };
}
