import * as vscode from 'vscode';
import { forNotification, oneLine } from '../util/text';
import { passes, readableName, type Repository, type StoredReport } from './model';

/** The criteria of selected rows that can be mended together, and what was left out, in a sentence. */
export interface FixSelection {
  readonly criteria: readonly string[];
  /** Empty when nothing was left out. */
  readonly leftOut: string;
}

/** Of rows of any repositories, those that fail in this report. */
export function fixSelection(
  rows: readonly { readonly repository: Repository; readonly criterion: string }[],
  repository: Repository,
  report: StoredReport,
): FixSelection {
  const criteria: string[] = [];
  const passing: string[] = [];
  const elsewhere: string[] = [];
  for (const { repository: of, criterion } of rows) {
    const name = readableName(criterion);
    const now = Object.hasOwn(report.report, criterion) ? report.report[criterion] : undefined;
    if (of.key !== repository.key) elsewhere.push(`${name} (${of.name})`);
    else if (now === undefined || passes(now)) passing.push(name);
    else criteria.push(criterion);
  }
  const sentences = [
    passing.length > 0 ? vscode.l10n.t('Left out, because they do not fail: {0}.', listed(passing)) : '',
    elsewhere.length > 0
      ? vscode.l10n.t('Left out, because they are of another repository: {0}.', listed(elsewhere))
      : '',
  ];
  const leftOut = forNotification(sentences.filter(sentence => sentence !== '').join(' '), 1_000);
  return { criteria: [...new Set(criteria)], leftOut };
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, 5).map(name => oneLine(name, 80));
  return [...shown, ...(names.length > 5 ? ['…'] : [])].join(', ');
}
