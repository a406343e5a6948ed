import * as l10n from '@vscode/l10n';
import type { ActivityDay, ModelTokens, ProductivityDay, TokenDay } from '../../api';
import { sum, type Amount } from '../../util/amount';
import {
  counted,
  named,
  shown,
  summed,
  Tally,
  type Context,
  type Entry,
  type Metric,
  type Tab,
} from './parts';

/** Models with a colour of their own; the others are one. */
const MOST_MODELS = 8;

/** Section 2.2. */
export function tokensTab(context: Context<TokenDay>): Tab<TokenDay> {
  const metrics = [
    summed<TokenDay>('billable', l10n.t('Billable tokens'), row => row.billable_tokens),
    summed<TokenDay>('input', l10n.t('Input tokens'), row => row.input_tokens),
    summed<TokenDay>('output', l10n.t('Output tokens'), row => row.output_tokens),
    summed<TokenDay>('cacheRead', l10n.t('Cache read tokens'), row => row.cache_read_tokens),
    summed<TokenDay>('cacheWrite', l10n.t('Cache write tokens'), row => row.cache_write_tokens),
  ];
  const counts = metrics.slice(0, 3);
  return {
    figures: metrics,
    sections: [
      {
        ...{ id: 'days', title: l10n.t('Tokens by day'), chart: 'bars' },
        explanation: l10n.t(
          'Billable tokens are input plus output with cache discounts, as the service counts them. The chart shows billable tokens by model.',
        ),
        metrics: [...metrics.map(metric => ({ ...metric, isCharted: false })), ...billableByModel(context)],
      },
      {
        ...{ id: 'models', title: l10n.t('By model'), counts },
        names: [l10n.t('Model'), l10n.t('Tier')],
        share: l10n.t('Share of billable tokens'),
        entries: row => row.by_model?.map(model => entryOf(model)),
      },
      {
        ...{ id: 'users', title: l10n.t('By person'), isOfPeople: true, withIds: true },
        ...{ names: [l10n.t('Person')], counts: counts.slice(0, 1), share: l10n.t('Share') },
        entries: row =>
          row.by_user?.map(({ user_id: id, user_email: email, billable_tokens: tokens }) => {
            context.names.learn(id, email);
            return { names: [id], counts: [tokens] };
          }),
      },
      {
        ...{ id: 'usersModels', title: l10n.t('By person and model'), isOfPeople: true, counts },
        names: [l10n.t('Person'), l10n.t('Model'), l10n.t('Tier')],
        entries: row =>
          row.by_user?.flatMap(({ user_id: id, by_model: models = [] }) =>
            models.map(model => entryOf(model, id)),
          ),
      },
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
  if (first.length < ids.length) {
    const others = (row: TokenDay): Amount => of(row, model => !first.includes(model));
    stacked.push(summed('otherModels', l10n.t('Other models'), others));
  }
  return stacked;
}

/** Section 2.4. */
export function activityTab({ now }: Context<ActivityDay>): Tab<ActivityDay> {
  const active: Metric<ActivityDay>[] = [
    { id: 'daily', label: l10n.t('Active in a day'), of: row => row.daily_active_users, over: 'median' },
    { id: 'weekly', label: l10n.t('Active in 7 days'), of: row => row.weekly_active_users, over: 'last' },
    { id: 'monthly', label: l10n.t('Active in 30 days'), of: row => row.monthly_active_users, over: 'last' },
  ];
  const volume = [
    summed<ActivityDay>('sessions', l10n.t('Sessions'), row => row.sessions),
    summed<ActivityDay>('messages', l10n.t('Messages'), row => row.messages),
    summed<ActivityDay>('userMessages', l10n.t('Messages from people'), row => row.user_messages),
  ];
  const labels = {
    'terminal-ui': l10n.t('Terminal'),
    web: l10n.t('Web'),
    'non-interactive-cli': l10n.t('Command line without a person'),
  };
  const clients = named('client', labels, now.rows, row => row.daily_active_users_by_client);
  return {
    figures: [...active, ...volume],
    sections: [
      {
        ...{ id: 'active', title: l10n.t('Active people'), chart: 'lines', metrics: active },
        explanation: l10n.t(
          'Different people on each day, and in the 7 and 30 days that end with it. They cannot be added up: somebody may be active on several days.',
        ),
      },
      {
        ...{ id: 'clients', title: l10n.t('Active people by client'), chart: 'lines', metrics: clients },
        explanation: l10n.t(
          'Somebody who uses several clients on a day counts for each of them, so a day’s clients may add up to more than its people.',
        ),
      },
      {
        ...{ id: 'volume', title: l10n.t('Sessions and messages'), chart: 'lines', metrics: volume },
        explanation: l10n.t('Messages from people and agents together.'),
      },
    ],
  };
}

/** Section 2.5. */
export function productivityTab(): Tab<ProductivityDay> {
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
      {
        ...{ id: 'files', title: l10n.t('Files'), chart: 'bars', metrics: files },
        explanation: l10n.t('Files that agents created or changed.'),
      },
      {
        ...{ id: 'git', title: l10n.t('Commits and pull requests'), chart: 'lines', metrics: git },
        explanation: l10n.t('Made through an agent.'),
      },
      counted('languages', l10n.t('By language'), [l10n.t('Language')], count, row =>
        row.by_language?.map(each => ({ names: [each.language], counts: [each.count] })),
      ),
      counted('extensions', l10n.t('By file extension'), [l10n.t('Extension')], count, row =>
        row.by_extension?.map(each => ({ names: [each.extension], counts: [each.count] })),
      ),
    ],
  };
}
