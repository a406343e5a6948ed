import * as vscode from 'vscode';
import type { ActivityDay } from '../api';
import { added, daySection, explained, figure, last, median, shown, type Context, type Metric } from './kit';
import type { Figure, Section } from './report';

/** Section 2.4. */
export function activityTab(context: Context<ActivityDay>): { figures: Figure[]; sections: Section[] } {
  const [daily, weekly, monthly] = active();
  const figures = [
    figure(
      context,
      {
        id: daily.id,
        label: daily.label,
        explanation: vscode.l10n.t('Median of the days’ values: people cannot be added up over days.'),
      },
      daily.of,
      median,
    ),
    ...[weekly, monthly].map(({ id, label, of }) =>
      figure(context, { id, label, explanation: explained.last() }, of, last),
    ),
    ...volume().map(({ id, label, of }) =>
      figure(context, { id, label, explanation: explained.sum() }, of, added),
    ),
  ];
  return {
    figures,
    sections: [
      daySection(
        context,
        {
          id: 'active',
          title: vscode.l10n.t('Active people'),
          explanation: vscode.l10n.t(
            'Different people of each day, of the 7 days and of the 30 days that end with it. They cannot be added up: somebody may be there on several days.',
          ),
          chart: 'lines',
        },
        active(),
      ),
      daySection(
        context,
        {
          id: 'clients',
          title: vscode.l10n.t('Active people by client'),
          explanation: vscode.l10n.t(
            'Somebody who uses several clients on a day is counted at each of them, so the clients of a day may add up to more than its people.',
          ),
          chart: 'lines',
        },
        clients(context),
      ),
      daySection(
        context,
        {
          id: 'volume',
          title: vscode.l10n.t('Sessions and messages'),
          explanation: vscode.l10n.t('Messages are those of people and of agents together.'),
          chart: 'lines',
        },
        volume(),
      ),
    ],
  };
}

function active(): [Metric<ActivityDay>, Metric<ActivityDay>, Metric<ActivityDay>] {
  return [
    { id: 'daily', label: vscode.l10n.t('Active in a day'), of: row => row.daily_active_users },
    { id: 'weekly', label: vscode.l10n.t('Active in 7 days'), of: row => row.weekly_active_users },
    { id: 'monthly', label: vscode.l10n.t('Active in 30 days'), of: row => row.monthly_active_users },
  ];
}

function volume(): Metric<ActivityDay>[] {
  return [
    { id: 'sessions', label: vscode.l10n.t('Sessions'), of: row => row.sessions, adds: true },
    { id: 'messages', label: vscode.l10n.t('Messages'), of: row => row.messages, adds: true },
    {
      id: 'userMessages',
      label: vscode.l10n.t('Messages of people'),
      of: row => row.user_messages,
      adds: true,
    },
  ];
}

/** The three clients of section 2.4, and any other the service names. */
function clients({ now }: Context<ActivityDay>): Metric<ActivityDay>[] {
  const labels = new Map([
    ['terminal-ui', vscode.l10n.t('Terminal')],
    ['web', vscode.l10n.t('Web')],
    ['non-interactive-cli', vscode.l10n.t('Command line without a person')],
  ]);
  const ids = new Set(labels.keys());
  for (const row of now.rows)
    for (const id of Object.keys(row?.daily_active_users_by_client ?? {})) ids.add(id);
  return [...ids].map(id => ({
    id: `client=${id}`,
    label: labels.get(id) ?? shown(id),
    of: row => {
      const people = row.daily_active_users_by_client;
      return people !== undefined && Object.hasOwn(people, id) ? people[id] : undefined;
    },
  }));
}
