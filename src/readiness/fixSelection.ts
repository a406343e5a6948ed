import * as vscode from 'vscode';
import { forNotification, oneLine } from '../util/text';
import { passes, type Repository, type StoredReport } from './model';
import type { CriterionNode } from './tree';

/** The criteria of selected rows that can be mended together, and what was left out, in a sentence. */
export interface FixSelection {
  readonly criteria: readonly string[];
  /** Empty when nothing was left out. */
  readonly leftOut: string;
}

/** Of rows of any repositories, those that fail in this report. */
export function fixSelection(
  rows: readonly Pick<CriterionNode, 'repository' | 'row'>[],
  repository: Repository,
  report: StoredReport,
): FixSelection {
  const criteria: string[] = [];
  const passing: string[] = [];
  const elsewhere: string[] = [];
  for (const { repository: of, row } of rows) {
    const now = Object.hasOwn(report.report, row.id) ? report.report[row.id] : undefined;
    if (of.key !== repository.key) elsewhere.push(`${row.name} (${of.name})`);
    else if (now === undefined || passes(now)) passing.push(row.name);
    else criteria.push(row.id);
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
