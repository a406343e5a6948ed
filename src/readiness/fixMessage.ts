import * as vscode from 'vscode';
import type { ReadinessReport } from '../api';
import { oneLine, plain } from '../util/text';
import { scoreText, dayText } from './text';
import type { Repository } from './model';

/** What an agent is asked to mend: the criteria, why they fail, the applications and the commit. Foreign text is made plain. */
export function fixMessage(
  repository: Repository,
  report: ReadinessReport,
  criteria: readonly string[],
): string {
  const where = [
    oneLine(repository.name, 200),
    report.branch === undefined ? undefined : vscode.l10n.t('branch {0}', oneLine(report.branch, 100)),
    report.commitHash === undefined ? undefined : vscode.l10n.t('commit {0}', oneLine(report.commitHash, 64)),
  ].filter(part => part !== undefined);
  const asked = criteria.flatMap((id): string[][] => {
    const evaluation = Object.hasOwn(report.report, id) ? report.report[id] : undefined;
    if (evaluation === undefined) return [];
    const rationale = plain(evaluation.rationale ?? '', 4_000).replace(/\n/g, '\n  ');
    const line = `- ${oneLine(id, 200)}: ${vscode.l10n.t('{0} pass', scoreText(evaluation))}`;
    return [rationale === '' ? [line] : [line, `  ${rationale}`]];
  });
  const apps = Object.entries(report.apps ?? {}).map(
    ([path, { description }]) =>
      `- ${oneLine(path, 200)}${description ? `: ${oneLine(description, 500)}` : ''}`,
  );
  return [
    ...(asked.length === 1
      ? [
          vscode.l10n.t('Please fix this readiness criterion of {0}.', where.join(', ')),
          vscode.l10n.t('It is from the readiness report of {0}.', dayText(report.createdAt)),
        ]
      : [
          vscode.l10n.t('Please fix these readiness criteria of {0}.', where.join(', ')),
          vscode.l10n.t('They are from the readiness report of {0}.', dayText(report.createdAt)),
        ]),
    '',
    ...asked.flat(),
    ...(apps.length === 0 ? [] : ['', vscode.l10n.t('Applications:'), ...apps]),
    '',
  ].join('\n');
}
