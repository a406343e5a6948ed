import * as l10n from '@vscode/l10n';
import type { ToolDay } from '../../api';
import { knownOf } from '../../util/amount';
import {
  byCount,
  compare,
  counted,
  named,
  summed,
  type ByName,
  type Context,
  type Entry,
  type Folded,
  type Metric,
  type Tab,
} from './parts';

/** Section 2.3. */
export function toolsTab({ now }: Context<ToolDay>): Tab<ToolDay> {
  const counts = [
    summed<ToolDay>('calls', l10n.t('Tool calls'), row => row.tool_calls),
    summed<ToolDay>('mcpCalls', l10n.t('MCP calls'), row =>
      row.mcp_by_server?.reduce((sum, { invocations }) => sum + invocations, 0),
    ),
    summed<ToolDay>('skills', l10n.t('Skills used'), row => row.skills_invocations),
    summed<ToolDay>('slashCommands', l10n.t('Slash commands used'), row => row.slash_commands_invocations),
    summed<ToolDay>('hooks', l10n.t('Hooks run'), row => row.hooks_invocations),
  ];
  const most = (id: string, label: string, of: Metric<ToolDay>['of']) =>
    ({ id, label, of, over: 'most' }) as const;
  const people = [
    most('mcpUsers', l10n.t('People using MCP servers'), row => row.mcp_users_with_mcp),
    most('webUsers', l10n.t('People using the web interface'), row => row.web_users),
  ];
  const ratio = (id: string, label: string, of: Metric<ToolDay>['of']) =>
    ({ id, label, of, unit: 'ratio', over: 'median' }) as const;
  const autonomy = [
    ratio('autonomyAverage', l10n.t('Autonomy ratio, average'), row => row.autonomy_ratio_avg),
    ratio('autonomyMedian', l10n.t('Autonomy ratio, median'), row => row.autonomy_ratio_p50),
    ratio('autonomy90', l10n.t('Autonomy ratio, 90th percentile'), row => row.autonomy_ratio_p90),
  ];
  const perSession = [
    ratio('callsPerSession', l10n.t('Tool calls per session'), row => row.tool_calls_per_session_avg),
    ratio('turnsPerSession', l10n.t('User messages per session'), row => row.user_turns_per_session_avg),
  ];
  const labels = {
    auto_high: l10n.t('High autonomy'),
    auto_medium: l10n.t('Medium autonomy'),
    auto_low: l10n.t('Low autonomy'),
    manual: l10n.t('Manual'),
  };
  const levels = named('level', labels, now.rows, sharesOf).map(each => ({
    ...each,
    unit: 'percent' as const,
  }));
  const perDay = l10n.t(
    'One value per day, as the service reports it. Averages and shares are not combined over several days: their weights are unknown.',
  );
  return {
    figures: [...counts, ...people, ...autonomy, ...perSession],
    sections: [
      {
        ...{ id: 'days', title: l10n.t('Tool calls by day'), chart: 'bars' },
        explanation: l10n.t('The chart shows all tool calls; the table adds the day’s other counts.'),
        metrics: [...counts, ...people].map(metric => ({ ...metric, isCharted: metric.id === 'calls' })),
      },
      ...byName(),
      {
        ...{ id: 'autonomy', title: l10n.t('Autonomy ratio'), chart: 'lines', metrics: autonomy },
        explanation: `${l10n.t('Tool calls per user message.')} ${perDay}`,
      },
      {
        ...{ id: 'perSession', title: l10n.t('Per session'), chart: 'lines', metrics: perSession },
        explanation: perDay,
      },
      {
        ...{ id: 'levels', title: l10n.t('Autonomy levels'), chart: 'bars', metrics: levels },
        explanation: perDay,
      },
      {
        ...{ id: 'people', chart: 'lines', metrics: people },
        title: l10n.t('People using MCP servers and the web interface'),
        explanation: l10n.t(
          'People on each day. They cannot be added up: somebody may be active on several days.',
        ),
      },
    ],
  };
}

/** What is counted by name. */
function byName(): ByName<ToolDay>[] {
  const [calls, uses] = [l10n.t('Calls'), l10n.t('Uses')];
  const hook = [l10n.t('Event'), l10n.t('Matcher'), l10n.t('Command')];
  return [
    {
      ...counted('tools', l10n.t('By tool'), [l10n.t('Tool')], calls, row =>
        row.by_tool?.map(each => ({ names: [each.tool], counts: [each.invocations] })),
      ),
      fold: groupOdd,
    },
    {
      ...counted('servers', l10n.t('MCP servers'), [l10n.t('Server')], calls, row =>
        row.mcp_by_server?.map(each => ({ names: [each.server], counts: [each.invocations] })),
      ),
      fold: foldCase,
    },
    counted('skills', l10n.t('Skills'), [l10n.t('Skill')], uses, row =>
      row.skills_by_name?.map(each => ({ names: [each.name], counts: [each.count] })),
    ),
    counted('slashCommands', l10n.t('Slash commands'), [l10n.t('Command')], uses, row =>
      row.slash_commands_by_name?.map(each => ({ names: [each.name], counts: [each.count] })),
    ),
    counted('hooks', l10n.t('Hooks'), hook, l10n.t('Runs'), row =>
      row.hooks_by_event?.map(({ event, matcher = '', command = '', count }) => ({
        names: [event, matcher, command],
        counts: [count],
      })),
    ),
  ];
}

/** Parts of one, whether the service says parts of one or of a hundred; not made to add up where they do not. */
function sharesOf({ tool_autonomy_level_ratio: given = {} }: ToolDay): Readonly<Record<string, number>> {
  const known = Object.entries(given).filter((each): each is [string, number] => Number.isFinite(each[1]));
  const whole = known.reduce((all, [, value]) => all + value, 0);
  return Object.fromEntries(known.map(([id, value]) => [id, whole > 1.5 ? value / 100 : value]));
}

const nameOf = ({ names: [name = ''] }: Entry): string => name;
const countOf = ({ counts: [count] }: Entry): number => knownOf(count) ?? 0;
const countAll = (entries: readonly Entry[]): number =>
  entries.reduce((sum, entry) => sum + countOf(entry), 0);

/** Names that differ by letter case only are one, spelled as most often (section 8). */
function foldCase(entries: readonly Entry[]): Folded {
  const groups = [...Map.groupBy(entries, entry => nameOf(entry).toLowerCase()).values()].map(group =>
    group.toSorted((a, b) => countOf(b) - countOf(a) || compare(nameOf(b), nameOf(a))),
  );
  const spelling = (group: readonly Entry[]): string => group.map(nameOf)[0] ?? '';
  const folded = groups.map(group => ({ names: [spelling(group)], counts: [countAll(group)] }));
  const merged = groups.filter(group => group.length > 1);
  if (merged.length === 0) return { entries: folded };
  return {
    entries: folded.sort(byCount),
    note: l10n.t(
      'MCP servers whose names differ only by letter case count as one: {0} spellings, {1}.',
      merged.flat().length,
      merged.length === 1 ? l10n.t('1 server') : l10n.t('{0} servers', merged.length),
    ),
  };
}

/** Odd names below this share of all calls are grouped. */
const ODD_SHARE = 0.001;
/** Letters, digits and the signs that names of tools are made of. */
const PLAIN_NAME = /^[\p{L}\p{N} _.:/@#-]{1,80}$/u;

/** Tool names that look like leftovers of a parser are one row, if each is rare (section 8). */
function groupOdd(entries: readonly Entry[]): Folded {
  const total = countAll(entries);
  const isOdd = (entry: Entry): boolean =>
    !PLAIN_NAME.test(nameOf(entry)) && countOf(entry) < total * ODD_SHARE;
  const odd = entries.filter(isOdd);
  if (odd.length === 0) return { entries };
  const other = l10n.t('Other (odd names: {0})', odd.length);
  const count = countAll(odd);
  return {
    entries: [...entries.filter(entry => !isOdd(entry)), { names: [other], counts: [count] }],
    note: l10n.t(
      'Tool names that look like parser debris, each with less than 0.1% of the calls, are combined in one row: {0}, {1}.',
      odd.length === 1 ? l10n.t('1 name') : l10n.t('{0} names', odd.length),
      count === 1 ? l10n.t('1 call') : l10n.t('{0} calls', count),
    ),
  };
}
