import * as l10n from '@vscode/l10n';
import type { ToolDay } from '../../api';
import { counted, shown, summed, type ByName, type Context, type Metric, type Tab } from './parts';
import { foldCase, groupOdd } from './quality';

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
      ...named(),
      {
        ...{ id: 'autonomy', title: l10n.t('Autonomy ratio'), chart: 'lines', metrics: autonomy },
        explanation: `${l10n.t('Tool calls per user message.')} ${perDay}`,
      },
      {
        ...{ id: 'perSession', title: l10n.t('Per session'), chart: 'lines', metrics: perSession },
        explanation: perDay,
      },
      {
        ...{ id: 'levels', title: l10n.t('Autonomy levels'), chart: 'bars', metrics: levels(now.rows) },
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
function named(): ByName<ToolDay>[] {
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

/** The four levels of section 2.3 and any other number the service adds to them. */
function levels(rows: readonly (ToolDay | undefined)[]): Metric<ToolDay>[] {
  const labels = new Map([
    ['auto_high', l10n.t('High autonomy')],
    ['auto_medium', l10n.t('Medium autonomy')],
    ['auto_low', l10n.t('Low autonomy')],
    ['manual', l10n.t('Manual')],
  ]);
  const added = rows.flatMap(row => Object.keys(row?.tool_autonomy_level_ratio ?? {}));
  return [...new Set([...labels.keys(), ...added])].map(id => ({
    id: `level=${id}`,
    label: labels.get(id) ?? shown(id),
    unit: 'percent',
    of: row => sharesOf(row).get(id),
  }));
}

/** Parts of one, whether the service says parts of one or of a hundred; not made to add up where they do not. */
function sharesOf({ tool_autonomy_level_ratio: given = {} }: ToolDay): ReadonlyMap<string, number> {
  const known = Object.entries(given).filter((each): each is [string, number] => Number.isFinite(each[1]));
  const whole = known.reduce((all, [, value]) => all + value, 0);
  return new Map(known.map(([id, value]) => [id, whole > 1.5 ? value / 100 : value]));
}
