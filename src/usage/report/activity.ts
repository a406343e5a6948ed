import * as l10n from '@vscode/l10n';
import type { ActivityDay, ProductivityDay } from '../../api';
import { partsOf, shown, summed, type ByName, type Context, type Metric, type Parts } from './parts';
import type { Steps } from './steps';

/** Section 2.4. */
export function* activityTab(context: Context<ActivityDay>): Steps<Parts> {
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
  // The documented three, and any other the service names.
  const labels = new Map([
    ['terminal-ui', l10n.t('Terminal')],
    ['web', l10n.t('Web')],
    ['non-interactive-cli', l10n.t('Command line without a person')],
  ]);
  const named = context.now.rows.flatMap(row => Object.keys(row?.daily_active_users_by_client ?? {}));
  const clients = [...new Set([...labels.keys(), ...named])].map((id): Metric<ActivityDay> => ({
    id: `client=${id}`,
    label: labels.get(id) ?? shown(id),
    of: ({ daily_active_users_by_client: people = {} }) =>
      Object.hasOwn(people, id) ? people[id] : undefined,
  }));
  return yield* partsOf(
    context,
    [...active, ...volume],
    [
      {
        ...{ id: 'active', title: l10n.t('Active people'), chart: 'lines', metrics: active },
        explanation: l10n.t(
          'Different people of each day, of the 7 days and of the 30 days that end with it. They cannot be added up: somebody may be there on several days.',
        ),
      },
      {
        ...{ id: 'clients', title: l10n.t('Active people by client'), chart: 'lines', metrics: clients },
        explanation: l10n.t(
          'Somebody who uses several clients on a day is counted at each of them, so the clients of a day may add up to more than its people.',
        ),
      },
      {
        ...{ id: 'volume', title: l10n.t('Sessions and messages'), chart: 'lines', metrics: volume },
        explanation: l10n.t('Messages are those of people and of agents together.'),
      },
    ],
  );
}

/** Section 2.5. */
export function* productivityTab(context: Context<ProductivityDay>): Steps<Parts> {
  const files = [
    summed<ProductivityDay>('created', l10n.t('Files created'), row => row.files_created),
    summed<ProductivityDay>('edited', l10n.t('Files edited'), row => row.files_edited),
  ];
  const git = [
    summed<ProductivityDay>('commits', l10n.t('Commits'), row => row.git_commits),
    summed<ProductivityDay>('pullRequests', l10n.t('Pull requests'), row => row.git_prs_created),
  ];
  const counted = {
    counts: [{ id: 'count', label: l10n.t('Count') }],
    share: l10n.t('Share'),
    explanation: l10n.t('Sum of the days, as the service counts them.'),
  } satisfies Partial<ByName<ProductivityDay>>;
  return yield* partsOf(
    context,
    [...files, ...git],
    [
      {
        ...{ id: 'files', title: l10n.t('Files'), chart: 'bars', metrics: files },
        explanation: l10n.t('Files that agents created or changed.'),
      },
      {
        ...{ id: 'git', title: l10n.t('Commits and pull requests'), chart: 'lines', metrics: git },
        explanation: l10n.t('Made by way of an agent.'),
      },
      {
        ...{ id: 'languages', title: l10n.t('By language'), names: [l10n.t('Language')], ...counted },
        entries: row =>
          row.by_language?.map(({ language, count }) => ({ names: [language], counts: [count] })),
      },
      {
        ...{ id: 'extensions', title: l10n.t('By file extension'), names: [l10n.t('Extension')], ...counted },
        entries: row =>
          row.by_extension?.map(({ extension, count }) => ({ names: [extension], counts: [count] })),
      },
    ],
  );
}
