import * as l10n from '@vscode/l10n';
import type { UserDay } from '../../api';
import { byAmount, combined, knownOf, Sum, sum, type Amount } from '../../util/amount';
import { dayAt } from './calendar';
import type { DirectoryPerson, PeopleNames } from './names';
import {
  compare,
  daySection,
  figure,
  madeOf,
  ofDays,
  shown,
  summed,
  type Context,
  type Metric,
  type Parts,
  type Period,
} from './parts';
import type { Steps } from './steps';
import type { Cell, Column, Day, Row, Section } from './types';

/** A day's rows of section 2.6, one a person. */
export type People = readonly UserDay[];

/** When each person was last active, in all the days known and not only those of a range. */
export interface LastActivity {
  readonly days: ReadonlyMap<string, Day>;
  /** From here on every day is known; `undefined` when yesterday is not. */
  readonly since: Day | undefined;
  /** There is no day before it. */
  readonly earliest: Day;
}

/** The counts of a row that add up over days and people, in the order they are shown. */
function counts(): Metric<UserDay>[] {
  const quiet = (id: string, label: string, of: Metric<UserDay>['of']): Metric<UserDay> => ({
    ...summed(id, label, of),
    hidden: true,
  });
  return [
    summed('billable_tokens', l10n.t('Billable tokens'), row => row.billable_tokens),
    summed('tool_calls', l10n.t('Tool calls'), row => row.tool_calls),
    summed('sessions', l10n.t('Sessions'), row => row.sessions),
    summed('messages', l10n.t('Messages'), row => row.messages),
    quiet('user_messages', l10n.t('Messages of people'), row => row.user_messages),
    quiet('assistant_messages', l10n.t('Messages of agents'), row => row.assistant_messages),
    summed('files_created', l10n.t('Files created'), row => row.files_created),
    summed('files_edited', l10n.t('Files edited'), row => row.files_edited),
    summed('git_commits', l10n.t('Commits'), row => row.git_commits),
    summed('git_prs_created', l10n.t('Pull requests'), row => row.git_prs_created),
    quiet('mcp_calls', l10n.t('MCP calls'), row => row.mcp_calls),
    quiet('skill_calls', l10n.t('Skills used'), row => row.skill_calls),
    quiet('slash_commands', l10n.t('Slash commands used'), row => row.slash_commands),
    quiet('hooks', l10n.t('Hooks run'), row => row.hooks),
  ];
}

function sumsOf(counted: readonly Metric<UserDay>[], rows: People): Amount[] {
  return counted.map(({ of }) => {
    const all = new Sum();
    for (const row of rows) all.add(of(row));
    return all.amount;
  });
}

/** Section 2.6. */
export function* peopleTab(
  context: Context<People>,
  names: PeopleNames,
  directory: readonly DirectoryPerson[],
  last: LastActivity,
): Steps<Parts> {
  const { now } = context;
  const groups = yield* byPerson(now);
  for (const [id, days] of groups) names.learn(id, emailOf(days));
  const before = context.before && (yield* byPerson(context.before));
  const metrics = yield* dayMetrics(context);
  const people = { id: 'people', label: l10n.t('Active people'), of: (rows: People) => rows.length };
  // Of days of which nothing is known nobody can be said to be missing.
  const inactive = now.rows.some(row => row !== undefined)
    ? directory.filter(({ id }) => !groups.has(id))
    : undefined;
  const without = {
    ...{ id: 'inactive', label: l10n.t('Without activity'), unit: 'count' as const },
    value: madeOf(now, people, () => inactive?.length),
    explanation: l10n.t('People of the organization without usage in the days of this range.'),
  };
  return {
    figures: [
      figure(context, people, l10n.t('Different people with usage in the period.'), (known, period) =>
        known.length === 0 ? undefined : (period === now ? groups : before)?.size,
      ),
      ...(directory.length === 0 ? [] : [without]),
      ...metrics.map(metric => figure(context, metric)),
    ],
    sections: [
      daySection(
        context,
        'bars',
        {
          ...{ id: 'days', title: l10n.t('People by day') },
          explanation: l10n.t('Different people with usage on each day. They cannot be added up over days.'),
        },
        [people, ...metrics.map(metric => ({ ...metric, isCharted: false }))],
      ),
      yield* everybody(now, groups, names),
      ...(directory.length === 0 || inactive === undefined ? [] : [withoutActivity(inactive, names, last)]),
    ],
  };
}

/** Each day is added up once, for all of its figures. */
function* dayMetrics({ now, before }: Context<People>): Steps<Metric<People>[]> {
  const counted = counts();
  const known = new Map<People, readonly Amount[]>();
  for (const rows of [...now.rows, ...(before?.rows ?? [])]) {
    // Of a day that the service has and this person is not in, there is nothing to count.
    if (rows !== undefined) known.set(rows, rows.length === 0 ? counted.map(() => 0) : sumsOf(counted, rows));
    yield;
  }
  return counted.map((metric, index) => ({ ...metric, of: rows => known.get(rows)?.[index] }));
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
function ratioOf(days: People): Amount {
  let [weight, weighted] = [0, 0];
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

/** What is there on most days, the first by name of equals. */
function usual(values: readonly (string | undefined)[]): string {
  const known = Map.groupBy(
    values.filter(value => value !== undefined),
    value => value,
  );
  const [first] = [...known].sort(([a, x], [b, y]) => y.length - x.length || compare(a, b));
  return first === undefined ? '' : shown(first[0]);
}

function detailColumns(): Column[] {
  return [
    { id: 'primary_model', label: l10n.t('Main model'), kind: 'text' },
    { id: 'primary_model_tier', label: l10n.t('Tier'), kind: 'text', hidden: true },
    { id: 'delegation_level', label: l10n.t('Delegation'), kind: 'text' },
    { id: 'languages', label: l10n.t('Languages'), kind: 'text', hidden: true },
  ];
}

function details(days: People): Cell[] {
  const languages = new Set(days.flatMap(day => day.languages ?? []));
  return [
    usual(days.map(day => day.primary_model)),
    usual(days.map(day => day.primary_model_tier)),
    usual(days.map(day => day.delegation_level)),
    [...languages].map(shown).sort(compare).join(', '),
  ];
}

function* everybody(
  now: Period<People>,
  groups: ReadonlyMap<string, People>,
  names: PeopleNames,
): Steps<Section> {
  const counted = counts();
  const whole = counted.map(() => new Sum());
  const ranked: { readonly tokens: Amount; readonly row: Row }[] = [];
  for (const [id, days] of groups) {
    const amounts = sumsOf(counted, days);
    for (const [index, amount] of amounts.entries()) whole[index]?.add(amount);
    const cells = [
      ...[names.of(id), days.length, days.at(-1)?.date.slice(0, 10) ?? null],
      ...amounts.map(amount => amount ?? null),
      ...[ratioOf(days) ?? null, ...details(days)],
      ...(names.isPseudonymous ? [] : [shown(emailOf(days) ?? names.of(id))]),
    ];
    ranked.push({ tokens: amounts[0], row: { id, cells, person: id } });
    yield;
  }
  ranked.sort((a, b) => byAmount(a.tokens, b.tokens) || compare(a.row.id, b.row.id));
  const all = [...groups.values()].flat();
  const total: Cell[] = [
    ...[l10n.t('Total'), all.length, null],
    ...whole.map(({ amount }) => amount ?? null),
    ...[ratioOf(all) ?? null, ...detailColumns().map(() => '')],
    ...(names.isPseudonymous ? [] : ['']),
  ];
  const explanation = l10n.t(
    'Counts are sums of the days. The autonomy ratio weighs each day by its messages of people. Main model, tier and delegation are those of most days.',
  );
  return names.withIds({
    ...{ id: 'people', title: l10n.t('People'), explanation: ofDays(now, () => true, explanation) },
    table: {
      columns: [
        { id: 'person', label: l10n.t('Person'), kind: 'text' },
        { id: 'days', label: l10n.t('Active days'), kind: 'count' },
        { id: 'last', label: l10n.t('Last active (UTC)'), kind: 'day' },
        ...counted.map(({ id, label, hidden }): Column => ({ id, label, kind: 'count', hidden })),
        { id: 'autonomy_ratio', label: l10n.t('Autonomy ratio'), kind: 'ratio' },
        ...detailColumns(),
        ...(names.isPseudonymous
          ? []
          : [{ id: 'email', label: l10n.t('E-mail'), kind: 'text' as const, hidden: true }]),
      ],
      rows: ranked.map(({ row }) => row),
      total: ranked.length === 0 ? undefined : total,
    },
  });
}

/** Nobody is said to have never been active while a day is unknown on which they may have been. */
function withoutActivity(
  people: readonly DirectoryPerson[],
  names: PeopleNames,
  { days, since, earliest }: LastActivity,
): Section {
  const none = since === undefined ? null : l10n.t('none from {0} on', since);
  const never = since !== undefined && since <= earliest ? l10n.t('never') : none;
  const cellsOf = ({ id, lastSignInAt: at }: DirectoryPerson): Cell[] => [
    names.of(id),
    days.get(id) ?? never,
    at === undefined ? null : dayAt(at),
  ];
  return {
    id: 'inactive',
    title: l10n.t('No activity in this range'),
    explanation: l10n.t(
      'Users of the organization without a row of usage in the days of this range. Their last active day is looked for in all the days fetched so far; "never" is said only when those are all days since {0}.',
      earliest,
    ),
    table: {
      columns: [
        { id: 'person', label: l10n.t('Person'), kind: 'text' },
        { id: 'last', label: l10n.t('Last active (UTC)'), kind: 'day' },
        { id: 'lastSignIn', label: l10n.t('Last sign-in (UTC)'), kind: 'day' },
      ],
      rows: people
        .map(person => ({ name: names.of(person.id), id: person.id, cells: cellsOf(person) }))
        .sort((a, b) => compare(a.name, b.name))
        .map(({ id, cells }) => ({ id, cells })),
    },
  };
}

/** Only one person's days. */
export function* personTab(all: Context<People>, person: string, names: PeopleNames): Steps<Parts> {
  const only = (period: Period<People>): Period<People> => ({
    ...period,
    rows: period.rows.map(rows => rows?.filter(row => row.user_id === person)),
  });
  const context = { ...all, now: only(all.now), before: all.before && only(all.before) };
  const days = context.now.rows.flatMap(rows => rows ?? []);
  names.learn(person, emailOf(days));
  const metrics = yield* dayMetrics(context);
  const ratio: Metric<People> = {
    id: 'autonomy_ratio',
    label: l10n.t('Autonomy ratio'),
    unit: 'ratio',
    of: ratioOf,
  };
  const aboutRatio = l10n.t(
    'Tool calls per message of a person; each day weighs as many messages as it had.',
  );
  const activeDays = summed<People>('days', l10n.t('Active days'), rows => Number(rows.length > 0));
  const section = daySection(
    context,
    'bars',
    {
      ...{ id: 'person', title: l10n.t('Days of {0}', names.of(person)) },
      explanation: l10n.t('The chart shows billable tokens; days without usage are empty.'),
    },
    [
      ...metrics.map(metric => ({ ...metric, isCharted: metric.id === 'billable_tokens' })),
      { ...ratio, isCharted: false },
    ],
  );
  const { columns, rows, total } = section.table;
  const at = columns.findIndex(({ id }) => id === ratio.id);
  return {
    figures: [
      figure(context, activeDays, l10n.t('Days with usage.')),
      ...metrics.map(metric => figure(context, metric)),
      figure(
        context,
        { ...ratio, of: rows => (rows.every(hasRatio) ? 0 : undefined) },
        aboutRatio,
        (_, period) => knownOf(ratioOf(period.rows.flatMap(day => day ?? []))),
      ),
    ],
    sections: [
      {
        ...section,
        table: {
          columns: [...columns, ...detailColumns()],
          rows: rows.map((row, day) => ({
            ...row,
            cells: [...row.cells, ...details(context.now.rows[day] ?? [])],
          })),
          total: total && [...total.with(at, ratioOf(days) ?? null), ...detailColumns().map(() => '')],
        },
      },
    ],
  };
}

export interface PersonActivity {
  /** UTC. */
  readonly lastActiveDay: Day;
  /** Billable ones, of how many of the days they are known. */
  readonly tokens: Amount;
}

/** What each person used on days. A day of which the service has other people only is one without use. */
export function activityOfPeople(days: readonly People[]): ReadonlyMap<string, PersonActivity> {
  const without = days.filter(rows => rows.length === 0).length;
  const groups = Map.groupBy(days.flat(), row => row.user_id);
  return new Map(
    [...groups].map(([id, rows]) => {
      const figures = rows.map(row => row.billable_tokens);
      const value = knownOf(sum(figures));
      const missing = without + figures.filter(figure => figure === undefined).length;
      const part = { value: value ?? 0, known: days.length - missing, of: days.length };
      const tokens = value === undefined || missing === 0 ? value : part;
      return [id, { lastActiveDay: rows.at(-1)?.date.slice(0, 10) ?? '', tokens }];
    }),
  );
}
