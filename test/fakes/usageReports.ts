import { Analytics, type Row } from '../../src/sample/analytics';
import { dayOf } from '../../src/sample/random';
import { DayRecord } from '../../src/usage/days/day';
import { addDays } from '../../src/usage/report/calendar';
import { report } from '../../src/usage/report/report';
import type { Day, DayRange, TabId, TabReport, UsageQuery } from '../../src/usage/report/types';
import { peopleOf } from './usage';

/** Reports of a made-up organization, made as those of a real one are: always the same for the same query, with odd and hostile names. */
export const bounds: DayRange = { start: '2026-01-14', end: '2026-11-20' };

export const hostileNames = [
  '<img src=x onerror="document.title=1">',
  '=HYPERLINK("http://example.invalid","x")',
  '[x](command:workbench.action.reloadWindow)',
  'exe.\u202etxt\u202c "quoted", comma\nnew line',
  'Ωμέγα \u{1f9ea} 名前がとても長い人'.repeat(4),
] as const;

const first = ['ada', 'bo', 'chidi', 'dörte', 'émile', 'fatima', 'gao', 'håkon', 'ines', "o'neil"];
const last = ['abel', 'brandt', 'castillo', 'dube', 'eriksen', 'fontaine', 'grün', 'hashimoto'];
const usual = Array.from({ length: 80 }, (_, n) => `${first[n % 10]}.${last[n % 8]}.${n}@example.com`);

const working = peopleOf(usual.length, [...hostileNames, ...usual.slice(hostileNames.length)]);
export const people = working.map(({ id, email }) => ({ id, name: email }));

const usage = new Analytics('usage', working);
const days = { first: dayOf(Date.parse(bounds.start)), last: dayOf(Date.parse(bounds.end)) };
const hostileTools = [
  { tool: hostileNames[2], invocations: 100 },
  { tool: hostileNames[3], invocations: 1 },
];
const manyExtensions = Array.from({ length: 600 }, (_, count) => ({ extension: `e${count}`, count }));
const makers: Readonly<Record<TabId, () => readonly Row[]>> = {
  tokens: () => usage.tokens(days),
  people: () => usage.users(days, Infinity).rows,
  tools: () =>
    usage.tools(days).map(row => ({ ...row, by_tool: [...(row['by_tool'] as Row[]), ...hostileTools] })),
  activity: () => usage.activity(days),
  productivity: () =>
    usage
      .productivity(days)
      .map((row, at, { length }) => ({ ...row, by_extension: at + 1 < length ? [] : manyExtensions })),
};
const made = new Map<TabId, ReadonlyMap<unknown, readonly Row[]>>();

export interface Known {
  readonly days: ReadonlySet<Day>;
  /** Unix ms. */
  readonly fetchedAt?: number;
  /** What could not be read of each day. */
  readonly problems?: readonly string[];
}

export function makeReport(query: UsageQuery, known: Known, problem?: string): TabReport {
  const { tab } = query;
  const rows = made.get(tab) ?? Map.groupBy(makers[tab](), ({ date }) => date);
  made.set(tab, rows);
  const records = [...known.days].map(day => {
    return [
      day,
      new DayRecord(known.fetchedAt ?? 0, (rows.get(day) ?? []) as never, known.problems),
    ] as const;
  });
  const steps = report(query, new Map(records), {
    ...{ bounds, orgId: 'org_01JH7ZK3QF5Y8', salt: 'salt', problem },
    directory: [...people.map(({ id, name }) => ({ id, email: name })), { id: 'user_nobody' }],
    revisions: [
      { revision: 45, day: '2026-11-03', changed: ['maxAutonomyLevel'] },
      { revision: 31, day: addDays('2026-11-03', -140), changed: ['<b>allowedModels</b>'] },
    ],
  });
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
}
