import { DayRecord } from '../../src/usage/days/day';
import { addDays, daysOf } from '../../src/usage/report/calendar';
import { report } from '../../src/usage/report/report';
import type { Day, DayRange, TabId, TabReport, UsageQuery } from '../../src/usage/report/types';
import { personIds, tokenRows, userRows } from './usage';

/** Reports of a made-up organization, made as those of a real one are: always the same for the same query, with odd and hostile names. */
export const bounds: DayRange = { start: '2026-01-14', end: '2026-11-20' };

export const hostileNames = [
  '<img src=x onerror="document.title=1">',
  '=HYPERLINK("http://example.invalid","x")',
  '[x](command:workbench.action.reloadWindow)',
  'exe.\u202etxt\u202c "quoted", comma\nnew line',
  'Ωμέγα \u{1f9ea} 名前がとても長い人'.repeat(4),
] as const;

const days = daysOf(bounds);
const size = { days: days.length, people: 80 };
const first = ['ada', 'bo', 'chidi', 'dörte', 'émile', 'fatima', 'gao', 'håkon', 'ines', "o'neil"];
const last = ['abel', 'brandt', 'castillo', 'dube', 'eriksen', 'fontaine', 'grün', 'hashimoto'];

export const people = personIds(size).map((id, index) => ({
  id,
  name: hostileNames[index] ?? `${first[index % 10]}.${last[index % 8]}.${index}@example.com`,
}));
const names = new Map(people.map(({ id, name }) => [id, name]));

type Loose = Record<string, unknown> & { readonly date: Day };

/** Growing, and quiet on weekends. */
function amount(at: number, scale: number): number {
  const weekend = new Date(days[at] ?? '').getUTCDay() % 6 === 0 ? 0.3 : 1;
  return Math.round(scale * weekend * (1 + at / 200) * (1 + (at % 7) / 10));
}

const makers: Readonly<Record<TabId, () => readonly Loose[]>> = {
  tokens: () =>
    tokenRows(size).map(row => {
      const users = row['by_user'] as readonly { readonly user_id: string }[];
      return {
        ...row,
        by_user: users.map(user => ({ ...user, user_email: names.get(user.user_id) })),
      } as never;
    }),
  people: () =>
    userRows(size).map(row => ({ ...row, user_email: names.get(String(row['user_id'])) })) as never,
  tools: () =>
    days.map((date, at) => ({
      ...{ date, tool_calls: amount(at, 6000), autonomy_ratio_avg: 2.25, autonomy_ratio_p50: 2 + (at % 3) },
      by_tool: [
        { tool: 'Read', invocations: amount(at, 4000) },
        { tool: hostileNames[2], invocations: amount(at, 100) },
        { tool: hostileNames[3], invocations: 1 },
      ],
      mcp_by_server: [
        { server: 'linear', invocations: 30 },
        { server: 'Linear', invocations: 3 },
      ],
      tool_autonomy_level_ratio: { auto_high: 0.25, manual: 0.75 },
    })),
  activity: () =>
    days.map((date, at) => ({
      ...{ date, daily_active_users: 40 + (at % 9), weekly_active_users: 70, monthly_active_users: 80 },
      ...{ sessions: amount(at, 90), messages: amount(at, 900), daily_active_users_by_client: { web: 9 } },
    })),
  productivity: () =>
    days.map((date, at) => ({
      ...{ date, files_created: amount(at, 2), files_edited: amount(at, 3) },
      ...{ git_commits: 1 + (at % 2), git_prs_created: at % 2 },
      by_language: [{ language: 'TypeScript', count: amount(at, 40) }],
      ...(at + 1 < days.length
        ? {}
        : { by_extension: Array.from({ length: 600 }, (_, count) => ({ extension: `e${count}`, count })) }),
    })),
};
const made = new Map<TabId, ReadonlyMap<Day, readonly Loose[]>>();

export interface Known {
  readonly days: ReadonlySet<Day>;
  /** Unix ms. */
  readonly fetchedAt?: number;
  /** What could not be read of each day. */
  readonly problems?: readonly string[];
}

export function makeReport(query: UsageQuery, known: Known): TabReport {
  const { tab } = query;
  const rows = made.get(tab) ?? Map.groupBy(makers[tab](), ({ date }) => date);
  made.set(tab, rows);
  const records = [...known.days].map(day => {
    return [day, new DayRecord(known.fetchedAt ?? 0, rows.get(day) ?? [], known.problems)] as const;
  });
  const steps = report(query, new Map(records), {
    ...{ bounds, orgId: 'org_01JH7ZK3QF5Y8', salt: 'salt' },
    directory: [...people.map(({ id, name }) => ({ id, email: name })), { id: 'user_nobody' }],
    revisions: [
      { revision: 45, day: '2026-11-03', changed: ['maxAutonomyLevel'] },
      { revision: 31, day: addDays('2026-11-03', -140), changed: ['<b>allowedModels</b>'] },
    ],
  });
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
}
