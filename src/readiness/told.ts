import * as path from 'node:path';
import * as vscode from 'vscode';
import type { ReadinessReport } from '../api';
import { LocalGit, Matches } from './git';
import { criteriaOf, groupReports, passes, percentOf, previousOf, type Repository } from './model';

/**
 * Repositories as other programs are told of them, each with its newest report: those that `asked` names, by a part of their name or
 * address or by a path on this machine; without it those of this window, or else all.
 */
export async function toldReadiness(reports: readonly ReadinessReport[], asked: string | undefined) {
  const all = groupReports(reports);
  const words = asked?.toLowerCase() ?? '';
  const named = [...all.values()].filter(each => `${each.key} ${each.url}`.toLowerCase().includes(words));
  const isPath = asked !== undefined && path.isAbsolute(asked);
  if (asked !== undefined && !isPath) return named.map(told);
  const git = new LocalGit();
  try {
    await git.ready();
    const window = new Matches(all, git.repositories);
    const here = isPath ? [window.at(vscode.Uri.file(asked)) ?? []].flat() : window.all;
    const found = here.map(({ repository }) => repository);
    return (found.length > 0 || isPath ? found : named).map(told);
  } finally {
    git.dispose();
  }
}

function told({ key, name, reports }: Repository) {
  const [report] = reports;
  const before = previousOf(reports, report);
  return {
    repository: name,
    key,
    at: report.createdAt,
    branch: report.branch,
    commit: report.commitHash,
    score: percentOf(report),
    scoreBefore: before && percentOf(before),
    criteria: criteriaOf(report, before).map(row => ({
      id: row.id,
      passing: row.now.numerator,
      of: row.now.denominator,
      isPassing: passes(row.now) && row.change !== 'gone',
      change: row.change,
      rationale: row.now.rationale,
    })),
  };
}
