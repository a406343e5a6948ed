import * as vscode from 'vscode';
import { inMarkdown as escape } from '../ui/text';
import type { Formatter } from '../util/format';
import type { Staleness } from './git';
import { criteriaOf, percentOf } from './model';
import type { ShownReport } from './reportView';
import {
  changeText,
  dayText,
  deltaText,
  percentText,
  reportFacts,
  reportLabel,
  reportNotes,
  scoreText,
} from './text';

/** The report, and how it stands against the base, as a Markdown document. Foreign text is escaped: it holds no markup. */
export function markdownOf(
  { repository, report, base }: ShownReport,
  staleness: Staleness,
  format: Formatter,
): string {
  const percent = percentOf(report);
  const table = (head: readonly string[], rows: readonly (readonly string[])[]): string[] => [
    `| ${head.join(' | ')} |`,
    `| ${head.map(() => '---').join(' | ')} |`,
    ...rows.map(row => `| ${row.map(escape).join(' | ')} |`),
    '',
  ];
  const delta =
    base === undefined ? '' : ` (${deltaText(percent, percentOf(base))}, ${escape(reportLabel(base))})`;
  const withBase = base === undefined ? [] : [vscode.l10n.t('Before'), vscode.l10n.t('Change')];
  const apps = Object.entries(report.apps ?? {});
  const notes = reportNotes(report, staleness).map(note => `- ${escape(note)}`);
  return [
    `# ${vscode.l10n.t('Readiness of {0}', escape(repository.name))}`,
    '',
    `${escape(dayText(report.createdAt))}: ${percentText(percent)}${delta}`,
    '',
    ...(notes.length === 0 ? [] : [...notes, '']),
    `## ${vscode.l10n.t('Criteria')}`,
    '',
    ...table(
      [vscode.l10n.t('Criterion'), vscode.l10n.t('Score'), ...withBase, vscode.l10n.t('Rationale')],
      criteriaOf(report, base).map(({ id, name, now, before, change }) => [
        name === id ? id : `${name} (${id})`,
        change === 'gone' ? '' : scoreText(now),
        ...(base === undefined ? [] : [before === undefined ? '' : scoreText(before), changeText(change)]),
        change === 'gone' ? '' : (now.rationale ?? ''),
      ]),
    ),
    ...(apps.length === 0
      ? []
      : [
          `## ${vscode.l10n.t('Applications')}`,
          '',
          ...table(
            [vscode.l10n.t('Application'), vscode.l10n.t('Description')],
            apps.map(([path, { description }]) => [path, description ?? '']),
          ),
        ]),
    `## ${vscode.l10n.t('About this report')}`,
    '',
    ...reportFacts(report, format).map(([name, value]) => `- ${name}: ${escape(value)}`),
    '',
  ].join('\n');
}
