import * as vscode from 'vscode';
import type { Formatter } from '../util/format';
import { oneLine, plain } from '../util/text';
import { inMarkdown as escape, joined } from '../ui/text';
import type { Staleness } from './git';
import { criteriaOf, percentOf, type ShownReport } from './model';
import * as words from './text';

/** The report, and how it stands against the base, as a Markdown document. Foreign text is escaped: it holds no markup. */
export function markdownOf(shown: ShownReport, staleness: Staleness, format: Formatter): string {
  const { repository, report, base, isPartial } = shown;
  const table = (head: readonly string[], rows: readonly (readonly string[])[]): string[] => [
    `| ${head.join(' | ')} |`,
    `| ${head.map(() => '---').join(' | ')} |`,
    ...rows.map(row => `| ${row.map(escape).join(' | ')} |`),
    '',
  ];
  const isCompared = base !== undefined;
  const delta =
    base === undefined
      ? ''
      : ` (${joined([words.deltaText(report, base), escape(words.reportLabel(base))], ', ')})`;
  const withBase = isCompared ? [vscode.l10n.t('Before'), vscode.l10n.t('Change')] : [];
  const notes = words.reportNotes(report, staleness, isPartial);
  const apps = Object.entries(report.apps ?? {});
  return [
    `# ${vscode.l10n.t('Readiness of {0}', escape(oneLine(repository.name, 100)))}`,
    '',
    `${escape(words.subtitle(report))}: ${words.percentText(percentOf(report))}${delta}`,
    '',
    ...(notes.length === 0 ? [] : [...notes.map(note => `- ${escape(note)}`), '']),
    `## ${vscode.l10n.t('Criteria')}`,
    '',
    ...table(
      [vscode.l10n.t('Criterion'), vscode.l10n.t('Score'), ...withBase, vscode.l10n.t('Rationale')],
      criteriaOf(report, base).map(({ id, name, now, before, change }) => [
        name === id ? id : `${name} (${id})`,
        change === 'gone' ? '' : words.scoreText(now),
        ...(isCompared
          ? [before === undefined ? '' : words.scoreText(before), words.changeText(change)]
          : []),
        change === 'gone' ? '' : plain(now.rationale ?? '', 4_000),
      ]),
    ),
    ...(apps.length === 0
      ? []
      : [
          `## ${vscode.l10n.t('Applications')}`,
          '',
          ...table(
            [vscode.l10n.t('Application'), vscode.l10n.t('Description')],
            apps.map(([path, { description = '' }]) => [path, description]),
          ),
        ]),
    `## ${vscode.l10n.t('About this report')}`,
    '',
    ...words.reportFacts(report, format).map(([name, value]) => `- ${name}: ${escape(value)}`),
    '',
  ].join('\n');
}
