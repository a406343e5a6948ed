import type {
  Cell,
  Chart,
  Column,
  Day,
  DayRange,
  Figure,
  Row,
  Section,
  Series,
  TabReport,
  UsageQuery,
} from '../../src/usage/report/types';

import { knownOf } from '../../src/util/amount';

/** Reports of a made-up organization: always the same for the same query, with odd and hostile names. */
export const bounds: DayRange = { start: '2026-01-14', end: '2026-11-20' };

export const hostileNames = [
  '<img src=x onerror="document.title=1">',
  '=HYPERLINK("http://example.invalid","x")',
  '[x](command:workbench.action.reloadWindow)',
  'exe.\u202etxt\u202c "quoted", comma\nnew line',
  'Ωμέγα \u{1f9ea} 名前がとても長い人'.repeat(4),
] as const;

const PEOPLE = 200;
const first = ['Ada', 'Bo', 'Chidi', 'Dörte', 'Émile', 'Fatima', 'Gao', 'Håkon', 'Ines', "O'Neil"] as const;
const last = ['Abel', 'Brandt', 'Castillo', 'Dube', 'Eriksen', 'Fontaine', 'Grün', 'Hashimoto'] as const;

export const people = Array.from({ length: PEOPLE }, (_, index) => ({
  id: `user_${String(index).padStart(3, '0')}`,
  name:
    hostileNames[index] ??
    `${first[index % first.length]}.${last[index % last.length]}.${index}@example.com`.toLowerCase(),
}));

const DAY_MS = 86_400_000;

export function daysOf({ start, end }: DayRange): Day[] {
  const count = Math.round((Date.parse(end) - Date.parse(start)) / DAY_MS) + 1;
  return Array.from({ length: count }, (_, index) => shift(start, index));
}

export function shift(day: Day, count: number): Day {
  return new Date(Date.parse(day) + count * DAY_MS).toISOString().slice(0, 10);
}

/** 0 to 1, always the same for the same words. */
function chance(...words: readonly (string | number)[]): number {
  let hash = 2166136261;
  for (const character of words.join('|')) hash = Math.imul(hash ^ character.charCodeAt(0), 16777619);
  hash = Math.imul(hash ^ (hash >>> 15), 2246822519);
  return ((hash ^ (hash >>> 13)) >>> 0) / 4294967296;
}

/** What `what` had on a day: growing, quiet on weekends. */
export function amount(day: Day, what: string, scale: number): number {
  const weekend = new Date(day).getUTCDay() % 6 === 0 ? 0.3 : 1;
  const growth = 1 + (Date.parse(day) - Date.parse(bounds.start)) / (200 * DAY_MS);
  return Math.round(scale * weekend * growth * (0.6 + 0.8 * chance(day, what)));
}

interface Kind {
  readonly id: string;
  readonly label: string;
  readonly scale: number;
}

const models: readonly Kind[] = [
  { id: 'large', label: 'model-large-4', scale: 2_400_000 },
  { id: 'fast', label: 'model-fast-2', scale: 1_100_000 },
  { id: 'think', label: 'model-think-1 (thinking)', scale: 600_000 },
  { id: 'hostile', label: hostileNames[0], scale: 90_000 },
];

const tools: readonly Kind[] = Array.from({ length: 12 }, (_, index) => ({
  id: `tool-${index}`,
  label:
    ['Read', 'Edit', 'Execute', 'Grep', 'mcp__linear__get', hostileNames[2], 'LS'][index] ?? `Tool ${index}`,
  scale: 4000 / (index + 1),
}));

export function makeReport(query: UsageQuery, known: ReadonlySet<Day>): TabReport {
  const days = daysOf(query.range);
  const weeks = -7 * Math.ceil(days.length / 7);
  const before = { start: shift(query.range.start, weeks), end: shift(query.range.end, weeks) };
  const previousRange = before.end >= bounds.start ? before : undefined;
  const context: Context = { query, days, known, previousRange };
  const { figures, sections } = parts(context);
  const missing = days.filter(day => !known.has(day));
  return {
    query,
    orgId: 'org_01JH7ZK3QF5Y8',
    through: bounds.end,
    figures,
    sections,
    ...(previousRange === undefined ? {} : { previousRange }),
    ...(previousRange === undefined || missing.length === 0 ? {} : { unfinished: 'range' }),
    ...(missing.length === 0 ? {} : { missing: { days: missing, unread: missing.length } }),
    ...(query.person === undefined
      ? {}
      : {
          person: nameOf(
            people.findIndex(({ id }) => id === query.person),
            query.pseudonyms,
          ),
        }),
    notes:
      query.tab === 'tools' && query.folded
        ? [
            {
              id: 'mcp',
              sentence: '2 MCP servers differ only by letter case and are counted as 1.',
              names: [
                { shown: 'linear', sent: 'linear', count: 812 },
                { shown: 'linear', sent: 'Linear', count: 77 },
              ],
            },
            {
              id: 'tools',
              sentence: '1 odd tool name is grouped under "other".',
              names: [{ shown: 'other', sent: hostileNames[3], count: 1 }],
            },
          ]
        : [],
  };
}

interface Context {
  readonly query: UsageQuery;
  readonly days: readonly Day[];
  readonly known: ReadonlySet<Day>;
  readonly previousRange: DayRange | undefined;
}

function parts(context: Context): Pick<TabReport, 'figures' | 'sections'> {
  const { query } = context;
  switch (query.tab) {
    case 'tokens':
      return {
        figures: models.map(kind => figure(context, kind)),
        sections: [
          byDay(context, 'by-model', 'Billable tokens by model', 'stacked', models),
          peopleTable(context, 'by-user', 'By user', false),
        ],
      };
    case 'tools':
      return {
        figures: tools.slice(0, 3).map(kind => figure(context, kind)),
        sections: [
          byDay(context, 'calls', 'Tool calls', 'bars', tools.slice(0, 3)),
          byDay(context, 'tools', 'Calls by tool', 'lines', tools),
          ratios(context),
        ],
      };
    case 'activity': {
      const kinds = ['Daily', 'Weekly', 'Monthly'].map((label, index) => ({
        ...{ id: label, label: `${label} active`, scale: 40 * (index + 1) },
      }));
      return {
        figures: kinds.map(kind => figure(context, kind)),
        sections: [byDay(context, 'active', 'Active users', 'lines', kinds)],
      };
    }
    case 'productivity': {
      const kinds = ['Files created', 'Files edited', 'Commits', 'Pull requests'].map((label, index) => ({
        ...{ id: label, label, scale: 300 / (index + 1) },
      }));
      return {
        figures: kinds.map(kind => figure(context, kind)),
        sections: [byDay(context, 'files', 'Files and commits', 'bars', kinds)],
      };
    }
    case 'people':
      return query.person === undefined
        ? { figures: [], sections: [peopleTable(context, 'people', 'People', true), peopleDays(context)] }
        : {
            figures: models.slice(0, 1).map(kind => figure(context, kind)),
            sections: [byDay(context, 'person', 'Days of this person', 'lines', models.slice(0, 2))],
          };
  }
}

const markers = [
  { day: '2026-11-03', label: 'Revision 45: maxAutonomyLevel' },
  { day: '2026-06-17', label: 'Revision 31: <b>allowedModels</b>' },
];

function figure({ days, known, previousRange }: Context, { id, label, scale }: Kind): Figure {
  const sum = (of: readonly Day[]): number => of.reduce((total, day) => total + amount(day, id, scale), 0);
  const there = days.filter(day => known.has(day));
  return {
    ...{ id, label, unit: 'count', explanation: `${label}: the sum of all days.` },
    value: there.length === 0 ? undefined : sum(there),
    ...(previousRange === undefined || days.some(day => !known.has(day))
      ? {}
      : { previous: sum(daysOf(previousRange)) }),
  };
}

function seriesOf({ query, days, known, previousRange }: Context, { id, label, scale }: Kind): Series {
  return {
    ...{ id, label },
    values: days.map(day => (known.has(day) ? amount(day, id, scale) : null)),
    ...(previousRange === undefined || !query.compare
      ? {}
      : { previous: daysOf(previousRange).map(day => (day < bounds.start ? null : amount(day, id, scale))) }),
  };
}

function byDay(
  context: Context,
  id: string,
  title: string,
  kind: Chart['kind'],
  kinds: readonly Kind[],
): Section {
  const series = kinds.map(each => seriesOf(context, each));
  const columns: Column[] = [
    { id: 'day', label: 'Day', kind: 'day' },
    ...kinds.map(each => ({ id: each.id, label: each.label, kind: 'count' as const })),
    { id: 'sum', label: 'Sum', kind: 'count', hidden: true },
  ];
  const rows: Row[] = context.days.flatMap((day, index) => {
    const cells = series.map(({ values }) => values[index] ?? null);
    if (cells.every(cell => cell === null)) return [];
    return [
      { id: day, cells: [day, ...cells, cells.reduce<number>((sum, cell) => sum + (knownOf(cell) ?? 0), 0)] },
    ];
  });
  return {
    ...{ id, title, explanation: 'Each day is counted in UTC; the total is the sum of the days.' },
    chart: {
      ...{ kind, unit: 'count', days: context.days, series },
      markers: markers.filter(({ day }) => context.days.includes(day)),
    },
    table: { columns, rows, total: totalOf(rows) },
  };
}

function ratios(context: Context): Section {
  const names = ['Average', 'Median', '90th percentile'];
  const value = (day: Day, index: number): number =>
    (index + 1) * 2 + Math.round(chance(day, index) * 100) / 100;
  const days = context.days.filter(day => context.known.has(day));
  return {
    ...{
      id: 'autonomy',
      title: 'Tool calls per user turn',
      explanation: 'Ratios are shown a day; they are not averaged again.',
    },
    chart: {
      ...{ kind: 'lines', unit: 'ratio', days, markers: [] },
      series: names.map((label, index) => ({
        ...{ id: label, label, values: days.map(day => value(day, index)) },
      })),
    },
    table: {
      columns: [
        { id: 'day', label: 'Day', kind: 'day' },
        ...names.map(label => ({ id: label, label, kind: 'ratio' as const })),
        { id: 'manual', label: 'Manual', kind: 'percent' },
      ],
      rows: days.map(day => ({
        id: day,
        cells: [day, ...names.map((_, index) => value(day, index)), chance(day)],
      })),
    },
  };
}

/** What a person is called in a report. */
export function nameOf(index: number, pseudonyms: boolean): string {
  return pseudonyms ? `Person ${String(index + 1).padStart(3, '0')}` : (people[index]?.name ?? '');
}

function peopleTable({ query, days, known }: Context, id: string, title: string, all: boolean): Section {
  const numbers = all
    ? [
        'Tokens',
        'Tool calls',
        'Files created',
        'Files edited',
        'Commits',
        'Pull requests',
        'Sessions',
        'Messages',
      ]
    : ['Tokens', 'Input', 'Output'];
  const there = days.filter(day => known.has(day)).length;
  const rows = people.map((person, index): Row => {
    const never = index % 50 === 49;
    const cells: Cell[] = numbers.map((name, place) =>
      never || there === 0 ? null : Math.round(chance(person.id, name) * (100_000 / (place + 1)) * there),
    );
    const words = [index % 3 === 0 ? 'auto-high' : 'manual', never ? null : shift(bounds.end, -(index % 20))];
    const made = { id: person.id, cells: [nameOf(index, query.pseudonyms), ...cells, ...words] };
    return never ? made : { ...made, person: person.id };
  });
  return {
    ...{ id, title, explanation: 'One row a person; sums of the days of the range.' },
    table: {
      columns: [
        { id: 'name', label: 'Person', kind: 'text' },
        ...numbers.map(label => ({ id: label, label, kind: 'count' as const })),
        { id: 'delegation', label: 'Autonomy mode', kind: 'text', hidden: true },
        { id: 'last', label: 'Last active day', kind: 'day' },
      ],
      rows: there === 0 ? [] : rows,
      total: totalOf(rows),
    },
  };
}

/** Thousands of rows. */
function peopleDays({ query, days, known }: Context): Section {
  const rows = days
    .filter(day => known.has(day))
    .slice(-30)
    .flatMap(day =>
      people.map((person, index): Row => ({
        id: `${day} ${person.id}`,
        cells: [day, nameOf(index, query.pseudonyms), amount(day, person.id, 40_000)],
      })),
    );
  return {
    ...{ id: 'people-days', title: 'People by day', explanation: 'One row a person and day.' },
    table: {
      columns: [
        { id: 'day', label: 'Day', kind: 'day' },
        { id: 'name', label: 'Person', kind: 'text' },
        { id: 'tokens', label: 'Tokens', kind: 'count' },
      ],
      rows,
      total: totalOf(rows),
    },
  };
}

function totalOf(rows: readonly Row[]): Cell[] {
  const width = rows[0]?.cells.length ?? 0;
  return Array.from({ length: width }, (_, index) => {
    const numbers = rows.map(({ cells }) => cells[index]).filter(cell => typeof cell === 'number');
    return numbers.length === 0 ? null : numbers.reduce((sum, cell) => sum + cell, 0);
  });
}
