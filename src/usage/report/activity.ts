import * as l10n from '@vscode/l10n';
import type { ActivityDay, ProductivityDay } from '../../api';
import { counted, shown, summed, type Context, type Metric, type Tab } from './parts';

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
  // The documented three, and any other the service names.
  const labels = new Map([
    ['terminal-ui', l10n.t('Terminal')],
    ['web', l10n.t('Web')],
    ['non-interactive-cli', l10n.t('Command line without a person')],
  ]);
  const given = now.rows.flatMap(row => Object.keys(row?.daily_active_users_by_client ?? {}));
  const clients = [...new Set([...labels.keys(), ...given])].map((id): Metric<ActivityDay> => ({
    id: `client=${id}`,
    label: labels.get(id) ?? shown(id),
    of: ({ daily_active_users_by_client: people = {} }) =>
      Object.hasOwn(people, id) ? people[id] : undefined,
  }));
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
