import * as l10n from '@vscode/l10n';
import type { ActivityDay, ProductivityDay } from '../../api';
import {
  daySection,
  figure,
  nameSection,
  ofDays,
  shown,
  summed,
  tallied,
  type Context,
  type Entry,
  type Metric,
  type Parts,
} from './parts';

/** Section 2.4. */
export function activityTab(context: Context<ActivityDay>): Parts {
  const active: Metric<ActivityDay>[] = [
    { id: 'daily', label: l10n.t('Active in a day'), of: row => row.daily_active_users, over: 'median' },
    { id: 'weekly', label: l10n.t('Active in 7 days'), of: row => row.weekly_active_users, over: 'last' },
    { id: 'monthly', label: l10n.t('Active in 30 days'), of: row => row.monthly_active_users, over: 'last' },
  ];
  const volume = [
    summed<ActivityDay>('sessions', l10n.t('Sessions'), row => row.sessions),
    summed<ActivityDay>('messages', l10n.t('Messages'), row => row.messages),
    summed<ActivityDay>('userMessages', l10n.t('Messages of people'), row => row.user_messages),
  ];
  const aboutActive = l10n.t(
    'Different people of each day, of the 7 days and of the 30 days that end with it. They cannot be added up: somebody may be there on several days.',
  );
  const aboutClients = l10n.t(
    'Somebody who uses several clients on a day is counted at each of them, so the clients of a day may add up to more than its people.',
  );
  const aboutVolume = l10n.t('Messages are those of people and of agents together.');
  return {
    figures: [...active, ...volume].map(metric => figure(context, metric)),
    sections: [
      daySection(
        context,
        'lines',
        { id: 'active', title: l10n.t('Active people'), explanation: aboutActive },
        active,
      ),
      daySection(
        context,
        'lines',
        { id: 'clients', title: l10n.t('Active people by client'), explanation: aboutClients },
        clients(context),
      ),
      daySection(
        context,
        'lines',
        { id: 'volume', title: l10n.t('Sessions and messages'), explanation: aboutVolume },
        volume,
      ),
    ],
  };
}

/** The three clients of section 2.4, and any other the service names. */
function clients({ now }: Context<ActivityDay>): Metric<ActivityDay>[] {
  const labels = new Map([
    ['terminal-ui', l10n.t('Terminal')],
    ['web', l10n.t('Web')],
    ['non-interactive-cli', l10n.t('Command line without a person')],
  ]);
  const named = now.rows.flatMap(row => Object.keys(row?.daily_active_users_by_client ?? {}));
  return [...new Set([...labels.keys(), ...named])].map(id => ({
    id: `client=${id}`,
    label: labels.get(id) ?? shown(id),
    of: ({ daily_active_users_by_client: people = {} }) =>
      Object.hasOwn(people, id) ? people[id] : undefined,
  }));
}

/** Section 2.5. */
export function productivityTab(context: Context<ProductivityDay>): Parts {
  const files = [
    summed<ProductivityDay>('created', l10n.t('Files created'), row => row.files_created),
    summed<ProductivityDay>('edited', l10n.t('Files edited'), row => row.files_edited),
  ];
  const git = [
    summed<ProductivityDay>('commits', l10n.t('Commits'), row => row.git_commits),
    summed<ProductivityDay>('pullRequests', l10n.t('Pull requests'), row => row.git_prs_created),
  ];
  const counted = (
    id: string,
    title: string,
    name: string,
    list: 'by_language' | 'by_extension',
    entries: (row: ProductivityDay) => Entry[],
  ) =>
    nameSection(
      {
        ...{ id, title, names: [name], share: l10n.t('Share') },
        explanation: ofDays(
          context.now,
          row => row[list] !== undefined,
          l10n.t('Sum of the days, as the service counts them.'),
        ),
        counts: [{ id: 'count', label: l10n.t('Count') }],
      },
      tallied(context.now, entries),
    );
  return {
    figures: [...files, ...git].map(metric => figure(context, metric)),
    sections: [
      daySection(
        context,
        'stacked',
        {
          ...{ id: 'files', title: l10n.t('Files') },
          explanation: l10n.t('Files that agents created or changed.'),
        },
        files,
      ),
      daySection(
        context,
        'lines',
        {
          ...{ id: 'git', title: l10n.t('Commits and pull requests') },
          explanation: l10n.t('Made by way of an agent.'),
        },
        git,
      ),
      counted('languages', l10n.t('By language'), l10n.t('Language'), 'by_language', row =>
        (row.by_language ?? []).map(({ language, count }) => ({ names: [language], counts: [count] })),
      ),
      counted('extensions', l10n.t('By file extension'), l10n.t('Extension'), 'by_extension', row =>
        (row.by_extension ?? []).map(({ extension, count }) => ({ names: [extension], counts: [count] })),
      ),
    ],
  };
}
