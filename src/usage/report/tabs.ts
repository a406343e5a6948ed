import * as l10n from '@vscode/l10n';
import type { ActivityDay, ModelTokens, ProductivityDay, TokenDay, ToolDay } from '../../api';
import { knownOf, sum, type Amount } from '../../util/amount';
import { compareText } from '../../util/compare';
import {
  byCount,
  byDay,
  byName,
  last,
  median,
  most,
  named,
  shown,
  summed,
  Tally,
  type ByName,
  type Context,
  type Entry,
  type Folded,
  type Metric,
  type Tab,
} from './parts';
import type { Section, Steps } from './types';

/** Models with a colour of their own; the others are one. */
const MOST_MODELS = 8;

/** Section 2.2. */
export function tokensTab(context: Context<TokenDay>): Tab<TokenDay> {
  const figures = [
    summed<TokenDay>('billable', l10n.t('Billable tokens'), row => row.billable_tokens),
    summed<TokenDay>('input', l10n.t('Input tokens'), row => row.input_tokens),
    summed<TokenDay>('output', l10n.t('Output tokens'), row => row.output_tokens),
    summed<TokenDay>('cacheRead', l10n.t('Cache read tokens'), row => row.cache_read_tokens),
    summed<TokenDay>('cacheWrite', l10n.t('Cache write tokens'), row => row.cache_write_tokens),
  ];
  const counts = figures.slice(0, 3);
  return {
    figures,
    sections: [
      byDay(context, {
        ...{ id: 'days', title: l10n.t('Tokens by day'), chart: 'bars' },
        explanation: l10n.t(
          'Billable tokens are input plus output with cache discounts, as the service counts them. The chart shows billable tokens by model.',
        ),
        metrics: [...figures.map(metric => ({ ...metric, isCharted: false })), ...billableByModel(context)],
      }),
      byName(context, {
        ...{ id: 'models', title: l10n.t('By model'), counts },
        names: [l10n.t('Model'), l10n.t('Tier')],
        entries: row => row.by_model?.map(model => entryOf(model)),
      }),
      byName(context, {
        ...{ id: 'users', title: l10n.t('By person'), isOfPeople: true },
        ...{ names: [l10n.t('Person')], counts: counts.slice(0, 1) },
        entries: row =>
          row.by_user?.map(({ user_id: id, user_email: email, billable_tokens: tokens }) => {
            context.names.learn(id, email);
            return { names: [id], counts: [tokens] };
          }),
      }),
      byName(context, {
        ...{ id: 'usersModels', title: l10n.t('By person and model'), isOfPeople: true, counts },
        names: [l10n.t('Person'), l10n.t('Model'), l10n.t('Tier')],
        entries: row =>
          row.by_user?.flatMap(({ user_id: id, by_model: models = [] }) =>
            models.map(model => entryOf(model, id)),
          ),
      }),
    ],
  };
}

function entryOf(model: ModelTokens, ...before: string[]): Entry {
  return {
    names: [...before, model.model_id, model.model_tier ?? ''],
    counts: [model.billable_tokens, model.input_tokens, model.output_tokens],
  };
}

/** Billable tokens of each model; with what was used before only, where that is drawn as well. */
function billableByModel({ now, before, query }: Context<TokenDay>): Metric<TokenDay>[] {
  const used = [now, ...(query.compare && before !== undefined ? [before] : [])].flatMap(({ rows }) => {
    const tally = new Tally();
    for (const model of rows.flatMap(row => row?.by_model ?? []))
      tally.add({ names: [model.model_id], counts: [model.billable_tokens ?? 0] });
    return tally.entries.map(({ names: [id = ''] }) => id);
  });
  const ids = [...new Set(used)];
  const first = ids.length > MOST_MODELS + 1 ? ids.slice(0, MOST_MODELS) : ids;
  const of = (row: TokenDay, isWanted: (id: string) => boolean): Amount => {
    const own = row.by_model?.filter(model => isWanted(model.model_id));
    return own?.length === 0 ? 0 : own && sum(own.map(model => model.billable_tokens));
  };
  const stacked = first.map(id =>
    summed<TokenDay>(`model=${id}`, shown(id), row => of(row, model => model === id)),
  );
  if (first.length === ids.length) return stacked;
  const others = (row: TokenDay): Amount => of(row, model => !first.includes(model));
  return [...stacked, summed('otherModels', l10n.t('Other models'), others)];
}

/** One count by name, with its share. */
function counted<R>(
  context: Context<R>,
  id: string,
  title: string,
  names: readonly string[],
  count: string,
  entries: ByName<R>['entries'],
): Steps<Section> {
  const fold = { tools: groupOdd, servers: foldCase }[id];
  const counts = [{ id: 'count', label: count }];
  return byName(context, {
    id,
    title,
    names,
    counts,
    entries,
    ...(fold && { fold }),
  });
}

/** Section 2.3. */
export function toolsTab(context: Context<ToolDay>): Tab<ToolDay> {
  const counts = [
    summed<ToolDay>('calls', l10n.t('Tool calls'), row => row.tool_calls),
    summed<ToolDay>('mcpCalls', l10n.t('MCP calls'), row =>
      row.mcp_by_server?.reduce((sum, { invocations }) => sum + invocations, 0),
    ),
    summed<ToolDay>('skills', l10n.t('Skills used'), row => row.skills_invocations),
    summed<ToolDay>('slashCommands', l10n.t('Slash commands used'), row => row.slash_commands_invocations),
    summed<ToolDay>('hooks', l10n.t('Hooks run'), row => row.hooks_invocations),
  ];
  const people = [
    most<ToolDay>('mcpUsers', l10n.t('People using MCP servers'), row => row.mcp_users_with_mcp),
    most<ToolDay>('webUsers', l10n.t('People using the web interface'), row => row.web_users),
  ];
  const ratio = (id: string, label: string, of: Metric<ToolDay>['of']) =>
    ({ ...median(id, label, of), unit: 'ratio' }) as const;
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
  const levels = named('level', labels, context.now.rows, sharesOf);
  const [calls, uses] = [l10n.t('Calls'), l10n.t('Uses')];
  const hook = [l10n.t('Event'), l10n.t('Matcher'), l10n.t('Command')];
  const perDay = l10n.t(
    'One value per day, as the service reports it. Averages and shares are not combined over several days: their weights are unknown.',
  );
  return {
    figures: [...counts, ...people, ...autonomy, ...perSession],
    sections: [
      byDay(context, {
        ...{ id: 'days', title: l10n.t('Tool calls by day'), chart: 'bars' },
        explanation: l10n.t('The chart shows all tool calls; the table adds the day’s other counts.'),
        metrics: [...counts, ...people].map(metric => ({ ...metric, isCharted: metric.id === 'calls' })),
      }),
      counted(context, 'tools', l10n.t('By tool'), [l10n.t('Tool')], calls, row =>
        row.by_tool?.map(each => ({ names: [each.tool], counts: [each.invocations] })),
      ),
      counted(context, 'servers', l10n.t('MCP servers'), [l10n.t('Server')], calls, row =>
        row.mcp_by_server?.map(each => ({ names: [each.server], counts: [each.invocations] })),
      ),
      counted(context, 'skills', l10n.t('Skills'), [l10n.t('Skill')], uses, row =>
        row.skills_by_name?.map(each => ({ names: [each.name], counts: [each.count] })),
      ),
      counted(context, 'slashCommands', l10n.t('Slash commands'), [l10n.t('Command')], uses, row =>
        row.slash_commands_by_name?.map(each => ({ names: [each.name], counts: [each.count] })),
      ),
      counted(context, 'hooks', l10n.t('Hooks'), hook, l10n.t('Runs'), row =>
        row.hooks_by_event?.map(({ event, matcher = '', command = '', count }) => ({
          ...{ names: [event, matcher, command], counts: [count] },
        })),
      ),
      byDay(context, {
        ...{ id: 'autonomy', title: l10n.t('Autonomy ratio'), chart: 'lines', metrics: autonomy },
        explanation: `${l10n.t('Tool calls per user message.')} ${perDay}`,
      }),
      byDay(context, {
        ...{ id: 'perSession', title: l10n.t('Per session'), chart: 'lines', metrics: perSession },
        explanation: perDay,
      }),
      byDay(context, {
        ...{ id: 'levels', title: l10n.t('Autonomy levels'), chart: 'bars', explanation: perDay },
        metrics: levels.map(each => ({ ...each, unit: 'percent' })),
      }),
      byDay(context, {
        ...{ id: 'people', chart: 'lines', metrics: people },
        title: l10n.t('People using MCP servers and the web interface'),
        explanation: l10n.t(
          'People on each day. They do not add up over days: one person may be active on several.',
        ),
      }),
    ],
  };
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
    group.toSorted((a, b) => countOf(b) - countOf(a) || compareText(nameOf(b), nameOf(a))),
  );
  const folded = groups.map(group => ({
    names: group.slice(0, 1).map(nameOf),
    counts: [countAll(group)],
  }));
  const spellings = groups.filter(group => group.length > 1).flat().length;
  if (spellings === 0) return { entries: folded };
  return {
    entries: folded.sort(byCount),
    note: l10n.t(
      'MCP servers whose names differ only by letter case count as one: {0} spellings.',
      spellings,
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
  const { odd = [], plain = [] } = Object.groupBy(entries, entry => (isOdd(entry) ? 'odd' : 'plain'));
  if (odd.length === 0) return { entries };
  return {
    entries: [...plain, { names: [l10n.t('Other (odd names: {0})', odd.length)], counts: [countAll(odd)] }],
    note: l10n.t(
      'Tool names that look like parser debris, each with less than 0.1% of the calls, are combined in one row.',
    ),
  };
}

/** Section 2.4. */
export function activityTab(context: Context<ActivityDay>): Tab<ActivityDay> {
  const active = [
    median<ActivityDay>('daily', l10n.t('Active in a day'), row => row.daily_active_users),
    last<ActivityDay>('weekly', l10n.t('Active in 7 days'), row => row.weekly_active_users),
    last<ActivityDay>('monthly', l10n.t('Active in 30 days'), row => row.monthly_active_users),
  ];
  const volume = [
    summed<ActivityDay>('sessions', l10n.t('Sessions'), row => row.sessions),
    summed<ActivityDay>('messages', l10n.t('Messages'), row => row.messages),
    summed<ActivityDay>('userMessages', l10n.t('Messages from people'), row => row.user_messages),
  ];
  const labels = {
    'terminal-ui': l10n.t('Terminal'),
    web: l10n.t('Web'),
    'non-interactive-cli': l10n.t('Non-interactive command line'),
  };
  const clients = named('client', labels, context.now.rows, row => row.daily_active_users_by_client);
  return {
    figures: [...active, ...volume],
    sections: [
      byDay(context, {
        ...{ id: 'active', title: l10n.t('Active people'), chart: 'lines', metrics: active },
        explanation: l10n.t(
          'Distinct people on each day, and in the 7 and 30 days ending with it. They do not add up over days: one person may be active on several.',
        ),
      }),
      byDay(context, {
        ...{ id: 'clients', title: l10n.t('Active people by client'), chart: 'lines', metrics: clients },
        explanation: l10n.t(
          'Someone who uses several clients in a day counts once for each, so a day’s clients may add up to more than its people.',
        ),
      }),
      byDay(context, {
        ...{ id: 'volume', title: l10n.t('Sessions and messages'), chart: 'lines', metrics: volume },
        explanation: l10n.t('Messages from people and agents together.'),
      }),
    ],
  };
}

/** Section 2.5. */
export function productivityTab(context: Context<ProductivityDay>): Tab<ProductivityDay> {
  const files = [
    summed<ProductivityDay>('created', l10n.t('Files created'), row => row.files_created),
    summed<ProductivityDay>('edited', l10n.t('Files edited'), row => row.files_edited),
  ];
  const git = [
    summed<ProductivityDay>('commits', l10n.t('Commits'), row => row.git_commits),
    summed<ProductivityDay>('pullRequests', l10n.t('Pull requests'), row => row.git_prs_created),
  ];
  const count = l10n.t('Count');
  return {
    figures: [...files, ...git],
    sections: [
      byDay(context, {
        ...{ id: 'files', title: l10n.t('Files'), chart: 'bars', metrics: files },
        explanation: l10n.t('Files that agents created or changed.'),
      }),
      byDay(context, {
        ...{ id: 'git', title: l10n.t('Commits and pull requests'), chart: 'lines', metrics: git },
        explanation: l10n.t('Commits and pull requests that agents made.'),
      }),
      counted(context, 'languages', l10n.t('By language'), [l10n.t('Language')], count, row =>
        row.by_language?.map(each => ({ names: [each.language], counts: [each.count] })),
      ),
      counted(context, 'extensions', l10n.t('By file extension'), [l10n.t('Extension')], count, row =>
        row.by_extension?.map(each => ({ names: [each.extension], counts: [each.count] })),
      ),
    ],
  };
}
