import * as vscode from 'vscode';
import { inMarkdown as escape, joined } from '../ui/text';
import type { ReportView } from './protocol';

/** The report, and how it stands against the base, as a Markdown document. Foreign text is escaped: it holds no markup. */
export function markdownOf(view: ReportView): string {
  const table = (head: readonly string[], rows: readonly (readonly string[])[]): string[] => [
    `| ${head.join(' | ')} |`,
    `| ${head.map(() => '---').join(' | ')} |`,
    ...rows.map(row => `| ${row.map(escape).join(' | ')} |`),
    '',
  ];
  const isCompared = view.baseId !== undefined;
  const delta = isCompared ? ` (${joined([view.delta, escape(view.base)], ', ')})` : '';
  const withBase = isCompared ? [vscode.l10n.t('Before'), vscode.l10n.t('Change')] : [];
  const { apps, notes } = view;
  return [
    `# ${vscode.l10n.t('Readiness of {0}', escape(view.title))}`,
    '',
    `${escape(view.subtitle)}: ${view.score}${delta}`,
    '',
    ...(notes.length === 0 ? [] : [...notes.map(note => `- ${escape(note)}`), '']),
    `## ${vscode.l10n.t('Criteria')}`,
    '',
    ...table(
      [vscode.l10n.t('Criterion'), vscode.l10n.t('Score'), ...withBase, vscode.l10n.t('Rationale')],
      view.criteria.map(({ id, name, score, before, changeText, rationale }) => [
        name === id ? id : `${name} (${id})`,
        score,
        ...(isCompared ? [before, changeText] : []),
        rationale,
      ]),
    ),
    ...(apps.length === 0
      ? []
      : [
          `## ${vscode.l10n.t('Applications')}`,
          '',
          ...table(
            [vscode.l10n.t('Application'), vscode.l10n.t('Description')],
            apps.map(({ path, description }) => [path, description]),
          ),
        ]),
    `## ${vscode.l10n.t('About this report')}`,
    '',
    ...view.facts.map(([name, value]) => `- ${name}: ${escape(value)}`),
    '',
  ].join('\n');
}
