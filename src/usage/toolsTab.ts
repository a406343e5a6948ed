import * as vscode from 'vscode';
import type { ToolDay } from '../api';
import {
  added,
  daySection,
  explained,
  figure,
  median,
  most,
  nameSection,
  ofDays,
  remainderOf,
  shown,
  tally,
  type Context,
  type Entry,
  type Metric,
} from './kit';
import { foldCase, groupOdd, type Folded } from './quality';
import type { Figure, QualityNote, Section } from './report';

type Entries = (row: ToolDay) => Entry[];

const tools: Entries = row =>
  (row.by_tool ?? []).map(({ tool, invocations }) => ({ names: [tool], count: invocations }));
const servers: Entries = row =>
  (row.mcp_by_server ?? []).map(({ server, invocations }) => ({ names: [server], count: invocations }));
const skills: Entries = row =>
  (row.skills_by_name ?? []).map(({ name, count }) => ({ names: [name], count }));
const slashCommands: Entries = row =>
  (row.slash_commands_by_name ?? []).map(({ name, count }) => ({ names: [name], count }));
const hooks: Entries = row =>
  (row.hooks_by_event ?? []).map(({ event, matcher = '', command = '', count }) => ({
    names: [event, matcher, command],
    count,
  }));

/** Section 2.3. */
export function toolsTab(context: Context<ToolDay>): {
  figures: Figure[];
  sections: Section[];
  notes: QualityNote[];
} {
  const all = (entries: Entries): Entry[] =>
    tally(context.now.rows.flatMap(row => (row === undefined ? [] : entries(row))));
  const fold = (folded: (entries: readonly Entry[]) => Folded, entries: readonly Entry[]): Folded =>
    context.query.folded ? folded(entries) : { entries };
  const byTool = fold(groupOdd, all(tools));
  const byServer = fold(foldCase, all(servers));
  const rest = (given: (row: ToolDay) => number | undefined, entries: Entries): number =>
    remainderOf(context.now, given, entries);
  const named = (list: keyof ToolDay, id: string, title: string, name: readonly string[], count: string) => ({
    id,
    title,
    explanation: ofDays(explained.sum(), context.now, row => row[list] !== undefined),
    names: name,
    count,
  });
  const uses = vscode.l10n.t('Uses');
  const calls = vscode.l10n.t('Calls');
  const sections = [
    daySection(
      context,
      {
        id: 'days',
        title: vscode.l10n.t('Tool calls by day'),
        explanation: vscode.l10n.t(
          'The chart shows all tool calls; the table also the other counts of the day.',
        ),
        chart: 'bars',
      },
      counts().map(metric => ({ ...metric, isCharted: metric.id === 'calls' })),
    ),
    nameSection(
      named('by_tool', 'tools', vscode.l10n.t('By tool'), [vscode.l10n.t('Tool')], calls),
      byTool.entries,
      rest(row => row.tool_calls, tools),
    ),
    nameSection(
      named('mcp_by_server', 'servers', vscode.l10n.t('MCP servers'), [vscode.l10n.t('Server')], calls),
      byServer.entries,
    ),
    nameSection(
      named('skills_by_name', 'skills', vscode.l10n.t('Skills'), [vscode.l10n.t('Skill')], uses),
      all(skills),
      rest(row => row.skills_invocations, skills),
    ),
    nameSection(
      named(
        'slash_commands_by_name',
        'slashCommands',
        vscode.l10n.t('Slash commands'),
        [vscode.l10n.t('Command')],
        uses,
      ),
      all(slashCommands),
      rest(row => row.slash_commands_invocations, slashCommands),
    ),
    nameSection(
      named(
        'hooks_by_event',
        'hooks',
        vscode.l10n.t('Hooks'),
        [vscode.l10n.t('Event'), vscode.l10n.t('Matcher'), vscode.l10n.t('Command')],
        vscode.l10n.t('Runs'),
      ),
      all(hooks).map(({ names: [event = '', ...others], count }) => ({ names: [event, ...others], count })),
      rest(row => row.hooks_invocations, hooks),
    ),
    ...ratios(context),
  ];
  const figures = [
    ...counts()
      .filter(({ adds }) => adds)
      .map(({ id, label, of }) => figure(context, { id, label, explanation: explained.sum() }, of, added)),
    ...counts()
      .filter(({ adds }) => !adds)
      .map(({ id, label, of }) => figure(context, { id, label, explanation: explained.most() }, of, most)),
    ...[...autonomy(), ...perSession()].map(({ id, label, of }) =>
      figure(context, { id, label, unit: 'ratio', explanation: explained.median() }, of, median),
    ),
  ];
  return { figures, sections, notes: [byTool.note, byServer.note].filter(note => note !== undefined) };
}

function counts(): Metric<ToolDay>[] {
  const mcpCalls = (row: ToolDay): number | undefined =>
    row.mcp_by_server?.reduce((sum, { invocations }) => sum + invocations, 0);
  return [
    { id: 'calls', label: vscode.l10n.t('Tool calls'), of: row => row.tool_calls, adds: true },
    { id: 'mcpCalls', label: vscode.l10n.t('MCP calls'), of: mcpCalls, adds: true },
    { id: 'skills', label: vscode.l10n.t('Skills used'), of: row => row.skills_invocations, adds: true },
    {
      id: 'slashCommands',
      label: vscode.l10n.t('Slash commands used'),
      of: row => row.slash_commands_invocations,
      adds: true,
    },
    { id: 'hooks', label: vscode.l10n.t('Hooks run'), of: row => row.hooks_invocations, adds: true },
    { id: 'mcpUsers', label: vscode.l10n.t('People using MCP servers'), of: row => row.mcp_users_with_mcp },
    { id: 'webUsers', label: vscode.l10n.t('People using the web interface'), of: row => row.web_users },
  ];
}

function autonomy(): Metric<ToolDay>[] {
  return [
    {
      id: 'autonomyAverage',
      label: vscode.l10n.t('Autonomy ratio, average'),
      of: row => row.autonomy_ratio_avg,
      unit: 'ratio',
    },
    {
      id: 'autonomyMedian',
      label: vscode.l10n.t('Autonomy ratio, median'),
      of: row => row.autonomy_ratio_p50,
      unit: 'ratio',
    },
    {
      id: 'autonomy90',
      label: vscode.l10n.t('Autonomy ratio, 90th percentile'),
      of: row => row.autonomy_ratio_p90,
      unit: 'ratio',
    },
  ];
}

function perSession(): Metric<ToolDay>[] {
  return [
    {
      id: 'callsPerSession',
      label: vscode.l10n.t('Tool calls per session'),
      of: row => row.tool_calls_per_session_avg,
      unit: 'ratio',
    },
    {
      id: 'turnsPerSession',
      label: vscode.l10n.t('User messages per session'),
      of: row => row.user_turns_per_session_avg,
      unit: 'ratio',
    },
  ];
}

/** The four levels of section 2.3 and any other number the service adds to them. */
function levels(rows: readonly (ToolDay | undefined)[]): Metric<ToolDay>[] {
  const labels: Readonly<Record<string, string>> = {
    auto_high: vscode.l10n.t('High autonomy'),
    auto_medium: vscode.l10n.t('Medium autonomy'),
    auto_low: vscode.l10n.t('Low autonomy'),
    manual: vscode.l10n.t('Manual'),
  };
  const ids = new Set(Object.keys(labels));
  for (const row of rows) for (const id of Object.keys(row?.tool_autonomy_level_ratio ?? {})) ids.add(id);
  return [...ids].map(id => ({
    id: `level=${id}`,
    label: Object.hasOwn(labels, id) ? (labels[id] ?? id) : shown(id),
    unit: 'percent',
    of: row => sharesOf(row).get(id),
  }));
}

/** Parts of one, whether the service says parts of one or of a hundred; not made to add up where they do not. */
function sharesOf({ tool_autonomy_level_ratio: levels = {} }: ToolDay): ReadonlyMap<string, number> {
  const given = Object.entries(levels).filter((entry): entry is [string, number] =>
    Number.isFinite(entry[1]),
  );
  const whole = given.reduce((all, [, value]) => all + value, 0);
  return new Map(given.map(([id, value]) => [id, whole > 1.5 ? value / 100 : value]));
}

function ratios(context: Context<ToolDay>): Section[] {
  const perDay = vscode.l10n.t(
    'One value a day, as the service gives it. Averages and shares of several days are not put together: their weights are not known.',
  );
  return [
    daySection(
      context,
      {
        id: 'autonomy',
        title: vscode.l10n.t('Autonomy ratio'),
        explanation: `${vscode.l10n.t('Tool calls per message of a person.')} ${perDay}`,
        chart: 'lines',
      },
      autonomy(),
    ),
    daySection(
      context,
      { id: 'perSession', title: vscode.l10n.t('Per session'), explanation: perDay, chart: 'lines' },
      perSession(),
    ),
    daySection(
      context,
      { id: 'levels', title: vscode.l10n.t('Autonomy levels'), explanation: perDay, chart: 'stacked' },
      levels(context.now.rows),
    ),
    daySection(
      context,
      {
        id: 'people',
        title: vscode.l10n.t('People using MCP servers and the web interface'),
        explanation: vscode.l10n.t(
          'People of each day. They cannot be added up: somebody may be there on several days.',
        ),
        chart: 'lines',
      },
      counts().filter(({ adds }) => !adds),
    ),
  ];
}
