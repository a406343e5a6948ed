import * as l10n from '@vscode/l10n';
import type { ToolDay } from '../../api';
import {
  daySection,
  figure,
  nameSection,
  ofDays,
  restOf,
  shown,
  summed,
  tallied,
  type Context,
  type Entry,
  type Metric,
  type Parts,
} from './parts';
import { foldCase, groupOdd, type Folded } from './quality';
import type { QualityNote, Section } from './types';

/** What is counted by name: the list of a day, its own total, and how it is shown. */
interface Kind {
  readonly id: string;
  readonly title: string;
  readonly names: readonly string[];
  readonly count: string;
  readonly list: keyof ToolDay;
  readonly entries: (row: ToolDay) => Entry[];
  readonly given?: (row: ToolDay) => number | undefined;
  readonly fold?: (entries: readonly Entry[]) => Folded;
}

/** Section 2.3. */
export function toolsTab(context: Context<ToolDay>): Parts & { readonly notes: readonly QualityNote[] } {
  const { now, query } = context;
  const counts = countMetrics();
  const people: Metric<ToolDay>[] = [
    {
      id: 'mcpUsers',
      label: l10n.t('People using MCP servers'),
      of: row => row.mcp_users_with_mcp,
      over: 'most',
    },
    {
      id: 'webUsers',
      label: l10n.t('People using the web interface'),
      of: row => row.web_users,
      over: 'most',
    },
  ];
  const ratio = (id: string, label: string, of: Metric<ToolDay>['of']): Metric<ToolDay> => ({
    ...{ id, label, of, unit: 'ratio', over: 'median' },
  });
  const autonomy = [
    ratio('autonomyAverage', l10n.t('Autonomy ratio, average'), row => row.autonomy_ratio_avg),
    ratio('autonomyMedian', l10n.t('Autonomy ratio, median'), row => row.autonomy_ratio_p50),
    ratio('autonomy90', l10n.t('Autonomy ratio, 90th percentile'), row => row.autonomy_ratio_p90),
  ];
  const perSession = [
    ratio('callsPerSession', l10n.t('Tool calls per session'), row => row.tool_calls_per_session_avg),
    ratio('turnsPerSession', l10n.t('User messages per session'), row => row.user_turns_per_session_avg),
  ];
  const notes: QualityNote[] = [];
  const byName = ({ id, title, names, count, list, entries, given, fold }: Kind): Section => {
    const all = tallied(now, entries);
    const { entries: folded, note } = query.folded && fold !== undefined ? fold(all) : { entries: all };
    if (note !== undefined) notes.push(note);
    const rest = given && {
      name: () => l10n.t('Without a name'),
      counts: [restOf(now, given, row => entries(row).map(entry => entry.counts[0]))],
    };
    return nameSection(
      {
        ...{ id, title, names, share: l10n.t('Share'), ...(rest === undefined ? {} : { rest }) },
        explanation: ofDays(now, row => row[list] !== undefined),
        counts: [{ id: 'count', label: count }],
      },
      folded,
    );
  };
  const days = (id: string, title: string, explanation: string, kind: 'lines' | 'stacked' | 'bars') =>
    [context, kind, { id, title, explanation }] as const;
  const aboutCalls = l10n.t('The chart shows all tool calls; the table also the other counts of the day.');
  const perDay = l10n.t(
    'One value a day, as the service gives it. Averages and shares of several days are not put together: their weights are not known.',
  );
  const aboutRatio = `${l10n.t('Tool calls per message of a person.')} ${perDay}`;
  const aboutPeople = l10n.t(
    'People of each day. They cannot be added up: somebody may be there on several days.',
  );
  const using = l10n.t('People using MCP servers and the web interface');
  return {
    figures: [...counts, ...people, ...autonomy, ...perSession].map(metric => figure(context, metric)),
    sections: [
      daySection(...days('days', l10n.t('Tool calls by day'), aboutCalls, 'bars'), [
        ...counts.map(metric => ({ ...metric, isCharted: metric.id === 'calls' })),
        ...people.map(metric => ({ ...metric, isCharted: false })),
      ]),
      ...kinds().map(byName),
      daySection(...days('autonomy', l10n.t('Autonomy ratio'), aboutRatio, 'lines'), autonomy),
      daySection(...days('perSession', l10n.t('Per session'), perDay, 'lines'), perSession),
      daySection(...days('levels', l10n.t('Autonomy levels'), perDay, 'stacked'), levels(now.rows)),
      daySection(...days('people', using, aboutPeople, 'lines'), people),
    ],
    notes,
  };
}

function countMetrics(): Metric<ToolDay>[] {
  const mcpCalls = (row: ToolDay): number | undefined =>
    row.mcp_by_server?.reduce((sum, { invocations }) => sum + invocations, 0);
  return [
    summed('calls', l10n.t('Tool calls'), row => row.tool_calls),
    summed('mcpCalls', l10n.t('MCP calls'), mcpCalls),
    summed('skills', l10n.t('Skills used'), row => row.skills_invocations),
    summed('slashCommands', l10n.t('Slash commands used'), row => row.slash_commands_invocations),
    summed('hooks', l10n.t('Hooks run'), row => row.hooks_invocations),
  ];
}

function kinds(): Kind[] {
  const named = (list: ToolDay['skills_by_name']): Entry[] =>
    (list ?? []).map(({ name, count }) => ({ names: [name], counts: [count] }));
  return [
    {
      ...{ id: 'tools', title: l10n.t('By tool'), names: [l10n.t('Tool')], count: l10n.t('Calls') },
      list: 'by_tool',
      entries: ({ by_tool: tools = [] }) =>
        tools.map(({ tool, invocations }) => ({ names: [tool], counts: [invocations] })),
      given: row => row.tool_calls,
      fold: groupOdd,
    },
    {
      ...{ id: 'servers', title: l10n.t('MCP servers'), names: [l10n.t('Server')], count: l10n.t('Calls') },
      list: 'mcp_by_server',
      entries: ({ mcp_by_server: servers = [] }) =>
        servers.map(({ server, invocations }) => ({ names: [server], counts: [invocations] })),
      fold: foldCase,
    },
    {
      ...{ id: 'skills', title: l10n.t('Skills'), names: [l10n.t('Skill')], count: l10n.t('Uses') },
      list: 'skills_by_name',
      entries: row => named(row.skills_by_name),
      given: row => row.skills_invocations,
    },
    {
      ...{ id: 'slashCommands', title: l10n.t('Slash commands') },
      ...{ names: [l10n.t('Command')], count: l10n.t('Uses'), list: 'slash_commands_by_name' },
      entries: row => named(row.slash_commands_by_name),
      given: row => row.slash_commands_invocations,
    },
    {
      ...{ id: 'hooks', title: l10n.t('Hooks'), count: l10n.t('Runs'), list: 'hooks_by_event' },
      names: [l10n.t('Event'), l10n.t('Matcher'), l10n.t('Command')],
      entries: ({ hooks_by_event: hooks = [] }) =>
        hooks.map(({ event, matcher = '', command = '', count }) => ({
          names: [event, matcher, command],
          counts: [count],
        })),
      given: row => row.hooks_invocations,
    },
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
  const named = rows.flatMap(row => Object.keys(row?.tool_autonomy_level_ratio ?? {}));
  return [...new Set([...labels.keys(), ...named])].map(id => ({
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
