import * as vscode from 'vscode';
import type { ProductivityDay } from '../api';
import {
  added,
  daySection,
  explained,
  figure,
  nameSection,
  ofDays,
  tally,
  type Context,
  type Metric,
} from './kit';
import type { Figure, Section } from './report';

/** Section 2.5. */
export function productivityTab(context: Context<ProductivityDay>): {
  figures: Figure[];
  sections: Section[];
} {
  const { now } = context;
  const { rows } = now;
  const figures = [...files(), ...git()].map(({ id, label, of }) =>
    figure(context, { id, label, explanation: explained.sum() }, of, added),
  );
  const asCounted = vscode.l10n.t('Sum of the days, as the service counts them.');
  return {
    figures,
    sections: [
      daySection(
        context,
        {
          id: 'files',
          title: vscode.l10n.t('Files'),
          explanation: vscode.l10n.t('Files that agents created or changed.'),
          chart: 'stacked',
        },
        files(),
      ),
      daySection(
        context,
        {
          id: 'git',
          title: vscode.l10n.t('Commits and pull requests'),
          explanation: vscode.l10n.t('Made by way of an agent.'),
          chart: 'lines',
        },
        git(),
      ),
      nameSection(
        {
          id: 'languages',
          title: vscode.l10n.t('By language'),
          explanation: ofDays(asCounted, now, row => row.by_language !== undefined),
          names: [vscode.l10n.t('Language')],
          count: vscode.l10n.t('Count'),
        },
        tally(
          rows.flatMap(row =>
            (row?.by_language ?? []).map(({ language, count }) => ({ names: [language], count })),
          ),
        ),
      ),
      nameSection(
        {
          id: 'extensions',
          title: vscode.l10n.t('By file extension'),
          explanation: ofDays(asCounted, now, row => row.by_extension !== undefined),
          names: [vscode.l10n.t('Extension')],
          count: vscode.l10n.t('Count'),
        },
        tally(
          rows.flatMap(row =>
            (row?.by_extension ?? []).map(({ extension, count }) => ({ names: [extension], count })),
          ),
        ),
      ),
    ],
  };
}

function files(): Metric<ProductivityDay>[] {
  return [
    { id: 'created', label: vscode.l10n.t('Files created'), of: row => row.files_created, adds: true },
    { id: 'edited', label: vscode.l10n.t('Files edited'), of: row => row.files_edited, adds: true },
  ];
}

function git(): Metric<ProductivityDay>[] {
  return [
    { id: 'commits', label: vscode.l10n.t('Commits'), of: row => row.git_commits, adds: true },
    { id: 'pullRequests', label: vscode.l10n.t('Pull requests'), of: row => row.git_prs_created, adds: true },
  ];
}
