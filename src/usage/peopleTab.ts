import * as vscode from 'vscode';
import type { UserDay } from '../api';
import {
  compare,
  daySection,
  explained,
  figure,
  shown,
  sum,
  sumOf,
  type Context,
  type Metric,
  type Period,
} from './kit';
import type { DirectoryPerson, PeopleNames } from './names';
import type { Cell, Column, Day, Figure, Row, Section } from './report';

type People = readonly UserDay[];

/** Counts of section 2.6 that add up over days and people, in the order they are shown. */
const counted = [
  'billable_tokens',
  'tool_calls',
  'sessions',
  'messages',
  'user_messages',
  'assistant_messages',
  'files_created',
  'files_edited',
  'git_commits',
  'git_prs_created',
  'mcp_calls',
  'skill_calls',
  'slash_commands',
  'hooks',
] as const satisfies readonly (keyof UserDay)[];
type Counted = (typeof counted)[number];

/** Shown only when asked for. */
const quiet: ReadonlySet<Counted> = new Set<Counted>([
  'user_messages',
  'assistant_messages',
  'mcp_calls',
  'skill_calls',
  'slash_commands',
  'hooks',
]);

function countLabels(): Readonly<Record<Counted, string>> {
  return {
    billable_tokens: vscode.l10n.t('Billable tokens'),
    tool_calls: vscode.l10n.t('Tool calls'),
    sessions: vscode.l10n.t('Sessions'),
    messages: vscode.l10n.t('Messages'),
    user_messages: vscode.l10n.t('Messages of people'),
    assistant_messages: vscode.l10n.t('Messages of agents'),
    files_created: vscode.l10n.t('Files created'),
    files_edited: vscode.l10n.t('Files edited'),
    git_commits: vscode.l10n.t('Commits'),
    git_prs_created: vscode.l10n.t('Pull requests'),
    mcp_calls: vscode.l10n.t('MCP calls'),
    skill_calls: vscode.l10n.t('Skills used'),
    slash_commands: vscode.l10n.t('Slash commands used'),
    hooks: vscode.l10n.t('Hooks run'),
  };
}

/** Section 2.6; with `query.person` only that person's days. */
export function peopleTab(
  context: Context<People>,
  names: PeopleNames,
  directory: readonly DirectoryPerson[],
): { figures: Figure[]; sections: Section[] } {
  for (const rows of context.now.rows) for (const row of rows ?? []) names.learn(row.user_id, row.user_email);
  const { person } = context.query;
  if (person !== undefined) return onePerson(narrowed(context, person), person, names);
  const groups = byPerson(context.now);
  const inactive = directory.filter(({ id }) => !groups.has(id));
  const figures = [
    figure(
      context,
      {
        id: 'people',
        label: vscode.l10n.t('Active people'),
        explanation: vscode.l10n.t('Different people with usage in the period.'),
      },
      period => (period.rows.some(row => row !== undefined) ? byPerson(period).size : undefined),
    ),
    ...(directory.length === 0
      ? []
      : [
          {
            id: 'inactive',
            label: vscode.l10n.t('Without usage'),
            value: inactive.length,
            unit: 'count' as const,
            explanation: vscode.l10n.t('People of the organization without usage in the period.'),
          },
        ]),
    ...totals(context),
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
        ...dayMetrics().map(metric => ({ ...metric, isCharted: false })),
      ],
    ),
    everybody(groups, names),
    ...(directory.length === 0 ? [] : [withoutUsage(inactive, names)]),
  ];
  return { figures, sections };
}

function totals(context: Context<People>): Figure[] {
  return dayMetrics().map(({ id, label, of }) =>
    figure(context, { id, label, explanation: explained.sum() }, sumOf(of)),
  );
}

function dayMetrics(): Metric<People>[] {
  const labels = countLabels();
  return counted.map(name => ({
    id: name,
    label: labels[name],
    of: rows => sum(rows.map(row => row[name])),
    adds: true,
    hidden: quiet.has(name),
  }));
}

function byPerson({ rows }: Period<People>): Map<string, UserDay[]> {
  const groups = new Map<string, UserDay[]>();
  for (const row of rows.flatMap(day => day ?? [])) {
    const group = groups.get(row.user_id);
    if (group === undefined) groups.set(row.user_id, [row]);
    else group.push(row);
  }
  return groups;
}

/** Tool calls per message of a person over several days: each day's ratio weighs as many messages as it had. */
function ratioOf(days: readonly UserDay[]): number | undefined {
  let weight = 0;
  let weighted = 0;
  for (const { autonomy_ratio: ratio, user_messages: messages } of days) {
    if (ratio === undefined || messages === undefined) continue;
    weight += messages;
    weighted += ratio * messages;
  }
  return weight > 0 ? weighted / weight : undefined;
}

/** What is there on most days, the first by name of equals; with tokens or days as weight. */
function usual(values: Iterable<string | undefined>): string {
  const counts = new Map<string, number>();
  for (const value of values) if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1);
  const [first] = [...counts].sort(([a, x], [b, y]) => y - x || compare(a, b));
  return first === undefined ? '' : shown(first[0]);
}

function languagesOf(days: readonly UserDay[]): string {
  const languages = new Set(days.flatMap(day => day.languages ?? []).map(shown));
  return [...languages].sort(compare).join(', ');
}

function detailColumns(): Column[] {
  return [
    { id: 'autonomy_ratio', label: vscode.l10n.t('Autonomy ratio'), kind: 'ratio' },
    { id: 'primary_model', label: vscode.l10n.t('Main model'), kind: 'text' },
    { id: 'primary_model_tier', label: vscode.l10n.t('Tier'), kind: 'text', hidden: true },
    { id: 'delegation_level', label: vscode.l10n.t('Delegation'), kind: 'text' },
    { id: 'languages', label: vscode.l10n.t('Languages'), kind: 'text', hidden: true },
  ];
}

function details(days: readonly UserDay[]): Cell[] {
  return [
    ratioOf(days) ?? null,
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

function everybody(groups: ReadonlyMap<string, readonly UserDay[]>, names: PeopleNames): Section {
  const identity: Column[] = names.isPseudonymous
    ? []
    : [
        { id: 'email', label: vscode.l10n.t('E-mail'), kind: 'text', hidden: true },
        { id: 'user_id', label: vscode.l10n.t('User id'), kind: 'text', hidden: true },
      ];
  const sums = (days: readonly UserDay[]): (number | null)[] =>
    counted.map(name => sum(days.map(day => day[name])) ?? null);
  const rows = [...groups].map(([id, days]): Row => {
    const dates = days.map(({ date }) => date.slice(0, 10)).sort();
    const email = days.findLast(day => typeof day.user_email === 'string')?.user_email ?? '';
    const who: Cell[] = names.isPseudonymous ? [] : [shown(email || names.of(id)), shown(id)];
    return {
      id,
      cells: [
        names.of(id),
        new Set(dates).size,
        dates.at(-1) ?? null,
        ...sums(days),
        ...details(days),
        ...who,
      ],
      person: id,
    };
  });
  rows.sort((a, b) => Number(b.cells[3] ?? 0) - Number(a.cells[3] ?? 0) || compare(a.id, b.id));
  const all = [...groups.values()].flat();
  return {
    id: 'people',
    title: vscode.l10n.t('People'),
    explanation: vscode.l10n.t(
      'Counts are sums of the days. The autonomy ratio weighs each day by its messages of people. Main model, tier and delegation are those of most days.',
    ),
    table: {
      columns: [
        { id: 'person', label: vscode.l10n.t('Person'), kind: 'text' },
        { id: 'days', label: vscode.l10n.t('Active days'), kind: 'count' },
        { id: 'last', label: vscode.l10n.t('Last active (UTC)'), kind: 'day' },
        ...countColumns(),
        ...detailColumns(),
        ...identity,
      ],
      rows,
      ...(rows.length === 0
        ? {}
        : {
            total: [
              vscode.l10n.t('Total'),
              sum(rows.map(({ cells }) => Number(cells[1]))) ?? null,
              null,
              ...sums(all),
              ratioOf(all) ?? null,
              ...['', '', '', '', ...identity.map(() => '')],
            ],
          }),
    },
  };
}

function withoutUsage(people: readonly DirectoryPerson[], names: PeopleNames): Section {
  return {
    id: 'inactive',
    title: vscode.l10n.t('People without usage'),
    explanation: vscode.l10n.t('Users of the organization for whom the period has no row of usage.'),
    table: {
      columns: [
        { id: 'person', label: vscode.l10n.t('Person'), kind: 'text' },
        { id: 'lastSignIn', label: vscode.l10n.t('Last sign-in'), kind: 'text' },
      ],
      rows: people
        .map(({ id, lastSignInAt }) => ({ id, cells: [names.of(id), shownDay(lastSignInAt)] }))
        .sort((a, b) => compare(String(a.cells[0]), String(b.cells[0]))),
    },
  };
}

function shownDay(time: string | undefined): string | null {
  if (time === undefined || time === '') return null;
  return /^\d{4}-\d{2}-\d{2}/.test(time) ? time.slice(0, 10) : shown(time);
}

function narrowed(context: Context<People>, person: string): Context<People> {
  const only = (period: Period<People>): Period<People> => ({
    ...period,
    rows: period.rows.map(rows => rows?.filter(row => row.user_id === person)),
  });
  return { ...context, now: only(context.now), before: context.before && only(context.before) };
}

function onePerson(
  context: Context<People>,
  person: string,
  names: PeopleNames,
): { figures: Figure[]; sections: Section[] } {
  const { now } = context;
  const active = (period: Period<People>): number | undefined =>
    sum(period.rows.map(rows => rows && Number(rows.length > 0)));
  const days = now.rows.flatMap(rows => rows ?? []);
  const section = daySection(
    context,
    {
      id: 'person',
      title: vscode.l10n.t('Days of {0}', names.of(person)),
      explanation: vscode.l10n.t('The chart shows billable tokens; days without usage are empty.'),
      chart: 'bars',
    },
    [
      ...dayMetrics().map(metric => ({ ...metric, isCharted: metric.id === 'billable_tokens' })),
      { id: 'autonomy_ratio', label: '', of: rows => ratioOf(rows), isCharted: false, unit: 'ratio' },
    ],
  );
  const rowsOf = new Map<Day, People>(now.days.map((day, index) => [day, now.rows[index] ?? []]));
  const [, ...words] = detailColumns();
  const columns = [...section.table.columns.slice(0, -1), ...detailColumns()];
  const rows = section.table.rows.map(row => ({
    ...row,
    cells: [...row.cells, ...details(rowsOf.get(row.id) ?? []).slice(1)],
  }));
  const total = section.table.total;
  return {
    figures: [
      figure(
        context,
        { id: 'days', label: vscode.l10n.t('Active days'), explanation: vscode.l10n.t('Days with usage.') },
        active,
      ),
      ...totals(context),
      figure(
        context,
        {
          id: 'autonomy_ratio',
          label: vscode.l10n.t('Autonomy ratio'),
          unit: 'ratio',
          explanation: vscode.l10n.t(
            'Tool calls per message of a person; each day weighs as many messages as it had.',
          ),
        },
        period => ratioOf(period.rows.flatMap(day => day ?? [])),
      ),
    ],
    sections: [
      {
        ...section,
        table: {
          columns,
          rows,
          ...(total === undefined
            ? {}
            : { total: [...total.slice(0, -1), ratioOf(days) ?? null, ...words.map(() => '')] }),
        },
      },
    ],
  };
}
